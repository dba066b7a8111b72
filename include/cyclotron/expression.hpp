// SPDX-License-Identifier: MIT
// Expressions and equations, written in C++ as the language writes them.
//
//   p += L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j), where(k < j, j < i);
//
// Expressions have no values. Each operator makes text, which the parser of the language reads later.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace cyclotron {

namespace detail {

struct Node;
struct Declaration;

} // namespace detail

// A number, an index, a size, an element, or what operators make of these.
class Expression {
public:
  template <std::integral T> Expression(T value) : Expression(whole(static_cast<std::int64_t>(value))) {
    static_assert(sizeof(T) < 8 || std::signed_integral<T>, "whole numbers have up to 64 bits and a sign");
  }
  template <std::floating_point T> Expression(T value) : Expression(real(static_cast<double>(value))) {}
  Expression(bool value) : Expression(truth(value)) {}

  const std::string& text() const;

  // For the library itself.
  explicit Expression(std::shared_ptr<const detail::Node> node) : node_(std::move(node)) {}
  const detail::Node& node() const;

private:
  static Expression whole(std::int64_t value);
  static Expression real(double value);
  static Expression truth(bool value);

  std::shared_ptr<const detail::Node> node_;
};

// What equations range over: `Index i("i")`.
class Index : public Expression {
public:
  explicit Index(const std::string& name);
};

// A number that is fixed when the program runs: a dimension, a number of steps.
class Size : public Expression {
public:
  explicit Size(const std::string& name);
};

// A name for a constant: `Constant gap("gap", -2)`.
class Constant : public Expression {
public:
  Constant(const std::string& name, const Expression& value);
};

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);
Expression operator/(const Expression& a, const Expression& b);
Expression operator-(const Expression& a);
Expression operator<(const Expression& a, const Expression& b);
Expression operator<=(const Expression& a, const Expression& b);
Expression operator>(const Expression& a, const Expression& b);
Expression operator>=(const Expression& a, const Expression& b);
Expression operator==(const Expression& a, const Expression& b);
Expression operator!=(const Expression& a, const Expression& b);
Expression operator&&(const Expression& a, const Expression& b);
Expression operator||(const Expression& a, const Expression& b);
Expression operator!(const Expression& a);

Expression sqrt(const Expression& x);
Expression abs(const Expression& x);
Expression exp(const Expression& x);
Expression log(const Expression& x);
Expression pow(const Expression& x, const Expression& y);
Expression select(const Expression& condition, const Expression& x, const Expression& y);

namespace detail {

Expression call(const std::string& function, const std::vector<Expression>& arguments);
Expression call_kernel(const std::string& kernel, const std::vector<Expression>& tiles); // checks the name

} // namespace detail

// A kernel on tiles: `call("GEMM", A(i,k), B(k,j))`.
template <std::convertible_to<Expression>... E> Expression call(const std::string& kernel, const E&... tiles) {
  return detail::call_kernel(kernel, {Expression(tiles)...});
}

// `sum[k]`, `sum[k][l]`, `sum[{k, l}]`: waits for what it reduces.
class Reduction {
public:
  Reduction(const char* word, std::vector<Index> variables) : word_(word), variables_(std::move(variables)) {}
  Reduction operator[](const Index& variable) const {
    Reduction longer = *this;
    longer.variables_.push_back(variable);
    return longer;
  }
  Expression operator()(const Expression& body) const;

private:
  const char* word_;
  std::vector<Index> variables_;
};

class Reducer {
public:
  explicit constexpr Reducer(const char* word) : word_(word) {}
  Reduction operator[](const Index& variable) const { return {word_, {variable}}; }
  Reduction operator[](std::initializer_list<Index> variables) const { return {word_, variables}; }
#if defined(__cpp_multidimensional_subscript)
  template <std::same_as<Index>... I>
  Reduction operator[](const Index& first, const Index& second, const I&... more) const {
    return {word_, {first, second, more...}};
  }
#endif

protected:
  const char* word_;
};

// `min(x, y)` is a function, `min[k](x)` a reduction; so is `max`.
class Extremum : public Reducer {
public:
  using Reducer::Reducer;
  template <std::convertible_to<Expression>... E>
  Expression operator()(const Expression& a, const Expression& b, const E&... more) const {
    return detail::call(word_, {a, b, Expression(more)...});
  }
};

inline constexpr Reducer sum("sum"), prod("prod"), any("any"), all("all");
inline constexpr Extremum min("min"), max("max");

// `x(i) = …`, to be added to a program.
class Equation {
public:
  Equation(const Expression& target, const Expression& value) : target_(target), value_(value) {}

  // Where it holds. Each comparison is a constraint, as is a chain: `where(0 <= k < j, i != 3)`. `&&` joins them, too.
  template <std::convertible_to<Expression>... E> Equation where(const E&... conditions) const {
    Equation copy = *this;
    (copy.conditions_.push_back(Expression(conditions)), ...);
    return copy;
  }

  std::string text() const;
  const Expression& target() const { return target_; }
  const Expression& value() const { return value_; }
  const std::vector<Expression>& conditions() const { return conditions_; }

private:
  Expression target_, value_;
  std::vector<Expression> conditions_;
};
inline Equation operator|(const Equation& equation, const Expression& condition) { return equation.where(condition); }

// `program += x(i) = …, where(i > 0)`: for the equation that was added last.
struct Where {
  std::vector<Expression> conditions;
};
template <std::convertible_to<Expression>... E> Where where(const E&... conditions) {
  return {{Expression(conditions)...}};
}

} // namespace cyclotron
