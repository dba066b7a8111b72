// SPDX-License-Identifier: MIT
#include "stream/dot_operands.hpp"

#include "stream/operand_text.hpp"
#include "stream/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cyclotron::stream {
namespace {

class OperandReader {
public:
  OperandReader(const DotGraph& text, Graph& graph, Diagnostics& diagnostics)
      : text_(text), graph_(graph), diagnostics_(diagnostics) {}

  void run() {
    if (const DotAttribute* title = text_.attributes.find("title")) graph_.title = title->value;
    const DotAttribute *operands = text_.attributes.find("operands"), *result = text_.attributes.find("result");
    if (operands != nullptr && result != nullptr) read_ours(*operands, *result);
    else if (const DotAttribute* comment = text_.attributes.find("comment")) read_comment(*comment);
    else
      diagnostics_.error(text_.span, "the graph does not say how its tensors are stored")
          .with_hint("write `comment=\"x=s0,B=ss01,c=none\"`: the result first, levels and their dimensions");
    if (const DotAttribute* order = text_.attributes.find("order")) graph_.order = pieces_of(order->value, ',');
    else find_order();
  }

private:
  void read_ours(const DotAttribute& operands, const DotAttribute& result) {
    for (const std::string& piece : pieces_of(operands.value, ';'))
      if (std::optional<Operand> operand = read(piece, operands)) graph_.operands.push_back(std::move(*operand));
    if (std::optional<Operand> operand = read(result.value, result)) graph_.result = std::move(*operand);
  }

  std::optional<Operand> read(const std::string& text, const DotAttribute& from) {
    std::optional<Operand> operand = operand_from(text);
    if (!operand)
      diagnostics_.error(from.span, fmt::format("`{}` describes no operand", text))
          .with_hint("expected name, tensor, indices, levels and their order: `B=B(i,j):ss:0,1`");
    return operand;
  }

  void read_comment(const DotAttribute& comment) {
    bool is_result = true;
    for (const std::string& piece : pieces_of(comment.value, ',')) {
      const std::size_t equals = std::min(piece.find('='), piece.size());
      const std::string name = piece.substr(0, equals);
      const std::optional<tensor::Format> format =
          equals == piece.size() ? std::nullopt : format_from_published(std::string_view(piece).substr(equals + 1));
      if (!format) {
        diagnostics_.error(comment.span, fmt::format("`{}` says no format", piece))
            .with_hint("expected `B=ss01`: `d` or `s` for each level, then the dimension of each; or `b=none`");
        return;
      }
      Operand operand{name, name, indices_of(name, format->rank(), is_result, comment), *format};
      if (is_result) graph_.result = std::move(operand);
      else graph_.operands.push_back(std::move(operand));
      is_result = false;
    }
  }

  std::vector<std::string> indices_of(const std::string& tensor, int rank, bool is_result,
                                      const DotAttribute& comment) {
    std::vector<std::string> indices(rank);
    for (const Node& node : graph_.nodes)
      if (node.block == (is_result ? Block::fiberwrite : Block::fiberlookup) && node.tensor == tensor &&
          node.mode >= 0 && node.mode < rank)
        indices[node.mode] = node.index;
    const auto missing = std::ranges::find(indices, "");
    if (missing != indices.end())
      diagnostics_
          .error(comment.span, fmt::format("no {} of `{}` says the index of dimension {}",
                                           is_result ? "fiberwrite" : "fiberlookup", tensor, missing - indices.begin()))
          .with_hint(fmt::format("`{}` has {} dimension{} by its format", tensor, rank, rank == 1 ? "" : "s"));
    return indices;
  }

  // A loop is as deep as its scanners; in a graph that is wrong, as it is written.
  void find_order() {
    const auto depths = depths_of(graph_);
    std::map<int, std::string> by_depth;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (graph_.nodes[n].block == Block::fiberlookup)
        by_depth.try_emplace(depths ? (*depths)[n].front() : static_cast<int>(n), graph_.nodes[n].index);
    for (const auto& [depth, index] : by_depth)
      if (std::ranges::find(graph_.order, index) == graph_.order.end()) graph_.order.push_back(index);
  }

  const DotGraph& text_;
  Graph& graph_;
  Diagnostics& diagnostics_;
};

} // namespace

void read_operands(const DotGraph& text, Graph& graph, Diagnostics& diagnostics) {
  OperandReader(text, graph, diagnostics).run();
}

} // namespace cyclotron::stream
