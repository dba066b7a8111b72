// SPDX-License-Identifier: MIT
// Whole numbers that cannot overflow.
//
// To check every operation for overflow costs more than the operations. So a kernel has two forms (decision 8). The
// quick form checks only the numbers that it stores. While all of these stay within half of their type's range, sums
// and products of a few of them fit; this is proven here for each statement. If a stored number leaves that range,
// the kernel reports it and is run again in its careful form. That form checks every operation, and makes sums and
// products in wider numbers, because the values on the way to a sum depend on the order of the loops and must not
// matter.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

double limit_of(ValueType type) { return type == ValueType::i64 ? std::ldexp(1.0, 63) : std::ldexp(1.0, 31); }
double stored_limit(ValueType type) {
  return type == ValueType::boolean ? 1 : type == ValueType::i64 ? std::ldexp(1.0, 62) : std::ldexp(1.0, 30);
}

} // namespace

// The largest size that a whole number may have, or unbounded; also unbounded where something inside may overflow.
double Emitter::largest(const Expr& expr) const {
  if (const auto n = constant(expr)) return n->integer ? std::fabs(static_cast<double>(*n->integer)) : 0;
  const ValueType own = type_of(expr);
  const auto of = [&](const Expr& e) { return largest(e); };
  const double size = match(
      expr, [](const Number&) { return 0.0; }, [](const Boolean&) { return 1.0; },
      [&](const Name&) { return tensor::is_float(own) ? 0.0 : unbounded; },
      [&](const Access& a) {
        if (tensor::is_float(own)) return 0.0;
        const loops::Temporary* t = temporary_of(a);
        // The identities of min and max are the ends of the range.
        return t && (t->reducer == Reducer::min || t->reducer == Reducer::max) ? unbounded : stored_limit(own);
      },
      [&](const Unary& u) { return of(u.operand); },
      [&](const Binary& b) {
        const double x = of(b.lhs), y = of(b.rhs);
        if (std::isinf(x) || std::isinf(y)) return unbounded;
        if (is_logical(b.op) || is_comparison(b.op)) return 1.0;
        return b.op == BinaryOp::mul ? x * y : x + y;
      },
      [&](const Call& c) {
        double most = 0;
        for (const Expr& e : c.arguments) most = std::max(most, of(e));
        return most;
      },
      [&](const Select& s) {
        return std::isinf(of(s.condition)) ? unbounded : std::max(of(s.then_value), of(s.else_value));
      },
      [](const Reduce&) { return unbounded; }, [](const KernelCall&) { return unbounded; });
  if (std::isinf(size)) return unbounded;
  if (tensor::is_float(own)) return 0;
  return size < limit_of(own) ? size : unbounded;
}

// Whether the statement's whole numbers are safe without looking at each operation.
bool Emitter::is_safe(const Statement& s) {
  if (options_.careful) return false;
  const ValueType type =
      s.reducer ? nest_.temporary(s.access().tensor, s.equation)->type : program_.tensor(s.access().tensor)->type;
  double size = largest(s.value);
  if (std::isinf(size)) return false;
  if (tensor::is_float(type)) return true;
  if (s.reducer == Reducer::sum) size += stored_limit(type);
  if (s.reducer == Reducer::prod) size *= stored_limit(type);
  return size < limit_of(type);
}

// Whether a reduction is made in wider numbers, so that only its result needs to fit.
bool Emitter::is_exact(const loops::Temporary& t) const {
  return options_.careful && (t.reducer == Reducer::sum || t.reducer == Reducer::prod) && t.shape.empty() &&
         (t.type == ValueType::i32 || t.type == ValueType::i64);
}

std::string Emitter::held_type(const loops::Temporary& t) {
  if (!t.shape.empty()) return c_type(ValueType::f64); // a tile
  if (!is_exact(t)) return c_type(t.type);
  return t.type == ValueType::i64 ? use("cyc_wide") : c_type(ValueType::i64);
}

