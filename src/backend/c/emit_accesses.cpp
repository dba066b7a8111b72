// SPDX-License-Identifier: MIT
// What each statement reads and writes, and where it has something to do.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

// Reductions that a zero leaves as they are.
bool starts_at_zero(Reducer reducer) { return reducer == Reducer::sum || reducer == Reducer::any; }

} // namespace

// Of a tensor with masks, the form that these loops can walk: each sparse level is fixed by a loop further in than
// those of the levels above it.
void Emitter::choose_view(const Access& access, const std::vector<const Loop*>& around) {
  const auto masks = masks_.find(access.tensor);
  if (masks == masks_.end() || accesses_.count(print(Expr(access)))) return;
  const auto fits = [&](const TensorNames& t) {
    int deepest = -1;
    for (std::size_t l = 0; l < t.decl->format.levels.size(); ++l) {
      const Affine c = accepted_affine(access.indices.at(static_cast<std::size_t>(t.decl->format.order[l])), program_);
      int depth = -1;
      for (std::size_t i = 0; i < around.size(); ++i)
        if (c.coefficient(around[i]->variable) != 0) depth = static_cast<int>(i);
      if (!is_full(t.decl->format.levels[l]) && depth <= deepest) return false;
      deepest = std::max(deepest, depth);
    }
    return true;
  };
  if (fits(tensors_.at(access.tensor))) return;
  for (const TensorNames& mask : masks->second)
    if (fits(mask)) {
      AccessInfo info = access_info(access);
      info.tensor = &mask;
      info.coordinates.clear();
      for (int dim : mask.decl->format.order)
        info.coordinates.push_back(accepted_affine(access.indices.at(static_cast<std::size_t>(dim)), program_));
      accesses_.at(info.key) = info;
      return;
    }
}

std::string Emitter::value_position(const AccessInfo& info, const std::string& position) const {
  return info.tensor->entries.empty() ? position : fmt::format("{}[{}]", info.tensor->entries, position);
}

const AccessInfo& Emitter::access_info(const Access& access) {
  const std::string key = print(Expr(access));
  const auto [at, is_new] = accesses_.try_emplace(key);
  if (!is_new) return at->second;
  AccessInfo& info = at->second;
  info.key = key;
  info.tensor = &tensors_.at(access.tensor);
  if (const Fold* fold = info.tensor->fold) {
    for (std::size_t d : fold->kept) info.coordinates.push_back(accepted_affine(access.indices[d], program_));
    if (fold->loop) info.step = fold->steps.at(key);
    return info;
  }
  const bool tile = access.indices.size() < info.tensor->decl->dims.size(); // its place is worked out where it is used
  for (int dim : tile ? std::vector<int>{} : info.tensor->decl->format.order)
    info.coordinates.push_back(accepted_affine(access.indices.at(static_cast<std::size_t>(dim)), program_));
  if (access.step) info.step = accepted_affine(*access.step, program_);
  info.last_step = info.tensor->stepped && !access.step;
  return info;
}

// How a workspace gathers; nothing where the access is something else.
std::optional<Reducer> Emitter::workspace_reducer(const Access& access, int equation) const {
  const auto plan = plan_.temporaries.find({access.tensor, equation});
  if (plan == plan_.temporaries.end() || plan->second.kind != TemporaryPlan::Kind::array) return std::nullopt;
  return nest_.temporary(access.tensor, equation)->reducer;
}

