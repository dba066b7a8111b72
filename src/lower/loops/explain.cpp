// SPDX-License-Identifier: MIT
#include "lower/loops/explain.hpp"

#include "lower/loops/ready.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;
using loops::Node;
using loops::Statement;

namespace {

using Strings = std::vector<std::string>;

void add_once(Strings& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

std::string indented(const std::string& text, int by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += std::string(static_cast<std::size_t>(by), ' ') + text.substr(at, end - at);
    at = end;
  }
  return out;
}

class Explanation {
public:
  Explanation(const LoweredLoops& lowered, const Domains& domains)
      : lowered_(lowered), program_(*domains.program), flow_(find_flow(lowered.nest, domains)) {
    for (const Flow& f : flow_.flows) ways_.push_back(way_of(f));
  }

  std::string run() {
    std::string out = order_line();
    for (last_ = 0; last_ < flow_.statements.size(); ++last_) {
      out += fmt::format("\n{}: {}\n", last_ + 1, loops::print(*flow_.statements[last_].statement));
      for (const std::string& reason : reasons()) out += "  " + reason + "\n";
      out += "\n" + indented(loops::print(lowered_.nest, program_, remarks()), 2);
    }
    return out;
  }

private:
  // How the elements of a flow get from the writer to the reader.
  struct Way {
    std::vector<std::size_t> carried; // depths of the loops that carry it
    bool same_iteration = false;      // of all loops around both
  };

  Way way_of(const Flow& f) const {
    Way way;
    for (std::size_t d = 0; d < f.common; ++d)
      if (!f.forward(d, loop_at(f, d).rising).is_empty()) way.carried.push_back(d);
    way.same_iteration = !f.within(f.common).is_empty();
    return way;
  }

  const Loop& loop_at(const Flow& f, std::size_t depth) const { return *flow_.statements[f.to].around[depth]; }

  std::string order_line() const {
    if (lowered_.order.empty()) return "order: chosen for each statement\n";
    return fmt::format("order {}: {}\n", fmt::join(lowered_.order, ", "), lowered_.order_given ? "given" : "chosen");
  }

  // --- why the reads of the last statement are ready ---

  Strings reasons() const {
    Strings list;
    ir::walk<ExprNode>(flow_.statements[last_].statement->value, [&](const Expr& e) {
      if (const Access* a = as<Access>(e)) add_once(list, fmt::format("{}: {}", print(e), reason(*a, print(e))));
    });
    return list;
  }

  std::string reason(const Access& a, const std::string& text) const {
    if (program_.tensor(a.tensor) && !program_.is_output(a.tensor)) return "an input";
    Strings ways;
    for (std::size_t i = 0; i < flow_.flows.size(); ++i) {
      const Flow& f = flow_.flows[i];
      if (f.to != last_ || print(f.read) != text) continue;
      for (std::size_t d : ways_[i].carried)
        add_once(ways, fmt::format("from earlier iterations of `{}`", loops::header(loop_at(f, d), program_)));
      if (!ways_[i].same_iteration) continue;
      add_once(ways, f.common == 0 ? "computed above"
                                   : fmt::format("computed above, in this iteration of `{}`",
                                                 loops::header(loop_at(f, f.common - 1), program_)));
    }
    if (ways.empty()) return "computed by no equation, so zero";
    return fmt::format("{}", fmt::join(ways, "; or "));
  }

  // --- what is ready where ---

  loops::Remarks remarks() const {
    return {[this](const Node& node) { return is_placed(node); },
            [this](const Loop& loop) { return assumptions(loop); }, [this](const Node& node) { return results(node); }};
  }

  bool is_inside(std::size_t statement, const Node& node) const {
    const NestStatement& s = flow_.statements[statement];
    if (const Loop* loop = std::get_if<Loop>(&node.kind))
      return std::find(s.around.begin(), s.around.end(), loop) != s.around.end();
    return s.statement == &std::get<Statement>(node.kind);
  }

  bool is_placed(const Node& node) const {
    for (std::size_t s = 0; s <= last_; ++s)
      if (is_inside(s, node)) return true;
    return false;
  }

  // What the statements placed so far take for granted at the start of an iteration.
  Strings assumptions(const Loop& loop) const {
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < flow_.flows.size(); ++i) {
      const Flow& f = flow_.flows[i];
      if (f.to > last_) continue;
      for (std::size_t d : ways_[i].carried)
        if (&loop_at(f, d) == &loop) add(slices, assumed(flow_, f, d, is_complete(i, d), program_));
    }
    Strings lines;
    for (const Slice& s : slices) lines.push_back(s.text());
    return lines;
  }

  static void add(std::vector<Slice>& slices, const Slice& slice) {
    if (std::any_of(slices.begin(), slices.end(), [&](const Slice& s) { return s.covers(slice); })) return;
    std::erase_if(slices, [&](const Slice& s) { return slice.covers(s); });
    slices.push_back(slice);
  }

  // Whether everything that this read needs comes from earlier iterations of the loop at this depth, or of one around.
  bool is_complete(std::size_t flow, std::size_t depth) const {
    const Flow& f = flow_.flows[flow];
    for (std::size_t i = 0; i < flow_.flows.size(); ++i) {
      const Flow& other = flow_.flows[i];
      if (other.to != f.to || !other.read.same_as(f.read)) continue;
      const Way& way = ways_[i];
      if (other.common > depth && way.same_iteration) return false;
      if (std::any_of(way.carried.begin(), way.carried.end(), [&](std::size_t d) { return d > depth; })) return false;
    }
    return true;
  }

  // What is computed once this node is done: by a statement its element, by the loop that gathers a temporary its
  // value.
  Strings results(const Node& node) const {
    Strings lines;
    for (std::size_t i = 0; i <= last_; ++i) {
      const NestStatement& s = flow_.statements[i];
      const std::size_t depth = finishing_depth(s);
      const bool here = depth < s.around.size() ? std::get_if<Loop>(&node.kind) == s.around[depth]
                                                : std::get_if<Statement>(&node.kind) == s.statement;
      if (here && !read_inside(i, depth)) add_once(lines, finished(s, depth).text());
    }
    return lines;
  }

  // The depth of the outermost loop whose iterations add to the same element; without one, that of the statement.
  static std::size_t finishing_depth(const NestStatement& s) {
    for (std::size_t d = 0; d < s.around.size(); ++d)
      if (loops::accumulates_over(*s.statement, s.around, *s.around[d])) return d;
    return s.around.size();
  }

  // Then its values are ready one after the other, and the assumptions say which.
  bool read_inside(std::size_t statement, std::size_t depth) const {
    return flow_.statements[statement].statement->reducer &&
           std::any_of(flow_.flows.begin(), flow_.flows.end(),
                       [&](const Flow& f) { return f.from == statement && f.common > depth; });
  }

  const LoweredLoops& lowered_;
  const Program& program_;
  NestFlow flow_;
  std::vector<Way> ways_; // per flow
  std::size_t last_ = 0;  // the statement placed last
};

} // namespace

std::string explain(const LoweredLoops& lowered, const Domains& domains) {
  const auto text = domains.context->bounded([&] { return Explanation(lowered, domains).run(); });
  return text.value_or("isl gave up on the dependences of this nest\n");
}

} // namespace cyclotron::lower
