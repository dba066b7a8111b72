// SPDX-License-Identifier: MIT
// The recursive-descent parser of pattern programs: the head in parse.cpp, statements in parse_statement.cpp,
// expressions in parse_expression.cpp.
#pragma once

#include "ir/token_reader.hpp"
#include "pattern/ir.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::pattern {

using ir::Token;
using ir::TokenKind;

class Parser : ir::TokenReader {
public:
  Parser(std::int32_t file, Diagnostics& diagnostics) : TokenReader(file, diagnostics) {}
  std::optional<Program> run();

private:
  std::string name(std::string_view what);
  ValueType type();

  // The head.
  void head(Program& program);
  bool at_head_line() const;
  void sizes(Program& program);
  void environment(Program& program);
  void dram(Program& program);
  int level();

  // Statements.
  using Kind = decltype(Statement::kind);
  struct Simple; // a statement of one line, by its first word
  static const std::vector<Simple>& simple_statements();
  Body body(int outside, Expr* yielded);
  void yield(int column, Expr* yielded);
  Statement statement(int column);
  bool at_write() const;
  Kind memory(MemoryKind kind);
  Kind let();
  Kind load();
  Kind store();
  Kind enqueue();
  Kind set_bits();
  Kind write();
  Statement loop(int column);
  Statement condition(int column);
  std::variant<Range, Scan> header();
  Scan scan();
  Reducer reducer();
  Expr par();
  void slice(const std::string& of, Expr& first, Expr& end);

  // Expressions, loosest first.
  Expr expression();
  Expr binary(int level);
  std::optional<recurrence::BinaryOp> operator_at(int level) const;
  Expr negation();
  Expr unary();
  Expr primary();
  bool at_number() const;
  Expr number(bool negative);
  Expr real_number(const Token& token, bool negative);
  Expr word();
  Expr call(const Token& name);
  Expr function_call(const Token& name, recurrence::Function function);
  Expr dequeue(const Token& name);
  std::vector<Expr> arguments();
  std::vector<Expr> arguments(const Token& name, std::size_t count, std::string_view form);
};

} // namespace cyclotron::pattern
