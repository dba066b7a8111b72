// SPDX-License-Identifier: MIT
#include "naive_structure.hpp"

#include "recurrence/code.hpp"
#include "tensor/capacity.hpp"
#include "tensor/walk.hpp"

#include <algorithm>

namespace cyclotron::recurrence {

namespace {

using Values = std::map<std::string, std::int64_t>;
using Names = std::vector<std::string>;

class Asker {
public:
  Asker(const Program& program, const Domains& domains, const Bindings& bindings)
      : program_(program), domains_(domains), bindings_(bindings), at_(bindings.sizes) {}

  Presence run() {
    for (const TensorDecl& t : program_.tensors) {
      if (tensor::is_dense(t.format)) continue;
      const std::string& name = t.name.name;
      present_[name] = program_.is_output(name)
                           ? std::vector<bool>(static_cast<std::size_t>(tensor::element_count(dims_of(name))))
                           : stored_elements(bindings_.tensors.at(name));
    }
    do {
      changed_ = false;
      for (const EquationDomain& e : domains_.equations)
        if (present_.count(e.equation->access().tensor)) visit(e);
    } while (changed_);
    return std::move(present_);
  }

private:
  std::vector<std::int64_t> dims_of(const std::string& name) const {
    std::vector<std::int64_t> dims;
    for (const Expr& d : program_.tensor(name)->dims) dims.push_back(value_of(accepted_affine(d, program_)));
    return dims;
  }

  std::int64_t value_of(const Affine& affine) const {
    return affine.evaluate([&](const std::string& n) { return at_.at(n); });
  }

  bool hold(const std::vector<Condition>& conditions) const {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition& c) { return holds(c, [&](const std::string& n) { return at_.at(n); }); });
  }

  void visit(const EquationDomain& e) {
    each_point(e.domain, e.indices, 0, e.conditions, [&] {
      if (!present(e.equation->value)) return;
      const Access& target = e.equation->access();
      std::vector<bool>& list = present_.at(target.tensor);
      const std::size_t at = offset(target);
      changed_ = changed_ || !list[at];
      list[at] = true;
    });
  }

  // Calls f at every point of the domain, for the variables from the given one on; the others are known.
  void each_point(const isl::set& domain, const Names& variables, std::size_t from,
                  const std::vector<Condition>& conditions, const std::function<void()>& f) {
    if (const auto box = box_of(domain, program_, bindings_.sizes)) run_through(*box, variables, from, conditions, f);
  }

  void run_through(const std::vector<std::pair<std::int64_t, std::int64_t>>& box, const Names& variables,
                   std::size_t from, const std::vector<Condition>& conditions, const std::function<void()>& f) {
    if (from == variables.size()) {
      if (hold(conditions)) f();
      return;
    }
    for (std::int64_t v = box[from].first; v <= box[from].second; ++v) {
      at_[variables[from]] = v;
      run_through(box, variables, from + 1, conditions, f);
    }
  }

  std::size_t offset(const Access& access) const {
    const std::vector<std::int64_t> dims = dims_of(access.tensor);
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dims.size(); ++d)
      at = at * dims[d] + value_of(accepted_affine(access.indices[d], program_));
    return static_cast<std::size_t>(at);
  }

  // Whether an expression holds, as far as that is a matter of indices alone.
  std::optional<bool> known(const Expr& expr) const {
    if (const Boolean* b = as<Boolean>(expr)) return b->value;
    if (const Unary* u = as<Unary>(expr); u && u->op == UnaryOp::logical_not) {
      const auto value = known(u->operand);
      return value ? std::optional<bool>(!*value) : std::nullopt;
    }
    const Binary* b = as<Binary>(expr);
    if (!b) return std::nullopt;
    if (is_logical(b->op)) {
      const auto lhs = known(b->lhs), rhs = known(b->rhs);
      const bool deciding = b->op == BinaryOp::logical_or;
      if ((lhs && *lhs == deciding) || (rhs && *rhs == deciding)) return deciding;
      return lhs && rhs ? std::optional<bool>(!deciding) : std::nullopt;
    }
    if (!is_comparison(b->op)) return std::nullopt;
    const auto lhs = affine_of(b->lhs, program_), rhs = affine_of(b->rhs, program_);
    if (!std::holds_alternative<Affine>(lhs) || !std::holds_alternative<Affine>(rhs)) return std::nullopt;
    return hold({condition_of(std::get<Affine>(lhs), relation_of(b->op), std::get<Affine>(rhs))});
  }

  bool present(const Expr& expr) {
    return match(
        expr, [&](const Number& n) { return n.value != 0; }, [&](const Boolean& b) { return b.value; },
        [&](const Name&) { return true; },
        [&](const Access& a) {
          const auto found = present_.find(a.tensor);
          return found == present_.end() || found->second[offset(a)];
        },
        [&](const Unary& u) { return u.op == UnaryOp::negate ? present(u.operand) : known(expr).value_or(true); },
        [&](const Binary& b) { return present_binary(expr, b); },
        [&](const Call& c) {
          if (c.function == Function::exp || c.function == Function::log || c.function == Function::pow) return true;
          return std::any_of(c.arguments.begin(), c.arguments.end(), [&](const Expr& a) { return present(a); });
        },
        [&](const Select& s) {
          return (present(s.condition) && present(s.then_value)) ||
                 (!known(s.condition).value_or(false) && present(s.else_value));
        },
        [&](const Reduce& r) { return present_reduce(expr, r); }, [&](const KernelCall&) { return true; });
  }

  bool present_binary(const Expr& expr, const Binary& b) {
    switch (b.op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::logical_or: return present(b.lhs) || present(b.rhs);
    case BinaryOp::mul:
    case BinaryOp::logical_and: return present(b.lhs) && present(b.rhs);
    case BinaryOp::div: return present(b.lhs);
    case BinaryOp::less:
    case BinaryOp::greater:
    case BinaryOp::not_equal: return known(expr).value_or(true) && (present(b.lhs) || present(b.rhs));
    default: return known(expr).value_or(true);
    }
  }

  bool present_reduce(const Expr& expr, const Reduce& r) {
    const ReductionDomain& domain = domains_.reduction(expr);
    const Values saved = at_;
    bool any = false, empty = true;
    each_point(domain.domain, domain.variables, domain.variables.size() - r.variables.size(), domain.conditions, [&] {
      empty = false;
      any = any || present(r.body);
    });
    at_ = saved;
    return any || (empty && r.reducer != Reducer::sum && r.reducer != Reducer::any);
  }

  const Program& program_;
  const Domains& domains_;
  const Bindings& bindings_;
  Values at_;
  Presence present_;
  bool changed_ = false;
};

} // namespace

Presence naive_structure(const Program& program, const Domains& domains, const Bindings& bindings) {
  return Asker(program, domains, bindings).run();
}

std::vector<bool> stored_elements(const tensor::Tensor& tensor) {
  std::vector<bool> list(static_cast<std::size_t>(tensor::element_count(tensor.dims)));
  tensor::walk(tensor, [&](std::int64_t, const std::int64_t* at) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < tensor.dims.size(); ++d) offset = offset * tensor.dims[d] + at[d];
    list[static_cast<std::size_t>(offset)] = true;
  });
  return list;
}

} // namespace cyclotron::recurrence
