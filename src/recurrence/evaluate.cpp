// SPDX-License-Identifier: MIT
#include "recurrence/evaluate.hpp"

#include "recurrence/identity.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::recurrence {

using tensor::is_float;
using tensor::real_word;
using tensor::ValueType;
using tensor::whole_word;

namespace {

// NaN wins in min and max, so that a bad value is never hidden.
double min_of(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double max_of(double a, double b) { return std::isnan(a) || a > b ? a : b; }

double combine(Reducer reducer, double a, double b) {
  switch (reducer) {
  case Reducer::sum: return a + b;
  case Reducer::prod: return a * b;
  case Reducer::min: return min_of(b, a);
  case Reducer::max: return max_of(b, a);
  default: bug("only conditions are reduced with any and all");
  }
}

// Wide enough for what a reduction comes through on the way: only its result must fit its type, so that the order of
// the terms does not matter.
__extension__ typedef __int128 Wide;

bool fits_whole(Wide value, ValueType type) {
  const bool narrow = type == ValueType::i32;
  return value >= (narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min()) &&
         value <= (narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max());
}

Wide combine(Reducer reducer, Wide a, std::int64_t b) {
  constexpr Wide far = Wide{1} << 63; // from beyond it, only a zero leads back
  switch (reducer) {
  case Reducer::sum: return a + b;
  case Reducer::prod: return b != 0 && (a > far || a < -far) ? a : a * b;
  case Reducer::min: return std::min<Wide>(a, b);
  case Reducer::max: return std::max<Wide>(a, b);
  case Reducer::any: return a | b;
  case Reducer::all: return a & b;
  }
  bug("unknown reducer");
}

// The range of a loop variable once the variables before it are fixed.
std::pair<std::int64_t, std::int64_t> range_of(const LoopVariable& loop, std::int64_t* slots) {
  std::int64_t first = loop.first, last = loop.last;
  slots[loop.slot] = 0;
  for (const auto& [condition, own] : loop.tighten) {
    // own * x + rest >= 0, or == 0.
    const std::int64_t rest = condition.form.evaluate(slots);
    const bool equality = condition.kind == Condition::Kind::zero;
    if (own > 0 || equality) {
      const std::int64_t k = own > 0 ? own : -own, r = own > 0 ? rest : -rest;
      first = std::max(first, ceil_div(-r, k));
    }
    if (own < 0 || equality) {
      const std::int64_t k = own < 0 ? -own : own, r = own < 0 ? rest : -rest;
      last = std::min(last, floor_div(r, k));
    }
  }
  return {first, last};
}

} // namespace

std::int64_t Storage::tile_size(std::size_t given) const {
  std::int64_t size = 1;
  for (std::size_t d = given; d < dims.size(); ++d) size *= dims[d];
  return size;
}

Word Evaluator::real(const Code& code, double value) const {
  return real_word(code.type == ValueType::f32 ? static_cast<double>(static_cast<float>(value)) : value);
}

Word Evaluator::whole(const Code& code, bool overflow, std::int64_t value) {
  using Narrow = std::numeric_limits<std::int32_t>;
  if (code.type == ValueType::i32) overflow |= value < Narrow::min() || value > Narrow::max();
  if (overflow && !overflowed) {
    overflowed = true;
    overflow_span = code.span;
  }
  return whole_word(value);
}

Word Evaluator::number(const Code& code) {
  switch (code.op) {
  case Code::Op::constant: return is_float(code.type) ? real(code, code.real) : whole_word(code.whole);
  case Code::Op::index: return whole_word(code.form.evaluate(slots.data()));
  case Code::Op::access: return access(code);
  case Code::Op::convert: return convert(number(code.operands[0]), code.operands[0].type, code);
  case Code::Op::negate: {
    const Word a = number(code.operands[0]);
    if (is_float(code.type)) return real_word(-a.real);
    std::int64_t result = 0;
    const bool overflow = __builtin_sub_overflow(std::int64_t{0}, a.whole, &result);
    return whole(code, overflow, result);
  }
  case Code::Op::logical_not: return whole_word(number(code.operands[0]).whole == 0);
  case Code::Op::binary: return binary(code);
  case Code::Op::call: return call(code);
  case Code::Op::select: {
    const std::size_t before = missing.size();
    const Word condition = number(code.operands[0]);
    if (missing.size() != before) return zero_of(code.type); // the condition is not known yet
    return number(code.operands[condition.whole != 0 ? 1 : 2]);
  }
  case Code::Op::reduce: return reduce(code);
  case Code::Op::kernel: bug("a kernel makes no number");
  }
  bug("unknown operation");
}

Word Evaluator::convert(Word value, ValueType from, const Code& code) {
  if (is_float(from)) {
    if (!is_float(code.type)) bug("a floating-point value was accepted for an integer tensor");
    return real(code, value.real);
  }
  if (is_float(code.type)) return real(code, static_cast<double>(value.whole));
  return whole(code, false, value.whole);
}

// --- reads ---

std::int64_t Evaluator::offset(const Storage& s, const std::vector<LinearForm>& coordinates, bool last_step) const {
  std::int64_t at = 0;
  std::size_t next = 0;
  if (s.stepped) {
    if (s.last_step < s.first_step) return -1;
    const std::int64_t step = last_step ? s.last_step : coordinates[next++].evaluate(slots.data());
    if (step < s.first_step || step > s.last_step) bug("a step is out of range");
    at = step - s.first_step;
  }
  for (std::size_t d = 0; d < s.dims.size(); ++d, ++next) {
    const std::int64_t index = next < coordinates.size() ? coordinates[next].evaluate(slots.data()) : 0;
    if (index < 0 || (index >= s.dims[d] && next < coordinates.size())) bug("a read that was checked is out of bounds");
    at = at * s.dims[d] + index;
  }
  return at;
}

Word Evaluator::element(const Storage& s, std::int64_t offset) {
  const std::int64_t instance = s.instance[static_cast<std::size_t>(offset)];
  if (instance < 0) return zero_of(s.type); // no equation defines it
  if (states_[static_cast<std::size_t>(instance)] != State::done) {
    if (missing.size() < most_missing) missing.push_back(instance);
    return zero_of(s.type);
  }
  return s.values[static_cast<std::size_t>(offset)];
}

Word Evaluator::input_value(const Storage& s, std::int64_t position) {
  if (position < 0) return zero_of(s.type);
  const tensor::Values& values = s.input->values;
  return is_float(s.type) ? real_word(tensor::float_at(values, position))
                          : whole_word(tensor::integer_at(values, position));
}

Word Evaluator::input_element(const Storage& s, const std::vector<LinearForm>& coordinates) {
  std::int64_t at[16];
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    at[d] = coordinates[d].evaluate(slots.data());
    if (at[d] < 0 || at[d] >= s.dims[d]) bug("a read that was checked is out of bounds");
  }
  return input_value(s, tensor::locate(*s.input, at));
}

