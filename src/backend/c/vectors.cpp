// SPDX-License-Identifier: MIT
#include "backend/c/vectors.hpp"

#include "recurrence/affine.hpp"

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;
using loops::Loop;
using loops::Node;
using loops::Statement;

bool is_sum_of_products(const Expr& expr) {
  bool simple = true;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Binary* b = as<Binary>(e))
      simple &= b->op == BinaryOp::add || b->op == BinaryOp::sub || b->op == BinaryOp::mul;
    else if (const Unary* u = as<Unary>(e)) simple &= u->op == UnaryOp::negate;
    else simple &= as<Access>(e) || as<Number>(e) || as<Name>(e);
  });
  return simple;
}

namespace {

constexpr std::size_t most_members = 8;

std::vector<const Access*> accesses_of(const Expr& expr) {
  std::vector<const Access*> list;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Access* a = as<Access>(e)) list.push_back(a);
  });
  return list;
}

class Finder {
public:
  Finder(const Plan& plan, const loops::Nest& nest, const Program& program, const std::set<std::string>& excluded)
      : plan_(plan), nest_(nest), program_(program), excluded_(excluded) {}

  VectorPlan run() {
    for (const Placed& p : plan_.statements)
      for (const Loop* l : p.loops)
        if (l->parallel || l->vector_width != 0) return {};
    for (const Placed& p : plan_.statements)
      if (!p.loops.empty() && tried_.insert(p.loops.back()).second) try_loop(*p.loops.back());
    return std::move(result_);
  }

private:
  using Key = std::pair<std::string, int>;

  static Key key_of(const Statement& s) { return {s.access().tensor, s.equation}; }
  const Access& target_of(const Statement& s) const {
    return program_.equations[static_cast<std::size_t>(s.equation)].access();
  }

  bool indexed_by(const Access& a, const Loop& loop) const {
    return std::any_of(a.indices.begin(), a.indices.end(),
                       [&](const Expr& e) { return accepted_affine(e, program_).coefficient(loop.variable) != 0; });
  }

  // Tensors that vectors may hold: dense, of numbers with a point, all of it in memory.
  bool fits(const std::string& name) const {
    const TensorDecl* t = program_.tensor(name);
    if (!t || t->dims.empty() || !tensor::is_dense(t->format) || !tensor::is_float(t->type)) return false;
    if (program_.is_stepped(name) || plan_.folds.count(name) || excluded_.count(name)) return false;
    const auto whole = [&](const Access& a) { return a.tensor != name || a.indices.size() == t->dims.size(); };
    return std::all_of(plan_.statements.begin(), plan_.statements.end(), [&](const Placed& p) {
      const auto read = accesses_of(p.statement->value);
      return whole(target_of(*p.statement)) &&
             std::all_of(read.begin(), read.end(), [&](const Access* a) { return whole(*a); });
    });
  }

  bool same_kind(const std::string& a, const std::string& b) const {
    const TensorDecl *x = program_.tensor(a), *y = program_.tensor(b);
    return fits(a) && fits(b) && x->type == y->type && x->dims == y->dims && x->format.order == y->format.order &&
           program_.is_output(a) == program_.is_output(b);
  }

  // Adds the vector of `members`, unless one of them is in another already.
  static bool add(std::vector<VectorTensors>& list, const std::vector<std::string>& members, bool together) {
    for (VectorTensors& other : list) {
      if (other.members == members) {
        other.together |= together;
        return true;
      }
      for (const std::string& m : members)
        if (std::find(other.members.begin(), other.members.end(), m) != other.members.end()) return false;
    }
    for (std::size_t i = 0; i < members.size(); ++i)
      if (std::count(members.begin(), members.end(), members[i]) > 1) return false;
    list.push_back({members, together});
    return true;
  }

  // One sum in each statement, of the same kind, and nowhere else.
  bool sums_alike(const std::vector<const Statement*>& statements) const {
    const loops::Temporary& first = *nest_.temporary(key_of(*statements[0]).first, statements[0]->equation);
    const TemporaryPlan& plan = plan_.temporaries.at(key_of(*statements[0]));
    return std::all_of(statements.begin(), statements.end(), [&](const Statement* s) {
      if (s->reducer != Reducer::sum || !s->guard.empty() || !is_sum_of_products(s->value)) return false;
      const loops::Temporary& t = *nest_.temporary(key_of(*s).first, s->equation);
      const TemporaryPlan& own = plan_.temporaries.at(key_of(*s));
      const auto uses = std::count_if(plan_.statements.begin(), plan_.statements.end(), [&](const Placed& p) {
        return p.statement->reducer && key_of(*p.statement) == key_of(*s);
      });
      return uses == 1 && tensor::is_float(t.type) && t.type == first.type && t.shape.empty() && !own.counted &&
             own.kind == plan.kind && own.kind != TemporaryPlan::Kind::array && own.shared == plan.shared &&
             s->access().indices == statements[0]->access().indices;
    });
  }

