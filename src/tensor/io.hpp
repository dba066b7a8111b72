// SPDX-License-Identifier: MIT
// Tensors from and to files: Matrix Market `.mtx`, FROSTT `.tns`, NumPy `.npy`, each also gzipped (`.gz`).
#pragma once

#include "support/diagnostics.hpp"
#include "tensor/tensor.hpp"

#include <optional>
#include <string>

namespace cyclotron::tensor {

enum class FileKind { matrix_market, frostt, numpy };

// By ending, a `.gz` behind it ignored; nothing for another ending.
std::optional<FileKind> file_kind(const std::string& path);

struct ReadOptions {
  // Dimensions where the program or the user already knows them; -1 where not. FROSTT files do not state
  // theirs: without this they are the largest coordinates seen. Empty: nothing is known, not even the rank.
  std::vector<std::int64_t> dims;
};

// Reads a file, streaming. Symmetric Matrix Market files are expanded; complex ones gain a last dimension of
// size 2 (real, imaginary). Every error names the file, the line and what was expected there.
std::optional<Entries> read(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics);

// A matrix of one row or column becomes a vector: Matrix Market has no vectors. Others are left alone.
void as_vector(Entries& entries);

// The dimensions of what `read` would give, without keeping more than the first lines: only a FROSTT file, which does
// not state them, is read to its end.
std::optional<std::vector<std::int64_t>> read_dims(const std::string& path, const ReadOptions& options,
                                                   Diagnostics& diagnostics);

// Says at once whether this tensor could be written there: the ending is known, the kind can hold that rank
// (Matrix Market: two dimensions, or one, written as a column), the folder exists and is writable.
bool check_writable(const std::string& path, int rank, Diagnostics& diagnostics);

// Writes to a temporary file beside the target and renames it: a failure leaves what was there before.
bool write(const std::string& path, const Tensor& tensor, Diagnostics& diagnostics);

} // namespace cyclotron::tensor
