// SPDX-License-Identifier: MIT
#include "lower/pe/step_order.hpp"

#include <fmt/format.h>

#include <functional>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Rule;

bool only_moves(const Rule& rule) { return as<Access>(rule.expr) != nullptr; }

namespace {

class StepOrderer {
public:
  StepOrderer(const dataflow::Program& program, const std::vector<Read>& reads, Diagnostics& diagnostics)
      : program_(program), reads_(reads), diagnostics_(diagnostics), after_(program.rules.size()) {}

  std::optional<StepOrder> run() {
    for (const Read& read : reads_)
      if (read.own)
        for (const std::size_t writer : writers(read)) after_[writer].insert(read.rule);
    for (std::size_t r = 0; r < program_.rules.size(); ++r)
      for (const std::size_t next : after_[r])
        if (reaches(next, r)) {
          refuse(r);
          return std::nullopt;
        }
    for (const dataflow::Value& v : program_.values)
      if (try_in_place(v)) result_.in_place.insert({v.space, v.name});
    result_.rules.resize(program_.spaces.size());
    std::vector<bool> done(program_.rules.size());
    for (std::size_t r = 0; r < program_.rules.size(); ++r) append(r, done);
    return std::move(result_);
  }

private:
  // Rules that give the value at a point where the reader reads it.
  std::vector<std::size_t> writers(const Read& read) const {
    std::vector<std::size_t> result;
    const Rule& reader = program_.rules[read.rule];
    for (std::size_t w = 0; w < program_.rules.size(); ++w) {
      const Rule& writer = program_.rules[w];
      if (writer.space == reader.space && writer.space == read.what.space && writer.value == read.what.value &&
          !writer.domain.is_disjoint(reader.domain))
        result.push_back(w);
    }
    return result;
  }

  bool reaches(std::size_t from, std::size_t to) const {
    std::set<std::size_t> seen;
    const std::function<bool(std::size_t)> walk = [&](std::size_t at) {
      if (at == to) return true;
      if (!seen.insert(at).second) return false;
      for (const std::size_t next : after_[at])
        if (walk(next)) return true;
      return false;
    };
    return walk(from);
  }

  // Loads and receives come before all else in a step.
  bool arrives(std::size_t rule) const {
    if (!only_moves(program_.rules[rule])) return false;
    for (const Read& read : reads_)
      if (read.rule == rule) return !read.is_local();
    return true;
  }

  // Readers of an old element go before the rule that overwrites it, in every step that has both.
  bool try_in_place(const dataflow::Value& v) {
    const auto before = after_;
    for (const Read& read : reads_) {
      if (!read.is_local() || read.own || read.what.space != v.space || read.what.value != v.name) continue;
      for (const std::size_t writer : writers(read)) {
        if (writer == read.rule) continue;
        if (arrives(writer) || reaches(writer, read.rule)) {
          after_ = before;
          return false;
        }
        after_[read.rule].insert(writer);
      }
    }
    return true;
  }

  void append(std::size_t rule, std::vector<bool>& done) {
    if (done[rule]) return;
    done[rule] = true;
    for (std::size_t r = 0; r < program_.rules.size(); ++r)
      if (after_[r].count(rule)) append(r, done);
    result_.rules[static_cast<std::size_t>(program_.rules[rule].space)].push_back(rule);
  }

  void refuse(std::size_t rule) {
    const Rule& r = program_.rules[rule];
    diagnostics_
        .error(r.span, fmt::format("`{}` of space `{}` needs itself at the same point", r.value,
                                   program_.spaces[static_cast<std::size_t>(r.space)].name))
        .with_hint("values of one point are computed one after the other");
  }

  const dataflow::Program& program_;
  const std::vector<Read>& reads_;
  Diagnostics& diagnostics_;
  std::vector<std::set<std::size_t>> after_; // rules of the same step that must come later
  StepOrder result_;
};

} // namespace

std::optional<StepOrder> step_order_of(const dataflow::Program& program, const std::vector<Read>& reads,
                                       Diagnostics& diagnostics) {
  return StepOrderer(program, reads, diagnostics).run();
}

} // namespace cyclotron::lower
