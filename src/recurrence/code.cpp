// SPDX-License-Identifier: MIT
#include "recurrence/code.hpp"

#include "recurrence/evaluate.hpp"
#include "support/diagnostics.hpp"

namespace cyclotron::recurrence {

using tensor::ValueType;

namespace {

class CodeMaker {
public:
  CodeMaker(const Program& program, const Types& types, const Domains& domains,
            const std::map<std::string, std::int64_t>& sizes)
      : program_(program), types_(types), domains_(domains), sizes_(sizes) {}

  EquationCode run(const EquationDomain& e) {
    EquationCode result;
    result.domain = &e;
    for (const std::string& name : e.indices) slots_[name] = next_slot_++;
    const Access& target = e.equation->access();
    result.tensor = number_of(target.tensor);
    result.coordinates = coordinates_of(target);
    for (const Condition& c : e.conditions) result.conditions.push_back(condition(c));
    const auto box = box_of(e.domain, program_, sizes_);
    for (std::size_t i = 0; i < e.indices.size(); ++i) {
      result.first.push_back(box ? (*box)[i].first : 0);
      result.extent.push_back(box ? (*box)[i].second - (*box)[i].first + 1 : 0);
    }
    // An equation without indices has one instance or none.
    if (e.indices.empty() && !box) {
      result.first.push_back(0);
      result.extent.push_back(0);
    }
    result.value = convert(make(e.equation->value), program_.tensor(target.tensor)->type);
    result.slots = next_slot_;
    return result;
  }

private:
  int number_of(const std::string& tensor) const {
    for (std::size_t i = 0; i < program_.tensors.size(); ++i)
      if (program_.tensors[i].name.name == tensor) return static_cast<int>(i);
    bug("a tensor is not declared");
  }

  LinearForm linear(const Affine& affine) const {
    LinearForm form;
    form.constant = affine.constant;
    for (const auto& [name, c] : affine.terms) {
      if (const auto slot = slots_.find(name); slot != slots_.end()) form.terms.emplace_back(slot->second, c);
      else if (const auto size = sizes_.find(name); size != sizes_.end()) form.constant += c * size->second;
      else bug("`" + name + "` is neither an index nor a size");
    }
    return form;
  }

  LinearForm linear(const Expr& expr) const { return linear(accepted_affine(expr, program_)); }
  LinearCondition condition(const Condition& c) const { return {linear(c.affine), c.kind}; }

  std::vector<LinearForm> coordinates_of(const Access& access) const {
    std::vector<LinearForm> list;
    if (access.step) list.push_back(linear(*access.step));
    for (const Expr& e : access.indices) list.push_back(linear(e));
    return list;
  }

  static Code convert(Code code, ValueType type) {
    if (code.type == type) return code;
    Code result;
    result.op = Code::Op::convert;
    result.type = type;
    result.is_tile = code.is_tile;
    result.dims = code.dims;
    result.span = code.span;
    result.operands.push_back(std::move(code));
    return result;
  }

  // Operands of an operation that computes in `type`.
  std::vector<Code> converted(const std::vector<Expr>& exprs, ValueType type) {
    std::vector<Code> list;
    for (const Expr& e : exprs) list.push_back(convert(make(e), type));
    return list;
  }

  Code make(const Expr& expr) {
    Code code;
    code.span = expr->span;
    code.type = types_.of(expr).type;
    code.is_tile = !types_.of(expr).is_number();
    for (const Affine& dim : types_.of(expr).shape) code.dims.push_back(linear(dim).constant);
    match(
        expr, [&](const Number& n) { set_constant(code, n.value, n.integer.value_or(0)); },
        [&](const Boolean& b) { set_constant(code, b.value, b.value); },
        [&](const Name& n) { make_name(n, expr, code); }, [&](const Access& a) { make_access(a, code); },
        [&](const Unary& u) {
          code.op = u.op == UnaryOp::negate ? Code::Op::negate : Code::Op::logical_not;
          code.operands = converted({u.operand}, code.type);
        },
        [&](const Binary& b) {
          code.op = Code::Op::binary;
          code.binary = b.op;
          const bool compares = is_comparison(b.op);
          const ValueType type = compares ? meeting_type(types_.of(b.lhs), types_.of(b.rhs)) : code.type;
          code.operands = converted({b.lhs, b.rhs}, type);
        },
        [&](const Call& c) {
          code.op = Code::Op::call;
          code.function = c.function;
          code.operands = converted(c.arguments, code.type);
        },
        [&](const Select& s) {
          code.op = Code::Op::select;
          code.operands.push_back(make(s.condition));
          for (Code& c : converted({s.then_value, s.else_value}, code.type)) code.operands.push_back(std::move(c));
        },
        [&](const Reduce& r) { make_reduce(r, expr, code); },
        [&](const KernelCall& k) {
          code.op = Code::Op::kernel;
          code.kernel = kernel_named(k.kernel);
          code.operands = converted(k.arguments, code.type);
        });
    return code;
  }

