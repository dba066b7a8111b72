// SPDX-License-Identifier: MIT
#include "loops/ir.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::loops {

using namespace recurrence;

namespace {

void visit(const std::vector<Node>& body, std::vector<const Loop*>& around,
           const std::function<void(const Statement&, const std::vector<const Loop*>&)>& f) {
  for (const Node& node : body) {
    if (const Statement* s = std::get_if<Statement>(&node.kind)) {
      f(*s, around);
      continue;
    }
    const Loop& loop = std::get<Loop>(node.kind);
    around.push_back(&loop);
    visit(loop.body, around, f);
    around.pop_back();
  }
}

} // namespace

const Temporary* Nest::temporary(const std::string& name, int equation) const {
  for (const Temporary& t : temporaries)
    if (t.name == name && t.equation == equation) return &t;
  return nullptr;
}

void each_statement(const std::vector<Node>& body,
                    const std::function<void(const Statement&, const std::vector<const Loop*>&)>& f) {
  std::vector<const Loop*> around;
  visit(body, around, f);
}

namespace {

bool mentions(const Expr& expr, const std::string& name) {
  bool found = false;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Name* n = as<Name>(e)) found |= n->id == name;
  });
  return found;
}

bool spans_a_tile(const Bound& lower, const Bound& upper, std::int64_t size) {
  return lower.divisor == upper.divisor && upper.value - lower.value == Affine{{}, size - 1};
}

// `64*io <= i < 64*io+64`, or with the loops the other way round `ceil((i-63) / 64) <= io <= floor(i / 64)`: one
// iteration of the outer variable for each of the inner.
bool is_tile_of(const Loop& loop, const std::string& other) {
  for (const Range& range : loop.ranges)
    for (const Bound& low : range.lower)
      for (const Bound& high : range.upper) {
        const std::int64_t c = low.value.coefficient(other);
        if (low.divisor == 1 && c > 1 && spans_a_tile(low, high, c)) return true;
        if (low.divisor > 1 && c == 1 && spans_a_tile(low, high, low.divisor)) return true;
      }
  return false;
}

void add_range(const Range& range, const std::string& variable, std::vector<Condition>& to) {
  for (const Bound& b : range.lower) to.push_back({Affine{{{variable, b.divisor}}, 0} - b.value});
  for (const Bound& b : range.upper) to.push_back({b.value - Affine{{{variable, b.divisor}}, 0}});
}

} // namespace

bool accumulates_over(const Statement& statement, const std::vector<const Loop*>& around, const Loop& loop) {
  if (!statement.reducer || mentions(statement.target, loop.variable)) return false;
  if (mentions(statement.value, loop.variable)) return true;
  // Only loops over tiles, and variables that a reduction does not use, are in neither. Tiles may have tiles.
  std::vector<const Loop*> tied{&loop};
  for (std::size_t i = 0; i < tied.size(); ++i)
    for (const Loop* other : around) {
      if (std::find(tied.begin(), tied.end(), other) != tied.end()) continue;
      if (!is_tile_of(*other, tied[i]->variable) && !is_tile_of(*tied[i], other->variable)) continue;
      if (mentions(statement.target, other->variable)) return false;
      tied.push_back(other);
    }
  return true;
}

isl::set domain_of(const Statement& statement, const std::vector<const Loop*>& around, const IslContext& context,
                   const Program& program, std::vector<Condition> conditions, const std::vector<std::string>& others) {
  std::vector<std::string> names;
  for (const Loop* loop : around) names.push_back(loop->variable);
  names.insert(names.end(), others.begin(), others.end());
  std::vector<const Loop*> of_several; // ranges
  for (const Loop* loop : around) {
    if (loop->ranges.size() == 1) add_range(loop->ranges[0], loop->variable, conditions);
    else of_several.push_back(loop);
    conditions.insert(conditions.end(), loop->guard.begin(), loop->guard.end());
  }
  conditions.insert(conditions.end(), statement.guard.begin(), statement.guard.end());
  isl::set domain = set_where(context, program, names, conditions);
  for (const Loop* loop : of_several) {
    isl::set any = isl::manage(isl_set_empty(isl_set_get_space(domain.get())));
    for (const Range& range : loop->ranges) {
      std::vector<Condition> inside;
      add_range(range, loop->variable, inside);
      any = any.unite(set_where(context, program, names, inside, false));
    }
    domain = domain.intersect(any);
  }
  return domain;
}

std::optional<Affine> implied_size(const Loop& loop, const Program& program) {
  std::optional<Affine> size;
  bool agree = true;
  each_statement(loop.body, [&](const Statement& s, const auto&) {
    const auto look = [&](const Expr& root) {
      ir::walk<ExprNode>(root, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        const TensorDecl* decl = a ? program.tensor(a->tensor) : nullptr;
        if (!decl) return;
        for (std::size_t d = 0; d < a->indices.size(); ++d)
          if (const Name* n = as<Name>(a->indices[d]); n && n->id == loop.variable) {
            const Affine dim = accepted_affine(decl->dims[d], program);
            if (!size) size = dim;
            else agree &= *size == dim;
          }
      });
    };
    look(s.target);
    look(s.value);
  });
  return agree ? size : std::nullopt;
}

} // namespace cyclotron::loops
