// SPDX-License-Identifier: MIT
#include "backend/c/plan.hpp"

#include "backend/c/fold.hpp"
#include "backend/c/in_place.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cyclotron::backend::c {

using namespace recurrence;
using loops::Loop;
using loops::Statement;

std::vector<Affine> coordinates_of(const Access& access, const Program& program) {
  std::vector<Affine> list;
  if (access.step) list.push_back(accepted_affine(*access.step, program));
  for (const Expr& e : access.indices) list.push_back(accepted_affine(e, program));
  return list;
}

namespace {

class Planner {
public:
  Planner(const loops::Nest& nest, const Program& program, const Domains& domains,
          const std::set<std::string>& all_steps, const std::set<std::string>& internal)
      : nest_(nest), program_(program), domains_(domains), all_steps_(all_steps), internal_(internal) {}

  Plan run() {
    loops::each_statement(nest_.body, [&](const Statement& s, const std::vector<const Loop*>& around) {
      plan_.statements.push_back({&s, around});
    });
    for (const TensorDecl* t : program_.outputs())
      if (program_.is_stepped(t->name.name)) plan_steps(t->name.name);
    plan_.folds = find_folds(plan_.statements, program_, domains_, internal_);
    for (const loops::Temporary& t : nest_.temporaries) plan_temporary(t);
    return std::move(plan_);
  }

private:
  // --- steps ---

  static std::size_t depth_of(const Placed& p, const Loop* loop) {
    return static_cast<std::size_t>(std::find(p.loops.begin(), p.loops.end(), loop) - p.loops.begin());
  }

  // Steps can be used in turn where one rising loop t both writes steps t + c and reads steps t + c - d, all further
  // reads come after it and are of the last step, and the initial ones are written before it.
  void plan_steps(const std::string& name) {
    StepPlan& plan = plan_.steps[name];
    if (all_steps_.count(name)) return;
    const Loop* loop = nullptr;
    std::int64_t least = 0, most = 0;
    bool any = false;
    std::set<std::int64_t> initial; // steps written outside the loop
    std::vector<int> looped;        // equations inside
    // The loop: the one whose variable is in the step of what is written.
    for (const Placed& p : plan_.statements) {
      const Access& a = p.statement->access();
      if (a.tensor != name) continue;
      const Affine step = accepted_affine(*a.step, program_);
      const Loop* own = nullptr;
      for (const Loop* l : p.loops)
        if (step.coefficient(l->variable) != 0) own = l;
      if (!own) {
        if (!step.is_constant()) return;
        initial.insert(step.constant);
        continue;
      }
      if (loop && own != loop) return;
      looped.push_back(p.statement->equation);
      loop = own;
      const Affine rest = step - Affine{{{own->variable, 1}}, 0};
      if (!rest.is_constant() || !own->rising || depth_of(p, own) != 0) return;
      plan.written.insert(rest.constant);
      least = any ? std::min(least, rest.constant) : rest.constant;
      most = any ? std::max(most, rest.constant) : rest.constant;
      any = true;
    }
    if (!loop || loop->forall) return; // steps that do not build on each other may run in any order
    bool inside = false, before = true;
    for (const Placed& p : plan_.statements) {
      const bool in_loop = !p.loops.empty() && p.loops[0] == loop;
      inside |= in_loop;
      if (in_loop) before = false;
      const bool after = inside && !in_loop;
      if (p.statement->access().tensor == name && !in_loop && !before) return; // written after the loop
      bool fits = true;
      ir::walk<ExprNode>(p.statement->value, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        if (!a || a->tensor != name) return;
        if (!a->step) {
          fits &= after;
          return;
        }
        if (!in_loop) {
          fits = false;
          return;
        }
        const Affine rest = accepted_affine(*a->step, program_) - Affine{{{loop->variable, 1}}, 0};
        fits &= rest.is_constant();
        least = std::min(least, rest.constant);
        most = std::max(most, rest.constant);
      });
      if (!fits) return;
    }
    std::int64_t kept = most - least + 1;
    // The newest step may take the memory of the oldest, element by element.
    const auto one_less = [&] {
      return kept > 1 && plan.written == std::set<std::int64_t>{most} &&
             tensor::is_dense(program_.tensor(name)->format) &&
             (initial.empty() || *initial.rbegin() - *initial.begin() + 1 < kept) &&
             may_overwrite(name, *loop, least, plan_.statements, program_, domains_) && !leaves_behind(name, kept - 1);
    };
    if (one_less()) --kept;
    if (!initial.empty() && *initial.rbegin() - *initial.begin() + 1 > kept) return;
    const bool clear = leaves_behind(name, kept);
    // A slot that is cleared must not hold an initial step that the loop adds to.
    if (clear && !initial.empty())
      for (int e : looped) {
        isl_set* range = domains_.equations[static_cast<std::size_t>(e)].defines.range().release();
        range = isl_set_upper_bound_si(range, isl_dim_set, 0, static_cast<int>(*initial.rbegin()));
        if (!isl::manage(range).is_empty()) return;
      }
    plan.all = false;
    plan.loop = loop;
    plan.kept = kept;
    plan.clear = clear;
    if (!initial.empty()) plan.initial = *initial.rbegin();
  }

