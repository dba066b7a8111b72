// SPDX-License-Identifier: MIT
// The recursive-descent parser of kernels: expressions in parse_expression.cpp, the rest in parse.cpp.
#pragma once

#include "code/ir.hpp"
#include "ir/token_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::code {

using ir::Token;
using ir::TokenKind;

class Parser : private ir::TokenReader {
public:
  Parser(std::int32_t file, Diagnostics& diagnostics) : TokenReader(file, diagnostics) {}
  std::optional<Kernel> run();

private:
  std::string name(std::string_view what);

  // Expressions, loosest first.
  Expr expression();
  Expr binary(int level);
  Expr negation();
  Expr unary();
  Expr primary();
  Expr number(bool negative);
  Expr real_number(const Token& token, std::string_view digits, bool narrow, bool negative);
  Expr word();
  Expr call(const Token& name);
  Expr shift(const Token& name);
  Expr load(const Token& name);
  std::vector<Expr> arguments(const Token& name, std::size_t count, std::string_view form);

  // Statements.
  void head(Kernel& kernel);
  void memory(Kernel& kernel);
  Body body(int outside);
  Statement statement(int column);
  Declare declare();
  Store store();
  For loop(int column);
  If condition(int column);
};

} // namespace cyclotron::code
