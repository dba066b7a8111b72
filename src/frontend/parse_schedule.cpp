// SPDX-License-Identifier: MIT
// Schedules: each command is read by walking its row of the command table.
#include "frontend/parser.hpp"

#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cyclotron::frontend {

using schedule::Slot;
using schedule::SlotKind;

void Parser::schedule() {
  const Span begin = take().span;
  schedule::Schedule result;
  result.name = binder("the name of the schedule");
  expect("{", "before the commands");
  while (!at("}")) {
    if (peek().kind == TokenKind::file_end) fail_expected("`}` to close the schedule");
    if (peek().kind == TokenKind::line_end || at(";")) {
      take();
      continue;
    }
    try {
      start_statement();
      result.commands.push_back(command());
    } catch (const StatementAbandoned&) {
      while (peek().kind != TokenKind::line_end && peek().kind != TokenKind::file_end && !at(";") && !at("}")) take();
    }
  }
  take();
  result.span = since(begin);
  end_statement("the schedule");
  unit_.schedules.push_back(std::move(result));
}

schedule::Command Parser::command() {
  const Token name = expect_name("a schedule command");
  const schedule::CommandRow* row = schedule::command_named(name.text);
  if (!row) {
    const auto names = schedule::command_names();
    const std::string hint = did_you_mean(name.text, names);
    fail(name, fmt::format("`{}` is no schedule command", name.text),
         hint.empty() ? "commands are " + join_names(names) : hint);
  }
  schedule::Command result;
  result.name = row->name;
  int skipped = 0;
  for (const Slot& slot : row->pattern) {
    // An optional group is there if its first word is.
    if (slot.optional_group != 0 && slot.kind == SlotKind::word && !at(slot.words[0])) skipped = slot.optional_group;
    if (slot.optional_group != 0 && slot.optional_group == skipped) continue;
    if (slot.kind == SlotKind::word) {
      if (!accept(slot.words[0]))
        fail_expected(fmt::format("`{}` in `{}`", slot.words[0], row->name), fmt::format("as in `{}`", row->syntax));
      continue;
    }
    result.arguments.push_back(argument(slot, *row, result));
  }
  if (peek().kind != TokenKind::line_end && peek().kind != TokenKind::file_end && !at(";") && !at("}"))
    fail_expected(fmt::format("the end of the command `{}`", row->name), fmt::format("as in `{}`", row->syntax));
  result.span = since(name.span);
  return result;
}

// The rank of the tensor that a command has named already, for a format behind it; 2 where it is not declared.
int Parser::rank_of_tensor(const schedule::Command& command) const {
  const schedule::Argument* argument = command.find("tensor");
  if (!argument) return 2;
  const recurrence::TensorDecl* decl =
      unit_.program.tensor(std::get<std::vector<recurrence::Binder>>(argument->value)[0].name);
  return decl ? static_cast<int>(decl->dims.size()) : 2;
}

schedule::Argument Parser::argument(const Slot& slot, const schedule::CommandRow& row,
                                    const schedule::Command& so_far) {
  schedule::Argument result;
  result.role = slot.role;
  const Token first = peek();
  const std::string hint = fmt::format("as in `{}`", row.syntax);
  const auto names = [&](bool several, std::string_view what) {
    std::vector<recurrence::Binder> list;
    do {
      if (peek().kind != TokenKind::name) fail_expected(fmt::format("{} in `{}`", what, row.name), hint);
      list.push_back(binder(what));
    } while (several && accept(","));
    return list;
  };
  switch (slot.kind) {
  case SlotKind::indices: result.value = names(true, "an index"); break;
  case SlotKind::new_indices: result.value = names(true, "a new name"); break;
  case SlotKind::tensor: result.value = names(false, "a tensor"); break;
  case SlotKind::name:
  case SlotKind::new_name: result.value = names(false, "a name"); break;
  case SlotKind::choice: {
    result.value = names(false, "one of " + join_names({slot.words.begin(), slot.words.end()}, "or"));
    const std::string& word = std::get<std::vector<recurrence::Binder>>(result.value)[0].name;
    if (std::find(slot.words.begin(), slot.words.end(), word) == slot.words.end())
      fail(first,
           fmt::format("expected {}, found `{}`", join_names({slot.words.begin(), slot.words.end()}, "or"), word),
           hint);
    break;
  }
  case SlotKind::integers: {
    std::vector<std::int64_t> list;
    do list.push_back(integer(fmt::format("a whole number in `{}`", row.name)));
    while (accept(","));
    result.value = std::move(list);
    break;
  }
  case SlotKind::value:
    if (peek().kind == TokenKind::name) {
      result.value = names(false, "a name or a number");
    } else {
      result.value = recurrence::Expr(signed_number(), first.span);
    }
    break;
  case SlotKind::format: result.value = format(rank_of_tensor(so_far)); break;
  case SlotKind::expression: result.value = expression(); break;
  case SlotKind::matrix: result.value = matrix(); break;
  case SlotKind::word: bug("a fixed word is no argument");
  }
  result.span = since(first.span);
  return result;
}

std::int64_t Parser::integer(std::string_view what) {
  if (peek().kind != TokenKind::number) fail_expected(what);
  const Token token = take();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc() || end != token.text.data() + token.text.size())
    fail(token, fmt::format("expected {}, found `{}`", what, token.text));
  return value;
}

// `-1`, `P`, `2*P*Q`: numbers come first.
schedule::Entry Parser::matrix_entry() {
  schedule::Entry entry{accept("-") ? -1 : 1};
  if (peek().kind == TokenKind::number) entry.factor *= integer("a whole number");
  else entry.sizes.emplace_back(expect_name("a whole number or a size in the matrix").text);
  while (accept("*")) entry.sizes.emplace_back(expect_name("a size in the matrix").text);
  std::sort(entry.sizes.begin(), entry.sizes.end());
  return entry;
}

// `[1 1; 0 P]`: rows separated by `;`, all of one length.
schedule::Matrix Parser::matrix() {
  schedule::Matrix result;
  expect("[", "before the matrix");
  do {
    int columns = 0;
    while (peek().kind == TokenKind::number || peek().kind == TokenKind::name || at("-")) {
      result.entries.push_back(matrix_entry());
      ++columns;
    }
    if (columns == 0)
      fail_expected("a whole number in the matrix", "write rows with blanks between numbers: `[1 1; 0 1]`");
    if (result.rows > 0 && columns != result.columns) fail(peek(), "the rows of the matrix have different lengths");
    result.columns = columns;
    ++result.rows;
  } while (accept(";"));
  expect("]", "after the matrix");
  return result;
}

} // namespace cyclotron::frontend
