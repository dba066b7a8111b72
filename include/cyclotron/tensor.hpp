// SPDX-License-Identifier: MIT
// Tensors of an embedded program, and their elements.
#pragma once

#include "cyclotron/expression.hpp"
#include "cyclotron/format.hpp"

namespace cyclotron {

// `A(i,j)`. Assigning to it makes an equation and changes nothing.
class Access : public Expression {
public:
  explicit Access(std::shared_ptr<const detail::Node> node) : Expression(std::move(node)) {}
  Access(const Access&) = default;
  [[nodiscard]] Equation operator=(const Expression& value) const { return {*this, value}; }
  [[nodiscard]] Equation operator=(const Access& value) const { return {*this, value}; }
};

class Stepped;

// `Tensor A("A", {n, n}, csr)`. Copies are the same tensor. A program declares its tensors in the order in which they
// were made.
class Tensor {
public:
  explicit Tensor(const std::string& name, const std::vector<Expression>& dims = {}, Type type = f64,
                  const Format& format = dense);
  Tensor(const std::string& name, const std::vector<Expression>& dims, const Format& format)
      : Tensor(name, dims, f64, format) {}

  // An element; with fewer indices than dimensions, a tile.
  template <std::convertible_to<Expression>... E> Access operator()(const E&... indices) const {
    return access(nullptr, {Expression(indices)...});
  }

  Stepped operator[](const Expression& step) const; // `D[k-1](i,j)`

  // A scalar needs no brackets: `score = H(m,n)`.
  operator Access() const { return access(nullptr, {}); }
  Tensor(const Tensor&) = default;
  [[nodiscard]] Equation operator=(const Expression& value) const { return Access(*this) = value; }
  [[nodiscard]] Equation operator=(const Tensor& value) const { return Access(*this) = Access(value); }

  const std::string& name() const;

private:
  friend class Stepped;
  Access access(const Expression* step, const std::vector<Expression>& indices) const;

  std::shared_ptr<const detail::Declaration> declaration_;
};

// `D[k]`: by itself the step of a scalar.
class Stepped : public Access {
public:
  Stepped(const Tensor& tensor, const Expression& step)
      : Access(tensor.access(&step, {})), tensor_(tensor), step_(step) {}
  Stepped(const Stepped&) = default;
  using Access::operator=;
  [[nodiscard]] Equation operator=(const Stepped& value) const { return {*this, value}; }

  template <std::convertible_to<Expression>... E> Access operator()(const E&... indices) const {
    return tensor_.access(&step_, {Expression(indices)...});
  }

private:
  Tensor tensor_;
  Expression step_;
};

inline Stepped Tensor::operator[](const Expression& step) const { return {*this, step}; }

} // namespace cyclotron
