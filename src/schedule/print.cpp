// SPDX-License-Identifier: MIT
// Prints a command by walking its row of the table, just as the parser reads it.
#include "schedule/ir.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::schedule {

namespace {

std::string print_entry(const Entry& entry) {
  if (entry.sizes.empty()) return std::to_string(entry.factor);
  const std::string number = entry.factor == 1 ? "" : entry.factor == -1 ? "-" : fmt::format("{}*", entry.factor);
  return number + fmt::format("{}", fmt::join(entry.sizes, "*"));
}

std::string print_argument(const Argument& argument) {
  return std::visit(
      ir::overload{[](const std::vector<Binder>& names) {
                     std::string out;
                     for (const Binder& b : names) out += (out.empty() ? "" : ", ") + b.name;
                     return out;
                   },
                   [](const std::vector<std::int64_t>& n) { return fmt::format("{}", fmt::join(n, ", ")); },
                   [](const Expr& e) { return recurrence::print(e); }, [](const Matrix& m) { return print(m); },
                   [](const tensor::Format& f) { return tensor::to_string(f); }},
      argument.value);
}

// Whether the optional group that a slot belongs to was written.
bool is_present(const Command& command, const CommandRow& row, int group) {
  if (group == 0) return true;
  for (const Slot& slot : row.pattern)
    if (slot.optional_group == group && slot.kind != SlotKind::word && command.find(slot.role)) return true;
  return false;
}

} // namespace

std::string print(const Matrix& m) {
  std::string out;
  for (int r = 0; r < m.rows; ++r) {
    std::vector<std::string> row;
    for (int c = 0; c < m.columns; ++c)
      row.push_back(print_entry(m.entries[static_cast<std::size_t>(r * m.columns + c)]));
    out += (r == 0 ? "" : "; ") + fmt::format("{}", fmt::join(row, " "));
  }
  return "[" + out + "]";
}

std::string print(const Command& command) {
  const CommandRow* row = command_named(command.name);
  if (!row) bug("a schedule command is not in the table");
  std::string out(command.name);
  for (const Slot& slot : row->pattern) {
    if (!is_present(command, *row, slot.optional_group)) continue;
    const std::string text =
        slot.kind == SlotKind::word ? std::string(slot.words[0]) : print_argument(*command.find(slot.role));
    const bool tight = text == ")" || out.back() == '(' || (text == "(" && command.name == "distribute");
    out += (tight ? "" : " ") + text;
  }
  return out;
}

std::string print(const Schedule& schedule) {
  std::string out = "schedule " + schedule.name.name + " {\n";
  for (const Command& c : schedule.commands) out += "  " + print(c) + "\n";
  return out + "}\n";
}

} // namespace cyclotron::schedule
