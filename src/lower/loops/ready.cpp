// SPDX-License-Identifier: MIT
#include "lower/loops/ready.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;

namespace {

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The step, then the indices.
std::vector<Expr> places_of(const Access& a) {
  std::vector<Expr> list;
  if (a.step) list.push_back(*a.step);
  list.insert(list.end(), a.indices.begin(), a.indices.end());
  return list;
}

bool mentions(const Expr& expr, const std::string& name) {
  bool found = false;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Name* n = as<Name>(e)) found |= n->id == name;
  });
  return found;
}

bool mentions_from(const Expr& expr, const std::vector<const Loop*>& around, std::size_t depth) {
  for (std::size_t d = depth; d < around.size(); ++d)
    if (mentions(expr, around[d]->variable)) return true;
  return false;
}

// Where a loop further in runs over one tile of `variable`, the first value of that tile: `64*io`.
std::optional<Affine> start_of_tile(const Expr& place, const std::vector<const Loop*>& around,
                                    const std::string& variable) {
  const Name* name = as<Name>(place);
  for (const Loop* loop : around)
    if (name && loop->variable == name->id && loop->rising && loop->ranges.size() == 1)
      for (const loops::Bound& b : loop->ranges[0].lower)
        if (b.divisor == 1 && b.value.coefficient(variable) > 1) return b.value;
  return std::nullopt;
}

} // namespace

std::string Slice::text() const {
  std::string out = "ready " + tensor;
  const std::size_t first = stepped ? 1 : 0;
  if (stepped) {
    const bool plain = std::all_of(places[0].begin(), places[0].end(), [](unsigned char c) { return std::isalnum(c); });
    out += plain ? "^" + places[0] : "^(" + places[0] + ")";
  }
  if (places.size() > first)
    out += fmt::format("({})", fmt::join(places.begin() + static_cast<std::ptrdiff_t>(first), places.end(), ","));
  return out;
}

bool Slice::covers(const Slice& other) const {
  if (tensor != other.tensor || places.size() != other.places.size()) return false;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != ":" && places[i] != other.places[i]) return false;
  return true;
}

Slice assumed(const NestFlow& flow, const Flow& carried, std::size_t depth, bool complete, const Program& program) {
  const NestStatement &from = flow.statements[carried.from], &to = flow.statements[carried.to];
  // Iterations finish whole slices of an output; of a temporary they finish what is read next, and add to others.
  const bool temporary = from.statement->reducer.has_value();
  const NestStatement& side = temporary ? to : from;
  const Access& access = temporary ? *as<Access>(carried.read) : from.statement->access();
  const Loop& loop = *side.around[depth];
  Slice slice{access.tensor, access.step.has_value(), {}};
  for (const Expr& place : places_of(access)) {
    const Affine affine = accepted_affine(place, program);
    const std::int64_t c = affine.coefficient(loop.variable);
    if (mentions_from(place, side.around, depth + 1)) {
      const auto start = start_of_tile(place, side.around, loop.variable);
      slice.places.push_back(start && loop.rising ? ":" + without_blanks(print(*start)) : ":");
    } else if (c == 0) {
      slice.places.push_back(print_index(place));
    } else {
      const bool before = (c > 0) == loop.rising;
      const std::int64_t own = temporary && complete ? 1 : 0; // this iteration's is ready, too
      const Affine edge = affine + Affine{{}, before ? own : 1 - own};
      const std::string text = edge == affine ? print_index(place) : without_blanks(print(edge));
      slice.places.push_back(before ? ":" + text : text + ":");
    }
  }
  return slice;
}

Slice finished(const NestStatement& statement, std::size_t depth) {
  const Access& access = statement.statement->access();
  Slice slice{access.tensor, access.step.has_value(), {}};
  for (const Expr& place : places_of(access))
    slice.places.push_back(mentions_from(place, statement.around, depth) ? ":" : print_index(place));
  return slice;
}

} // namespace cyclotron::lower