  // Some step defines an element that the step `kept` later, which takes its slot, does not.
  bool leaves_behind(const std::string& name, std::int64_t kept) const {
    const isl::set& steps = domains_.steps.at(name);
    std::optional<isl::set> defined;
    for (const EquationDomain& e : domains_.equations) {
      if (e.equation->access().tensor != name) continue;
      const isl::set own = isl::manage(isl_set_reset_tuple_id(e.defines.range().release()));
      defined = defined ? defined->unite(own) : own;
    }
    if (!defined) bug("a stepped tensor is not defined");
    const auto dims = static_cast<unsigned>(isl_set_dim(defined->get(), isl_dim_set));
    isl_multi_aff* move = isl_multi_aff_identity_on_domain_space(isl_set_get_space(defined->get()));
    isl_aff* step = isl_multi_aff_get_aff(move, 0);
    move = isl_multi_aff_set_aff(move, 0, isl_aff_add_constant_si(step, static_cast<int>(kept)));
    isl_set* later = isl_set_apply(defined->copy(), isl_map_from_multi_aff(move));
    isl_set* used = isl_set_add_dims(isl_set_reset_tuple_id(steps.copy()), isl_dim_set, dims - 1);
    return !isl::manage(isl_set_intersect(later, used)).is_subset(*defined);
  }

  // --- temporaries ---

  struct Use {
    const Placed* by;
    std::vector<Affine> coordinates;
  };

  const Placed* accumulation_of(const loops::Temporary& t) const {
    for (const Placed& p : plan_.statements)
      if (p.statement->reducer && p.statement->equation == t.equation && p.statement->access().tensor == t.name)
        return &p;
    return nullptr;
  }

  // In the order of the text. A condition with a reduction is also read by the reductions that it may rule out.
  std::vector<Use> uses_of(const loops::Temporary& t) const {
    std::vector<Use> uses;
    for (const Placed& p : plan_.statements)
      if (p.statement->equation == t.equation)
        ir::walk<ExprNode>(p.statement->value, [&](const Expr& e) {
          if (const Access* a = as<Access>(e); a && a->tensor == t.name)
            uses.push_back({&p, coordinates_of(*a, program_)});
        });
    return uses;
  }

  // How many loops are around the statement and the use, in the same iteration of each. A value that lives on into
  // another iteration of a loop finds the loops inside that one starting anew.
  std::size_t shared_depth(const Placed& from, const std::vector<Affine>& written, const Use& use) const {
    std::size_t depth = 0;
    while (depth < from.loops.size() && depth < use.by->loops.size() && from.loops[depth] == use.by->loops[depth])
      ++depth;
    const std::set<std::string> same = same_iteration(written, use.coordinates, from.loops, depth);
    const auto end = from.loops.begin() + static_cast<std::ptrdiff_t>(depth);
    return static_cast<std::size_t>(
        std::find_if(from.loops.begin(), end, [&](const Loop* l) { return !same.count(l->variable); }) -
        from.loops.begin());
  }

  // The variables among these loops that are equal where an element is written and where it is read: coordinates that
  // are the same expression determine them, and so do loops inside.
  std::set<std::string> same_iteration(const std::vector<Affine>& in, const std::vector<Affine>& out,
                                       const std::vector<const Loop*>& loops, std::size_t depth) const {
    std::set<std::string> known;
    for (bool more = true; std::exchange(more, false);) {
      for (std::size_t d = 0; d < in.size(); ++d)
        if (in[d] == out[d])
          if (const auto open = unknown_in(in[d], known); open.size() == 1) more |= known.insert(open[0]).second;
      for (std::size_t l = 0; l < depth; ++l)
        if (known.count(loops[l]->variable))
          if (const auto name = determined_by(*loops[l], known)) more |= known.insert(*name).second;
    }
    return known;
  }

