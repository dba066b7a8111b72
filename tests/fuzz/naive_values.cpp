// SPDX-License-Identifier: MIT
// The values of expressions: operands left to right, reductions in rising order, every operation in its own type
// but for reductions of whole numbers, which are exact.
#include "naive_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::fuzz {

using namespace recurrence;
using tensor::is_float;
using tensor::ValueType;

namespace {

__extension__ typedef __int128 Wide;

NaiveValue truth(bool b) { return {0, b ? 1 : 0}; }

bool fits(Wide value, ValueType type) {
  if (type == ValueType::i32)
    return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

NaiveValue integer_result(Wide value, ValueType type) {
  if (!fits(value, type)) throw NaiveFailure{"overflow"};
  return {0, static_cast<std::int64_t>(value)};
}

NaiveValue real_result(double value, ValueType type) {
  return {type == ValueType::f32 ? static_cast<float>(value) : value, 0};
}

// The smaller or the larger; a NaN is never hidden.
NaiveValue extreme(bool least, NaiveValue a, NaiveValue b, ValueType type) {
  if (!is_float(type)) return {0, least ? std::min(a.whole, b.whole) : std::max(a.whole, b.whole)};
  if (std::isnan(a.real)) return a;
  if (std::isnan(b.real)) return b;
  return {least ? std::min(a.real, b.real) : std::max(a.real, b.real), 0};
}

// The sum or the product of whole numbers, whatever their order.
NaiveValue exactly(Reducer reducer, const std::vector<std::int64_t>& terms, ValueType type) {
  Wide result = reducer == Reducer::prod ? 1 : 0;
  if (reducer == Reducer::prod && std::count(terms.begin(), terms.end(), 0) > 0) return {};
  for (const std::int64_t x : terms) {
    result = reducer == Reducer::prod ? result * x : result + x;
    if (reducer == Reducer::prod && !fits(result, ValueType::i64) && !fits(-result, ValueType::i64))
      throw NaiveFailure{"overflow"}; // for good: no factor is zero
  }
  return integer_result(result, type);
}

NaiveValue identity(Reducer reducer, ValueType type) {
  const double inf = std::numeric_limits<double>::infinity();
  const bool narrow = type == ValueType::i32;
  if (reducer == Reducer::prod || reducer == Reducer::all) return {1, 1};
  if (reducer == Reducer::min) return {inf, narrow ? INT32_MAX : INT64_MAX};
  if (reducer == Reducer::max) return {-inf, narrow ? INT32_MIN : INT64_MIN};
  return {};
}

} // namespace

// --- elements ---

void NaiveProgram::compute(Instance& instance) {
  if (instance.state == State::open) throw NaiveFailure{"cycle"};
  instance.state = State::open;
  const Environment outer = std::exchange(indices_, instance.indices);
  const Equation* const outer_equation = std::exchange(equation_, instance.equation);
  const Access& target = instance.equation->access();
  const ValueType type = program_.tensor(target.tensor)->type;
  Point at = point_of(target);
  const std::vector<std::int64_t> rest = types_.shape_of(instance.equation->target);
  const bool in_tiles = !types_.shape_of(instance.equation->value).empty();
  const Tile computed = in_tiles ? tile(instance.equation->value) : Tile{};
  const NaiveValue number = in_tiles ? NaiveValue{} : value_as(instance.equation->value, type);
  std::size_t next = 0;
  const std::function<void(std::size_t)> fill = [&](std::size_t d) {
    if (d == rest.size()) {
      const double real = in_tiles ? computed.values[next++] : 0;
      values_[target.tensor][at] = !in_tiles        ? number
                                   : is_float(type) ? real_result(real, type)
                                                    : NaiveValue{0, std::llround(real)};
      return;
    }
    at.push_back(0);
    for (; at.back() < rest[d]; ++at.back()) fill(d + 1);
    at.pop_back();
  };
  fill(0);
  indices_ = outer;
  equation_ = outer_equation;
  instance.state = State::done;
}

NaiveValue NaiveProgram::element(const std::string& name, const Point& point) {
  const ValueType type = program_.tensor(name)->type;
  if (!program_.is_output(name)) {
    const tensor::Tensor& input = inputs_.at(name);
    const std::int64_t position = tensor::locate(input, point.data());
    if (position < 0) return {};
    if (is_float(type)) return {tensor::float_at(input.values, position), 0};
    return {0, tensor::integer_at(input.values, position)};
  }
  const auto& owners = owner_[name];
  const auto owner = owners.find(point);
  if (owner == owners.end()) return {}; // no equation defines it: zero
  Instance& instance = instances_[owner->second];
  if (instance.state != State::done) compute(instance);
  return values_.at(name).at(point);
}

NaiveValue NaiveProgram::access(const Access& access) {
  Point at = point_of(access);
  if (program_.is_stepped(access.tensor) && !access.step) {
    if (!last_step_.count(access.tensor)) return {};
    at.insert(at.begin(), last_step_.at(access.tensor));
  }
  return element(access.tensor, at);
}

// --- numbers ---

NaiveValue NaiveProgram::converted(NaiveValue v, ValueType from, ValueType to) const {
  if (from == to) return v;
  if (is_float(from)) return real_result(v.real, to);
  if (is_float(to)) return real_result(static_cast<double>(v.whole), to);
  return integer_result(v.whole, to);
}

NaiveValue NaiveProgram::value_as(const Expr& expr, ValueType type) {
  return converted(value(expr), types_.of(expr).type, type);
}

NaiveValue NaiveProgram::value(const Expr& expr) {
  return match(
      expr,
      [](const Number& n) {
        return NaiveValue{n.value, n.integer.value_or(0)};
      },
      [](const Boolean& b) { return truth(b.value); }, [&](const Name& n) { return name(n); },
      [&](const Access& a) { return access(a); }, [&](const Unary& u) { return unary(u, expr); },
      [&](const Binary& b) { return binary(b, expr); }, [&](const Call& c) { return call(c, expr); },
      [&](const Select& s) {
        return value_as(value(s.condition).whole ? s.then_value : s.else_value, types_.of(expr).type);
      },
      [&](const Reduce& r) { return reduce(r, expr); },
      [](const KernelCall&) -> NaiveValue { throw NaiveFailure{"a kernel makes no number"}; });
}

NaiveValue NaiveProgram::name(const Name& name) {
  if (name.kind == NameKind::constant) return value(program_.let(name.id)->value);
  return {0, name.kind == NameKind::size ? sizes_.at(name.id) : indices_.at(name.id)};
}

NaiveValue NaiveProgram::unary(const Unary& u, const Expr& expr) {
  if (u.op == UnaryOp::logical_not) return truth(!value(u.operand).whole);
  const ValueType type = types_.of(expr).type;
  const NaiveValue v = value_as(u.operand, type);
  return is_float(type) ? NaiveValue{-v.real, 0} : integer_result(-Wide(v.whole), type);
}

NaiveValue NaiveProgram::binary(const Binary& b, const Expr& expr) {
  if (b.op == BinaryOp::logical_and) return truth(value(b.lhs).whole && value(b.rhs).whole);
  if (b.op == BinaryOp::logical_or) return truth(value(b.lhs).whole || value(b.rhs).whole);
  if (is_comparison(b.op)) return truth(compare(b.op, b.lhs, b.rhs));
  const ValueType type = types_.of(expr).type;
  const NaiveValue x = value_as(b.lhs, type);
  return arithmetic(b.op, x, value_as(b.rhs, type), type);
}

NaiveValue NaiveProgram::arithmetic(BinaryOp op, NaiveValue a, NaiveValue b, ValueType type) const {
  if (is_float(type)) {
    const double r = op == BinaryOp::add   ? a.real + b.real
                     : op == BinaryOp::sub ? a.real - b.real
                     : op == BinaryOp::mul ? a.real * b.real
                                           : a.real / b.real;
    return real_result(r, type);
  }
  const Wide x = a.whole, y = b.whole;
  return integer_result(op == BinaryOp::add ? x + y : op == BinaryOp::sub ? x - y : x * y, type);
}

bool NaiveProgram::compare(BinaryOp op, const Expr& lhs, const Expr& rhs) {
  const NaiveType a = types_.of(lhs), b = types_.of(rhs);
  const bool bools = a.type == ValueType::boolean && b.type == ValueType::boolean;
  const ValueType type = bools ? ValueType::boolean : NaiveTypes::meet(a, b).type;
  const NaiveValue x = value_as(lhs, type), y = value_as(rhs, type);
  const bool less = is_float(type) ? x.real < y.real : x.whole < y.whole;
  const bool equal = is_float(type) ? x.real == y.real : x.whole == y.whole;
  const bool greater = is_float(type) ? x.real > y.real : x.whole > y.whole;
  switch (op) {
  case BinaryOp::less: return less;
  case BinaryOp::less_equal: return less || equal;
  case BinaryOp::greater: return greater;
  case BinaryOp::greater_equal: return greater || equal;
  case BinaryOp::equal: return equal;
  default: return !equal;
  }
}

NaiveValue NaiveProgram::call(const Call& c, const Expr& expr) {
  const ValueType type = types_.of(expr).type;
  std::vector<NaiveValue> x;
  for (const Expr& a : c.arguments) x.push_back(value_as(a, type));
  switch (c.function) {
  case Function::min:
  case Function::max: {
    NaiveValue best = x[0];
    for (const NaiveValue& v : x) best = extreme(c.function == Function::min, best, v, type);
    return best;
  }
  case Function::abs:
    return is_float(type) ? NaiveValue{std::fabs(x[0].real), 0}
                          : integer_result(x[0].whole < 0 ? -Wide(x[0].whole) : Wide(x[0].whole), type);
  case Function::sqrt: return real_result(std::sqrt(x[0].real), type);
  case Function::exp: return real_result(std::exp(x[0].real), type);
  case Function::log: return real_result(std::log(x[0].real), type);
  default: return real_result(std::pow(x[0].real, x[1].real), type);
  }
}

// --- reductions ---

void NaiveProgram::each_point(const Reduce& r, const std::function<void()>& visit) {
  std::vector<std::string> names;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (const Binder& b : r.variables) {
    names.push_back(b.name);
    ranges.push_back(range_by_uses(b.name, r.body));
  }
  std::vector<const Constraint*> mine; // those that mention a variable of this reduction, and no later one
  for (const Constraint& c : equation_->constraints) {
    const auto is_mine = [&](const std::string& n) { return std::find(names.begin(), names.end(), n) != names.end(); };
    const std::set<std::string>& used = indices_in(c);
    const bool known =
        std::all_of(used.begin(), used.end(), [&](const std::string& n) { return is_mine(n) || indices_.count(n); });
    if (known && std::any_of(used.begin(), used.end(), is_mine)) mine.push_back(&c);
  }
  enumerate(names, ranges, mine, visit);
}

NaiveValue NaiveProgram::reduce(const Reduce& r, const Expr& expr) {
  const ValueType type = types_.of(expr).type;
  NaiveValue total = identity(r.reducer, type);
  std::vector<std::int64_t> terms;
  const bool exact = !is_float(type) && (r.reducer == Reducer::sum || r.reducer == Reducer::prod);
  each_point(r, [&] {
    const NaiveValue v = value_as(r.body, type);
    if (exact) {
      terms.push_back(v.whole);
      return;
    }
    switch (r.reducer) {
    case Reducer::sum: total = arithmetic(BinaryOp::add, total, v, type); break;
    case Reducer::prod: total = arithmetic(BinaryOp::mul, total, v, type); break;
    case Reducer::min:
    case Reducer::max: total = extreme(r.reducer == Reducer::min, total, v, type); break;
    case Reducer::any: total = truth(total.whole || v.whole); break;
    case Reducer::all: total = truth(total.whole && v.whole); break;
    }
  });
  return exact ? exactly(r.reducer, terms, type) : total;
}

} // namespace cyclotron::fuzz
