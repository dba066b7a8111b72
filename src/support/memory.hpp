// SPDX-License-Identifier: MIT
// How much memory there is, asked before a large allocation so that we can say no instead of dying.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron {

// Bytes that this process may still take: the machine's available memory, or CYCLOTRON_MEMORY_LIMIT
// (bytes, or with a suffix K, M, G) where that is set.
std::int64_t available_memory();

// "3.2 GiB", "17 bytes".
std::string describe_bytes(double bytes);

// The product of the extents, or nothing where it does not fit 63 bits.
std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& extents);

} // namespace cyclotron
