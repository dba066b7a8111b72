// SPDX-License-Identifier: MIT
// The recursive-descent parser. Its methods are spread over parse_expression.cpp, parse_statement.cpp and
// parse_schedule.cpp; parse.cpp drives them. Parsers of other texts with the same expressions derive from it.
#pragma once

#include "frontend/lex.hpp"
#include "frontend/unit.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cyclotron::frontend {

// Thrown inside the parser only, after the error has been reported: ends the statement.
struct StatementAbandoned {};

class Parser {
public:
  Parser(std::vector<Token> tokens, Diagnostics& diagnostics) : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}
  virtual ~Parser() = default;

  Unit run();

protected:
  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool at(std::string_view text) const; // a symbol or word at this place
  bool accept(std::string_view text);
  Token expect(std::string_view text, std::string_view where);
  // Says where the bracket opened.
  void expect_close(const Token& open, std::string_view text, std::string_view where, std::string hint = "");
  Token expect_name(std::string_view what);
  recurrence::Binder binder(std::string_view what);
  Span since(Span begin) const;
  [[noreturn]] void fail(const Token& token, std::string message, std::string hint = "");
  [[noreturn]] void fail_expected(std::string_view expected, std::string hint = "");
  void each_line(const std::function<void()>& parse_one); // goes on behind a line that has an error
  void skip_statement();
  void end_statement(std::string_view what);

  // Expressions, loosest first.
  recurrence::Expr expression();
  recurrence::Expr disjunction();
  recurrence::Expr conjunction();
  recurrence::Expr negation();
  recurrence::Expr comparison();
  recurrence::Expr sum();
  recurrence::Expr product();
  recurrence::Expr unary();
  virtual recurrence::Expr primary(); // other texts have further forms
  recurrence::Expr number();
  recurrence::Expr named();
  [[noreturn]] void square_brackets(const Token& name, std::string_view what = "elements");
  recurrence::Expr call(const Token& name);
  recurrence::Expr reduction(const Token& name);
  recurrence::Expr access(const Token& name);
  recurrence::Expr step();
  std::vector<recurrence::Expr> arguments(std::string_view of);
  recurrence::Constraint constraint();
  std::vector<recurrence::Constraint> constraints();
  std::optional<recurrence::Relation> accept_relation();
  void count_operator(const Token& token);
  void enter(const Token& token); // one level of nesting deeper; the caller counts back
  template <class Kind> recurrence::Expr node(Kind kind, Span span);

  // Statements.
  void statement();
  void tensor();
  void traits(recurrence::TensorDecl& decl);
  tensor::Format format(int rank);
  void let();
  void assume();
  void default_value();
  void equation();
  tensor::Recipe recipe(const Token& name);
  tensor::Argument recipe_argument();
  recurrence::Number signed_number();
  void written_out(recurrence::WrittenOut& list, std::size_t depth);

  // Schedules.
  void schedule();
  schedule::Command command();
  schedule::Argument argument(const schedule::Slot& slot, const schedule::CommandRow& row,
                              const schedule::Command& so_far);
  int rank_of_tensor(const schedule::Command& command) const;
  schedule::Entry matrix_entry();
  schedule::Matrix matrix();
  std::int64_t integer(std::string_view what);

  std::vector<Token> tokens_;
  Diagnostics& diagnostics_;
  void start_statement();

private:
  Unit unit_;
  std::size_t next_ = 0;
  // Of the statement being read:
  int operators_ = 0;
  int nesting_ = 0;
  std::unordered_map<const recurrence::ExprNode*, int> depth_;
  std::vector<recurrence::Expr> nodes_;
};

} // namespace cyclotron::frontend
