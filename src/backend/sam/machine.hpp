// SPDX-License-Identifier: MIT
// A graph made ready to run: the units of every block, joined by the channels of the engine.
#pragma once

#include "backend/sam/blocks.hpp"
#include "backend/sam/simulate.hpp"

#include <deque>
#include <map>

namespace cyclotron::sam {

class Machine {
public:
  using Tensors = std::map<std::string, const tensor::Tensor*>;
  using Extents = std::map<std::string, std::int64_t>;

  Machine(const stream::Graph& graph, const Tensors& tensors, const Extents& extents, const Options& options);

  // Throws a Fault where the graph does not fit the tensors.
  void build();
  engine::Simulation& simulation() { return simulation_; }

  const std::deque<Unit>& units() const { return units_; }
  const Output* output(int node, int port) const;
  const std::map<int, Written>& written() const { return written_; } // by the node of the writer
  ValueType written_type(int node) const;                            // of the values
  const std::map<int, BufferCounts>& buffers() const { return buffers_; }
  const std::vector<std::string>& labels() const { return labels_; }

private:
  struct End {
    Unit* unit = nullptr;
    std::size_t port = 0;
  };
  // Where the ports of a node are.
  struct Ends {
    std::vector<End> in, out;
  };

  Unit& add_unit(int node, const std::string& part, std::size_t inputs, std::size_t outputs);
  Unit& add_plain(int node);
  Input& wire(Unit& from, std::size_t output, Unit& to, std::size_t input, engine::ChannelOptions options,
              std::string name);
  void build_node(int node);
  Body body_of(int node, Unit& unit);
  void build_scanner(int node);
  void build_joiner(int node, Join kind);
  void build_alu(int node);
  void build_accumulator(int node);
  void build_hold(int node);
  void build_writer(int node);
  void build_converter(int node);
  void build_bit_dropper(int node);
  void feed_root(int node);
  void connect(const stream::Edge& edge);
  engine::ChannelOptions options_of(const stream::Edge& edge) const;

  const stream::Node& node_at(int node) const { return graph_.nodes[static_cast<std::size_t>(node)]; }
  const tensor::Tensor& tensor_of(int node) const;
  const tensor::Level* level_of(int node, std::int64_t& parents) const;
  const tensor::Level& all_coordinates(int node);
  Buffer buffer_of(int node) const;
  ValueType type_of(int node, int input) const;    // of the values that come in
  ValueType type_from(int node, int output) const; // of those that go out
  bool skips_empty() const;
  bool has_reference_a_bit(int node) const;
  std::int64_t width_of(int node, int input) const;

  const stream::Graph& graph_;
  const Tensors& tensors_;
  const Extents& extents_;
  const Options& options_;
  std::vector<std::string> labels_;
  engine::Simulation simulation_;
  std::deque<Unit> units_;
  std::deque<tensor::Level> made_levels_;
  std::vector<Ends> ends_; // by node
  std::map<int, Written> written_;
  std::map<int, BufferCounts> buffers_; // by the node
};

} // namespace cyclotron::sam
