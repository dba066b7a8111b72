// SPDX-License-Identifier: MIT
#include "loops/origin.hpp"

#include <algorithm>
#include <map>

namespace cyclotron::loops {

using namespace recurrence;

namespace {

using Names = std::vector<std::string>;

// From the variables of an equation to those of the loops; no two become one.
class Renaming {
public:
  bool add(const std::string& own, const std::string& placed) {
    const auto [at, is_new] = to_.try_emplace(own, placed);
    if (!is_new) return at->second == placed;
    return from_.try_emplace(placed, own).second;
  }

private:
  std::map<std::string, std::string> to_, from_;
};

std::vector<Expr> children_of(const Expr& expr) {
  std::vector<Expr> list;
  ir::each_child<ExprNode>(expr, [&](const Expr& child) { list.push_back(child); });
  return list;
}

// The same node, its children aside.
bool same_head(const Expr& a, const Expr& b) {
  if (a->kind.index() != b->kind.index()) return false;
  return match(
      a, [&](const Number& n) { return n == *as<Number>(b); }, [&](const Boolean& n) { return n == *as<Boolean>(b); },
      [&](const Name& n) { return n == *as<Name>(b); },
      [&](const Access& n) {
        const Access& o = *as<Access>(b);
        return n.tensor == o.tensor && n.step.has_value() == o.step.has_value() && n.indices.size() == o.indices.size();
      },
      [&](const Unary& n) { return n.op == as<Unary>(b)->op; },
      [&](const Binary& n) { return n.op == as<Binary>(b)->op; },
      [&](const Call& n) { return n.function == as<Call>(b)->function; }, [&](const Select&) { return true; },
      [&](const Reduce&) { return false; }, [&](const KernelCall& n) { return n.kernel == as<KernelCall>(b)->kernel; });
}

class Search {
public:
  Search(const Statement& statement, const Program& program) : statement_(statement), program_(program) {}

  std::vector<Origin> run() {
    for (std::size_t i = 0; i < program_.equations.size(); ++i) {
      equation_ = &program_.equations[i];
      Origin origin{static_cast<int>(i), {}, {}};
      collect_indices(origin.variables);
      if (statement_.reducer) search_reductions(equation_->value, origin);
      else if (fits_assignment()) found_.push_back(origin);
    }
    return std::move(found_);
  }

private:
  void collect_indices(Names& names) const {
    ir::walk<ExprNode>(equation_->target, [&](const Expr& e) {
      const Name* n = as<Name>(e);
      if (n && n->kind == NameKind::index && std::find(names.begin(), names.end(), n->id) == names.end())
        names.push_back(n->id);
    });
  }

  bool fits_assignment() const {
    Renaming renaming;
    return fits(equation_->target, statement_.target, renaming) && fits(equation_->value, statement_.value, renaming);
  }

  void search_reductions(const Expr& expr, Origin origin) {
    if (const Reduce* reduce = as<Reduce>(expr)) {
      if (fits_accumulation(*reduce, origin.variables)) {
        origin.reduction = expr;
        found_.push_back(origin);
      }
      for (const Binder& b : reduce->variables) origin.variables.push_back(b.name);
    }
    ir::each_child<ExprNode>(expr, [&](const Expr& child) { search_reductions(child, origin); });
  }

  // A temporary has the indices of its equation's target, then the variables of the reductions around its own.
  bool fits_accumulation(const Reduce& reduce, const Names& variables) const {
    if (*statement_.reducer != reduce.reducer) return false;
    const Access &own = equation_->access(), &placed = statement_.access();
    Names indices;
    collect_indices(indices);
    const std::size_t extra = variables.size() - indices.size();
    if (own.step.has_value() != placed.step.has_value()) return false;
    if (own.indices.size() + extra != placed.indices.size()) return false;
    Renaming renaming;
    if (own.step && !fits(*own.step, *placed.step, renaming)) return false;
    for (std::size_t d = 0; d < own.indices.size(); ++d)
      if (!fits(own.indices[d], placed.indices[d], renaming)) return false;
    for (std::size_t d = 0; d < extra; ++d) {
      const Name* name = as<Name>(placed.indices[own.indices.size() + d]);
      if (!name || !renaming.add(variables[indices.size() + d], name->id)) return false;
    }
    return fits(reduce.body, statement_.value, renaming);
  }

  // A reduction has become a temporary.
  bool fits(const Expr& own, const Expr& placed, Renaming& renaming) const {
    if (as<Reduce>(own)) return as<Access>(placed) && !program_.tensor(as<Access>(placed)->tensor);
    if (const Name* a = as<Name>(own), *b = as<Name>(placed); a && b && a->kind == NameKind::index)
      return b->kind == NameKind::index && renaming.add(a->id, b->id);
    if (!same_head(own, placed)) return false;
    const std::vector<Expr> a = children_of(own), b = children_of(placed);
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!fits(a[i], b[i], renaming)) return false;
    return true;
  }

  const Statement& statement_;
  const Program& program_;
  const Equation* equation_ = nullptr;
  std::vector<Origin> found_;
};

} // namespace

std::vector<Origin> origins_of(const Statement& statement, const Program& program) {
  return Search(statement, program).run();
}

} // namespace cyclotron::loops
