// SPDX-License-Identifier: MIT
#include "stream/depths.hpp"

#include "stream/ports.hpp"

#include <fmt/format.h>

namespace cyclotron::stream {
namespace {

std::string levels(int depth) { return fmt::format("{} stop level{}", depth, depth == 1 ? "" : "s"); }

class Rules {
public:
  Rules(const Node& node, const std::vector<int>& inputs) : node_(node), in_(inputs), ports_(inputs_of(node)) {}

  BlockDepths apply() {
    if (node_.block == Block::repeat) return repeat();
    if (node_.block == Block::locate) return locate();
    if (node_.block == Block::spaccumulator) return gather();
    if (node_.block == Block::pointwrite || node_.block == Block::fiberwrite) return {};
    if (takes_pair()) return pair();
    return from_equal();
  }

private:
  BlockDepths all(int depth) const { return {std::vector<int>(outputs_of(node_).size(), depth), ""}; }

  static BlockDepths wrong(std::string clause) { return {{}, std::move(clause)}; }

  // `b` should be `more` deeper than `a`.
  std::string expect(std::size_t a, std::size_t b, int more) const {
    if (in_[b] == in_[a] + more) return "";
    return fmt::format("takes streams with {} at `{}` and {} at `{}`, where {} was expected", levels(in_[a]),
                       ports_[a].name, in_[b], ports_[b].name, levels(in_[a] + more));
  }

  BlockDepths repeat() const {
    if (std::string problem = expect(0, 1, 1); !problem.empty()) return wrong(std::move(problem));
    return all(in_[1]);
  }

  // The references of parents come one per fiber of coordinates, or one per coordinate.
  BlockDepths locate() const {
    const std::size_t parent = in_.size() - 1;
    for (std::size_t i = 1; i < parent; ++i)
      if (std::string problem = expect(0, i, 0); !problem.empty()) return wrong(std::move(problem));
    if (in_[parent] != in_[0])
      if (std::string problem = expect(0, parent, -1); !problem.empty()) return wrong(std::move(problem));
    return all(in_[0]);
  }

  // Takes points, whatever fibers they come in.
  BlockDepths gather() const {
    BlockDepths result;
    const int crds = node_.outer + node_.order;
    for (int level = 0; level < crds; ++level) result.outputs.push_back(level + 1);
    result.outputs.push_back(crds);
    return result;
  }

  bool takes_pair() const {
    return node_.block == Block::crddrop || node_.block == Block::crdhold || node_.block == Block::bvdrop ||
           node_.block == Block::flatten;
  }

  // Each coordinate of the outer stream has a fiber in the inner one, or a single value.
  BlockDepths pair() const {
    const bool single_values = node_.on_values && in_[0] == in_[1];
    if (std::string problem = single_values ? "" : expect(0, 1, 1); !problem.empty()) return wrong(std::move(problem));
    if (node_.block == Block::flatten) return all(in_[0]);
    if (node_.block == Block::crdhold) return all(in_[1]);
    return {{in_[0], in_[1]}, ""};
  }

  BlockDepths from_equal() const {
    if (in_.empty()) return wrong("takes no stream");
    for (std::size_t i = 1; i < in_.size(); ++i)
      if (ports_[i].wire != Wire::skip)
        if (std::string problem = expect(0, i, 0); !problem.empty()) return wrong(std::move(problem));
    if (node_.block == Block::fiberlookup) return all(in_[0] + 1);
    if (node_.block == Block::split) return {{in_[0], in_[0] + 1}, ""};
    if (node_.block != Block::reduce) return all(in_[0]);
    if (in_[0] == 0) return wrong("takes a stream without stops: there is no fiber to reduce");
    return all(in_[0] - 1);
  }

  const Node& node_;
  const std::vector<int>& in_;
  std::vector<Port> ports_;
};

} // namespace

BlockDepths depths_through(const Node& node, const std::vector<int>& inputs) { return Rules(node, inputs).apply(); }

} // namespace cyclotron::stream