  static ValueType meeting_type(const ExprType& a, const ExprType& b) {
    return a.type == ValueType::boolean && b.type == ValueType::boolean ? ValueType::boolean : promote(a, b).type;
  }

  static void set_constant(Code& code, double real, std::int64_t whole) {
    code.op = Code::Op::constant;
    code.real = real;
    code.whole = whole;
  }

  void make_name(const Name& name, const Expr& expr, Code& code) {
    if (name.kind == NameKind::constant) {
      const Word value = constant_value(name.id);
      return set_constant(code, value.real, value.whole);
    }
    code.op = Code::Op::index;
    code.form = linear(expr);
  }

  // Constants refer only to earlier ones: each is evaluated once, in order.
  Word constant_value(const std::string& name) {
    for (const LetDecl& let : program_.lets) {
      if (!constants_.count(let.name.name)) {
        std::vector<Storage> no_storage;
        std::vector<State> no_states;
        constants_[let.name.name] = Evaluator(no_storage, no_states).number(make(let.value));
      }
      if (let.name.name == name) return constants_.at(name);
    }
    bug("a constant is not defined");
  }

  void make_access(const Access& access, Code& code) {
    code.op = Code::Op::access;
    code.tensor = number_of(access.tensor);
    code.last_step = program_.is_stepped(access.tensor) && !access.step;
    code.coordinates = coordinates_of(access);
  }

  void make_reduce(const Reduce& reduce, const Expr& expr, Code& code) {
    const ReductionDomain& domain = domains_.reduction(expr);
    const auto box = box_of(domain.domain, program_, sizes_);
    const std::size_t outer = domain.variables.size() - reduce.variables.size();
    std::map<std::string, int> saved = slots_;
    const int base = next_slot_;
    for (const Binder& b : reduce.variables) slots_[b.name] = next_slot_++;
    code.op = Code::Op::reduce;
    code.reducer = reduce.reducer;
    for (const Condition& c : domain.conditions) code.conditions.push_back(condition(c));
    for (std::size_t i = 0; i < reduce.variables.size(); ++i) {
      LoopVariable loop;
      loop.slot = base + static_cast<int>(i);
      if (box) std::tie(loop.first, loop.last) = (*box)[outer + i];
      for (const LinearCondition& c : code.conditions) {
        if (c.kind == Condition::Kind::nonzero) continue;
        std::int64_t own = 0;
        bool later = false;
        for (const auto& [slot, k] : c.form.terms) {
          if (slot == loop.slot) own = k;
          later |= slot > loop.slot;
        }
        if (own != 0 && !later) loop.tighten.emplace_back(c, own);
      }
      code.loops.push_back(std::move(loop));
    }
    code.operands = converted({reduce.body}, code.type);
    slots_ = std::move(saved);
  }

  const Program& program_;
  const Types& types_;
  const Domains& domains_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::map<std::string, int> slots_;
  std::map<std::string, Word> constants_;
  int next_slot_ = 0;
};

} // namespace

std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>>
box_of(const isl::set& set, const Program& program, const std::map<std::string, std::int64_t>& sizes) {
  isl_set* fixed = set.copy();
  for (std::size_t i = 0; i < program.sizes.size(); ++i) {
    isl_val* value = isl_val_int_from_si(isl_set_get_ctx(fixed), sizes.at(program.sizes[i].name));
    fixed = isl_set_fix_val(fixed, isl_dim_param, static_cast<unsigned>(i), value);
  }
  const isl::set at_sizes = isl::manage(fixed);
  if (at_sizes.is_empty()) return std::nullopt;
  std::vector<std::pair<std::int64_t, std::int64_t>> box;
  const int dims = isl_set_dim(at_sizes.get(), isl_dim_set);
  for (int i = 0; i < dims; ++i)
    box.emplace_back(at_sizes.dim_min_val(i).get_num_si(), at_sizes.dim_max_val(i).get_num_si());
  return box;
}

EquationCode make_code(const EquationDomain& equation, const Program& program, const Types& types,
                       const Domains& domains, const std::map<std::string, std::int64_t>& sizes) {
  return CodeMaker(program, types, domains, sizes).run(equation);
}

} // namespace cyclotron::recurrence
