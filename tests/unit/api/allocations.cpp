// SPDX-License-Identifier: MIT
// Replaces `new` for the whole executable. In a file of its own, so that no caller sees through it.
#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace cyclotron::test {

std::int64_t& allocated() {
  static thread_local std::int64_t bytes = 0;
  return bytes;
}

} // namespace cyclotron::test

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  cyclotron::test::allocated() += static_cast<std::int64_t>(size);
  return std::malloc(size);
}
void* operator new(std::size_t size) {
  if (void* p = operator new(size, std::nothrow)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
