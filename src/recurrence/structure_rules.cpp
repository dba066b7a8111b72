// SPDX-License-Identifier: MIT
#include "recurrence/structure_rules.hpp"

#include "recurrence/implied.hpp"

#include <fmt/format.h>
#include <isl/constraint.h>

#include <algorithm>

namespace cyclotron::recurrence::structure {

namespace {

// All that must hold for one alternative of an expression to be present.
struct Conjunct {
  std::vector<Atom> atoms;
  std::vector<LinearCondition> conditions;
};
// Present where any of these holds: none is never, an empty one is always.
using Alternatives = std::vector<Conjunct>;

const Alternatives always(1);
const Alternatives never;

// Past this many alternatives the smaller side of a product stands for the whole, with what all of the other side
// demand: more is present than need be.
constexpr std::size_t most_alternatives = 256;

template <class T> void add_once(std::vector<T>& list, const T& item) {
  if (std::none_of(list.begin(), list.end(), [&](const T& other) { return same(other, item); })) list.push_back(item);
}

template <class T> bool includes(const std::vector<T>& all, const std::vector<T>& some) {
  return std::all_of(some.begin(), some.end(), [&](const T& s) {
    return std::any_of(all.begin(), all.end(), [&](const T& a) { return same(a, s); });
  });
}

Conjunct both(Conjunct a, const Conjunct& b) {
  for (const Atom& atom : b.atoms) add_once(a.atoms, atom);
  for (const LinearCondition& c : b.conditions) add_once(a.conditions, c);
  return a;
}

// Leaves out alternatives that another one, with fewer demands, covers.
Alternatives any_of(Alternatives a, const Alternatives& b) {
  for (const Conjunct& c : b) {
    const auto covers = [](const Conjunct& weak, const Conjunct& strong) {
      return includes(strong.atoms, weak.atoms) && includes(strong.conditions, weak.conditions);
    };
    if (std::any_of(a.begin(), a.end(), [&](const Conjunct& other) { return covers(other, c); })) continue;
    a.erase(std::remove_if(a.begin(), a.end(), [&](const Conjunct& other) { return covers(c, other); }), a.end());
    a.push_back(c);
  }
  return a;
}

template <class T> void keep_those_in(std::vector<T>& list, const std::vector<T>& other) {
  list.erase(std::remove_if(list.begin(), list.end(), [&](const T& item) { return !includes(other, {item}); }),
             list.end());
}

// What every alternative demands.
Conjunct in_all(const Alternatives& alternatives) {
  Conjunct result = alternatives.front();
  for (const Conjunct& c : alternatives) {
    keep_those_in(result.atoms, c.atoms);
    keep_those_in(result.conditions, c.conditions);
  }
  return result;
}

Alternatives all_of(const Alternatives& a, const Alternatives& b) {
  if (std::min(a.size(), b.size()) > 1 && a.size() * b.size() > most_alternatives)
    return a.size() < b.size() ? all_of(a, {in_all(b)}) : all_of({in_all(a)}, b);
  Alternatives product;
  for (const Conjunct& x : a)
    for (const Conjunct& y : b) product = any_of(std::move(product), {both(x, y)});
  return product;
}

class Maker {
public:
  Maker(const Program& program, const Domains& domains, const Bindings& bindings, Diagnostics& diagnostics)
      : program_(program), domains_(domains), bindings_(bindings), diagnostics_(diagnostics) {}

  std::optional<Rules> run() {
    for (const TensorDecl& t : program_.tensors) {
      if (tensor::is_dense(t.format)) continue;
      SparseTensor relation{&t, {}, nullptr};
      for (const Expr& d : t.dims) relation.dims.push_back(linear(accepted_affine(d, program_)).constant);
      if (!program_.is_output(t.name.name)) relation.input = &bindings_.tensors.at(t.name.name);
      numbers_[t.name.name] = static_cast<int>(result_.relations.size());
      result_.relations.push_back(std::move(relation));
    }
    for (const EquationDomain& e : domains_.equations)
      if (numbers_.count(e.equation->access().tensor)) add_equation(e);
    if (diagnostics_.failed()) return std::nullopt;
    return std::move(result_);
  }

private:
  void add_equation(const EquationDomain& e) {
    slots_.clear();
    ranges_.clear();
    const auto box = box_of(e.domain, program_, bindings_.sizes);
    if (!box) return;
    for (std::size_t i = 0; i < e.indices.size(); ++i) slots_[e.indices[i]] = new_variable((*box)[i]);
    const Access& target = e.equation->access();
    if (target.indices.size() < program_.tensor(target.tensor)->dims.size()) {
      refuse_tiles(e.equation->target->span);
      return;
    }
    const Atom head = atom(target);
    Conjunct domain;
    for (const Condition& c : e.conditions) domain.conditions.push_back(condition(c));
    for (const Conjunct& c : all_of({domain}, present(e.equation->value))) add_rule(head, c);
  }

