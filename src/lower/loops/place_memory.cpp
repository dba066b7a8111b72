// SPDX-License-Identifier: MIT
#include "lower/loops/place_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

std::string key_of(const loops::Range& range) {
  std::vector<std::string> low, high;
  const auto text = [](const loops::Bound& b) {
    std::string out;
    const auto add = [&](std::int64_t number, char after) {
      const fmt::format_int digits(number);
      out.append(digits.data(), digits.size()) += after;
    };
    add(b.divisor, '/');
    add(b.value.constant, '+');
    for (const auto& [name, k] : b.value.terms) {
      add(k, ' ');
      out.append(name) += '+';
    }
    return out;
  };
  for (const loops::Bound& b : range.lower) low.push_back(text(b));
  for (const loops::Bound& b : range.upper) high.push_back(text(b));
  std::sort(low.begin(), low.end());
  std::sort(high.begin(), high.end());
  std::string out;
  for (const std::string& l : low) out.append(l) += ',';
  out += ':';
  for (const std::string& h : high) out.append(h) += ',';
  return out;
}

std::string described(const Names& names) {
  std::string text;
  for (const auto& [own, loop] : names) text.append(own).append("=").append(loop) += ' ';
  return text;
}

const Rest::Step& Rest::along(std::size_t from, std::size_t to, recurrence::IslContext& context) {
  const auto [at, is_new] = steps.try_emplace({from, to});
  if (!is_new) return at->second;
  const int u = static_cast<int>(from), v = static_cast<int>(to);
  // Where isl gives up, nothing is assumed to be in order.
  Step& step = at->second;
  step.forward = step.backward = true;
  context.bounded([&] {
    const isl::map less = isl::manage(isl_map_order_lt(relation.copy(), isl_dim_in, u, isl_dim_out, v));
    const isl::map more = isl::manage(isl_map_order_gt(relation.copy(), isl_dim_in, u, isl_dim_out, v));
    const isl::map same = isl::manage(isl_map_equate(relation.copy(), isl_dim_in, u, isl_dim_out, v));
    const bool forward = !less.is_empty(), backward = !more.is_empty();
    if (!same.is_empty()) {
      step.equal = std::make_unique<Rest>();
      step.equal->relation = same;
    }
    step.forward = forward;
    step.backward = backward;
    return true;
  });
  return at->second;
}

PlaceMemory::PlaceMemory(const Parts& parts, const recurrence::Program& program, recurrence::IslContext& isl_context)
    : context(isl_context), bounds(isl_context, program) {
  for (const Dependence& d : parts.dependences) {
    dependences.push_back(std::make_unique<Rest>());
    dependences.back()->relation = d.relation;
  }
}

} // namespace cyclotron::lower
