// SPDX-License-Identifier: MIT
// The recursive-descent parser of kernels: expressions in parse_expression.cpp, the rest in parse.cpp.
#pragma once

#include "code/ir.hpp"
#include "ir/tokens.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::code {

using ir::Token;
using ir::TokenKind;

// Thrown inside the parser only, after the error has been reported.
struct Abandoned {};

class Parser {
public:
  Parser(std::int32_t file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), tokens_(ir::tokens_of(file, diagnostics)) {}
  std::optional<Kernel> run();

private:
  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool at(std::string_view text) const;
  bool accept(std::string_view text);
  void expect(std::string_view text, std::string_view where);
  void expect_line_end(std::string_view what);
  std::string name(std::string_view what);
  std::int64_t integer(std::string_view what);
  Span since(Span begin) const;
  [[noreturn]] void fail(Span span, std::string message, std::string hint = "");
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = "");

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
  void enter();
  void leave() { --depth_; }

  // Statements.
  void head(Kernel& kernel);
  void memory(Kernel& kernel);
  Body body(int outside);
  Statement statement(int column);
  Declare declare();
  Store store();
  For loop(int column);
  If condition(int column);

  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0; // of brackets, signs and bodies: keeps every walk over the result shallow
};

} // namespace cyclotron::code