  std::vector<std::string> unknown_in(const Affine& a, const std::set<std::string>& known) const {
    std::vector<std::string> names;
    for (const auto& [name, c] : a.terms)
      if (!program_.is_size(name) && !known.count(name)) names.push_back(name);
    return names;
  }

  // In `for 4*i_tile <= i < 4*i_tile+4` what i is says what i_tile is, and in `front-i <= j <= front-i` j says the
  // front.
  std::optional<std::string> determined_by(const Loop& loop, const std::set<std::string>& known) const {
    std::optional<std::string> found;
    for (const loops::Range& r : loop.ranges) {
      std::optional<std::string> here;
      for (const loops::Bound& lower : r.lower)
        for (const loops::Bound& upper : r.upper) {
          const Affine width = upper.value - lower.value;
          const auto open = unknown_in(lower.value, known);
          if (lower.divisor == 1 && upper.divisor == 1 && width.is_constant() && open.size() == 1 &&
              width.constant < std::abs(lower.value.coefficient(open[0])))
            here = open[0];
        }
      if (!here || (found && *found != *here)) return std::nullopt;
      found = here;
    }
    return found;
  }

  void plan_temporary(const loops::Temporary& t) {
    TemporaryPlan& plan = plan_.temporaries[{t.name, t.equation}];
    const Placed* from = accumulation_of(t);
    const std::vector<Use> uses = uses_of(t);
    if (!from || uses.empty()) bug("a temporary is not used");
    plan.last_use = uses.back().by->statement;
    const std::vector<Affine> in = coordinates_of(from->statement->access(), program_);
    plan.shared_depth = from->loops.size();
    for (const Use& u : uses) plan.shared_depth = std::min(plan.shared_depth, shared_depth(*from, in, u));
    plan.shared = plan.shared_depth == 0 ? nullptr : from->loops[plan.shared_depth - 1];
    const auto fixed = [&](const Affine& a) {
      return std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& term) {
        return program_.is_size(term.first) ||
               std::any_of(from->loops.begin(), from->loops.begin() + static_cast<std::ptrdiff_t>(plan.shared_depth),
                           [&](const Loop* l) { return l->variable == term.first; });
      });
    };
    for (std::size_t d = 0; d < in.size(); ++d)
      if (!fixed(in[d]) ||
          std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.coordinates[d] != in[d]; }))
        plan.kept.push_back(d);
    if (plan.kept.empty()) {
      plan.kind = TemporaryPlan::Kind::scalar;
      return;
    }
    plan.kind = TemporaryPlan::Kind::array;
    const Access& target = program_.equations[static_cast<std::size_t>(t.equation)].access();
    const TensorDecl& decl = *program_.tensor(target.tensor);
    // The element's own memory starts out as zero and is nobody else's until the element is assigned.
    const bool own_memory = t.reducer == Reducer::sum && t.type == decl.type && t.shape.empty() &&
                            !program_.is_stepped(target.tensor) && !plan_.folds.count(target.tensor) &&
                            in.size() == target.indices.size() &&
                            in.size() == decl.dims.size() && // and that is a number's, not a tile's
                            !in_place_.count(t.equation) && uses.size() == 1 && !uses[0].by->statement->reducer;
    const bool dense = tensor::is_dense(decl.format);
    if (own_memory && (dense || plan.kept.size() > 1)) {
      plan.kind = TemporaryPlan::Kind::in_place;
      in_place_.insert(t.equation);
    }
  }

  const loops::Nest& nest_;
  const Program& program_;
  const Domains& domains_;
  const std::set<std::string>& all_steps_;
  const std::set<std::string>& internal_;
  std::set<int> in_place_;
  Plan plan_;
};

} // namespace

Plan make_plan(const loops::Nest& nest, const Program& program, const Domains& domains,
               const std::set<std::string>& all_steps, const std::set<std::string>& internal) {
  return Planner(nest, program, domains, all_steps, internal).run();
}

} // namespace cyclotron::backend::c
