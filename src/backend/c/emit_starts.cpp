// SPDX-License-Identifier: MIT
// Sums that start out as what they are taken from.
//
//   x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i)
//
// If the terms of many sums come in turn, as by columns, each sum is made in the memory of its element, which starts
// as zero. It can also start as b(i), from which the terms are subtracted one by one. Then there is less to do
// between the last term and the element, for which other elements wait.
#include "backend/c/emitter.hpp"

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

// Whether every element of the tensor is what one equation makes of a sum.
bool Emitter::is_made_by(const TensorDecl& decl, int equation) const {
  const auto own = std::count_if(program_.equations.begin(), program_.equations.end(),
                                 [&](const Equation& e) { return e.access().tensor == decl.name.name; });
  return own == 1 && program_.equations[static_cast<std::size_t>(equation)].access().tensor == decl.name.name &&
         defined_everywhere(decl);
}

// Whether all terms of a sum come from loops along what is stored of some tensor.
bool Emitter::is_scattered(const std::pair<std::string, int>& temporary) const {
  return std::all_of(plan_.statements.begin(), plan_.statements.end(), [&](const Placed& p) {
    const Statement& s = *p.statement;
    if (!s.reducer || std::pair(s.access().tensor, s.equation) != temporary) return true;
    const auto& keys = statements_.at(&s).accesses;
    return !p.loops.empty() && std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
      const AccessInfo& info = accesses_.at(key);
      for (std::size_t l = 0; l < info.coordinates.size(); ++l)
        if (!is_full(info.tensor->decl->format.levels[l]) &&
            info.coordinates[l].coefficient(p.loops.back()->variable) != 0)
          return true;
      return false;
    });
  });
}

// `b(i)` in `b(i) - tx(i)`, where b is an input in the same form as x.
const Access* Emitter::taken_from(const Binary& b, const std::string& temporary, const TensorDecl& result) const {
  const Access *start = as<Access>(b.lhs), *sum = as<Access>(b.rhs);
  if (!start || !sum || sum->tensor != temporary || (b.op != BinaryOp::sub && b.op != BinaryOp::add)) return nullptr;
  const TensorDecl* input = program_.tensor(start->tensor);
  const bool same = input && !program_.is_output(start->tensor) && input->type == result.type &&
                    input->dims == result.dims && tensor::is_dense(input->format) &&
                    input->format.order == result.format.order && start->indices == sum->indices;
  return same ? start : nullptr;
}

void Emitter::find_starts() {
  for (const auto& [key, plan] : plan_.temporaries) {
    const std::string& name = program_.equations[static_cast<std::size_t>(key.second)].access().tensor;
    const TensorDecl& decl = *program_.tensor(name);
    if (plan.kind != TemporaryPlan::Kind::in_place || !tensor::is_float(decl.type) || !tensor::is_dense(decl.format) ||
        options_.internal.count(name) || !is_scattered(key) || !is_made_by(decl, key.second))
      continue;
    int uses = 0;
    for (const Placed& p : plan_.statements) {
      if (p.statement->reducer || p.statement->equation != key.second) continue;
      ir::walk<ExprNode>(p.statement->value, [&](const Expr& e) {
        const Binary* b = as<Binary>(e);
        if (const Access* start = b ? taken_from(*b, key.first, decl) : nullptr)
          starts_[key] = {start->tensor, b->op == BinaryOp::sub};
        const Access* a = as<Access>(e);
        uses += a && a->tensor == key.first;
      });
    }
    if (uses > 1) starts_.erase(key); // the sum itself is needed as well
  }
  // The members of a vector are finished by one operation: all of them start like this, or none.
  for (const VectorTensors& group : vectors_.tensors) {
    const auto starts = [&](const std::string& member) { return start_of(*program_.tensor(member)) != nullptr; };
    if (std::all_of(group.members.begin(), group.members.end(), starts)) continue;
    std::erase_if(starts_, [&](const auto& item) {
      const std::string& result = program_.equations[static_cast<std::size_t>(item.first.second)].access().tensor;
      return std::find(group.members.begin(), group.members.end(), result) != group.members.end();
    });
  }
}

const Emitter::Start* Emitter::start_of(const std::string& temporary, int equation) const {
  const auto at = starts_.find({temporary, equation});
  return at == starts_.end() ? nullptr : &at->second;
}

// What the memory of a tensor starts out as; null: zero, or nothing.
const TensorNames* Emitter::start_of(const TensorDecl& decl) const {
  for (const auto& [key, start] : starts_)
    if (program_.equations[static_cast<std::size_t>(key.second)].access().tensor == decl.name.name)
      return &tensors_.at(start.input);
  return nullptr;
}

} // namespace cyclotron::backend::c
