// SPDX-License-Identifier: MIT
#include "pattern/scope.hpp"

#include <algorithm>
#include <array>

namespace cyclotron::pattern {

const Named* Scope::find(std::string_view name) const {
  const auto found =
      std::find_if(declared_.rbegin(), declared_.rend(), [&](const Named& known) { return known.name == name; });
  return found == declared_.rend() ? nullptr : &*found;
}

void Scope::close() {
  declared_.resize(marks_.back());
  marks_.pop_back();
}

NameKind kind_of(MemoryKind kind) {
  return static_cast<NameKind>(static_cast<int>(NameKind::sram) + static_cast<int>(kind));
}

std::string_view describe(NameKind kind) {
  constexpr std::array<std::string_view, 8> words{
      "a number", "an environment constant", "a dram", "an sram", "a sparse sram", "a fifo", "a register", "bits"};
  return words[static_cast<std::size_t>(kind)];
}

bool is_sram(NameKind kind) { return kind == NameKind::sram || kind == NameKind::sparse_sram; }

} // namespace cyclotron::pattern
