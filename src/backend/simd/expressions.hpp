// SPDX-License-Identifier: MIT
// Expressions of a kernel as C. One number is one number of C. Lanes are printed a part at a time, for a vector of all
// lanes may be wider than a register, and gcc then takes it through memory:
//
//   x[i : 1] * lanes(w[q])       f32, 16 lanes, registers of 64 bytes: one part
//     -->   f32x16_load(&x[i]) * f32x16_all(w[q])
//   x[i : 1] * lanes(w[q])       f64: two parts, each by itself
//     -->   f64x8_load(&x[i]) * f64x8_all(w[q])   and   f64x8_load(&x[i + 8]) * f64x8_all(w[q])
//
// Parts differ where types do: 16 lanes of f32 that come from f64 are two parts, joined.
#pragma once

#include "backend/simd/lane_functions.hpp"
#include "backend/simd/names.hpp"
#include "code/scope.hpp"

namespace cyclotron::backend::simd {

// How tightly C text holds together, loosest first.
enum CLevel { c_choice, c_or, c_and, c_bits, c_comparison, c_shift, c_sum, c_product, c_unary, c_primary };

struct CText {
  std::string text;
  int level = c_primary;
};
std::string bracketed(const CText& text, int level); // where it is looser than that

class Expressions {
public:
  Expressions(const code::Kernel& kernel, std::int64_t register_bytes, const code::Scope& scope, const CNames& names,
              LaneFunctions& functions);

  CText scalar(const code::Expr& expr);
  std::string whole(const code::Expr& expr) { return scalar(expr).text; }

  // Lanes `first` and so many more, not of truth values.
  CText lanes(const code::Expr& expr, std::int64_t first, std::int64_t count);
  // The same of truth values, in numbers of so many bytes.
  CText truths(const code::Expr& expr, std::int64_t bytes, std::int64_t first, std::int64_t count);
  // Whichever it is; truth values as variables hold them.
  CText part(const code::Expr& expr, std::int64_t first);

  // How a variable of lanes is held: as so many vectors, `v`, or `v_0`, `v_1`, …
  Vector held(code::Scalar scalar) const;
  std::int64_t parts(code::Scalar scalar) const { return kernel_.lanes / held(scalar).lanes; }
  std::string part_name(const std::string& variable, code::Scalar scalar, std::int64_t part) const;
  std::int64_t most_lanes(std::int64_t bytes) const; // of numbers of so many bytes in a register

  code::Type type(const code::Expr& expr) const { return code::type_of(expr, scope_); }
  LaneFunctions& functions() { return functions_; }

  // How a store or a load with lanes addresses its memory, and the arguments that say where.
  struct Address {
    Way way = Way::next_to_each_other;
    std::string arguments;  // "&x[i]", "&x[i], stride", "x"
    std::string lane_index; // one more, where each lane has an index of its own
    Vector index_type;
  };
  Address address(const std::string& memory, const code::Expr& index, const code::Expr& stride, std::int64_t first,
                  std::int64_t count);
  // How many lanes at a time an access can do.
  std::int64_t access_lanes(const std::string& memory, const code::Expr& index, const code::Expr& stride) const;

private:
  CText scalar_of(const code::Number& n);
  CText scalar_of(const code::Load& l);
  CText scalar_of(const code::Unary& u);
  CText scalar_of(const code::Binary& b);
  CText scalar_of(const code::Select& s);
  CText scalar_of(const code::Convert& c);
  CText scalar_of(const code::Extract& e);
  CText scalar_of(const code::AnyLane& a);

  CText lanes_of(const code::Load& l, Vector v, std::int64_t first);
  CText lanes_of(const code::Unary& u, Vector v, std::int64_t first);
  CText lanes_of(const code::Binary& b, Vector v, std::int64_t first);
  CText lanes_of(const code::Convert& c, Vector v, std::int64_t first);
  CText lanes_of(const code::Shift& s, Vector v, std::int64_t first);
  std::int64_t lanes_at_once(const code::Expr& expr) const;

  CText truths_of(const code::Binary& b, Vector v, std::int64_t first);
  CText compared(const std::string& text, std::int64_t bytes, Vector v);
  CText truths_of_logic(const code::Expr& expr, Vector v, std::int64_t first);
  std::int64_t natural_bytes(const code::Expr& truths) const;

  // Either of the two.
  CText piece(const code::Expr& expr, Vector v, std::int64_t first);
  CText held_part(const std::string& variable, code::Scalar scalar, std::int64_t first, std::int64_t count);
  CText call(const std::string& function, const std::vector<std::string>& arguments) const;

  const code::Kernel& kernel_;
  const std::int64_t register_bytes_;
  const code::Scope& scope_;
  const CNames& names_;
  LaneFunctions& functions_;
  std::int64_t truth_bytes_; // of variables that hold truth values in lanes
};

} // namespace cyclotron::backend::simd
