// SPDX-License-Identifier: MIT
// Each invariant of the stream IR, broken once.
#include "unit/stream/graphs.hpp"

#include "stream/depths.hpp"
#include "stream/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace cyclotron::stream {
namespace {

TEST(VerifyStreams, NothingWrong) {
  EXPECT_EQ(problem_of(matrix_vector()), "");
  EXPECT_EQ(problem_of(matrix_product()), "");
  EXPECT_EQ(problem_of(sampled_product()), "");
}

std::string after(const std::function<void(Graph&)>& change, Graph graph = matrix_vector()) {
  change(graph);
  return problem_of(graph);
}

// Places in matrix_vector(), by the order in which it is built.
enum { bi, bj, signal, repeated, cj, both, b, c, mul, sum, drop, xi, x };

Edge& into(Graph& graph, int node, int port = 0) {
  return *std::ranges::find_if(graph.edges, [&](const Edge& e) { return e.to == node && e.to_port == port; });
}

TEST(VerifyStreams, Wires) {
  EXPECT_EQ(after([](Graph& g) { into(g, mul).from = 99; }),
            "an edge joins the blocks 99 and 8, but there are only 13");
  EXPECT_EQ(after([](Graph& g) { into(g, mul).from_port = 1; }), "`arrayvals B` has no output 1");
  EXPECT_EQ(after([](Graph& g) { into(g, b).to_port = 1; }), "`arrayvals B` has no input 1");
  EXPECT_EQ(after([](Graph& g) { into(g, signal).from_port = 1; }),
            "`fiberlookup B.i` gives ref at `ref`, but `repsiggen i` takes crd at `crd`");
  EXPECT_EQ(after([](Graph& g) { into(g, b).from_port = 0; }), ""); // a coordinate serves as a reference
  EXPECT_EQ(after([](Graph& g) { into(g, mul, 1).to_port = 0; }), "2 streams reach `mul` at `val_0`");
  EXPECT_EQ(after([](Graph& g) { g.edges.erase(g.edges.begin()); }), "no stream reaches `fiberlookup B.j` at `ref`");
}

TEST(VerifyStreams, Roots) {
  EXPECT_EQ(after([](Graph& g) { g.nodes[bi].root = false; }), "no stream reaches `fiberlookup B.i` at `ref`");
  EXPECT_EQ(after([](Graph& g) { g.nodes[bj].root = true; }), "2 streams reach `fiberlookup B.j` at `ref`");
  EXPECT_EQ(after([](Graph& g) { g.nodes[mul].root = true; }), "`mul` has no input that the root could feed");
}

TEST(VerifyStreams, Operands) {
  EXPECT_EQ(after([](Graph& g) { g.operands.pop_back(); }), "`fiberlookup c.j` reads `c`, which is no operand");
  EXPECT_EQ(after([](Graph& g) { g.nodes[b].operand = "B_1"; }), "`arrayvals B_1` reads `B_1`, which is no operand");
}

TEST(VerifyStreams, Depths) {
  EXPECT_EQ(after([](Graph& g) {
              into(g, signal) = {both, 0, signal, 0};
            }),
            "`repsiggen i` waits for itself: the graph has a cycle");
  EXPECT_EQ(
      after([](Graph& g) {
        into(g, both, 0) = {bi, 0, both, 0};
      }),
      "`intersect j` takes streams with 1 stop level at `crd_0` and 2 at `ref_0_0`, where 1 stop level was expected");
  EXPECT_EQ(
      after([](Graph& g) {
        into(g, signal) = {bj, 0, signal, 0};
      }),
      "`repeat c.i` takes streams with 0 stop levels at `ref` and 2 at `repsig`, where 1 stop level was expected");
  EXPECT_EQ(
      after([](Graph& g) {
        into(g, drop, 1) = {bi, 0, drop, 1};
      }),
      "`crddrop i,j` takes streams with 1 stop level at `outer` and 1 at `inner`, where 2 stop levels was expected");
}

// A block at a computed place beside the others, fed by these outputs of coordinates or references.
std::string with_place(Block kind, const std::string& operand, const std::vector<std::int64_t>& factors,
                       const std::vector<int>& sources) {
  Graph graph = matrix_vector();
  Node node = block(kind);
  node.operand = node.tensor = operand;
  node.mode = 0;
  node.others = factors;
  node.root = sources.empty();
  const int made = graph.add(node);
  for (int port = 0; port < static_cast<int>(sources.size()); ++port) graph.connect(sources[port], 0, made, port);
  return problem_of(graph);
}

TEST(VerifyStreams, Places) {
  EXPECT_EQ(with_place(Block::lookup, "c", {1}, {repeated, bi}), "");
  EXPECT_EQ(with_place(Block::lookup, "c", {}, {}), ""); // at a constant place, before all loops
  EXPECT_EQ(with_place(Block::lookup, "c", {1}, {repeated, bj}),
            "`lookup c` takes streams with 1 stop level at `parent` and 2 at `of_0`, where 1 stop level was expected");
  EXPECT_EQ(with_place(Block::lookup, "d", {1}, {repeated, bi}), "`lookup d` reads `d`, which is no operand");
  EXPECT_EQ(with_place(Block::crdplace, "", {2, 1}, {bj, bj}), "");
  EXPECT_EQ(with_place(Block::crdplace, "", {0}, {}), "");
  EXPECT_EQ(with_place(Block::crdplace, "", {2, 1}, {bj, bi}),
            "`crdplace` takes streams with 2 stop levels at `of_0` and 1 at `of_1`, where 2 stop levels was expected");
}

TEST(VerifyStreams, SkipWiresMayLeadBack) {
  EXPECT_EQ(after([](Graph& g) {
              g.nodes[bj].skips = g.nodes[cj].skips = g.nodes[both].skips = true;
              g.connect(both, 3, bj, 1);
              g.connect(both, 4, cj, 1);
            }),
            "");
}

TEST(VerifyStreams, DepthsOfAMatrixProduct) {
  const auto depths = depths_of(matrix_product());
  ASSERT_TRUE(depths);
  EXPECT_EQ(*depths, (std::vector<std::vector<int>>{{1, 1},
                                                    {2, 2},
                                                    {1},
                                                    {1},
                                                    {2, 2},
                                                    {2, 2, 2},
                                                    {2, 2},
                                                    {3, 3},
                                                    {3, 3},
                                                    {3},
                                                    {3},
                                                    {3},
                                                    {3},
                                                    {3},
                                                    {1, 2, 2},
                                                    {},
                                                    {},
                                                    {}}));
  EXPECT_FALSE(depths_of(every_block()));
}

TEST(VerifyStreams, Result) {
  EXPECT_EQ(after([](Graph& g) { g.nodes[x].tensor = "y"; }), "`fiberwrite y vals` writes `y`, but the result is `x`");
  EXPECT_EQ(after([](Graph& g) { g.nodes[xi].mode = 1; }), "`fiberwrite x.i` writes dimension 1, but the result has 1");
  EXPECT_EQ(after([](Graph& g) {
              into(g, x) = {mul, 0, x, 0};
            }),
            "`fiberwrite x vals` takes a stream with 2 stop levels, where 1 were expected");
  EXPECT_EQ(after([](Graph& g) {
              g.nodes.pop_back();
              std::erase_if(g.edges, [](const Edge& e) { return e.to == x; });
            }),
            "the values of the result `x` has no writer");
  EXPECT_EQ(after([](Graph& g) {
              Node second = g.nodes[xi];
              g.connect(drop, 0, g.add(second), 0);
            }),
            "level 0 of the result `x` has several writers");
}

TEST(VerifyStreams, PointsAreWrittenByOneBlock) {
  const auto points = [](int order) {
    return [order](Graph& g) {
      std::erase_if(g.edges, [](const Edge& e) { return e.to >= xi; });
      g.nodes.resize(xi);
      Node writes = block(Block::pointwrite);
      writes.tensor = "x";
      writes.order = order;
      const int w = g.add(writes);
      for (int p = 0; p < order; ++p) g.connect(drop, 0, w, p);
      g.connect(sum, 0, w, order);
    };
  };
  EXPECT_EQ(after(points(1)), "");
  EXPECT_EQ(after(points(2)), "`pointwrite x` writes points of 2 coordinates, but the result has 1");
}

Node with(Block kind, const std::function<void(Node&)>& change) {
  Node node = block(kind);
  change(node);
  return node;
}

TEST(Depths, OfEachBlock) {
  const auto through = [](const Node& node, const std::vector<int>& in) { return depths_through(node, in).outputs; };
  using Depths = std::vector<int>;
  EXPECT_EQ(through(block(Block::split), {2}), (Depths{2, 3}));
  EXPECT_EQ(through(block(Block::flatten), {2, 3}), (Depths{2}));
  EXPECT_EQ(through(block(Block::crdhold), {1, 2}), (Depths{2, 2}));
  EXPECT_EQ(through(with(Block::crddrop, [](Node& n) { n.on_values = true; }), {1, 1}), (Depths{1, 1}));
  EXPECT_EQ(through(with(Block::crddrop, [](Node& n) { n.on_values = true; }), {1, 2}), (Depths{1, 2}));
  EXPECT_EQ(through(block(Block::bvdrop), {1, 2}), (Depths{1, 2}));
  EXPECT_EQ(through(with(Block::locate, [](Node& n) { n.widths = {1}; }), {2, 2, 1}), (Depths{2, 2, 2}));
  EXPECT_EQ(through(block(Block::bvconvert), {2}), (Depths{2, 2}));
  const Node gathers = with(Block::spaccumulator, [](Node& n) {
    n.outer = 1;
    n.order = 2;
  });
  EXPECT_EQ(through(gathers, {3, 3, 3, 3}), (Depths{1, 2, 3, 3}));
  EXPECT_EQ(through(block(Block::reduce), {3}), (Depths{2}));
  EXPECT_EQ(depths_through(block(Block::reduce), {0}).problem,
            "takes a stream without stops: there is no fiber to reduce");
}

} // namespace
} // namespace cyclotron::stream
