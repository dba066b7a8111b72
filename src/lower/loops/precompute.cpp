// SPDX-License-Identifier: MIT
#include "lower/loops/precompute.hpp"

#include "lower/contains.hpp"
#include "lower/loops/bounds.hpp"
#include "recurrence/failures.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using frontend::Checked;

std::vector<std::string> Workspace::others() const {
  std::vector<std::string> list;
  for (const std::string& v : variables)
    if (std::find(over.begin(), over.end(), v) == over.end()) list.push_back(v);
  return list;
}

namespace {

using Strings = std::vector<std::string>;

constexpr const char* not_computed = "it is used where it would not be computed";

// Index variables in order of appearance, but for those that a reduction inside binds.
void collect_free(const Expr& expr, Strings bound, Strings& free) {
  if (const Name* n = as<Name>(expr))
    if (n->kind == NameKind::index && !contains(bound, n->id) && !contains(free, n->id)) free.push_back(n->id);
  if (const Reduce* r = as<Reduce>(expr))
    for (const Binder& b : r->variables) bound.push_back(b.name);
  ir::each_child<ExprNode>(expr, [&](const Expr& child) { collect_free(child, bound, free); });
}

Expr expr_of(const Affine& affine) {
  Expr sum;
  const auto add = [&](Expr e) { sum = sum ? Expr(Binary{BinaryOp::add, sum, e}) : e; };
  const auto whole = [](std::int64_t n) { return Expr(Number{static_cast<double>(n), n}); };
  for (const auto& [name, c] : affine.terms) {
    const Expr size(Name{name, NameKind::size});
    add(c == 1 ? size : Expr(Binary{BinaryOp::mul, whole(c), size}));
  }
  if (affine.constant < 0 && sum) return Expr(Binary{BinaryOp::sub, sum, whole(-affine.constant)});
  if (affine.constant != 0 || !sum) add(whole(affine.constant));
  return sum;
}

// One command.
class Rewrite {
public:
  Rewrite(const Checked& checked, const schedule::Command& command, Diagnostics& diagnostics)
      : checked_(checked), program_(checked.program()), command_(command), diagnostics_(diagnostics) {
    workspace_.name = command.names("workspace")[0];
    workspace_.over = command.names("indices");
    workspace_.span = command.span;
    wanted_ = print(std::get<Expr>(command.find("expression")->value));
  }

  std::shared_ptr<const Checked> run() {
    if (!find() || !choose_variables()) return nullptr;
    frontend::Unit unit = *checked_.unit;
    if (!add_tensor(unit.program)) return nullptr;
    Equation& own = unit.program.equations[static_cast<std::size_t>(equation_)];
    own.value = replaced(own.value);
    own.constraints = constraints_on(own); // the others went along with what was replaced
    unit.program.equations.push_back(definition());
    return accept(unit);
  }

  const Workspace& workspace() const { return workspace_; }

private:
  struct Found {
    Expr expr;                // what is replaced
    std::vector<Expr> around; // the reductions around it
    bool conditional = false; // not always evaluated
  };

  Diagnostic& refuse(const std::string& why) {
    return diagnostics_.error(command_.span, fmt::format("`{}` cannot be computed ahead: {}", wanted_, why));
  }

  // --- where it stands ---

  bool find() {
    for (std::size_t e = 0; e < program_.equations.size(); ++e) {
      const std::size_t before = found_.size();
      search(program_.equations[e].value, {}, false);
      if (found_.size() == before) continue;
      if (equation_ >= 0) {
        refuse("several equations have it")
            .note(program_.equations[static_cast<std::size_t>(equation_)].span, "one is here")
            .note(program_.equations[e].span, "another is here")
            .with_hint("write it as a tensor of its own");
        return false;
      }
      equation_ = static_cast<int>(e);
    }
    if (equation_ >= 0) {
      // A whole sum in one place, a part of one in another: then it is the part everywhere.
      const std::string first = print(found_[0].expr);
      if (std::any_of(found_.begin(), found_.end(), [&](const Found& f) { return print(f.expr) != first; })) {
        found_.clear();
        search(program_.equations[static_cast<std::size_t>(equation_)].value, {}, false, false);
      }
      return true;
    }
    refuse("no equation has it")
        .with_hint(
            "it must stand there as it is written here; `cyclotron compile --emit=recurrence` shows the equations");
    return false;
  }