  void try_loop(const Loop& loop) {
    std::vector<const Statement*> statements;
    for (const Node& n : loop.body) {
      const Statement* s = std::get_if<Statement>(&n.kind);
      if (!s || !s->reducer) return;
      statements.push_back(s);
    }
    if (statements.size() < 2 || statements.size() > most_members || !sums_alike(statements)) return;
    const tensor::ValueType type = nest_.temporary(key_of(*statements[0]).first, statements[0]->equation)->type;
    VectorPlan next = result_;
    bool walks = false, together = false;
    std::vector<std::vector<const Access*>> accesses;
    for (const Statement* s : statements) accesses.push_back(accesses_of(s->value));
    for (std::size_t a = 0; a < accesses[0].size(); ++a) {
      const Access& first = *accesses[0][a];
      std::vector<std::string> members;
      for (const auto& own : accesses) {
        if (own.size() != accesses[0].size() || own[a]->indices != first.indices || own[a]->step) return;
        members.push_back(own[a]->tensor);
      }
      const TensorDecl* decl = program_.tensor(first.tensor);
      if (!decl) return; // a temporary
      if (std::all_of(members.begin(), members.end(), [&](const auto& m) { return m == first.tensor; })) {
        walks |= !tensor::is_dense(decl->format) && indexed_by(first, loop);
        continue;
      }
      const bool gathered = indexed_by(first, loop);
      if (decl->type != type || (gathered && !program_.is_output(first.tensor)) || !add_all(next, members, gathered))
        return;
      together |= gathered;
    }
    if (!walks || !same_but_names(statements)) return;
    if (plan_.temporaries.at(key_of(*statements[0])).kind == TemporaryPlan::Kind::in_place) {
      std::vector<std::string> members;
      for (const Statement* s : statements) members.push_back(target_of(*s).tensor);
      const bool scattered = indexed_by(statements[0]->access(), loop);
      if (program_.tensor(members[0])->type != type || !scattered || !add_all(next, members, true)) return;
      together = true;
    } else {
      next.temporaries.emplace_back();
      for (const Statement* s : statements) next.temporaries.back().push_back(key_of(*s));
    }
    if (!together) return;
    next.loops.insert(&loop);
    result_ = std::move(next);
  }

  bool add_all(VectorPlan& plan, const std::vector<std::string>& members, bool together) const {
    return std::all_of(members.begin(), members.end(), [&](const auto& m) { return same_kind(members[0], m); }) &&
           add(plan.tensors, members, together);
  }

  // Whether the statements' values are one expression, but for the tensors in it.
  static bool same_but_names(const std::vector<const Statement*>& statements) {
    const auto nameless = [](const Expr& expr) {
      const std::function<Expr(const Expr&)> rename = [&](const Expr& e) -> Expr {
        const Access* a = as<Access>(e);
        return a ? Expr(Access{"", a->step, a->indices}) : ir::map_children<ExprNode>(e, rename);
      };
      return rename(expr);
    };
    const Expr first = nameless(statements[0]->value);
    return std::all_of(statements.begin(), statements.end(),
                       [&](const Statement* s) { return nameless(s->value) == first; });
  }

  const Plan& plan_;
  const loops::Nest& nest_;
  const Program& program_;
  const std::set<std::string>& excluded_;
  std::set<const Loop*> tried_;
  VectorPlan result_;
};

} // namespace

const VectorTensors* VectorPlan::of(const std::string& tensor) const {
  for (const VectorTensors& t : tensors)
    if (std::find(t.members.begin(), t.members.end(), tensor) != t.members.end()) return &t;
  return nullptr;
}

VectorPlan find_vectors(const Plan& plan, const loops::Nest& nest, const Program& program,
                        const std::set<std::string>& excluded) {
  return Finder(plan, nest, program, excluded).run();
}

} // namespace cyclotron::backend::c
