// SPDX-License-Identifier: MIT
// What the tests of tensors share: a folder that vanishes, collected diagnostics, and tensors as plain dense arrays.
#pragma once

#include "support/diagnostics.hpp"
#include "tensor/io.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cyclotron::tensor {

// Diagnostics with the sources they need.
struct Report {
  Sources sources;
  Diagnostics diagnostics{sources};

  // Without colour, and with `folder` shortened to nothing so that messages are the same everywhere.
  std::string text(const std::string& folder = "") const;
};

// A fresh folder, removed with everything in it.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return prefix_ + name; }
  const std::string& prefix() const { return prefix_; }
  std::string put(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> names() const; // of the files in it

private:
  std::string prefix_;
};

// How most files of matrices begin.
inline const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

std::string slurp(const std::string& path);
std::string gzipped(const std::string& bytes);

// Every element in row-major order, repeated entries summed; by the definition, one entry at a time.
std::vector<double> dense_view(const Entries& entries);
// The same through `locate`.
std::vector<double> dense_view(const Tensor& tensor);

// Reads bytes as a file of that name; fails the test where that fails.
Entries read_bytes(const std::string& name, const std::string& bytes, const std::vector<std::int64_t>& dims = {});

// What is said about bytes that cannot be read as a file of that name.
std::string read_error(const std::string& name, const std::string& bytes, const std::vector<std::int64_t>& dims = {});

struct WrongFile {
  std::string bytes;
  const char* message;
};

template <std::size_t count> void expect_errors(const std::string& name, const WrongFile (&files)[count]) {
  for (const WrongFile& file : files) EXPECT_EQ(read_error(name, file.bytes), file.message);
}

} // namespace cyclotron::tensor
