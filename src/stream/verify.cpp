// SPDX-License-Identifier: MIT
#include "stream/verify.hpp"

#include "stream/depths.hpp"
#include "stream/ports.hpp"
#include "stream/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::stream {
namespace {

class Verifier {
public:
  explicit Verifier(const Graph& graph) : graph_(graph), labels_(labels_of(graph)) {}

  std::string problem() {
    for (const auto step : {&Verifier::check_edges, &Verifier::check_inputs, &Verifier::check_operands,
                            &Verifier::propagate, &Verifier::check_result})
      if (std::string problem = (this->*step)(); !problem.empty()) return problem;
    return "";
  }

  std::vector<std::vector<int>> depths;

private:
  int nodes() const { return static_cast<int>(graph_.nodes.size()); }

  // --- wires ---

  std::string check_edges() {
    for (const Edge& edge : graph_.edges) {
      if (std::min(edge.from, edge.to) < 0 || std::max(edge.from, edge.to) >= nodes())
        return fmt::format("an edge joins the blocks {} and {}, but there are only {}", edge.from, edge.to, nodes());
      const std::vector<Port> from = outputs_of(graph_.nodes[edge.from]), to = inputs_of(graph_.nodes[edge.to]);
      if (edge.from_port < 0 || edge.from_port >= static_cast<int>(from.size()))
        return fmt::format("`{}` has no output {}", labels_[edge.from], edge.from_port);
      if (edge.to_port < 0 || edge.to_port >= static_cast<int>(to.size()))
        return fmt::format("`{}` has no input {}", labels_[edge.to], edge.to_port);
      const Port &out = from[edge.from_port], &in = to[edge.to_port];
      const bool number = out.wire == Wire::crd && in.wire == Wire::ref; // a coordinate serves as a reference
      const bool used = in.wire == Wire::skip && graph_.nodes[edge.to].block == Block::buffer; // any stream that stops
      if (out.wire != in.wire && !number && !used)
        return fmt::format("`{}` gives {} at `{}`, but `{}` takes {} at `{}`", labels_[edge.from], name_of(out.wire),
                           out.name, labels_[edge.to], name_of(in.wire), in.name);
    }
    return "";
  }

  std::string check_inputs() {
    const Wiring wiring(graph_);
    for (int n = 0; n < nodes(); ++n) {
      const std::vector<Port> ports = inputs_of(graph_.nodes[n]);
      const bool may_have_root = !ports.empty() && ports[0].optional;
      if (graph_.nodes[n].root && !may_have_root)
        return fmt::format("`{}` has no input that the root could feed", labels_[n]);
      for (std::size_t p = 0; p < ports.size(); ++p) {
        const std::size_t streams = wiring.into[n][p].size() + (graph_.nodes[n].root && ports[p].optional ? 1 : 0);
        if (streams == 0) return fmt::format("no stream reaches `{}` at `{}`", labels_[n], ports[p].name);
        if (streams > 1) return fmt::format("{} streams reach `{}` at `{}`", streams, labels_[n], ports[p].name);
      }
    }
    return "";
  }

  std::string check_operands() {
    for (int n = 0; n < nodes(); ++n) {
      const Node& node = graph_.nodes[n];
      const bool reads = reads_tensor(node.block) || node.block == Block::buffer;
      if (reads && !node.tensor.empty() && graph_.operand(node.operand) == nullptr)
        return fmt::format("`{}` reads `{}`, which is no operand", labels_[n], node.operand);
    }
    return "";
  }

  // --- depths, in an order in which all streams that reach a block are known; skip wires lead back ---

  std::string propagate() {
    const Wiring wiring(graph_);
    depths.assign(graph_.nodes.size(), {});
    std::vector<int> missing(graph_.nodes.size(), 0), ready;
    for (const Edge& edge : graph_.edges)
      if (!is_skip(edge)) ++missing[edge.to];
    for (int n = nodes() - 1; n >= 0; --n)
      if (missing[n] == 0) ready.push_back(n);
    int done = 0;
    for (; !ready.empty(); ++done) {
      const int n = ready.back();
      ready.pop_back();
      BlockDepths result = depths_through(graph_.nodes[n], depths_into(n, wiring));
      if (!result.problem.empty()) return fmt::format("`{}` {}", labels_[n], result.problem);
      depths[n] = std::move(result.outputs);
      for (const Edge& edge : graph_.edges)
        if (edge.from == n && !is_skip(edge) && --missing[edge.to] == 0) ready.push_back(edge.to);
    }
    if (done == nodes()) return check_buffers(wiring);
    const auto stuck = std::ranges::find_if(missing, [](int count) { return count > 0; });
    return fmt::format("`{}` waits for itself: the graph has a cycle", labels_[stuck - missing.begin()]);
  }

