// SPDX-License-Identifier: MIT
// One reader per file kind, and how a file's dimensions are compared with those that are known already.
#pragma once

#include "tensor/io.hpp"
#include "tensor/io/byte_source.hpp"

namespace cyclotron::tensor {

std::optional<Entries> read_matrix_market(ByteSource& source, const ReadOptions& options);
std::optional<Entries> read_frostt(ByteSource& source, const ReadOptions& options);
std::optional<Entries> read_numpy(ByteSource& source, const ReadOptions& options);

// True where `found` has the rank and sizes that are known.
bool agrees(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& known);

// "a 3 x ? x 5 tensor", "a vector of size 3", "a scalar".
std::string describe_shape(const std::vector<std::int64_t>& known);

// Beyond this a file is surely not what it claims to be, and walking so many levels would exhaust the stack.
constexpr std::size_t most_dimensions = 255;

// For sizes that do not agree.
constexpr const char* other_sizes_hint =
    "the sizes follow from the program or from other inputs: use a file that fits them";

} // namespace cyclotron::tensor
