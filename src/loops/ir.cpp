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

std::vector<std::string> domain_texts(const Statement& statement, const std::vector<const Loop*>& around) {
  std::vector<std::string> texts;
  const auto add = [&](const std::vector<Condition>& guard) {
    for (const Condition& c : guard) texts.push_back(isl_text(c));
  };
  for (const Loop* loop : around) {
    std::string any;
    for (const Range& range : loop->ranges) {
      std::vector<std::string> both;
      for (const Bound& b : range.lower)
        both.push_back(fmt::format("{}*{} >= {}", b.divisor, isl_name(loop->variable), isl_text(b.value)));
      for (const Bound& b : range.upper)
        both.push_back(fmt::format("{}*{} <= {}", b.divisor, isl_name(loop->variable), isl_text(b.value)));
      any += fmt::format("{}({})", any.empty() ? "" : " or ", fmt::join(both, " and "));
    }
    texts.push_back("(" + any + ")");
    add(loop->guard);
  }
  add(statement.guard);
  return texts;
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
