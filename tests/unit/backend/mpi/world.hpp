// SPDX-License-Identifier: MIT
// What tests that run on several ranks share: a folder of all ranks, tensors in random parts, and the sequential
// program's answer to the same question.
#pragma once

#include "backend/mpi/data/read.hpp"
#include "tensor/tensor.hpp"

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::mpi {

int world_rank();
int world_size();
void barrier();
// The text that one rank has, on all ranks.
std::string from_rank(int rank, std::string text);

struct Report {
  Sources sources;
  Diagnostics diagnostics{sources};
  std::string text() const { return diagnostics.render(false); }
};

// A fresh folder that all ranks see, removed when all have left.
class SharedFolder {
public:
  SharedFolder();
  ~SharedFolder();
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::string path(const std::string& name) const { return prefix_ + name; }
  // Collective: rank 0 writes the file, and all see it.
  std::string put(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> names() const; // of the files in it

private:
  std::string prefix_;
};

std::string slurp(const std::string& path);
std::string gzipped(const std::string& bytes);

// Boxes that make up a tensor, cut at random, dealt to the ranks at random; the same on all ranks, which take theirs.
std::vector<Box> random_boxes(const std::vector<std::int64_t>& dims, int pieces, std::uint64_t seed);

// This rank's parts, with the memory for them, which is filled with something wrong.
struct Held {
  explicit Held(const std::vector<Box>& boxes);
  std::vector<Word> words;
  std::vector<Part> parts;
};

// What the sequential program would bind; nothing, with an error, where it refuses.
std::optional<tensor::Tensor> bind_sequentially(const Source& source, const Declaration& declaration,
                                                Diagnostics& diagnostics);

// Fails the test where an element differs by a bit.
void expect_parts(const std::vector<Part>& parts, const tensor::Tensor& whole);

// Fills the parts from a tensor that every rank has.
void fill(const std::vector<Part>& parts, const tensor::Tensor& whole);

// Reads in parts, and expects the values, or else the words of the error, of the sequential program.
void expect_like_sequential(const Source& source, const Declaration& declaration, const Limits& limits = {},
                            int pieces = 7, std::uint64_t seed = 1);

} // namespace cyclotron::mpi