  // A rule that concludes what it assumes says nothing: a step that keeps the element of the step before.
  void add_rule(const Atom& head, const Conjunct& c) {
    if (std::any_of(c.atoms.begin(), c.atoms.end(), [&](const Atom& a) { return same(a, head); })) return;
    Rule rule{head, c.atoms, {}, ranges_};
    for (const LinearCondition& condition : c.conditions) {
      const std::int64_t none = 0;
      if (!condition.form.terms.empty()) rule.conditions.push_back(condition);
      else if (!condition.holds(&none)) return;
    }
    result_.rules.push_back(std::move(rule));
  }

  int new_variable(std::pair<std::int64_t, std::int64_t> range) {
    ranges_.push_back(range);
    return static_cast<int>(ranges_.size()) - 1;
  }

  LinearForm linear(const Affine& affine) const {
    LinearForm form;
    form.constant = affine.constant;
    for (const auto& [name, c] : affine.terms) {
      if (const auto slot = slots_.find(name); slot != slots_.end()) form.terms.emplace_back(slot->second, c);
      else form.constant += c * bindings_.sizes.at(name);
    }
    std::sort(form.terms.begin(), form.terms.end());
    return form;
  }
  LinearCondition condition(const Condition& c) const { return {linear(c.affine), c.kind}; }

  Atom atom(const Access& access) const {
    Atom result{numbers_.at(access.tensor), {}};
    for (const Expr& x : access.indices) result.at.push_back(linear(accepted_affine(x, program_)));
    return result;
  }

  void refuse_tiles(Span span) {
    diagnostics_.unsupported(span, "the structure of a sparse result cannot be found through tiles")
        .with_hint("write the equation in elements, or give the result the format `dense`");
  }

  // --- which values are other than zero ---

  Alternatives present(const Expr& expr) {
    return match(
        expr, [&](const Number& n) { return n.value != 0 || (n.integer && *n.integer != 0) ? always : never; },
        [&](const Boolean& b) { return b.value ? always : never; }, [&](const Name&) { return always; },
        [&](const Access& a) { return present_access(a, expr->span); },
        [&](const Unary& u) { return u.op == UnaryOp::negate ? present(u.operand) : true_where(expr, always); },
        [&](const Binary& b) { return present_binary(expr, b); }, [&](const Call& c) { return present_call(c); },
        [&](const Select& s) {
          return any_of(all_of(present(s.condition), present(s.then_value)),
                        all_of(implied(s.condition, false), present(s.else_value)));
        },
        [&](const Reduce& r) { return present_reduce(expr, r); },
        [&](const KernelCall&) {
          refuse_tiles(expr->span);
          return never;
        });
  }

  Alternatives present_access(const Access& access, Span span) {
    if (access.indices.size() < program_.tensor(access.tensor)->dims.size()) refuse_tiles(span);
    if (!numbers_.count(access.tensor)) return always;
    return {Conjunct{{atom(access)}, {}}};
  }

  // A comparison of indices is known exactly; of others only that it needs not more than `otherwise`.
  Alternatives true_where(const Expr& expr, const Alternatives& otherwise) {
    return all_of(implied(expr, true), otherwise);
  }

  Alternatives present_binary(const Expr& expr, const Binary& b) {
    const auto either = [&] { return any_of(present(b.lhs), present(b.rhs)); };
    switch (b.op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::logical_or: return either();
    case BinaryOp::mul:
    case BinaryOp::logical_and: return all_of(present(b.lhs), present(b.rhs));
    case BinaryOp::div: return present(b.lhs);
    case BinaryOp::less:
    case BinaryOp::greater:
    case BinaryOp::not_equal: return true_where(expr, either());
    case BinaryOp::less_equal:
    case BinaryOp::greater_equal:
    case BinaryOp::equal: return true_where(expr, always);
    }
    bug("unknown operator");
  }

  Alternatives present_call(const Call& c) {
    switch (c.function) {
    case Function::min:
    case Function::max: {
      Alternatives result;
      for (const Expr& a : c.arguments) result = any_of(std::move(result), present(a));
      return result;
    }
    case Function::sqrt:
    case Function::abs: return present(c.arguments[0]);
    case Function::exp:
    case Function::log:
    case Function::pow: return always;
    }
    bug("unknown function");
  }

  Alternatives present_reduce(const Expr& expr, const Reduce& reduce) {
    const ReductionDomain& domain = domains_.reduction(expr);
    const bool zero_if_empty = reduce.reducer == Reducer::sum || reduce.reducer == Reducer::any;
    Alternatives result = zero_if_empty ? never : where_empty(domain, reduce.variables.size());
    const auto box = box_of(domain.domain, program_, bindings_.sizes);
    if (!box) return result;
    const std::map<std::string, int> saved = slots_;
    const std::size_t outer = domain.variables.size() - reduce.variables.size();
    for (std::size_t i = 0; i < reduce.variables.size(); ++i)
      slots_[reduce.variables[i].name] = new_variable((*box)[outer + i]);
    Conjunct inside;
    for (const Condition& c : domain.conditions) inside.conditions.push_back(condition(c));
    result = any_of(std::move(result), all_of({inside}, present(reduce.body)));
    slots_ = saved;
    return result;
  }

