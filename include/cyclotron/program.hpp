// SPDX-License-Identifier: MIT
// A program: equations as text or as C++.
#pragma once

#include "cyclotron/expression.hpp"
#include "cyclotron/format.hpp"
#include "cyclotron/kernel.hpp"
#include "cyclotron/options.hpp"

#include <string>
#include <vector>

namespace cyclotron {

// A value of its own: copies do not share. Const functions may be called from several threads.
class Program {
public:
  Program() = default;
  explicit Program(std::string name) : name_(std::move(name)) {} // for messages

  // Both check the program, and throw Error where something is wrong.
  static Program from_text(const std::string& text, const std::string& name = "program");
  static Program from_file(const std::string& path);

  Program& operator+=(const Equation& equation) {
    equations_.push_back(equation);
    return *this;
  }

  // `program += x(i) = …, where(i > 0)`. Throws Error where there is no equation yet.
  Program& operator,(const Where& where);

  // The program is meant for such sizes only: `assume(1 <= n, m < n)`.
  template <std::convertible_to<Expression>... E> Program& assume(const E&... conditions) {
    (assumptions_.push_back(Expression(conditions)), ...);
    return *this;
  }

  // What the parser reads. Throws Error where names clash.
  std::string text() const;

  // For all sizes: each element is defined at most once, every read is in bounds, an order of computation exists.
  void check() const;

  // What is suspicious, but not wrong; "" where there is nothing.
  std::string warnings() const;

  Kernel compile(const Options& options = {}) const;

private:
  std::string name_ = "program";
  std::string start_; // of from_text
  std::vector<Expression> assumptions_;
  std::vector<Equation> equations_;
};

} // namespace cyclotron