Word Evaluator::access(const Code& code) {
  const Storage& s = storage_[static_cast<std::size_t>(code.tensor)];
  if (!s.input) {
    const std::int64_t at = offset(s, code.coordinates, code.last_step);
    return at < 0 ? zero_of(s.type) : element(s, at);
  }
  if (s.input_is_plain) return input_value(s, offset(s, code.coordinates, false));
  return input_element(s, code.coordinates);
}

// --- operators ---

Word Evaluator::binary(const Code& code) {
  const std::size_t before = missing.size();
  const Word a = number(code.operands[0]);
  if (is_logical(code.binary)) {
    // The right operand is looked at only where the left one does not decide.
    const bool decided = (a.whole != 0) == (code.binary == BinaryOp::logical_or);
    if (decided || missing.size() != before) return a;
    return number(code.operands[1]);
  }
  const Word b = number(code.operands[1]);
  if (is_comparison(code.binary)) return compare(code, a, b);
  if (is_float(code.type)) {
    switch (code.binary) {
    case BinaryOp::add: return real(code, a.real + b.real);
    case BinaryOp::sub: return real(code, a.real - b.real);
    case BinaryOp::mul: return real(code, a.real * b.real);
    default:
      if (b.real == 0) {
        if (a.real == 0 && zero_by_zero_is_zero) return real_word(0);
        if (failure == Failure::none) failure = Failure::divides_by_zero;
      }
      return real(code, a.real / b.real);
    }
  }
  std::int64_t result = 0;
  bool overflow = false;
  switch (code.binary) {
  case BinaryOp::add: overflow = __builtin_add_overflow(a.whole, b.whole, &result); break;
  case BinaryOp::sub: overflow = __builtin_sub_overflow(a.whole, b.whole, &result); break;
  case BinaryOp::mul: overflow = __builtin_mul_overflow(a.whole, b.whole, &result); break;
  default: bug("integers are not divided");
  }
  return whole(code, overflow, result);
}

