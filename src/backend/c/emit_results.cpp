// SPDX-License-Identifier: MIT
// Loops along a sparse result, beside an operand that each of its elements needs.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

bool has_alternatives(const Presence& p) {
  return p.kind == Presence::Kind::any_of || std::any_of(p.parts.begin(), p.parts.end(), has_alternatives);
}

bool is_nested(LevelKind kind) { return is_full(kind) || properties_of(kind).listed(); }

} // namespace

bool Emitter::has_one_equation(const std::string& tensor) const {
  return std::count_if(program_.equations.begin(), program_.equations.end(),
                       [&](const Equation& e) { return e.access().tensor == tensor; }) == 1;
}

// C that sets all elements under the entry that is reached of a result to zero; empty where that is not simple. They
// must all belong to this iteration: none to other equations, none to other iterations of the loops around.
std::string Emitter::zeros_under(const std::string& key) {
  const AccessInfo& info = accesses_.at(key);
  const Resolved& at = resolved_.at(key);
  const TensorNames& t = *info.tensor;
  if (t.stepped || !t.entries.empty() || !at.begin.empty() || !at.present.empty() || at.base != t.values) return "";
  if (at.levels == info.coordinates.size()) return fmt::format("{} = 0;", element(key));
  if (!has_one_equation(t.decl->name.name)) return "";
  std::string first = at.position, end = at.position + " + 1";
  for (std::size_t l = at.levels; l < info.coordinates.size(); ++l) {
    const bool other_iterations = std::any_of(scope_.begin(), scope_.end(), [&](const Loop* around) {
      return info.coordinates[l].coefficient(around->variable) != 0;
    });
    if (!properties_of(t.decl->format.levels[l]).listed() || other_iterations) return "";
    first = fmt::format("{}[{}]", t.positions[l], first);
    end = fmt::format("{}[{}]", t.positions[l], end);
  }
  return fmt::format("{0}({1} + {2}, {3} - {2}, sizeof *{1});", use("cyc_clear"), t.values, first, end);
}

// A variable that says whether the levels of a result are those of an operand: empty where that cannot be told. The
// structure of a result was found from that of its operands. Where every element of it needs one of the operand, at the
// same coordinates, then the operand has all that the result has; as many of them are the same ones, in the same order.
std::string Emitter::same_levels(const std::string& operand, const std::string& result,
                                 const std::vector<const StatementInfo*>& statements) {
  const AccessInfo &from = accesses_.at(operand), &to = accesses_.at(result);
  const TensorNames &b = *from.tensor, &x = *to.tensor;
  if (!x.output || x.stepped || b.stepped || !x.entries.empty() || !b.entries.empty() || !b.sparse()) return "";
  if (!has_one_equation(x.decl->name.name)) return "";
  const bool needed = std::any_of(statements.begin(), statements.end(), [&](const StatementInfo* s) {
    return !s->statement->reducer && s->target == result && needs(s->presence, operand) &&
           !has_alternatives(s->presence);
  });
  if (!needed || from.coordinates.size() < to.coordinates.size()) return "";
  std::string equal;
  for (std::size_t l = 0; l < to.coordinates.size(); ++l) {
    const LevelKind kind = x.decl->format.levels[l];
    if (kind != b.decl->format.levels[l] || !is_nested(kind) || x.sizes[l] != b.sizes[l] ||
        from.coordinates[l] != to.coordinates[l])
      return "";
    if (!is_full(kind))
      equal += fmt::format("{}{} == {}", equal.empty() ? "" : " && ", count_of(b, l + 1), count_of(x, l + 1));
  }
  // A list would have several entries for one coordinate.
  if (from.coordinates.size() > to.coordinates.size() &&
      properties_of(b.decl->format.levels[to.coordinates.size()]).branchless)
    return "";
  auto& known = same_levels_[{b.name, x.name}];
  if (known.first.empty()) known = {names_.fresh(fmt::format("{}_like_{}", b.name, x.name)), equal};
  return known.first;
}

} // namespace cyclotron::backend::c
