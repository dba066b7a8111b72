// SPDX-License-Identifier: MIT
#include "lower/loops/tile_loops.hpp"

#include "lower/contains.hpp"
#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cyclotron::lower {

using Strings = std::vector<std::string>;

namespace {

// With sizes up to as many, bounds made of both still fit into 64 bits.
constexpr std::int64_t largest_block = std::numeric_limits<std::int32_t>::max();

} // namespace

void TileLoops::add(const schedule::Command& tile, Diagnostics& diagnostics) {
  const auto& sizes = std::get<std::vector<std::int64_t>>(tile.find("sizes")->value);
  const Strings parts = tile.names("parts");
  for (const std::string& named : tile.names("indices")) {
    const bool again = inner_.count(named) > 0; // the innermost part of a loop that was tiled before
    const std::string v = variable(named);
    const Strings names = parts.empty() ? schedule::tile_parts(named, sizes.size()) : parts;
    // Blocks of blocks are larger blocks of what those are made of.
    const auto block = std::find_if(splits_.begin(), splits_.end(), [&](const Split& s) { return s.outer == v; });
    const std::string counted = block == splits_.end() ? v : block->variable;
    std::int64_t size = block == splits_.end() ? 1 : block->size;
    Strings blocks;
    for (std::size_t k = sizes.size(); k-- > 0;) {
      if (__builtin_mul_overflow(size, sizes[k], &size) || size > largest_block) {
        diagnostics.error(tile.find("sizes")->span, fmt::format("the blocks of `{}` are too large", named))
            .with_hint(fmt::format("a block can have up to {} iterations", largest_block));
        return;
      }
      splits_.push_back({counted, names[k], size});
      blocks.push_back(names[k]);
    }
    names_.insert(again && counted == v ? names_.begin() : names_.end(), blocks.begin(), blocks.end());
    if (names.back() != v) inner_[names.back()] = v;
  }
}

const std::string& TileLoops::variable(const std::string& name) const {
  const auto at = inner_.find(name);
  return at == inner_.end() ? name : at->second;
}

void TileLoops::add_outside(Strings& order) const {
  Strings missing;
  for (const std::string& name : names_)
    if (!contains(order, name)) missing.push_back(name);
  std::reverse(missing.begin(), missing.end());
  const auto place = [&](const std::string& name) {
    const auto split = std::find_if(splits_.begin(), splits_.end(), [&](const Split& s) { return s.outer == name; });
    return std::find(order.begin(), order.end(), split->variable);
  };
  std::stable_sort(missing.begin(), missing.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  order.insert(order.begin(), missing.begin(), missing.end());
}

void TileLoops::add_beside(Strings& order) const {
  std::map<std::string, std::string> outermost; // so far, by variable
  std::vector<Split> smallest_first = splits_;
  std::stable_sort(smallest_first.begin(), smallest_first.end(),
                   [](const Split& a, const Split& b) { return a.size < b.size; });
  for (const Split& s : smallest_first) {
    std::string& inner = outermost.try_emplace(s.variable, s.variable).first->second;
    if (!contains(order, s.outer)) order.insert(std::find(order.begin(), order.end(), inner), s.outer);
    inner = s.outer;
  }
}

} // namespace cyclotron::lower
