// SPDX-License-Identifier: MIT
// Names of types, levels and usual formats, and the check that a format can be stored.
#include "tensor/format.hpp"

#include "support/diagnostics.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::tensor {

std::string_view name_of(ValueType type) {
  switch (type) {
  case ValueType::f64: return "f64";
  case ValueType::f32: return "f32";
  case ValueType::i32: return "i32";
  case ValueType::i64: return "i64";
  case ValueType::boolean: return "bool";
  }
  bug("unknown value type");
}

std::optional<ValueType> value_type_named(std::string_view name) {
  for (ValueType type : {ValueType::f64, ValueType::f32, ValueType::i32, ValueType::i64, ValueType::boolean})
    if (name_of(type) == name) return type;
  return std::nullopt;
}

bool is_float(ValueType type) { return type == ValueType::f64 || type == ValueType::f32; }

int size_of(ValueType type) {
  switch (type) {
  case ValueType::f64:
  case ValueType::i64: return 8;
  case ValueType::f32:
  case ValueType::i32: return 4;
  case ValueType::boolean: return 1;
  }
  bug("unknown value type");
}

namespace {

std::vector<int> first_to_last(int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Format all(LevelKind kind, int rank) {
  return {std::vector<LevelKind>(static_cast<std::size_t>(rank), kind), first_to_last(rank), Region::unspecified};
}

// Those that a branchless level can stand below.
std::vector<std::string> repeating_kinds() {
  std::vector<std::string> names;
  for (const LevelProperties& row : level_table)
    if (row.may_repeat) names.emplace_back(row.name);
  return names;
}

} // namespace

Format dense_format(int rank) { return all(LevelKind::dense, rank); }

bool is_dense(const Format& format) { return std::ranges::all_of(format.levels, is_full); }

bool repeats(const Format& format, std::size_t l) {
  return l + 1 < format.levels.size() && properties_of(format.levels[l + 1]).branchless;
}

std::optional<Format> format_named(std::string_view name, int rank) {
  if (rank < 0) return std::nullopt;
  if (name == "dense") return dense_format(rank);
  if (rank == 2 && (name == "csr" || name == "csc")) {
    Format format = all(LevelKind::compressed, 2);
    format.levels[0] = LevelKind::dense;
    if (name == "csc") format.order = {1, 0};
    return format;
  }
  if (rank == 2 && name == "dcsr") return all(LevelKind::compressed, 2);
  if (rank >= 1 && name == "coo") {
    Format format = all(LevelKind::singleton, rank);
    format.levels[0] = LevelKind::compressed;
    return format;
  }
  if (rank >= 1 && name == "csf") return all(LevelKind::compressed, rank);
  return std::nullopt;
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = {"dense", "csr", "csc", "dcsr", "coo", "csf"};
  return names;
}

std::string to_string(const Format& format) {
  for (const std::string& name : format_names()) {
    const std::optional<Format> usual = format_named(name, format.rank());
    if (usual && usual->levels == format.levels && usual->order == format.order) return name;
  }
  std::vector<std::string_view> levels;
  for (LevelKind kind : format.levels) levels.push_back(name_of(kind));
  std::string text = fmt::format("{{{}}}", fmt::join(levels, ", "));
  if (format.order != first_to_last(format.rank())) text += fmt::format(" order ({})", fmt::join(format.order, ","));
  return text;
}

std::string problem_of(const Format& format) {
  if (format.order.size() != format.levels.size())
    return fmt::format("the format has {} levels but its order names {} dimensions", format.levels.size(),
                       format.order.size());
  std::vector<int> sorted = format.order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != first_to_last(format.rank()))
    return fmt::format("the order ({}) does not name each dimension from 0 to {} once", fmt::join(format.order, ","),
                       format.rank() - 1);
  for (std::size_t l = 0; l < format.levels.size(); ++l) {
    const LevelProperties& own = properties_of(format.levels[l]);
    if (!own.branchless) continue;
    if (l == 0) return fmt::format("the top level cannot be {}: it would hold one coordinate in all", own.name);
    const LevelProperties& above = properties_of(format.levels[l - 1]);
    if (!above.may_repeat)
      return fmt::format("level {} cannot be {} below a {} level: each coordinate there could have only one "
                         "entry; the level above must be {}",
                         l + 1, own.name, above.name, join_names(repeating_kinds(), "or"));
  }
  return "";
}

} // namespace cyclotron::tensor