  // Where a reduction has nothing to reduce. Everywhere, to be safe, where isl gives up.
  Alternatives where_empty(const ReductionDomain& domain, std::size_t own) {
    const auto found = domains_.context->bounded([&] {
      std::vector<Condition> conditions = domain.conditions;
      for (const Binder& s : program_.sizes)
        conditions.push_back({Affine{{{s.name, 1}}, -bindings_.sizes.at(s.name)}, Condition::Kind::zero});
      const isl::set set = set_where(*domains_.context, program_, domain.variables, conditions, false);
      const auto outer = static_cast<unsigned>(domain.variables.size() - own);
      isl_set* some = isl_set_project_out(set.copy(), isl_dim_set, outer, static_cast<unsigned>(own));
      some = isl_set_project_out(some, isl_dim_param, 0, static_cast<unsigned>(program_.sizes.size()));
      return isl::manage(isl_set_coalesce(isl_set_compute_divs(isl_set_complement(some))));
    });
    if (!found) return always;
    Alternatives result;
    found->foreach_basic_set(
        [&](const isl::basic_set& part) { result = any_of(std::move(result), {conjunct(part, domain.variables)}); });
    return result;
  }

  // Constraints with a remainder in them are left out, which only makes the set larger.
  Conjunct conjunct(const isl::basic_set& part, const std::vector<std::string>& variables) const {
    Conjunct result;
    isl_constraint_list* list = isl_basic_set_get_constraint_list(part.get());
    const int count = isl_constraint_list_size(list);
    for (int c = 0; c < count; ++c) {
      isl_constraint* constraint = isl_constraint_list_get_constraint(list, c);
      if (const auto made = condition(constraint, variables)) result.conditions.push_back(*made);
      isl_constraint_free(constraint);
    }
    isl_constraint_list_free(list);
    return result;
  }

  std::optional<LinearCondition> condition(isl_constraint* constraint,
                                           const std::vector<std::string>& variables) const {
    const auto number = [](isl_val* v) { return isl::manage(v).get_num_si(); };
    const int divs = isl_constraint_dim(constraint, isl_dim_div);
    for (int d = 0; d < divs; ++d)
      if (number(isl_constraint_get_coefficient_val(constraint, isl_dim_div, d)) != 0) return std::nullopt;
    LinearCondition made{{}, Condition::Kind::nonnegative};
    if (isl_constraint_is_equality(constraint)) made.kind = Condition::Kind::zero;
    made.form.constant = number(isl_constraint_get_constant_val(constraint));
    const int outer = isl_constraint_dim(constraint, isl_dim_set);
    for (int d = 0; d < outer; ++d)
      if (const auto k = number(isl_constraint_get_coefficient_val(constraint, isl_dim_set, d)); k != 0)
        made.form.terms.emplace_back(slots_.at(variables[static_cast<std::size_t>(d)]), k);
    std::sort(made.form.terms.begin(), made.form.terms.end());
    return made;
  }

  struct Says {
    const Maker& maker;
    Alternatives always() const { return structure::always; }
    Alternatives never() const { return structure::never; }
    Alternatives unknown() const { return structure::always; }
    Alternatives condition(const Condition& c) const { return {Conjunct{{}, {maker.condition(c)}}}; }
    Alternatives both(const Alternatives& a, const Alternatives& b) const { return all_of(a, b); }
    Alternatives either(const Alternatives& a, const Alternatives& b) const { return any_of(a, b); }
  };
  Alternatives implied(const Expr& expr, bool value) const {
    return recurrence::implied(expr, value, program_, Says{*this});
  }

  const Program& program_;
  const Domains& domains_;
  const Bindings& bindings_;
  Diagnostics& diagnostics_;
  Rules result_;
  std::map<std::string, int> numbers_;                        // tensor to relation
  std::map<std::string, int> slots_;                          // index to variable, for those in scope
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_; // of the equation in hand, per variable
};

} // namespace

bool same(const LinearForm& a, const LinearForm& b) { return a.constant == b.constant && a.terms == b.terms; }

bool same(const Atom& a, const Atom& b) {
  return a.relation == b.relation && std::equal(a.at.begin(), a.at.end(), b.at.begin(), b.at.end(),
                                                [](const LinearForm& x, const LinearForm& y) { return same(x, y); });
}

bool same(const LinearCondition& a, const LinearCondition& b) { return a.kind == b.kind && same(a.form, b.form); }

std::optional<Rules> make_rules(const Program& program, const Domains& domains, const Bindings& bindings,
                                Diagnostics& diagnostics) {
  return Maker(program, domains, bindings, diagnostics).run();
}

} // namespace cyclotron::recurrence::structure
