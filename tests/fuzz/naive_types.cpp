// SPDX-License-Identifier: MIT
#include "naive_types.hpp"

#include "recurrence/kernels.hpp"

#include <map>

namespace cyclotron::fuzz {

using namespace recurrence;
using tensor::is_float;
using tensor::ValueType;

namespace {

// In arithmetic a bool counts as an integer.
NaiveType as_number(NaiveType t) { return t.type == ValueType::boolean ? NaiveType{ValueType::i64, t.adapts} : t; }
NaiveType as_real(NaiveType t) { return is_float(t.type) ? t : NaiveType{ValueType::f64, t.adapts}; }

} // namespace

// Types widen bool, i32, i64, f32, f64; what adapts takes the other's type, unless it is real and the other is not.
NaiveType NaiveTypes::meet(NaiveType a, NaiveType b) {
  if (a.adapts && b.adapts) return {is_float(a.type) || is_float(b.type) ? ValueType::f64 : ValueType::i64, true};
  if (a.adapts) std::swap(a, b);
  if (b.adapts) return is_float(b.type) && !is_float(a.type) ? NaiveType{ValueType::f64} : as_number({a.type});
  for (ValueType wide : {ValueType::f64, ValueType::f32, ValueType::i64, ValueType::i32})
    if (a.type == wide || b.type == wide) return {wide};
  return {ValueType::i64};
}

NaiveType NaiveTypes::of(const Expr& expr) {
  const auto at = known_.find(expr.get());
  if (at != known_.end()) return at->second;
  const NaiveType type = find(expr);
  known_[expr.get()] = type;
  return type;
}

NaiveType NaiveTypes::of_call(const Call& call) {
  NaiveType type = of(call.arguments[0]);
  for (std::size_t i = 1; i < call.arguments.size(); ++i) type = meet(type, of(call.arguments[i]));
  if (type.type == ValueType::boolean) type = {ValueType::i64};
  const bool exact = call.function == Function::min || call.function == Function::max || call.function == Function::abs;
  return exact ? type : as_real(type);
}

NaiveType NaiveTypes::find(const Expr& expr) {
  const NaiveType boolean{ValueType::boolean};
  return match(
      expr,
      [](const Number& n) {
        return NaiveType{n.integer ? ValueType::i64 : ValueType::f64, true};
      },
      [&](const Boolean&) { return boolean; },
      [&](const Name& n) {
        if (n.kind != NameKind::constant) return NaiveType{ValueType::i64, true};
        const NaiveType t = of(program_.let(n.id)->value);
        return NaiveType{t.type, t.type != ValueType::boolean};
      },
      [&](const Access& a) { return NaiveType{program_.tensor(a.tensor)->type}; },
      [&](const Unary& u) { return u.op == UnaryOp::negate ? as_number(of(u.operand)) : boolean; },
      [&](const Binary& b) {
        if (is_logical(b.op) || is_comparison(b.op)) return boolean;
        const NaiveType both = meet(of(b.lhs), of(b.rhs));
        return b.op == BinaryOp::div ? as_real(both) : both;
      },
      [&](const Call& c) { return of_call(c); },
      [&](const Select& s) {
        const NaiveType a = of(s.then_value), b = of(s.else_value);
        return a.type == ValueType::boolean && b.type == ValueType::boolean ? boolean : meet(a, b);
      },
      [&](const Reduce& r) {
        return r.reducer == Reducer::any || r.reducer == Reducer::all ? boolean : as_number(of(r.body));
      },
      [](const KernelCall&) { return NaiveType{}; });
}

std::vector<std::int64_t> NaiveTypes::shape_of(const Expr& expr) const {
  if (const Access* a = as<Access>(expr)) {
    std::vector<std::int64_t> dims;
    const TensorDecl& decl = *program_.tensor(a->tensor);
    for (std::size_t d = a->indices.size(); d < decl.dims.size(); ++d) dims.push_back(extent_(decl.dims[d]));
    return dims;
  }
  if (const Unary* u = as<Unary>(expr)) return shape_of(u->operand);
  if (const Binary* b = as<Binary>(expr)) {
    const auto lhs = shape_of(b->lhs);
    return lhs.empty() ? shape_of(b->rhs) : lhs;
  }
  if (const Select* s = as<Select>(expr)) return shape_of(s->then_value);
  if (const Reduce* r = as<Reduce>(expr)) return shape_of(r->body);
  if (const KernelCall* k = as<KernelCall>(expr)) {
    const Kernel& kernel = *kernel_named(k->kernel);
    std::map<char, std::int64_t> letters;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const auto shape = shape_of(k->arguments[i]);
      for (std::size_t d = 0; d < shape.size(); ++d) letters[kernel.arguments[i][d]] = shape[d];
    }
    std::vector<std::int64_t> dims;
    for (char letter : kernel.result) dims.push_back(letters.at(letter));
    return dims;
  }
  return {};
}

} // namespace cyclotron::fuzz
