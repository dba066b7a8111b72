// SPDX-License-Identifier: MIT
// How much scratch a worker needs: arithmetic in the sizes, computed.
#include "code/ir.hpp"

#include <algorithm>
#include <limits>

namespace cyclotron::code {

namespace {

// What does not fit is too much for any machine, and stays the largest number.
constexpr std::int64_t too_much = std::numeric_limits<std::int64_t>::max();

class Elements {
public:
  Elements(const Kernel& kernel, const std::vector<std::int64_t>& sizes) : kernel_(kernel), sizes_(sizes) {}

  std::int64_t bytes(const Memory& m) const {
    Count count = value_of(m.elements);
    const std::int64_t elements = std::max<std::int64_t>(0, count.value);
    std::int64_t bytes = 0;
    count.fits &= !__builtin_mul_overflow(elements, bytes_of(m.scalar), &bytes);
    count.fits &= !__builtin_add_overflow(bytes, scratch_alignment - 1, &bytes);
    return count.fits ? bytes / scratch_alignment * scratch_alignment : too_much;
  }

private:
  struct Count {
    std::int64_t value = 0;
    bool fits = true; // so far
  };

  Count value_of(const Expr& expr) const {
    if (const Number* n = ir::as<Number>(expr)) return {n->whole};
    if (const Binary* b = ir::as<Binary>(expr)) return value_of(b->op, value_of(b->lhs), value_of(b->rhs));
    const auto size = std::find(kernel_.sizes.begin(), kernel_.sizes.end(), ir::as<Variable>(expr)->name);
    return {sizes_.at(static_cast<std::size_t>(size - kernel_.sizes.begin()))};
  }

  // Divisors are numbers from 1 up (verify.cpp).
  static Count value_of(BinaryOp op, Count a, Count b) {
    const std::int64_t x = a.value, y = b.value, rest = op == BinaryOp::mod || op == BinaryOp::floor_div ? x % y : 0;
    Count result{0, a.fits && b.fits};
    switch (op) {
    case BinaryOp::add: result.fits &= !__builtin_add_overflow(x, y, &result.value); break;
    case BinaryOp::sub: result.fits &= !__builtin_sub_overflow(x, y, &result.value); break;
    case BinaryOp::mul: result.fits &= !__builtin_mul_overflow(x, y, &result.value); break;
    case BinaryOp::div: result.value = x / y; break;
    case BinaryOp::floor_div: result.value = x / y - (rest < 0 ? 1 : 0); break;
    case BinaryOp::mod: result.value = rest + (rest < 0 ? y : 0); break;
    case BinaryOp::min: result.value = std::min(x, y); break;
    case BinaryOp::max: result.value = std::max(x, y); break;
    default: bug("an operator in the number of elements of scratch");
    }
    return result;
  }

  const Kernel& kernel_;
  const std::vector<std::int64_t>& sizes_;
};

} // namespace

std::int64_t scratch_bytes(const Kernel& kernel, const std::vector<std::int64_t>& sizes, bool with_shared) {
  const Elements elements(kernel, sizes);
  std::int64_t bytes = 0;
  for (const Role role : {Role::scratch, Role::shared})
    for (const Memory& m : kernel.memories)
      if (m.role == role && (role == Role::scratch || with_shared) &&
          __builtin_add_overflow(bytes, elements.bytes(m), &bytes))
        return too_much;
  return bytes;
}

} // namespace cyclotron::code
