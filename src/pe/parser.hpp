// SPDX-License-Identifier: MIT
// The parser of `.pe` files. Its methods are spread over parse.cpp (declarations), parse_index.cpp (whole numbers and
// conditions) and parse_statement.cpp. A body is what is indented deeper than its header; expressions are those of the
// language, with registers written as `[i,k]_C`.
#pragma once

#include "frontend/parser.hpp"
#include "pe/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::pe {

class FileParser : frontend::Parser {
public:
  FileParser(std::int32_t file, Diagnostics& diagnostics);
  std::optional<Program> run(); // reports the first error and stops

private:
  using Token = frontend::Token;
  using Names = std::vector<std::string>;

  // Lines.
  void skip_line_ends();
  int column(const Token& token) const;
  void end_of_line(std::string_view what);

  // Declarations.
  void declaration();
  void version();
  void size();
  void closed_form();
  void axis();
  void tensor();
  void register_();
  void channel();
  void host();
  void role();
  std::string word(std::string_view what); // a name, a number or a text
  std::string new_name(std::string_view what, const Names& taken);
  std::string text(std::string_view what);
  std::int64_t whole(std::string_view what);
  std::vector<std::int64_t> list(std::string_view what);
  std::vector<std::int64_t> tile();
  ValueType type();

  // Whole numbers and conditions, in axes and variables of loops.
  Index index();
  Index index_of(const Expr& expr);
  Index call_of(const recurrence::Access& call, const Expr& expr);
  std::vector<Tests> alternatives();
  Tests tests();
  [[noreturn]] void fail_scope(const std::string& name, Span span, const Names& known);

  // Statements.
  std::vector<Statement> body(int outside, int depth);
  Statement statement(int own, int depth);
  Loop loop(int own, int depth);
  Pass pass();
  Step step(int own);
  void coordinates(Step& step);

  // Actions, in the coordinates of their step.
  Action action();
  bool at_load() const;
  bool at_receive() const;
  Load load(Slot to);
  Store store();
  std::vector<std::int64_t> position(); // of a PE, from where this one is
  Token value_name(std::string_view what);
  Slot slot();
  int channel_end(int sign);
  std::vector<Affine> indices(const std::vector<Expr>& list);
  const Memory& tensor_named(const Token& name);
  Expr primary() override;
  Expr register_access();

  std::string_view text_;
  Program program_;
  Names scope_;       // axes and the variables of the loops around
  Names coordinates_; // of the step that is read
  bool in_index_ = false;
  bool in_host_ = false;
};

} // namespace cyclotron::pe
