// SPDX-License-Identifier: MIT
// How a program runs; never what it computes.
#pragma once

#include "cyclotron/expression.hpp"
#include "cyclotron/tensor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron {

// Commands in the order in which they are given, as methods or as text: `Schedule("order i, j, k; parallel i")`.
// `cyclotron list commands` shows them all. Names are checked when a program is compiled with it.
class Schedule {
public:
  Schedule() = default;
  Schedule(const std::string& commands) { add(commands); }
  Schedule(const char* commands) { add(commands); }

  // Any commands, one a line or separated by `;`.
  Schedule& add(const std::string& commands);

  template <std::same_as<Index>... I> Schedule& order(const I&... loops) { return names("order", {loops...}); }
  template <std::same_as<Index>... I> Schedule& parallel(const I&... loops) { return names("parallel", {loops...}); }
  template <std::same_as<Index>... I> Schedule& wavefront(const I&... loops) { return names("wavefront", {loops...}); }
  Schedule& tile(const Index& loop, std::int64_t size) { return names("tile", {loop}, " by " + std::to_string(size)); }
  Schedule& tile(const std::vector<Index>& loops, std::int64_t size) {
    return names("tile", loops, " by " + std::to_string(size));
  }
  // Names the loops that the tiles become, outermost first: `tile(i, {64}, {i0, i1})`.
  Schedule& tile(const Index& loop, const std::vector<std::int64_t>& sizes, const std::vector<Index>& parts);
  Schedule& vectorize(const Index& loop, std::int64_t width = 0) { return names("vectorize", {loop}, by(width)); }
  Schedule& unroll(const Index& loop, std::int64_t factor = 0) { return names("unroll", {loop}, by(factor)); }

  bool empty() const { return commands_.empty(); }
  std::string text() const; // one command a line

private:
  static std::string by(std::int64_t number) { return number == 0 ? "" : " by " + std::to_string(number); }
  Schedule& names(const char* command, const std::vector<Index>& loops, const std::string& rest = "");

  std::vector<std::string> commands_;
};

} // namespace cyclotron
