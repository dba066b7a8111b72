// SPDX-License-Identifier: MIT
#include "driver/loops_file.hpp"

#include "frontend/lex.hpp"
#include "lower/loops/coverage_problem.hpp"
#include "lower/loops/order_problem.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace cyclotron::driver {

using namespace recurrence;
using frontend::Token;
using frontend::TokenKind;

namespace {

bool is_about_data(const schedule::Command& c) {
  return c.name == "mask" || c.name == "marching" || c.name == "precompute";
}

// The line `loops i, j` and the line `only y` behind it.
class HeaderReader {
public:
  HeaderReader(std::int32_t file, std::size_t begin, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), end_(begin) {
    for (const Token& t : frontend::lex(file, diagnostics.sources(), diagnostics))
      if (t.kind == TokenKind::file_end || t.span.begin >= begin) tokens_.push_back(t);
  }

  bool run() {
    if (diagnostics_.failed()) return false; // a letter that is none
    place_ = tokens_[0].span;
    if (!read_names(order_)) return false;
    while (tokens_[next_].kind == TokenKind::line_end) ++next_;
    if (tokens_[next_].text != "only" || tokens_[next_ + 1].kind != TokenKind::name) return true;
    return read_names(only_);
  }

  Span place_;
  std::vector<Binder> order_, only_;
  std::size_t end() const { return end_; }

private:
  // The names behind the word that is next, up to the end of the line; there may be none.
  bool read_names(std::vector<Binder>& names) {
    const Token word = tokens_[next_++];
    for (bool more = !at_end(); more;) {
      const Token& name = tokens_[next_];
      if (name.kind != TokenKind::name) return fail(word, "a name");
      names.push_back({std::string(name.text), name.span});
      ++next_;
      more = !at_end();
      if (more && tokens_[next_++].text != ",") {
        --next_;
        return fail(word, "`,` between the names");
      }
    }
    end_ = tokens_[next_].span.begin;
    return true;
  }

  bool at_end() const {
    return tokens_[next_].kind == TokenKind::line_end || tokens_[next_].kind == TokenKind::file_end;
  }

  bool fail(const Token& word, std::string_view expected) {
    const std::string found = at_end() ? "the end of the line" : fmt::format("`{}`", tokens_[next_].text);
    diagnostics_.error(tokens_[next_].span, fmt::format("expected {}, found {}", expected, found))
        .with_hint(word.text == "loops" ? "write `loops i, j`, with the variables of the loops in their order"
                                        : "write `only x, y`, with outputs of the program");
    return false;
  }

  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0, end_ = 0;
};

std::set<std::string> variables_of(const loops::Nest& nest) {
  std::set<std::string> names;
  loops::each_statement(nest.body, [&](const auto&, const std::vector<const loops::Loop*>& around) {
    for (const loops::Loop* loop : around) names.insert(loop->variable);
  });
  return names;
}

bool check_names(const HeaderReader& header, const frontend::Checked& checked, const loops::Nest& nest,
                 Diagnostics& diagnostics) {
  // A variable of the program may have no loop of its own: `sum[l](b(l))` may share the loop over k.
  std::set<std::string> variables = variables_of(nest);
  for (const std::string& name : lower::all_variables(checked.domains)) variables.insert(name);
  const std::vector<std::string> known(variables.begin(), variables.end());
  std::vector<std::string> outputs;
  for (const TensorDecl* t : checked.program().outputs()) outputs.push_back(t->name.name);
  const auto check = [&](const std::vector<Binder>& list, const std::vector<std::string>& all, std::string_view what) {
    for (const Binder& b : list) {
      if (std::count(all.begin(), all.end(), b.name)) continue;
      const std::string near = did_you_mean(b.name, all);
      diagnostics.error(b.span, fmt::format("`{}` is no {}", b.name, what))
          .with_hint(!near.empty() ? near
                     : all.empty() ? "there is none"
                                   : "there are " + join_names(all));
    }
  };
  check(header.order_, known, "variable of the program or of its loops");
  check(header.only_, outputs, "output of the program");
  return !diagnostics.failed();
}

// Whether the loops compute the equations, in a right order.
bool check_nest(const loops::Nest& nest, const frontend::Checked& checked, Span header, Diagnostics& diagnostics) {
  if (const std::string problem = loops::problem_of(nest, checked.program()); !problem.empty()) {
    diagnostics.error(header, "these loops do not compute the program: " + problem);
    return false;
  }
  if (const auto problem = lower::coverage_problem(nest, checked)) {
    diagnostics.error(problem->at->target->span, problem->message)
        .with_hint("the constraints of its equation, and the sizes of what it indexes, say where it must run");
    return false;
  }
  if (const std::string problem = lower::order_problem(nest, checked.domains); !problem.empty()) {
    diagnostics.error(header, "these loops are in a wrong order: " + problem)
        .with_hint("a loop that carries a value from one iteration to another is a `for`; `falling` turns it round");
    return false;
  }
  return true;
}

} // namespace