std::string Emitter::exact_sum(const loops::Temporary& t, const std::string& a, const std::string& b) {
  if (t.reducer == Reducer::sum && t.type == ValueType::i64) return fmt::format("{} + {}", a, b);
  if (t.reducer == Reducer::sum) return fmt::format("{}({}, {}, {})", use("cyc_add_i64"), a, b, overflow());
  return fmt::format("{}({}, {})", use(t.type == ValueType::i64 ? "cyc_exact_mul_i64" : "cyc_exact_mul_i32"), a, b);
}

// Notes a number that leaves the safe half of its range: in the top bit of a word.
void Emitter::note_size(const std::string& place, ValueType type) {
  if (options_.careful || tensor::is_float(type) || type == ValueType::boolean) return;
  const bool wide = type == ValueType::i64;
  sizes_noted_.insert(equation_);
  line(fmt::format("large_{} |= {};", equation_,
                   wide ? fmt::format("(uint32_t)(((uint64_t){} + (UINT64_C(1) << 62)) >> 32)", place)
                        : fmt::format("(uint32_t){} + (UINT32_C(1) << 30)", place)));
}

// A loop that keeps what it computes in the cache spends its time on loads, and loads of several numbers that start
// anywhere take twice as long as those that are short. Inputs along such a loop are copied into bytes first.
void Emitter::choose_narrow() {
  if (!options_.narrow) return;
  for (const Placed& p : plan_.statements) {
    const bool carried = std::any_of(plan_.folds.begin(), plan_.folds.end(), [&](const auto& f) {
      return std::find(p.loops.begin(), p.loops.end(), f.second.loop) != p.loops.end();
    });
    const Loop* innermost = nullptr;
    for (const Loop* l : p.loops)
      if (!is_single(*l)) innermost = l;
    if (!carried || !innermost->forall || innermost->reduces) continue;
    ir::walk<ExprNode>(p.statement->value, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a || !program_.tensor(a->tensor) || program_.is_output(a->tensor)) return;
      TensorNames& t = tensors_.at(a->tensor);
      if (t.decl->type != ValueType::i32 || t.decl->dims.size() != 1 || t.sparse() || !t.narrow.empty()) return;
      t.narrow = names_.fresh(t.name + "_bytes");
    });
  }
}

std::string Emitter::narrow_inputs() {
  std::string out;
  for (const auto& [name, t] : tensors_) {
    if (t.narrow.empty()) continue;
    inputs_noted_ = true;
    out += fmt::format("  for (int64_t cyc_p = 0; cyc_p < {0}; cyc_p++) {{\n    {1}[cyc_p] = (int8_t){2}[cyc_p];\n"
                       "    large |= (uint32_t)({1}[cyc_p] != {2}[cyc_p]) << 31;\n  }}\n",
                       t.sizes[0], t.narrow, t.values);
  }
  if (!out.empty())
    out +=
        "  if (large >> 31) { // some number needs more than a byte\n    error->kind = CYC_LARGE;\n    goto finish;\n"
        "  }\n";
  return out;
}

// Inputs that statements calculate with must be within the safe half, too.
std::string Emitter::note_inputs() {
  std::string out;
  std::set<std::string> names;
  for (const Placed& p : plan_.statements) {
    equation_ = p.statement->equation;
    if (!safe_.count(p.statement)) continue;
    ir::walk<ExprNode>(p.statement->value, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      const TensorDecl* t = a ? program_.tensor(a->tensor) : nullptr;
      if (t && !program_.is_output(a->tensor) && !tensor::is_float(t->type) && t->type != ValueType::boolean)
        if (tensors_.at(a->tensor).narrow.empty()) names.insert(a->tensor);
    });
  }
  for (const std::string& name : names) {
    const TensorNames& t = tensors_.at(name);
    const std::string count = count_of(t, t.decl->format.levels.size());
    const bool wide = t.decl->type == ValueType::i64;
    inputs_noted_ = true;
    out += fmt::format("  for (int64_t cyc_p = 0; cyc_p < {}; cyc_p++) large |= {};\n", count,
                       wide ? fmt::format("(uint32_t)(((uint64_t){}[cyc_p] + (UINT64_C(1) << 62)) >> 32)", t.values)
                            : fmt::format("(uint32_t){}[cyc_p] + (UINT32_C(1) << 30)", t.values));
  }
  return out;
}

} // namespace cyclotron::backend::c