void Emitter::collect() {
  const auto is_sparse = [&](const Access& a) {
    const auto t = tensors_.find(a.tensor);
    return t != tensors_.end() && t->second.sparse();
  };
  for (const Placed& p : plan_.statements) {
    const Statement& s = *p.statement;
    StatementInfo& info = statements_[&s];
    info.statement = &s;
    const auto add = [&](const Access& a) {
      choose_view(a, p.loops);
      const std::string& key = access_info(a).key;
      if (std::find(info.accesses.begin(), info.accesses.end(), key) == info.accesses.end())
        info.accesses.push_back(key);
      return key;
    };
    ir::walk<ExprNode>(s.value, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a) return;
      if (program_.tensor(a->tensor)) {
        info.reads.insert(add(*a));
        return;
      }
      if (plan_.temporaries.at({a->tensor, s.equation}).kind != TemporaryPlan::Kind::in_place) return;
      Access own = *a;
      own.tensor = program_.equations[static_cast<std::size_t>(s.equation)].access().tensor;
      add(own);
    });
    const Access& lhs = program_.equations[static_cast<std::size_t>(s.equation)].access();
    Access target = s.access();
    target.tensor = lhs.tensor;
    target.indices.resize(lhs.indices.size());
    const TensorNames& t = tensors_.at(lhs.tensor);
    const bool own_place =
        !s.reducer || plan_.temporaries.at({s.access().tensor, s.equation}).kind == TemporaryPlan::Kind::in_place;
    if (own_place) info.target = add(target);
    else if (t.sparse()) {
      choose_view(target, p.loops);
      info.wanted = access_info(target).key;
      // A term that is zero leaves a sum as it is, but not a product: a workspace must not get what the result lacks,
      // for it is emptied along the result. Nor is a term zero where it is made of a workspace that did not get it.
      bool zeros = starts_at_zero(*s.reducer);
      ir::walk<ExprNode>(s.value, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        const auto reducer = a ? workspace_reducer(*a, s.equation) : std::nullopt;
        zeros &= !reducer || starts_at_zero(*reducer);
      });
      if (!zeros && workspace_reducer(s.access(), s.equation)) add(target);
    }
  }
  // Temporaries first need to know which points they leave out, so accumulations come before assignments.
  for (const bool accumulations : {true, false})
    for (const Placed& p : plan_.statements) {
      const Statement& s = *p.statement;
      if (s.reducer.has_value() != accumulations) continue;
      StatementInfo& info = statements_.at(&s);
      const TensorNames& t = tensors_.at(program_.equations[static_cast<std::size_t>(s.equation)].access().tensor);
      const auto temporary = [&](const Access& a) {
        const TemporaryPlan& plan = plan_.temporaries.at({a.tensor, s.equation});
        const loops::Temporary& own = *nest_.temporary(a.tensor, s.equation);
        if (plan.kind != TemporaryPlan::Kind::scalar) return Presence::always();
        if (!starts_at_zero(own.reducer)) return Presence::always();
        for (const Placed& other : plan_.statements)
          if (other.statement->reducer && other.statement->equation == s.equation &&
              other.statement->access().tensor == a.tensor)
            return statements_.at(other.statement).presence;
        return Presence::always();
      };
      const auto dense_access = [&](const Access& a) {
        return program_.tensor(a.tensor) ? Presence::always() : temporary(a);
      };
      const Presence some = nonzero(s.value, is_sparse, dense_access);
      if (!s.reducer) {
        // Memory used in turn holds old values: all elements must be written anew.
        const bool reused = t.fold || (t.stepped && !plan_.steps.at(t.decl->name.name).all);
        info.presence = reused ? Presence::always() : some;
      } else if (starts_at_zero(*s.reducer)) {
        info.presence = some;
      } else {
        TemporaryPlan& plan = plan_.temporaries.at({s.access().tensor, s.equation});
        info.presence = not_identity(s.value, *s.reducer, is_sparse);
        const bool one_loop = p.loops.size() == plan.shared_depth + 1 && p.loops.back()->ranges.size() == 1 &&
                              p.loops.back()->guard.empty() && s.guard.empty();
        if (info.presence.is_always() && !some.is_always() && one_loop && plan.kind == TemporaryPlan::Kind::scalar) {
          plan.counted = true;
          info.presence = some;
        }
      }
      // What takes a value out of a workspace, or out of the element's own memory, must not leave it there. Where
      // something else can make the element zero, a sparse result lacks some that the workspace has.
      const auto is_scattered_sum = [&](const Access& a) {
        const auto reducer = workspace_reducer(a, s.equation);
        return reducer && starts_at_zero(*reducer);
      };
      const Presence stored = nonzero(s.value, is_sparse, [&](const Access& a) {
        return is_scattered_sum(a) ? Presence::of(print(Expr(a))) : dense_access(a);
      });
      bool more_than_stored = false;
      ir::walk<ExprNode>(s.value, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        if (!a || program_.tensor(a->tensor)) return;
        const TemporaryPlan::Kind kind = plan_.temporaries.at({a->tensor, s.equation}).kind;
        if (kind == TemporaryPlan::Kind::scalar) return;
        more_than_stored |= kind == TemporaryPlan::Kind::array && (s.reducer.has_value() || !some.is_always());
        more_than_stored |= is_scattered_sum(*a) && !follows(stored, print(e));
        info.presence = Presence::always();
        if (s.reducer) plan_.temporaries.at({s.access().tensor, s.equation}).counted = false;
      });
      if (t.sparse() && !more_than_stored)
        info.presence = both(info.presence, Presence::of(info.target.empty() ? info.wanted : info.target));
    }
}

} // namespace cyclotron::backend::c
