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

// "3 x ? x 5".
std::string describe_known(const std::vector<std::int64_t>& known);

} // namespace cyclotron::tensor
