// SPDX-License-Identifier: MIT
// Checks schedules against the names of their program, command by command, in order: a name that one command
// introduces is known to those after it.
#include "schedule/ir.hpp"

#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::schedule {

namespace {

constexpr std::int64_t most_unrolled = 64; // generated code stays readable, and is compiled in no time

using recurrence::Access;
using recurrence::Name;
using recurrence::Reduce;

std::set<std::string> indices_of(const recurrence::Program& program) {
  std::set<std::string> names;
  for (const recurrence::Equation& e : program.equations) {
    const auto collect = [&](const Expr& x) {
      if (const Name* n = ir::as<Name>(x); n && n->kind == recurrence::NameKind::index) names.insert(n->id);
      if (const Reduce* r = ir::as<Reduce>(x))
        for (const Binder& b : r->variables) names.insert(b.name);
    };
    ir::walk<recurrence::ExprNode>(e.target, collect);
    ir::walk<recurrence::ExprNode>(e.value, collect);
  }
  return names;
}

class Checker {
public:
  Checker(const recurrence::Program& program, Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics), indices_(indices_of(program)) {
    for (const recurrence::TensorDecl& t : program.tensors) tensors_.insert(t.name.name);
  }

  void run(const Schedule& schedule) {
    for (const Command& command : schedule.commands)
      if (command.name == "tile" && !command.find("parts")) name_blocks(command);
    for (const Command& command : schedule.commands) {
      const CommandRow* row = command_named(command.name);
      for (const Slot& slot : row->pattern)
        if (const Argument* argument = slot.kind == SlotKind::word ? nullptr : command.find(slot.role))
          check_argument(command, slot, *argument);
      check_shape(command);
    }
  }

private:
  // Loops over blocks that get no name from their command have one that every command may use.
  void name_blocks(const Command& tile) {
    const std::size_t sizes = std::get<std::vector<std::int64_t>>(tile.find("sizes")->value).size();
    for (const Binder& index : std::get<std::vector<Binder>>(tile.find("indices")->value)) {
      if (!tiled_.insert(index.name).second) {
        diagnostics_.error(index.span, fmt::format("`{}` is tiled twice", index.name))
            .with_hint(fmt::format("`tile {} by 4, 16` makes blocks of 4 blocks of 16", index.name));
        continue;
      }
      std::vector<std::string> names = tile_parts(index.name, sizes);
      names.pop_back(); // the index itself
      for (const std::string& name : names)
        if (is_taken(name, indices_))
          diagnostics_
              .error(index.span, fmt::format("`{}` would count the blocks, but is already a name of the program", name))
              .with_hint(fmt::format("name the parts, as in `tile {} by 64 -> blocks, inside`", index.name));
        else indices_.insert(name);
    }
  }

  bool is_taken(const std::string& name, const std::set<std::string>& known) const {
    return program_.tensor(name) || program_.is_size(name) || program_.let(name) || known.count(name) > 0;
  }

  void check_argument(const Command& command, const Slot& slot, const Argument& argument) {
    if (const auto* names = std::get_if<std::vector<Binder>>(&argument.value)) {
      std::set<std::string> seen;
      for (const Binder& b : *names) {
        if (slot.kind == SlotKind::indices) known(b, indices_, "index", command);
        if (slot.kind == SlotKind::tensor) known(b, tensors_, "tensor", command);
        if (!seen.insert(b.name).second)
          diagnostics_.error(b.span, fmt::format("`{}` is named twice in `{}`", b.name, command.name));
      }
      if (slot.kind == SlotKind::new_indices) fresh(*names, indices_);
      if (slot.kind == SlotKind::new_name) fresh(*names, tensors_);
    }
    if (const auto* expression = std::get_if<Expr>(&argument.value); expression && slot.kind == SlotKind::expression)
      check_expression(*expression, command);
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&argument.value);
    for (std::int64_t n : numbers ? *numbers : std::vector<std::int64_t>{}) {
      if (n < 1)
        diagnostics_.error(argument.span, fmt::format("`{}` needs a positive number, found {}", command.name, n));
      else if (command.name == "unroll" && n > most_unrolled)
        diagnostics_
            .error(argument.span,
                   fmt::format("`unroll` writes out at most {} iterations in a row, not {}", most_unrolled, n))
            .with_hint("write `unroll k by 4`; more than 8 rarely gains anything");
    }
  }

