// SPDX-License-Identifier: MIT
// What the printers of expressions and of statements share: lines, types, and how numbers are written.
#pragma once

#include "backend/rda/scope.hpp"

#include <string>

namespace cyclotron::backend::rda {

// Lines with two spaces per level.
class Lines {
public:
  void add(const std::string& line) { text_ += (line.empty() ? "" : std::string(2 * depth_, ' ') + line) + "\n"; }
  void open(const std::string& line) {
    add(line);
    ++depth_;
  }
  void close(const std::string& line = "}") {
    --depth_;
    add(line);
  }
  const std::string& text() const { return text_; }

private:
  std::string text_;
  std::size_t depth_ = 0;
};

// How tightly Scala holds an expression together, loosest first. Infix words like `until` are looser than all of them.
enum ScalaLevel {
  scala_anything = 0,
  scala_or,
  scala_and,
  scala_equality,
  scala_comparison,
  scala_sum,
  scala_product,
  scala_unary,
  scala_primary,
};

// Spatial's types of whole numbers take literals, sizes and registers by conversion, where Scala knows which type is
// wanted. `alone`: it does not, so literals say their type, and registers that they are read. `left`, `right`: of an
// operator; the other operand has the type. `passed`: to something that takes this type only.
enum class Place { alone, left, right, right_of_equality, passed };

class ExpressionPrinter {
public:
  // `named`: the type that the text calls T.
  ExpressionPrinter(const Scope& scope, pattern::ValueType named) : scope_(scope), named_(named) {}

  std::string print(const pattern::Expr& expr, Place place = Place::alone, int level = scala_anything) const;
  std::string passed(const pattern::Expr& expr) const { return print(expr, Place::passed); }
  std::string initial(const pattern::Expr& expr) const;                            // of a register: `0.to[T]`
  std::string slice(const pattern::Expr& first, const pattern::Expr& end) const;   // `a::b`
  std::string counter(const pattern::Expr& first, const pattern::Expr& end) const; // `n by 1`, `a until b by 1`
  std::string par(const pattern::Expr& expr) const;                                // `16`, `ip`
  std::string type(pattern::ValueType type) const;

private:
  struct Text {
    std::string text;
    int level = scala_primary;
  };
  Text text(const pattern::Expr& expr, Place place) const;
  Text number(const pattern::Number& n, Place place) const;
  Text variable(const pattern::Variable& v, Place place) const;
  Text unary(const pattern::Unary& u) const;
  Text binary(const pattern::Binary& b) const;
  Text call(const pattern::Call& c) const;
  Text convert(const pattern::Convert& c) const;

  const Scope& scope_;
  pattern::ValueType named_;
};

// Prints what `Accel` has between its brackets.
void print_body(const pattern::Body& body, Scope& scope, const ExpressionPrinter& expressions, Lines& lines);

} // namespace cyclotron::backend::rda
