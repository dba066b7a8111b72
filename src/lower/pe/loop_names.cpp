// SPDX-License-Identifier: MIT
#include "lower/pe/loop_names.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace cyclotron::lower {

using namespace pe;

namespace {

class Namer {
public:
  explicit Namer(const std::vector<std::string>& axes) : taken_(axes) {}

  void run(std::vector<Statement>& body) {
    for (Statement& s : body)
      std::visit(ir::overload{[&](Loop& loop) { name(loop); },
                              [&](If& one) {
                                for (Tests& tests : one.any)
                                  for (Test& t : tests) {
                                    t.lhs = renamed(t.lhs);
                                    t.rhs = renamed(t.rhs);
                                  }
                                run(one.body);
                              },
                              [&](Pass& pass) {
                                for (Index& i : pass.at) i = renamed(i);
                              },
                              [&](Step& step) {
                                for (auto& [coordinate, value] : step.coordinates) value = renamed(value);
                              }},
                 s.kind);
  }

private:
  void name(Loop& loop) {
    loop.first = renamed(loop.first);
    loop.last = renamed(loop.last);
    const std::string old = loop.variable;
    std::optional<std::string> wish = coordinate(loop.body, old);
    if (!wish || is_taken(*wish)) {
      wish = "t";
      for (int n = 2; is_taken(*wish); ++n) wish = "t" + std::to_string(n);
    }
    loop.variable = *wish;
    by_[old] = *wish;
    taken_.push_back(*wish);
    run(loop.body);
    taken_.pop_back();
    by_.erase(old);
  }

  bool is_taken(const std::string& name) const { return std::find(taken_.begin(), taken_.end(), name) != taken_.end(); }

  // The coordinate that the variable is, in the first step that has one.
  static std::optional<std::string> coordinate(const std::vector<Statement>& body, const std::string& variable) {
    for (const Statement& s : body) {
      std::optional<std::string> found;
      if (const Loop* loop = std::get_if<Loop>(&s.kind)) found = coordinate(loop->body, variable);
      if (const If* one = std::get_if<If>(&s.kind)) found = coordinate(one->body, variable);
      if (const Step* step = std::get_if<Step>(&s.kind))
        for (const auto& [name, value] : step->coordinates)
          if (const Variable* v = ir::as<Variable>(value); v && v->name == variable) found = name;
      if (found) return found;
    }
    return std::nullopt;
  }

  Index renamed(const Index& index) const {
    if (const Variable* v = ir::as<Variable>(index)) {
      const auto at = by_.find(v->name);
      return at == by_.end() ? index : Index(Variable{at->second});
    }
    return ir::map_children<IndexNode>(index, [&](const Index& i) { return renamed(i); });
  }

  std::vector<std::string> taken_;
  std::map<std::string, std::string> by_;
};

} // namespace

void name_loops(std::vector<Statement>& body, const std::vector<std::string>& axes) { Namer(axes).run(body); }

} // namespace cyclotron::lower