  // A whole sum over other variables than those wanted is computed as one, where `whole_sums` are asked for.
  void search(const Expr& expr, std::vector<Expr> around, bool conditional, bool whole_sums = true) {
    if (print(expr) == wanted_) {
      Found found{expr, around, conditional};
      while (whole_sums && !found.around.empty()) {
        const Reduce& reduce = *as<Reduce>(found.around.back());
        const bool whole = reduce.body.same_as(found.expr) &&
                           std::none_of(reduce.variables.begin(), reduce.variables.end(),
                                        [&](const Binder& b) { return contains(workspace_.over, b.name); });
        if (!whole) break;
        found.expr = found.around.back();
        found.around.pop_back();
      }
      found_.push_back(std::move(found));
      return;
    }
    if (as<Reduce>(expr)) around.push_back(expr);
    const Select* s = as<Select>(expr);
    const Binary* b = as<Binary>(expr);
    ir::each_child<ExprNode>(expr, [&](const Expr& child) {
      const bool maybe = (s && !child.same_as(s->condition)) || (b && is_logical(b->op) && !child.same_as(b->lhs));
      search(child, around, conditional || maybe, whole_sums);
    });
  }

  // A constraint may tie what a reduction inside binds to a variable that the expression does not name.
  void collect_tied(const Expr& expr, Strings& free) const {
    Strings bound;
    std::vector<Condition> ties;
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      const Reduce* r = as<Reduce>(e);
      if (!r) return;
      for (const Binder& b : r->variables) bound.push_back(b.name);
      const auto& own = checked_.domains.reduction(e).conditions;
      ties.insert(ties.end(), own.begin(), own.end());
    });
    for (const Condition& c : ties) {
      const auto& terms = c.affine.terms;
      if (std::none_of(terms.begin(), terms.end(), [&](const auto& term) { return contains(bound, term.first); }))
        continue;
      for (const auto& [name, k] : terms)
        if (!program_.is_size(name) && !contains(bound, name) && !contains(free, name)) free.push_back(name);
    }
  }

  bool choose_variables() {
    collect_free(found_[0].expr, {}, workspace_.variables);
    for (const Found& f : found_) collect_tied(f.expr, workspace_.variables);
    for (const std::string& v : workspace_.over)
      if (!contains(workspace_.variables, v)) {
        refuse(fmt::format("`{}` is not one of its variables", v))
            .with_hint(workspace_.variables.empty() ? "it has none"
                                                    : "its variables are " + join_names(workspace_.variables));
        return false;
      }
    const ExprType& type = checked_.types.of(found_[0].expr);
    if (type.literal || !type.is_number()) {
      refuse(type.literal ? "it is made of nothing but numbers and indices" : "it is a tile");
      return false;
    }
    for (const Found& f : found_)
      if (f.conditional && can_fail(f.expr, checked_.types)) {
        refuse("it is computed only where a condition holds, and may fail elsewhere");
        return false;
      }
    const std::string& result = program_.equations[static_cast<std::size_t>(equation_)].access().tensor;
    if (!tensor::is_dense(program_.tensor(result)->format) && may_be_undefined(found_[0].expr)) {
      refuse(fmt::format("it is computed only where `{}` has an element, and may fail elsewhere", result))
          .with_hint("compute its operands ahead, or declare the result dense");
      return false;
    }
    return true;
  }

  // --- the new tensor ---

  bool add_tensor(Program& program) {
    TensorDecl decl;
    decl.name = {workspace_.name, command_.find("workspace")->span};
    decl.type = checked_.types.of(found_[0].expr).type;
    decl.format = tensor::dense_format(static_cast<int>(workspace_.variables.size()));
    decl.span = command_.span;
    for (const std::string& v : workspace_.variables) {
      const auto size = size_of(v);
      if (!size) {
        refuse(fmt::format("the values of `{}` have no bound in sizes", v));
        return false;
      }
      decl.dims.push_back(*size);
    }
    program.tensors.push_back(std::move(decl));
    return true;
  }

  // One past the largest value: the size of what the variable indexes by itself, or what the constraints say.
  std::optional<Expr> size_of(const std::string& variable) const {
    std::optional<Expr> size;
    const Equation& own = program_.equations[static_cast<std::size_t>(equation_)];
    for (const Expr& root : {found_[0].expr, own.value, own.target})
      ir::walk<ExprNode>(root, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        for (std::size_t d = 0; a && d < a->indices.size(); ++d)
          if (const Name* n = as<Name>(a->indices[d]); n && n->id == variable && !size)
            size = program_.tensor(a->tensor)->dims[d];
      });
    if (size) return size;
    Bounds bounds(*checked_.domains.context, program_);
    for (const loops::Bound& b : bounds.range_of(conditions(found_[0].around), variable, {}).upper)
      if (b.divisor == 1) return expr_of(b.value + Affine{{}, 1});
    return std::nullopt;
  }

  // Where the equation and these reductions run.
  std::vector<Condition> conditions(const std::vector<Expr>& around) const {
    const EquationDomain& e = checked_.domains.equations[static_cast<std::size_t>(equation_)];
    std::vector<Condition> all = e.conditions;
    for (const Expr& r : around) {
      const auto& more = checked_.domains.reduction(r).conditions;
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  Expr access() const {
    Access a{workspace_.name, std::nullopt, {}};
    for (const std::string& v : workspace_.variables) a.indices.push_back(Expr(Name{v, NameKind::index}));
    return Expr(a, found_[0].expr->span);
  }

  Expr replaced(const Expr& expr) const {
    if (std::any_of(found_.begin(), found_.end(), [&](const Found& f) { return f.expr.same_as(expr); }))
      return access();
    return ir::map_children<ExprNode>(expr, [&](const Expr& child) { return replaced(child); });
  }

  Equation definition() const {
    Equation made{access(), found_[0].expr, {}, found_[0].expr->span};
    made.constraints = constraints_on(made);
    return made;
  }

  // Of the constraints, those that say nothing about variables which this equation does not have.
  std::vector<Constraint> constraints_on(const Equation& equation) const {
    Strings known;
    collect_free(equation.target, {}, known);
    ir::walk<ExprNode>(equation.value, [&](const Expr& e) {
      if (const Reduce* r = as<Reduce>(e))
        for (const Binder& b : r->variables) known.push_back(b.name);
    });
    std::vector<Constraint> list;
    for (const Constraint& c : program_.equations[static_cast<std::size_t>(equation_)].constraints) {
      bool fits = true;
      for (const Expr& operand : c.operands)
        ir::walk<ExprNode>(operand, [&](const Expr& e) {
          if (const Name* n = as<Name>(e)) fits &= n->kind != NameKind::index || contains(known, n->id);
        });
      if (fits) list.push_back(c);
    }
    return list;
  }

  // --- whether it means the same ---

  std::shared_ptr<const Checked> accept(const frontend::Unit& unit) {
    Sources sources;
    Diagnostics unheard(sources);
    auto made = std::make_shared<Checked>(frontend::infer(unit, unheard));
    for (const auto& check : {frontend::check_definitions, frontend::check_bounds, frontend::check_order})
      if (!unheard.failed()) *made = check(*made, unheard);
    if (unheard.failed()) {
      refuse("it needs elements that are not there for all values of its variables");
      return nullptr;
    }
    if (const std::string why = difference(*made); !why.empty()) {
      Diagnostic& refused = refuse(why);
      if (why == not_computed)
        refused.with_hint(fmt::format("`{}` has elements from 0 on only: write the equation so that {} begin at 0",
                                      workspace_.name, join_names(workspace_.variables)));
      return nullptr;
    }
    return made;
  }

  // Everything is asked in the new program's context: sets of two contexts do not mix.
  std::string difference(const Checked& made) const {
    const IslContext& context = *made.domains.context;
    const EquationDomain& own = made.domains.equations[static_cast<std::size_t>(equation_)];
    const EquationDomain& defines = made.domains.equations.back();
    const auto set = [&](const Strings& variables, const std::vector<Condition>& conditions) {
      Strings texts, all = variables;
      for (const Condition& c : conditions) {
        texts.push_back(isl_text(c));
        for (const auto& [name, k] : c.affine.terms)
          if (!program_.is_size(name) && !contains(all, name)) all.push_back(name);
      }
      isl_set* whole = make_set(context, program_, all, texts).release();
      return isl::manage(isl_set_project_out(whole, isl_dim_set, static_cast<unsigned>(variables.size()),
                                             static_cast<unsigned>(all.size() - variables.size())));
    };
    const auto answer = made.domains.context->bounded([&]() -> std::string {
      const EquationDomain& was = checked_.domains.equations[static_cast<std::size_t>(equation_)];
      if (!set(was.indices, was.conditions).is_equal(set(own.indices, own.conditions)))
        return "the equation would have other elements";
      for (const Found& f : found_) {
        const isl::set asked = set(workspace_.variables, conditions(f.around));
        const isl::set there = set(workspace_.variables, defines.conditions);
        if (!asked.is_subset(there)) return not_computed;
        if (can_fail(f.expr, checked_.types) && !there.is_subset(asked))
          return "it would be computed where it is not used, and may fail there";
        // The reductions around it, and those inside, must go over the same values.
        std::vector<Expr> before = f.around;
        ir::walk<ExprNode>(f.expr, [&](const Expr& e) {
          if (as<Reduce>(e)) before.push_back(e);
        });
        for (const Expr& r : before) {
          const Strings variables = names(*as<Reduce>(r));
          const bool inside =
              std::none_of(f.around.begin(), f.around.end(), [&](const Expr& a) { return a.same_as(r); });
          Strings over = was.indices;
          if (inside)
            for (const std::string& v : workspace_.variables)
              if (!contains(over, v)) over.push_back(v);
          over.insert(over.end(), variables.begin(), variables.end());
          std::vector<Condition> old = conditions(f.around);
          const auto& mine = checked_.domains.reduction(r).conditions;
          old.insert(old.end(), mine.begin(), mine.end());
          std::vector<Condition> now = inside ? defines.conditions : own.conditions;
          std::vector<Condition> at_most = conditions(f.around);
          bool met = false;
          for (const ReductionDomain& d : (inside ? defines : own).reductions) {
            const Strings its = names(*as<Reduce>(d.expr));
            const bool around = !inside && std::any_of(f.around.begin(), f.around.end(),
                                                       [&](const Expr& a) { return names(*as<Reduce>(a)) == its; });
            if (its != variables && !around) continue;
            now.insert(now.end(), d.conditions.begin(), d.conditions.end());
            met |= its == variables;
          }
          if (inside) now.insert(now.end(), at_most.begin(), at_most.end());
          if (!met || !set(over, old).is_equal(set(over, now))) return "a sum would go over other values";
        }
      }
      return "";
    });
    return answer.value_or("that it means the same cannot be shown");
  }

  static Strings names(const Reduce& reduce) {
    Strings list;
    for (const Binder& b : reduce.variables) list.push_back(b.name);
    return list;
  }

  const Checked& checked_;
  const Program& program_;
  const schedule::Command& command_;
  Diagnostics& diagnostics_;
  std::string wanted_;
  Workspace workspace_;
  int equation_ = -1;
  std::vector<Found> found_;
};

} // namespace

std::optional<Precomputed> precompute(const Checked& checked, const schedule::Schedule* schedule,
                                      Diagnostics& diagnostics) {
  Precomputed result;
  if (!schedule) return result;
  for (const schedule::Command& c : schedule->commands) {
    if (c.name != "precompute") continue;
    Rewrite rewrite(result.checked ? *result.checked : checked, c, diagnostics);
    const std::shared_ptr<const Checked> made = rewrite.run();
    if (!made) return std::nullopt;
    result.checked = made;
    result.workspaces.push_back(rewrite.workspace());
  }
  return result;
}

} // namespace cyclotron::lower