  // What a buffer is told of is as many levels further in as it says.
  std::string check_buffers(const Wiring& wiring) const {
    for (int n = 0; n < nodes(); ++n) {
      if (graph_.nodes[n].block != Block::buffer) continue;
      const Edge& used = graph_.edges[wiring.into[n][1].front()];
      const int levels = depths[used.from][used.from_port] - depths[n][0];
      if (levels < 1 || levels != graph_.nodes[n].order)
        return fmt::format("`{}` is told of fibers {} levels further in, where {} were expected", labels_[n], levels,
                           graph_.nodes[n].order);
    }
    return "";
  }

  bool is_skip(const Edge& edge) const { return inputs_of(graph_.nodes[edge.to])[edge.to_port].wire == Wire::skip; }

  std::vector<int> depths_into(int n, const Wiring& wiring) const {
    std::vector<int> result;
    for (const std::vector<int>& edges : wiring.into[n]) {
      const Edge* edge = edges.empty() ? nullptr : &graph_.edges[edges.front()];
      result.push_back(edge == nullptr || is_skip(*edge) ? 0 : depths[edge->from][edge->from_port]);
    }
    return result;
  }

  // --- the result ---

  std::string check_result() {
    const int rank = graph_.result.format.rank();
    std::vector<int> writers(rank + 1, 0); // of each level, then of the values
    for (int n = 0; n < nodes(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.block != Block::fiberwrite && node.block != Block::pointwrite) continue;
      if (node.tensor != graph_.result.tensor)
        return fmt::format("`{}` writes `{}`, but the result is `{}`", labels_[n], node.tensor, graph_.result.tensor);
      if (node.block == Block::pointwrite) {
        if (node.order != rank)
          return fmt::format("`{}` writes points of {} coordinates, but the result has {}", labels_[n], node.order,
                             rank);
        for (int& count : writers) ++count;
        continue;
      }
      if (std::string problem = check_writer(n, writers); !problem.empty()) return problem;
    }
    for (int level = 0; level <= rank; ++level) {
      const std::string what = level == rank ? "the values" : fmt::format("level {}", level);
      if (writers[level] != 1)
        return fmt::format("{} of the result `{}` {}", what, graph_.result.tensor,
                           writers[level] == 0 ? "has no writer" : "has several writers");
    }
    return "";
  }

  std::string check_writer(int n, std::vector<int>& writers) {
    const Node& node = graph_.nodes[n];
    const std::vector<int>& order = graph_.result.format.order;
    const int rank = graph_.result.format.rank();
    int level = rank;
    if (node.mode >= 0) level = static_cast<int>(std::ranges::find(order, node.mode) - order.begin());
    if (node.mode >= 0 && level == rank)
      return fmt::format("`{}` writes dimension {}, but the result has {}", labels_[n], node.mode, rank);
    ++writers[level];
    const Edge& edge = *std::ranges::find(graph_.edges, n, &Edge::to);
    const int expected = std::min(level + 1, rank), found = depths[edge.from][edge.from_port];
    // Where all is dense, levels may come in any order.
    const bool any_order = tensor::is_dense(graph_.result.format) && level < rank && found >= 1 && found <= rank;
    if (found == expected || any_order) return "";
    return fmt::format("`{}` takes a stream with {} stop levels, where {} were expected", labels_[n], found, expected);
  }

  const Graph& graph_;
  std::vector<std::string> labels_;
};

} // namespace

std::string problem_of(const Graph& graph) { return Verifier(graph).problem(); }

std::optional<std::vector<std::vector<int>>> depths_of(const Graph& graph) {
  Verifier verifier(graph);
  if (!verifier.problem().empty()) return std::nullopt;
  return std::move(verifier.depths);
}

} // namespace cyclotron::stream
