// SPDX-License-Identifier: MIT
// Schedules: named lists of commands that say how a program runs, never what it computes.
//
// One table states every command once: its name, its syntax as a pattern, what it means, which targets take it. The
// parser, the printer, the name checks, the targets and the help all read that table.
#pragma once

#include "recurrence/ir.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cyclotron::schedule {

using recurrence::Binder;
using recurrence::Expr;

// What stands at one place of a command's pattern.
enum class SlotKind {
  word,        // a fixed word or symbol: `by`, `->`
  indices,     // one or more index variables of the program
  new_indices, // one or more fresh names
  tensor,      // a declared tensor
  name,        // any name
  new_name,    // one fresh name
  integers,    // one or more whole numbers
  value,       // a number or a name
  format,      // a format
  expression,  // any expression of the program
  choice,      // one of the words listed in `words`
  matrix,      // `[1 1; 0 P]`
};

struct Slot {
  SlotKind kind;
  std::string_view role;               // what the place holds: the key to ask for it
  std::vector<std::string_view> words; // for `word` (one) and `choice`
  int optional_group = 0;              // slots of one non-zero group stand or fall together
};

struct CommandRow {
  std::string_view name;
  std::string_view syntax; // for help and messages
  std::string_view meaning;
  std::vector<Slot> pattern;
  std::vector<std::string_view> targets; // that take it; none: it is part of the language, but no target is there yet
};

const std::vector<CommandRow>& command_table();
const CommandRow* command_named(std::string_view name);
std::vector<std::string> command_names();

// An entry of a matrix: a number, or a number times sizes, as `P` and `2*P*Q`.
struct Entry {
  std::int64_t factor = 0;
  std::vector<std::string> sizes = {};
  bool operator==(const Entry&) const = default;
};

struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<Entry> entries; // row-major
  bool operator==(const Matrix&) const = default;
};

struct Argument {
  std::string_view role; // from the slot
  std::variant<std::vector<Binder>, std::vector<std::int64_t>, Expr, Matrix, tensor::Format> value;
  Span span;
  bool operator==(const Argument& o) const { return role == o.role && value == o.value; }
};

struct Command {
  std::string_view name; // from the table
  std::vector<Argument> arguments;
  Span span;
  bool operator==(const Command& o) const { return name == o.name && arguments == o.arguments; }

  const Argument* find(std::string_view role) const;
  std::vector<std::string> names(std::string_view role) const; // none where the argument is left out
};

struct Schedule {
  Binder name;
  std::vector<Command> commands;
  Span span;
  bool operator==(const Schedule& o) const { return name == o.name && commands == o.commands; }
};

std::string print(const Matrix& matrix);
std::string print(const Command& command);
std::string print(const Schedule& schedule);

// The parts of a tiled loop where none are named, outermost first: `i_tile, i`; with more sizes `i_tile1, i_tile2, i`.
std::vector<std::string> tile_parts(const std::string& index, std::size_t sizes);

// Reports names that the program does not have, indices given twice, tile sizes that are not positive, ...
// Legality against the dependences is the business of the pass that applies a command.
void check(const std::vector<Schedule>& schedules, const recurrence::Program& program, Diagnostics& diagnostics);

} // namespace cyclotron::schedule
