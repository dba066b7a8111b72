// SPDX-License-Identifier: MIT
#include "frontend/resolve.hpp"

#include "frontend/foreign.hpp"
#include "recurrence/kernels.hpp"
#include "support/nearest.hpp"
#include "tensor/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

using NameSet = std::set<std::string>;

class Resolver {
public:
  Resolver(Unit unit, Diagnostics& diagnostics)
      : unit_(std::move(unit)), program_(unit_.program), diagnostics_(diagnostics) {}

  Unit run_declarations() {
    collect_declarations();
    resolve_declarations();
    return std::move(unit_);
  }

  Unit run() {
    collect_declarations();
    for (const Equation& e : program_.equations) collect_indices(e);
    for (const Equation& e : program_.equations) collect_sizes_of_constraints(e);
    for (const Equation& e : program_.equations) collect_indices(e); // again, without the sizes found meanwhile
    resolve_declarations();
    for (Equation& e : program_.equations) resolve_equation(e);
    if (!diagnostics_.failed()) check_used();
    return std::move(unit_);
  }

private:
  void collect_declarations() {
    check_clashes();
    for (const TensorDecl& t : program_.tensors)
      for (const Expr& d : t.dims) collect_sizes(d);
    for (const Assumption& a : program_.assumptions)
      for (const Expr& e : a.constraint.operands) collect_sizes(e);
    for (const LetDecl& l : program_.lets) collect_sizes(l.value);
    for (const DefaultDecl& d : program_.defaults) check_default(d);
  }

  std::vector<std::string> tensor_names() const {
    std::vector<std::string> names;
    for (const TensorDecl& t : program_.tensors) names.push_back(t.name.name);
    return names;
  }

  // A tensor and a constant of one name.
  void check_clashes() {
    for (const LetDecl& l : program_.lets)
      if (const TensorDecl* t = program_.tensor(l.name.name))
        diagnostics_.error(l.name.span, fmt::format("`{}` is both a constant and a tensor", l.name.name))
            .note(t->name.span, "the tensor is declared here");
  }

  void add_size(const std::string& name, Span span) {
    if (!program_.is_size(name)) program_.sizes.push_back({name, span});
  }