  void check_expression(const Expr& expression, const Command& command) {
    std::set<std::string> values = indices_;
    values.insert(tensors_.begin(), tensors_.end());
    for (const Binder& s : program_.sizes) values.insert(s.name);
    for (const recurrence::LetDecl& l : program_.lets) values.insert(l.name.name);
    ir::walk<recurrence::ExprNode>(expression, [&](const Expr& e) {
      if (const Access* a = ir::as<Access>(e)) known({a->tensor, e->span}, tensors_, "tensor", command);
      if (const Name* n = ir::as<Name>(e)) known({n->id, e->span}, values, "index", command);
    });
  }

  void known(const Binder& b, const std::set<std::string>& names, std::string_view what, const Command& command) {
    if (names.count(b.name)) return;
    const std::vector<std::string> list(names.begin(), names.end());
    std::string hint = did_you_mean(b.name, list);
    if (hint.empty() && !list.empty()) hint = fmt::format("the program has {}", join_names(list));
    diagnostics_.error(b.span, fmt::format("`{}` names no {} of the program, in `{}`", b.name, what, command.name))
        .with_hint(hint);
  }

  void fresh(const std::vector<Binder>& names, std::set<std::string>& known) {
    for (const Binder& b : names) {
      if (is_taken(b.name, known))
        diagnostics_.error(b.span, fmt::format("`{}` is already a name of the program", b.name))
            .with_hint("choose a new name");
      known.insert(b.name);
    }
  }

  // Conditions that tie two places of one command together.
  void check_shape(const Command& command) {
    const auto count = [&](std::string_view role) {
      return std::get<std::vector<Binder>>(command.find(role)->value).size();
    };
    if (command.name == "tile") {
      const std::size_t loops = count("indices");
      const std::size_t sizes = std::get<std::vector<std::int64_t>>(command.find("sizes")->value).size();
      if (loops > 1 && sizes > 1)
        diagnostics_.error(command.find("sizes")->span, "several loops take one tile size")
            .with_hint("write one `tile` command for each loop");
      if (command.find("parts") && loops > 1)
        diagnostics_.error(command.find("parts")->span, "names for the parts fit one loop only")
            .with_hint("write one `tile` command for each loop");
      else if (command.find("parts") && count("parts") != sizes + 1)
        diagnostics_.error(command.find("parts")->span, fmt::format("{} tile sizes make {} loops, but {} are named",
                                                                    sizes, sizes + 1, count("parts")));
    }
    if (command.name == "spacetime") {
      const Matrix& m = std::get<Matrix>(command.find("matrix")->value);
      if (m.rows != static_cast<int>(count("axes")) || m.columns != static_cast<int>(count("indices")))
        diagnostics_.error(
            command.find("matrix")->span,
            fmt::format("expected a {} x {} matrix (one row per axis, one column per index), found {} x {}",
                        count("axes"), count("indices"), m.rows, m.columns));
      for (const Entry& entry : m.entries)
        for (const std::string& size : entry.sizes)
          if (!program_.is_size(size))
            diagnostics_.error(command.find("matrix")->span, fmt::format("`{}` is no size of this program", size))
                .with_hint("entries are whole numbers and sizes, with blanks between them: `[1 0 1; 0 1 P]`");
    }
    for (std::string_view one : {"index", "tensor"})
      if (command.find(one) && count(one) != 1)
        diagnostics_.error(command.find(one)->span, fmt::format("`{}` takes one {}", command.name, one))
            .with_hint(fmt::format("as in `{}`", command_named(command.name)->syntax));
  }

  const recurrence::Program& program_;
  Diagnostics& diagnostics_;
  std::set<std::string> indices_;
  std::set<std::string> tensors_;
  std::set<std::string> tiled_; // without names for the parts
};

} // namespace

std::vector<std::string> tile_parts(const std::string& index, std::size_t sizes) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < sizes; ++p) names.push_back(index + "_tile" + (sizes == 1 ? "" : std::to_string(p + 1)));
  names.push_back(index);
  return names;
}

void check(const std::vector<Schedule>& schedules, const recurrence::Program& program, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const Schedule& schedule : schedules) {
    if (!names.insert(schedule.name.name).second)
      diagnostics.error(schedule.name.span, fmt::format("a second schedule is named `{}`", schedule.name.name));
    Checker(program, diagnostics).run(schedule);
  }
}

} // namespace cyclotron::schedule