Word Evaluator::compare(const Code& code, Word a, Word b) const {
  const auto decide = [&](auto x, auto y) {
    switch (code.binary) {
    case BinaryOp::less: return x < y;
    case BinaryOp::less_equal: return x <= y;
    case BinaryOp::greater: return x > y;
    case BinaryOp::greater_equal: return x >= y;
    case BinaryOp::equal: return x == y;
    default: return x != y;
    }
  };
  return whole_word(is_float(code.operands[0].type) ? decide(a.real, b.real) : decide(a.whole, b.whole));
}

Word Evaluator::call(const Code& code) {
  const Word a = number(code.operands[0]);
  if (code.function == Function::min || code.function == Function::max) {
    Word best = a;
    const bool least = code.function == Function::min;
    for (std::size_t i = 1; i < code.operands.size(); ++i) {
      const Word b = number(code.operands[i]);
      if (is_float(code.type)) best.real = least ? min_of(b.real, best.real) : max_of(b.real, best.real);
      else best.whole = least ? std::min(best.whole, b.whole) : std::max(best.whole, b.whole);
    }
    return best;
  }
  if (code.function == Function::abs) {
    if (is_float(code.type)) return real_word(std::fabs(a.real));
    if (a.whole == std::numeric_limits<std::int64_t>::min()) return whole(code, true, a.whole);
    return whole(code, false, std::abs(a.whole));
  }
  switch (code.function) {
  case Function::sqrt:
    if (a.real < 0 && failure == Failure::none) failure = Failure::root_of_negative;
    return real(code, std::sqrt(a.real));
  case Function::exp: return real(code, std::exp(a.real));
  case Function::log:
    if (a.real < 0 && failure == Failure::none) failure = Failure::log_of_negative;
    return real(code, std::log(a.real));
  default: return real(code, std::pow(a.real, number(code.operands[1]).real));
  }
}

// --- reductions ---

void Evaluator::each_point(const Code& code, std::size_t depth, const std::function<void()>& f) {
  if (missing.size() >= most_missing) return; // enough to go on with
  if (depth == code.loops.size()) {
    for (const LinearCondition& c : code.conditions)
      if (!c.holds(slots.data())) return;
    f();
    return;
  }
  const LoopVariable& loop = code.loops[depth];
  const auto [first, last] = range_of(loop, slots.data());
  for (std::int64_t i = first; i <= last; ++i) {
    slots[static_cast<std::size_t>(loop.slot)] = i;
    each_point(code, depth + 1, f);
  }
}

Word Evaluator::reduce(const Code& code) {
  Word total = identity_of(code.reducer, code.type);
  if (is_float(code.type)) {
    each_point(code, 0, [&] { total = real(code, combine(code.reducer, total.real, number(code.operands[0]).real)); });
    return total;
  }
  Wide sum = total.whole;
  each_point(code, 0, [&] { sum = combine(code.reducer, sum, number(code.operands[0]).whole); });
  return whole(code, !fits_whole(sum, code.type), static_cast<std::int64_t>(sum));
}

} // namespace cyclotron::recurrence
