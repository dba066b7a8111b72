// SPDX-License-Identifier: MIT
#include "loops/ir.hpp"

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

// Whether the bounds of `loop` count in multiples of `variable`, as those of a loop inside a tile do.
bool within_tile_of(const Loop& loop, const std::string& variable) {
  for (const Range& range : loop.ranges)
    for (const Bound& b : range.lower)
      if (const std::int64_t c = b.value.coefficient(variable); c > 1 && b.divisor == 1) return true;
  return false;
}

// `ceil((i-63) / 64) <= io`: a loop over the tiles, inside the loop over what is tiled.
bool tile_around(const Loop& loop, const std::string& variable) {
  for (const Range& range : loop.ranges)
    for (const Bound& b : range.lower)
      if (b.divisor > 1 && b.value.coefficient(variable) != 0) return true;
  return false;
}

} // namespace

bool accumulates_over(const Statement& statement, const std::vector<const Loop*>& around, const Loop& loop) {
  if (!statement.reducer || mentions(statement.target, loop.variable)) return false;
  if (mentions(statement.value, loop.variable)) return true;
  // Only loops over tiles, and variables that a reduction does not use, are in neither.
  for (const Loop* other : around)
    if (other != &loop && (within_tile_of(*other, loop.variable) || tile_around(loop, other->variable)))
      return accumulates_over(statement, around, *other);
  return true;
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
