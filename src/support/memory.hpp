// SPDX-License-Identifier: MIT
// How much memory there is, asked before a large allocation so that we can say no instead of dying; and large pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron {

// Bytes that this process may still take: the machine's available memory, or CYCLOTRON_MEMORY_LIMIT
// (bytes, or with a suffix K, M, G) where that is set.
std::int64_t available_memory();

// Asks for large pages for memory that is about to be filled: the first touch of each page costs as much as many
// touches later, and small ones are 512 times as many. A wish: where the system knows none, nothing happens.
void prefer_large_pages(void* memory, std::size_t bytes);

// Room for so many elements, in large pages where that is much.
template <class T> void reserve_pages(std::vector<T>& list, std::size_t count) {
  list.reserve(count);
  prefer_large_pages(list.data(), list.capacity() * sizeof(T));
}

// "3.2 GiB", "17 bytes"; from `uncounted_bytes` up, where estimates saturate, "more than 1024 EiB".
inline constexpr double uncounted_bytes = 0x1p70;
std::string describe_bytes(double bytes);

// The product of the extents, or nothing where it does not fit 63 bits.
std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& extents);

} // namespace cyclotron
