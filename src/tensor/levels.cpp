// SPDX-License-Identifier: MIT
#include "tensor/levels.hpp"

#include <algorithm>

namespace cyclotron::tensor {

namespace {

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < level_table.size(); ++i)
    if (level_table[i].kind != static_cast<LevelKind>(i)) return false;
  return true;
}
static_assert(is_in_order(), "`properties_of` finds a row by the number of its kind");

} // namespace

std::optional<LevelKind> level_kind_named(std::string_view name) {
  const auto* const row = std::ranges::find(level_table, name, &LevelProperties::name);
  return row == level_table.end() ? std::nullopt : std::optional(row->kind);
}

const std::vector<std::string>& level_kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const LevelProperties& row : level_table) list.emplace_back(row.name);
    return list;
  }();
  return names;
}

} // namespace cyclotron::tensor