bool is_loops_file(const std::string& path) { return path.ends_with(".loops"); }

std::string print_loops_file(const frontend::Checked& checked, const schedule::Schedule* schedule,
                             const std::vector<std::string>& only, const lower::LoweredLoops& loops,
                             const Program& precomputed) {
  std::string out = recurrence::print(checked.program());
  if (schedule) {
    schedule::Schedule data = *schedule;
    std::erase_if(data.commands, [](const schedule::Command& c) { return !is_about_data(c); });
    if (!data.commands.empty()) out += "\n" + schedule::print(data);
  }
  out += fmt::format("\nloops{}{}\n", loops.order.empty() ? "" : " ", fmt::join(loops.order, ", "));
  if (!only.empty()) out += fmt::format("only {}\n", fmt::join(only, ", "));
  return out + loops::print(loops.nest, precomputed);
}

std::optional<std::size_t> find_loops(std::string_view text) {
  constexpr std::string_view word = "loops";
  for (std::size_t at = 0; at != std::string_view::npos; at = text.find('\n', at)) {
    if (at > 0) ++at;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (!line.starts_with(word)) continue;
    const std::size_t behind = line.find_first_not_of(" \t\r", word.size());
    if (behind == std::string_view::npos || line[behind] == '#') return at;
    if (behind > word.size() && line[behind] != '=') return at; // and no equation of a number `loops`
  }
  return std::nullopt;
}

bool check_schedules_of_loops_file(const frontend::Checked& checked, Diagnostics& diagnostics) {
  const std::vector<schedule::Schedule>& all = checked.unit->schedules;
  if (all.size() > 1)
    diagnostics.error(all[1].name.span, "a file of loops has one schedule at most")
        .note(all[0].name.span, "this is another")
        .with_hint("put the commands into one");
  for (const schedule::Schedule& s : all)
    for (const schedule::Command& c : s.commands)
      if (!is_about_data(c))
        diagnostics
            .error(c.span, fmt::format("`{}` is no command for a file of loops, in which they are placed", c.name))
            .with_hint("only mask, marching and precompute, which are about data, can stand here");
  return !diagnostics.failed();
}

std::optional<LoopsFile> read_loops(std::int32_t file, std::size_t begin, const frontend::Checked& checked,
                                    Diagnostics& diagnostics) {
  HeaderReader header(file, begin, diagnostics);
  if (!header.run()) return std::nullopt;
  const schedule::Schedule* schedule = checked.unit->schedules.empty() ? nullptr : &checked.unit->schedules[0];
  auto precomputed = lower::precompute(checked, schedule, diagnostics);
  if (!precomputed) return std::nullopt;
  const frontend::Checked& own = precomputed->checked ? *precomputed->checked : checked;
  auto nest = loops::parse(file, own.program(), own.types, diagnostics, header.end());
  if (!nest || !check_names(header, checked, *nest, diagnostics)) return std::nullopt;
  if (!check_nest(*nest, own, header.place_, diagnostics)) return std::nullopt;
  lower::LoweredLoops lowered{std::move(*nest), {}, true};
  for (const Binder& b : header.order_) lowered.order.push_back(b.name);
  return LoopsFile{header.only_, std::move(*precomputed),
                   std::make_shared<const lower::LoweredLoops>(std::move(lowered))};
}

} // namespace cyclotron::driver