  // Names in dimensions, assumptions and constants: a constant or a size, never a tensor.
  void collect_sizes(const Expr& expr) {
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      const Name* name = as<Name>(e);
      if (!name || program_.let(name->id)) return;
      if (const TensorDecl* t = program_.tensor(name->id)) {
        diagnostics_.error(e->span, fmt::format("`{}` is a tensor, not a size", name->id))
            .note(t->name.span, "it is declared here");
        return;
      }
      add_size(name->id, e->span);
    });
  }

  void check_default(const DefaultDecl& d) {
    const std::string& name = d.name.name;
    if (program_.is_output(name))
      diagnostics_.error(d.name.span, fmt::format("`{}` is an output, so it takes no default", name))
          .with_hint("defaults are for inputs and sizes");
    if (program_.let(name))
      diagnostics_.error(d.name.span, fmt::format("`{}` is a constant, so it takes no default", name));
    if (const auto* recipe = std::get_if<tensor::Recipe>(&d.value)) check_generator(*recipe, program_.tensor(name));
    for (const DefaultDecl& other : program_.defaults)
      if (&other < &d && other.name.name == name)
        diagnostics_.error(d.name.span, fmt::format("`{}` has two defaults", name))
            .note(other.name.span, "the first is here");
    if (program_.tensor(name) || program_.let(name)) return;
    const auto* number = std::get_if<WrittenOut>(&d.value);
    if (!program_.is_size(name) && !(number && number->dims.empty())) {
      diagnostics_.error(d.name.span, fmt::format("`{}` is no tensor of this program", name))
          .with_hint(did_you_mean(name, tensor_names()));
      return;
    }
    if (!number || !number->dims.empty() || !number->values[0].integer || *number->values[0].integer < 0) {
      diagnostics_.error(d.value_span, fmt::format("the size `{}` needs a whole number from 0 up", name));
      return;
    }
    add_size(name, d.name.span);
  }

  void check_generator(const tensor::Recipe& recipe, const TensorDecl* decl = nullptr) {
    std::vector<std::string> known{"uniform"};
    for (const tensor::GeneratorHelp& g : tensor::generator_help()) known.push_back(g.name);
    if (std::find(known.begin(), known.end(), recipe.name) == known.end()) {
      std::string hint = did_you_mean(recipe.name, known);
      if (decl && recipe.arguments.empty() && decl->dims.size() == 1 &&
          (decl->type == tensor::ValueType::i32 || decl->type == tensor::ValueType::i64))
        hint = fmt::format("for these letters write `default {} = letters(\"{}\")`", decl->name.name, recipe.name);
      diagnostics_.error(recipe.span, fmt::format("`{}` is no generator", recipe.name))
          .with_hint(hint.empty() ? "`cyclotron list generators` shows them; a file stands in quotes" : hint);
    }
    for (const tensor::Argument& a : recipe.arguments)
      if (const auto* nested = std::get_if<std::vector<tensor::Recipe>>(&a.value))
        for (const tensor::Recipe& r : *nested) check_generator(r);
  }

  // Names that index something in an equation: on the left, in a reduction, or inside an access.
  void collect_indices(const Equation& equation) {
    NameSet& indices = indices_of_[&equation];
    indices.clear();
    const auto names_in = [&](const Expr& expr) {
      ir::walk<ExprNode>(expr, [&](const Expr& e) {
        if (const Name* n = as<Name>(e);
            n && !program_.is_size(n->id) && !program_.let(n->id) && !program_.tensor(n->id))
          indices.insert(n->id);
      });
    };
    const auto visit = [&](const Expr& e) {
      if (const Access* a = as<Access>(e))
        for (const Expr& x : a->indices) names_in(x);
      if (const Reduce* r = as<Reduce>(e))
        for (const Binder& b : r->variables) indices.insert(b.name);
    };
    const auto visit_step = [&](const Expr& e) {
      if (const Access* a = as<Access>(e); a && a->step) names_in(*a->step);
    };
    visit_step(equation.target);
    ir::walk<ExprNode>(equation.target, visit);
    ir::walk<ExprNode>(equation.value, visit);
    all_indices_.insert(indices.begin(), indices.end());
    // A name that stands only in a superscript on the right may still turn out to be a size: `u^T(i)`.
    ir::walk<ExprNode>(equation.value, visit_step);
  }

  // A name that only constraints mention is a size, unless another equation uses it as an index.
  void collect_sizes_of_constraints(const Equation& equation) {
    for (const Constraint& c : equation.constraints)
      for (const Expr& operand : c.operands)
        ir::walk<ExprNode>(operand, [&](const Expr& e) {
          const Name* n = as<Name>(e);
          if (!n || program_.let(n->id) || program_.tensor(n->id) || program_.is_size(n->id) ||
              indices_of_[&equation].count(n->id))
            return;
          if (all_indices_.count(n->id)) {
            if (!reported_.insert(n->id).second) return;
            diagnostics_.error(e->span, fmt::format("`{}` is not an index of this equation", n->id))
                .label("nothing here is indexed by it")
                .with_hint("a constraint mentions indices of its own equation, and sizes");
            return;
          }
          warn_if_likely_slip(*n, e->span, equation);
          add_size(n->id, e->span);
        });
  }

  void warn_if_likely_slip(const Name& name, Span span, const Equation& equation) {
    std::vector<std::string> known(indices_of_[&equation].begin(), indices_of_[&equation].end());
    for (const Binder& s : program_.sizes) known.push_back(s.name);
    const bool doubled =
        name.id.size() == 2 && name.id[0] == name.id[1] && std::count(known.begin(), known.end(), name.id.substr(1));
    const std::string near = doubled ? name.id.substr(1) : nearest(name.id, known);
    // `t <= T` is how people write it: a difference in case alone is no slip.
    if (!near.empty() && name.id.size() > 1)
      diagnostics_.warning(span, fmt::format("`{}` stands only in constraints, so it is taken as a size", name.id))
          .with_hint(fmt::format("did you mean `{}`? If it is a size, say so with `assume 0 <= {}`", near, name.id));
  }

  void resolve_declarations() {
    for (TensorDecl& t : program_.tensors)
      for (Expr& d : t.dims) d = resolve_size(d);
    for (Assumption& a : program_.assumptions)
      for (Expr& e : a.constraint.operands) e = resolve_size(e);
    for (std::size_t i = 0; i < program_.lets.size(); ++i) {
      LetDecl& let = program_.lets[i];
      ir::walk<ExprNode>(let.value, [&](const Expr& e) {
        if (const Name* n = as<Name>(e))
          for (std::size_t j = i; j < program_.lets.size(); ++j)
            if (program_.lets[j].name.name == n->id)
              diagnostics_.error(e->span, fmt::format("`{}` is used before it is defined", n->id))
                  .with_hint(j == i ? "a constant cannot be made of itself" : "move its `let` above this one");
        if (as<Access>(e) || as<Reduce>(e) || as<KernelCall>(e))
          diagnostics_.error(e->span, "a constant is made of numbers, sizes and earlier constants")
              .with_hint("for a value computed from tensors declare a scalar: `tensor s`");
      });
      let.value = resolve_size(let.value);
    }
  }

  Expr resolve_size(const Expr& expr) {
    if (const Name* n = as<Name>(expr))
      return Expr(Name{n->id, program_.let(n->id) ? NameKind::constant : NameKind::size}, expr->span);
    return ir::map_children<ExprNode>(expr, [&](const Expr& e) { return resolve_size(e); });
  }

  void resolve_equation(Equation& equation) {
    const Access& target = equation.access();
    if (!program_.tensor(target.tensor)) {
      unknown_target(equation);
      return;
    }
    bound_.clear();
    implicit_ = indices_of_[&equation];
    // Indices on the left are bound for the whole equation.
    const auto bind = [&](const Expr& x) {
      ir::walk<ExprNode>(x, [&](const Expr& e) {
        if (const Name* n = as<Name>(e); n && indices_of_[&equation].count(n->id)) bound_.insert(n->id);
      });
    };
    if (target.step) bind(*target.step);
    for (const Expr& x : target.indices) bind(x);
    const NameSet left = bound_;
    equation.target = resolve_expr(equation.target);
    equation.value = resolve_expr(equation.value);
    std::vector<Constraint> constraints;
    for (Constraint& c : equation.constraints) {
      for (Expr& e : c.operands) e = resolve_expr(e);
      add_links(std::move(c), left, constraints);
    }
    equation.constraints = std::move(constraints);
  }

  // `k < j < i`, where a sum binds k, says `k < j` of the sum and `j < i` of the equation: a chain is taken apart where
  // what its comparisons are about changes.
  static void add_links(Constraint chain, const NameSet& left, std::vector<Constraint>& constraints) {
    const auto reduced = [&](std::size_t link) {
      NameSet names;
      for (const std::size_t side : {link, link + 1})
        ir::walk<ExprNode>(chain.operands[side], [&](const Expr& e) {
          if (const Name* n = as<Name>(e); n && n->kind == NameKind::index && !left.count(n->id)) names.insert(n->id);
        });
      return names;
    };
    Constraint part{{chain.operands[0]}, {}, chain.span};
    NameSet about = reduced(0);
    for (std::size_t link = 0; link < chain.relations.size(); ++link) {
      if (NameSet now = reduced(link); now != about) {
        constraints.push_back(std::exchange(part, {{chain.operands[link]}, {}, chain.span}));
        about = std::move(now);
      }
      part.relations.push_back(chain.relations[link]);
      part.operands.push_back(chain.operands[link + 1]);
    }
    constraints.push_back(std::move(part));
  }

  void unknown_target(const Equation& equation) {
    const Access& target = equation.access();
    std::string hint = did_you_mean(target.tensor, tensor_names());
    if (hint.empty()) {
      std::string dims;
      for (std::size_t i = 0; i < target.indices.size(); ++i) dims += i == 0 ? "n" : ", n";
      hint = fmt::format("declare it, for example `tensor {}{}`", target.tensor, dims.empty() ? "" : "(" + dims + ")");
    }
    diagnostics_.error(name_span(equation.target, target.tensor), fmt::format("`{}` is not declared", target.tensor))
        .with_hint(hint);
  }

  static Span name_span(const Expr& access, const std::string& name) {
    Span s = access->span;
    if (s.known()) s.end = std::min<std::uint32_t>(s.end, s.begin + static_cast<std::uint32_t>(name.size()));
    return s;
  }

  Expr resolve_expr(const Expr& expr) {
    if (const Name* n = as<Name>(expr)) return resolve_name(*n, expr);
    if (const Reduce* r = as<Reduce>(expr)) return resolve_reduce(*r, expr);
    if (const Access* a = as<Access>(expr); a && !program_.tensor(a->tensor)) unknown_tensor(*a, expr);
    return ir::map_children<ExprNode>(expr, [&](const Expr& e) { return resolve_expr(e); });
  }

  Expr resolve_name(const Name& name, const Expr& expr) {
    if (program_.tensor(name.id)) return Expr(Access{name.id, {}, {}}, expr->span);
    if (bound_.count(name.id) || implicit_.count(name.id)) return Expr(Name{name.id, NameKind::index}, expr->span);
    if (program_.let(name.id)) return Expr(Name{name.id, NameKind::constant}, expr->span);
    if (program_.is_size(name.id)) return Expr(Name{name.id, NameKind::size}, expr->span);
    if (reported_.count(name.id)) return expr;
    std::vector<std::string> known = tensor_names();
    for (const auto& list : {bound_, implicit_}) known.insert(known.end(), list.begin(), list.end());
    for (const LetDecl& l : program_.lets) known.push_back(l.name.name);
    for (const Binder& s : program_.sizes) known.push_back(s.name);
    std::string hint = did_you_mean(name.id, known);
    if (hint.empty())
      hint = fmt::format("declare it: `let {0} = …` for a constant, `tensor {0}` for a scalar input", name.id);
    diagnostics_.error(expr->span, fmt::format("`{}` is not declared", name.id)).with_hint(hint);
    return expr;
  }

  void unknown_tensor(const Access& access, const Expr& expr) {
    std::vector<std::string> known = tensor_names();
    for (const char* f : {"min", "max", "sqrt", "abs", "exp", "log", "pow", "select"}) known.emplace_back(f);
    for (const std::string& k : kernel_names()) known.push_back(k);
    std::string hint = did_you_mean(access.tensor, known);
    if (const auto elsewhere = hint_for_foreign_function(access.tensor); !elsewhere.empty()) hint = elsewhere;
    if (hint.empty())
      hint = "tensors are declared with `tensor`; the functions are min, max, sqrt, abs, exp, log, pow and select";
    diagnostics_.error(name_span(expr, access.tensor), fmt::format("`{}` is not declared", access.tensor))
        .with_hint(hint);
  }

  Expr resolve_reduce(const Reduce& reduce, const Expr& expr) {
    NameSet added;
    for (const Binder& b : reduce.variables) {
      std::string problem;
      if (bound_.count(b.name)) problem = "is already an index here";
      if (!added.insert(b.name).second) problem = "is named twice";
      if (program_.is_size(b.name)) problem = "is a size";
      if (program_.let(b.name)) problem = "is a constant";
      if (program_.tensor(b.name)) problem = "is a tensor";
      if (!problem.empty())
        diagnostics_
            .error(b.span, fmt::format("`{}` {}, so `{}` cannot run over it", b.name, problem, name_of(reduce.reducer)))
            .with_hint("give the reduction a variable of its own");
    }
    for (const std::string& name : added) bound_.insert(name);
    Expr body = resolve_expr(reduce.body);
    for (const std::string& name : added) bound_.erase(name);
    return Expr(Reduce{reduce.reducer, reduce.variables, body}, expr->span);
  }

  void check_used() {
    if (program_.equations.empty()) {
      diagnostics_.error(Span{}, "the program has no equations").with_hint("write one, such as `y(i) = A(i,j) * x(j)`");
      return;
    }
    NameSet used;
    for (const Equation& e : program_.equations) {
      used.insert(e.access().tensor);
      ir::walk<ExprNode>(e.value, [&](const Expr& x) {
        if (const Access* a = as<Access>(x)) used.insert(a->tensor);
      });
    }
    for (const TensorDecl& t : program_.tensors)
      if (!used.count(t.name.name))
        diagnostics_.warning(t.name.span, fmt::format("`{}` is declared but no equation uses it", t.name.name));
  }

  Unit unit_;
  Program& program_;
  Diagnostics& diagnostics_;
  std::map<const Equation*, NameSet> indices_of_;
  NameSet all_indices_;
  NameSet reported_; // names whose misuse has been reported already
  NameSet bound_;    // by the left-hand side or an enclosing reduction
  NameSet implicit_; // every name that indexes something in this equation
};

} // namespace

Unit resolve(const Unit& unit, Diagnostics& diagnostics) { return Resolver(unit, diagnostics).run(); }
Unit resolve_declarations(const Unit& unit, Diagnostics& diagnostics) {
  return Resolver(unit, diagnostics).run_declarations();
}

} // namespace cyclotron::frontend
