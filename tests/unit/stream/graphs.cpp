// SPDX-License-Identifier: MIT
#include "unit/stream/graphs.hpp"

#include "stream/ports.hpp"

#include <utility>

namespace cyclotron::stream {

Node block(Block kind) {
  Node node;
  node.block = kind;
  return node;
}

namespace {

using tensor::Format;
using tensor::LevelKind;

Format sparse(std::vector<int> order) {
  return {std::vector<LevelKind>(order.size(), LevelKind::compressed), std::move(order)};
}

Node scan(const std::string& operand, int mode, const std::string& index, LevelKind format = LevelKind::compressed) {
  Node node = block(Block::fiberlookup);
  node.index = index;
  node.operand = node.tensor = operand;
  node.mode = mode;
  node.format = format;
  return node;
}

Node rooted(Node node) {
  node.root = true;
  return node;
}

Node of_index(Block kind, const std::string& index) {
  Node node = block(kind);
  node.index = index;
  return node;
}

Node joiner(Block kind, const std::string& index, std::vector<int> widths) {
  Node node = of_index(kind, index);
  node.widths = std::move(widths);
  return node;
}

Node repeat(const std::string& operand, const std::string& index) {
  Node node = of_index(Block::repeat, index);
  node.operand = operand;
  return node;
}

Node values(const std::string& operand) {
  Node node = block(Block::arrayvals);
  node.operand = node.tensor = operand;
  return node;
}

Node reduce(bool keeps_empty) {
  Node node = block(Block::reduce);
  node.keeps_empty = keeps_empty;
  return node;
}

Node pair(Block kind, const std::string& outer, const std::string& inner) {
  Node node = block(kind);
  node.outer_index = outer;
  node.inner_index = inner;
  return node;
}

Node writer(const std::string& tensor, int mode, const std::string& index) {
  Node node = of_index(Block::fiberwrite, index);
  node.tensor = tensor;
  node.mode = mode;
  return node;
}

// Connects ports by their names.
void wire(Graph& graph, int from, const std::string& output, int to, const std::string& input) {
  const auto place = [](const std::vector<Port>& ports, const std::string& name) {
    int p = 0;
    while (ports.at(p).name != name) ++p;
    return p;
  };
  graph.connect(from, place(outputs_of(graph.nodes[from]), output), to, place(inputs_of(graph.nodes[to]), input));
}

// Coordinates and references of two scanners into the two sides of a joiner.
void join(Graph& graph, int left, int right, int joiner) {
  for (const auto& [scanner, side] : {std::pair(left, std::string("0")), std::pair(right, std::string("1"))}) {
    wire(graph, scanner, "crd", joiner, "crd_" + side);
    wire(graph, scanner, "ref", joiner, "ref_" + side + "_0");
  }
}

} // namespace

Graph matrix_vector() {
  Graph g;
  g.title = "x(i) = sum[j](B(i,j) * c(j))";
  g.order = {"i", "j"};
  g.operands = {{"B", "B", {"i", "j"}, sparse({0, 1})}, {"c", "c", {"j"}, sparse({0})}};
  g.result = {"x", "x", {"i"}, sparse({0})};
  const int bi = g.add(rooted(scan("B", 0, "i"))), bj = g.add(scan("B", 1, "j"));
  const int signal = g.add(of_index(Block::repsiggen, "i")), repeated = g.add(rooted(repeat("c", "i")));
  const int cj = g.add(scan("c", 0, "j")), both = g.add(joiner(Block::intersect, "j", {1, 1}));
  const int b = g.add(values("B")), c = g.add(values("c")), mul = g.add(block(Block::alu));
  const int sum = g.add(reduce(false)), drop = g.add(pair(Block::crddrop, "i", "j"));
  const int xi = g.add(writer("x", 0, "i")), x = g.add(writer("x", -1, ""));
  wire(g, bi, "ref", bj, "ref");
  wire(g, bi, "crd", signal, "crd");
  wire(g, signal, "repsig", repeated, "repsig");
  wire(g, repeated, "ref", cj, "ref");
  join(g, bj, cj, both);
  wire(g, both, "ref_0", b, "ref");
  wire(g, both, "ref_1", c, "ref");
  wire(g, b, "val", mul, "val_0");
  wire(g, c, "val", mul, "val_1");
  wire(g, mul, "val", sum, "val");
  wire(g, sum, "val", x, "val");
  wire(g, bi, "crd", drop, "outer");
  wire(g, both, "crd", drop, "inner");
  wire(g, drop, "outer", xi, "crd");
  return g;
}

Graph matrix_product() {
  Graph g;
  g.title = "X(i,j) = sum[k](B(i,k) * C(k,j))";
  g.order = {"i", "k", "j"};
  g.operands = {{"B", "B", {"i", "k"}, sparse({0, 1})}, {"C", "C", {"k", "j"}, sparse({0, 1})}};
  g.result = {"X", "X", {"i", "j"}, sparse({0, 1})};
  const int bi = g.add(rooted(scan("B", 0, "i"))), bk = g.add(scan("B", 1, "k"));
  const int signal_i = g.add(of_index(Block::repsiggen, "i")), ci = g.add(rooted(repeat("C", "i")));
  const int ck = g.add(scan("C", 0, "k")), both = g.add(joiner(Block::intersect, "k", {1, 1}));
  const int hold_i = g.add(pair(Block::crdhold, "i", "k")), cj = g.add(scan("C", 1, "j"));
  const int hold_j = g.add(pair(Block::crdhold, "i", "j")), signal_j = g.add(of_index(Block::repsiggen, "j"));
  const int bj = g.add(repeat("B", "j")), b = g.add(values("B")), c = g.add(values("C"));
  const int mul = g.add(block(Block::alu));
  Node gathers = block(Block::spaccumulator);
  gathers.outer = gathers.order = 1;
  const int rows = g.add(gathers);
  const int xi = g.add(writer("X", 0, "i")), xj = g.add(writer("X", 1, "j")), x = g.add(writer("X", -1, ""));
  wire(g, bi, "ref", bk, "ref");
  wire(g, bi, "crd", signal_i, "crd");
  wire(g, signal_i, "repsig", ci, "repsig");
  wire(g, ci, "ref", ck, "ref");
  join(g, bk, ck, both);
  wire(g, bi, "crd", hold_i, "outer");
  wire(g, both, "crd", hold_i, "inner");
  wire(g, both, "ref_1", cj, "ref");
  wire(g, hold_i, "outer", hold_j, "outer");
  wire(g, cj, "crd", hold_j, "inner");
  wire(g, cj, "crd", signal_j, "crd");
  wire(g, both, "ref_0", bj, "ref");
  wire(g, signal_j, "repsig", bj, "repsig");
  wire(g, bj, "ref", b, "ref");
  wire(g, cj, "ref", c, "ref");
  wire(g, b, "val", mul, "val_0");
  wire(g, c, "val", mul, "val_1");
  wire(g, hold_j, "outer", rows, "crd_0");
  wire(g, hold_j, "inner", rows, "crd_1");
  wire(g, mul, "val", rows, "val");
  wire(g, rows, "crd_0", xi, "crd");
  wire(g, rows, "crd_1", xj, "crd");
  wire(g, rows, "val", x, "val");
  return g;
}

Graph sampled_product() {
  Graph g;
  g.title = "X(i,j) = sum[k](B(i,j) * C(i,k) * D(j,k))";
  g.order = {"i", "j", "k"};
  g.operands = {{"B", "B", {"i", "j"}, sparse({0, 1})},
                {"C", "C", {"i", "k"}, tensor::dense_format(2)},
                {"D", "D", {"j", "k"}, tensor::dense_format(2)}};
  g.result = {"X", "X", {"i", "j"}, sparse({0, 1})};
  constexpr LevelKind dense = LevelKind::dense;
  const int bi = g.add(rooted(scan("B", 0, "i"))), ci = g.add(rooted(scan("C", 0, "i", dense)));
  const int both_i = g.add(joiner(Block::intersect, "i", {1, 1})), signal_i = g.add(of_index(Block::repsiggen, "i"));
  const int di = g.add(rooted(repeat("D", "i"))), bj = g.add(scan("B", 1, "j")), dj = g.add(scan("D", 0, "j", dense));
  const int both_j = g.add(joiner(Block::intersect, "j", {1, 1})), signal_j = g.add(of_index(Block::repsiggen, "j"));
  const int cj = g.add(repeat("C", "j")), ck = g.add(scan("C", 1, "k", dense)), dk = g.add(scan("D", 1, "k", dense));
  const int both_k = g.add(joiner(Block::intersect, "k", {1, 1})), signal_k = g.add(of_index(Block::repsiggen, "k"));
  const int bk = g.add(repeat("B", "k")), b = g.add(values("B")), c = g.add(values("C")), d = g.add(values("D"));
  const int first = g.add(block(Block::alu)), second = g.add(block(Block::alu)), sum = g.add(reduce(true));
  const int xi = g.add(writer("X", 0, "i")), xj = g.add(writer("X", 1, "j")), x = g.add(writer("X", -1, ""));
  const int drop = g.add(pair(Block::crddrop, "i", "j"));
  join(g, bi, ci, both_i);
  wire(g, both_i, "crd", signal_i, "crd");
  wire(g, signal_i, "repsig", di, "repsig");
  wire(g, both_i, "ref_0", bj, "ref");
  wire(g, di, "ref", dj, "ref");
  join(g, bj, dj, both_j);
  wire(g, both_j, "crd", signal_j, "crd");
  wire(g, both_i, "ref_1", cj, "ref");
  wire(g, signal_j, "repsig", cj, "repsig");
  wire(g, cj, "ref", ck, "ref");
  wire(g, both_j, "ref_1", dk, "ref");
  join(g, ck, dk, both_k);
  wire(g, both_k, "crd", signal_k, "crd");
  wire(g, both_j, "ref_0", bk, "ref");
  wire(g, signal_k, "repsig", bk, "repsig");
  wire(g, bk, "ref", b, "ref");
  wire(g, both_k, "ref_0", c, "ref");
  wire(g, both_k, "ref_1", d, "ref");
  wire(g, b, "val", first, "val_0");
  wire(g, c, "val", first, "val_1");
  wire(g, first, "val", second, "val_0");
  wire(g, d, "val", second, "val_1");
  wire(g, second, "val", sum, "val");
  wire(g, sum, "val", x, "val");
  wire(g, both_i, "crd", drop, "outer");
  wire(g, both_j, "crd", drop, "inner");
  wire(g, drop, "outer", xi, "crd");
  wire(g, drop, "inner", xj, "crd");
  return g;
}

namespace {

// Away from every default. A repeat knows the access, not the tensor.
Node unusual(Block kind) {
  Node n = block(kind);
  n.index = "i";
  n.operand = "B_1";
  n.tensor = kind == Block::repeat ? "" : "B";
  n.mode = 1;
  n.format = LevelKind::singleton;
  n.root = n.skips = n.on_values = true;
  n.keeps_empty = false;
  n.widths = {2, 0, 1};
  n.operation = Operation::select;
  n.constants = {{1, 0.1, -3}, {2, -1e300, 1LL << 62}};
  n.reducer = recurrence::Reducer::max;
  n.outer = 2;
  n.order = 3;
  n.width = 4;
  n.type = tensor::ValueType::i32;
  n.outer_index = "io";
  n.inner_index = "ii";
  n.wire = Wire::bv;
  n.others = {-1, 7};
  n.factor = 3;
  n.offset = -5;
  n.relation = recurrence::Relation::not_equal;
  return n;
}

} // namespace

Graph every_block() {
  Graph g;
  g.title = "a \"quoted\" title, with \\ in it";
  g.order = {"io", "ii"};
  g.operands = {{"B", "B", {"i", "j"}, {{LevelKind::bitvector, LevelKind::singleton}, {1, 0}, tensor::Region::onchip}},
                {"B_1", "B", {"j", "i"}, tensor::dense_format(2)},
                {"s", "s", {}, {}}};
  g.result = {"x", "x", {"i"}, {{LevelKind::dense}, {0}, tensor::Region::offchip}};
  for (int kind = 0; kind <= static_cast<int>(last_block); ++kind) g.add(unusual(static_cast<Block>(kind)));
  for (int operation = 0; operation <= static_cast<int>(Operation::select); ++operation) {
    Node alu = block(Block::alu);
    alu.operation = static_cast<Operation>(operation);
    g.add(alu);
  }
  constexpr int kinds = static_cast<int>(last_block) + 1;
  // Every input takes the first output of its type, so that outputs feed several blocks.
  for (int to = 0; to < static_cast<int>(g.nodes.size()); ++to) {
    const std::vector<Port> inputs = inputs_of(g.nodes[to]);
    for (int input = static_cast<int>(inputs.size()) - 1; input >= 0; --input)
      for (int from = (to * 7 + input) % kinds, tries = 0; tries < kinds; ++tries, from = (from + 1) % kinds) {
        const std::vector<Port> outputs = outputs_of(g.nodes[from]);
        int output = 0;
        while (output < static_cast<int>(outputs.size()) && outputs[output].wire != inputs[input].wire) ++output;
        if (output == static_cast<int>(outputs.size())) continue;
        g.connect(from, output, to, input);
        break;
      }
  }
  return g;
}

} // namespace cyclotron::stream
