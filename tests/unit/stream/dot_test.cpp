// SPDX-License-Identifier: MIT
// Graphviz files: ours there and back, and the published ones.
#include "unit/stream/graphs.hpp"

#include "stream/dot.hpp"
#include "stream/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cyclotron::stream {
namespace {

std::vector<Graph> read(std::string text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto graphs = parse_dot(sources.add("g.gv", std::move(text)), diagnostics);
  EXPECT_TRUE(graphs) << diagnostics.render(false);
  return graphs.value_or(std::vector<Graph>{});
}

Graph published(const std::string& name) {
  std::ifstream file(CYCLOTRON_STREAM_DATA "/" + name + ".gv");
  std::stringstream text;
  text << file.rdbuf();
  const std::vector<Graph> graphs = read(text.str());
  EXPECT_EQ(graphs.size(), 1U);
  return graphs.empty() ? Graph{} : graphs[0];
}

bool has_line(const std::string& text, const std::string& line) {
  return text.find("    " + line + "\n") != std::string::npos;
}

// `crd` of the block 3 to `crd_0` of the block 5.
bool joins(const Graph& graph, Edge edge) { return std::ranges::find(graph.edges, edge) != graph.edges.end(); }

TEST(Dot, RoundTrip) {
  const std::vector<Graph> graphs = {matrix_vector(), matrix_product(), sampled_product(), every_block(), Graph{}};
  const std::vector<Graph> again = read(print_dot(graphs));
  ASSERT_EQ(again.size(), graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    EXPECT_EQ(again[g], graphs[g]) << g;
    for (std::size_t n = 0; n < graphs[g].nodes.size(); ++n)
      EXPECT_EQ(again[g].nodes.at(n), graphs[g].nodes[n]) << name_of(graphs[g].nodes[n].block);
  }
}

TEST(Dot, ReadsAsThePublishedFilesDo) {
  const std::string text = print_dot({matrix_vector()});
  EXPECT_TRUE(text.starts_with("digraph SAM {\n    comment=\"x=s0,B=ss01,c=s0\"\n")) << text;
  EXPECT_TRUE(has_line(
      text,
      R"(0 [comment="type=fiberlookup,index=i,tensor=B,mode=0,format=compressed,src=true,root=true" )"
      R"(label="FiberLookup i: B0\ncompressed" color=green4 shape=box style=filled fontname="Helvetica" )"
      R"(fontcolor=white type="fiberlookup" index="i" tensor="B" mode="0" format="compressed" src="true" root="true"])"))
      << text;
  EXPECT_TRUE(has_line(
      text,
      R"(11 [comment="type=fiberwrite,index=i,tensor=x,mode=0,format=compressed,segsize=2,crdsize=B0_dim,sink=true" )"
      R"(label="FiberWrite i: x0\ncompressed" color=green3 shape=box style=filled fontname="Helvetica" )"
      R"(fontcolor=black type="fiberwrite" index="i" tensor="x" mode="0" format="compressed" segsize="2" )"
      R"(crdsize="B0_dim" sink="true"])"))
      << text;
  EXPECT_TRUE(has_line(text, R"(1 -> 5 [label="crd_in-B" style=dashed fontname="Helvetica" fontsize=10 type="crd" )"
                             R"(comment="in-B" from="crd" to="crd_0"])"))
      << text;
  EXPECT_TRUE(has_line(text, R"(5 -> 7 [label="ref_out-c" style=bold fontname="Helvetica" fontsize=10 type="ref" )"
                             R"(comment="out-c" from="ref_1" to="ref"])"));
  EXPECT_TRUE(has_line(
      text, R"(13 [comment="type=broadcast" label="" shape=point style=invis width=0 height=0 type="broadcast"])"));
  EXPECT_TRUE(has_line(text, R"(0 -> 13 [style=dashed arrowhead=none type="crd" from="crd"])"));
  EXPECT_TRUE(
      has_line(text, R"(13 -> 2 [label="crd" style=dashed fontname="Helvetica" fontsize=10 type="crd" to="crd"])"));
}

TEST(Dot, NamesOfAMatrixProduct) {
  const std::string text = print_dot({matrix_product()});
  EXPECT_NE(text.find(R"(type="spaccumulator" order="1" in0="j" above="1"])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(6 -> 8 [label="crd_outer-i")"), std::string::npos);
  EXPECT_NE(text.find(R"(8 -> 14 [label="crd_outer-i")"), std::string::npos);
  EXPECT_NE(text.find(R"(8 -> 14 [label="crd_inner-j")"), std::string::npos);
  EXPECT_NE(text.find(R"(14 -> 16 [label="crd_inner-j")"), std::string::npos);
  EXPECT_NE(text.find(R"(mode="1" format="compressed" segsize="1*B0_dim+1" crdsize="1*B0_dim*C1_dim")"),
            std::string::npos);
}

TEST(Dot, PaintIsNotRead) {
  const Graph graph = matrix_vector();
  Painting painting;
  painting.caption = "12 cycles";
  painting.nodes.assign(graph.nodes.size(), {"#ff0000", "white", "50 %"});
  painting.edges.assign(graph.edges.size(), {2.5, "9 tokens"});
  const std::string text = print_dot({graph}, {painting});
  EXPECT_NE(
      text.find(R"(\n50 %" color=green4 shape=box style=filled fontname="Helvetica" penwidth=3 fillcolor="#ff0000")"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(label="ref\n9 tokens" style=bold penwidth=2.50)"), std::string::npos);
  EXPECT_EQ(read(text), std::vector<Graph>{graph});
}

TEST(PublishedDot, Residual) {
  const Graph graph = published("mat_residual_HAND");
  EXPECT_EQ(problem_of(graph), "");
  EXPECT_EQ(graph.order, (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(graph.result, (Operand{"x", "x", {"i"}, {{tensor::LevelKind::compressed}, {0}}}));
  ASSERT_EQ(graph.operands.size(), 3U);
  EXPECT_EQ(graph.operands[1], (Operand{"C", "C", {"i", "j"}, *tensor::format_named("dcsr", 2)}));
  EXPECT_EQ(graph.nodes.size(), 16U); // 17, but for the broadcast
  const std::vector<std::string> labels = labels_of(graph);
  const auto place = [&](const std::string& label) {
    return static_cast<int>(std::ranges::find(labels, label) - labels.begin());
  };
  EXPECT_EQ(graph.nodes[place("union i")].widths, (std::vector<int>{1, 1}));
  // b, then C at the union; b - the sum; the union's coordinates go to two blocks.
  EXPECT_TRUE(joins(graph, {place("fiberlookup b.i"), 0, place("union i"), 0}));
  EXPECT_TRUE(joins(graph, {place("fiberlookup C.i"), 1, place("union i"), 3}));
  EXPECT_TRUE(joins(graph, {place("union i"), 2, place("fiberlookup C.j"), 0}));
  EXPECT_TRUE(joins(graph, {place("arrayvals b"), 0, place("sub"), 0}));
  EXPECT_TRUE(joins(graph, {place("reduce"), 0, place("sub"), 1}));
  EXPECT_TRUE(joins(graph, {place("union i"), 0, place("fiberwrite x.i"), 0}));
  EXPECT_TRUE(joins(graph, {place("union i"), 0, place("repsiggen i"), 0}));
  EXPECT_EQ(read(print_dot({graph})), std::vector<Graph>{graph});
}

TEST(PublishedDot, TransposedProduct) {
  const Graph graph = published("mat_mattransmul_HAND");
  EXPECT_EQ(problem_of(graph), "");
  EXPECT_EQ(graph.order, (std::vector<std::string>{"i", "j"}));
  ASSERT_EQ(graph.operands.size(), 5U);
  EXPECT_EQ(graph.operands[0], (Operand{"b", "b", {}, {}}));
  EXPECT_EQ(graph.operands[1].indices, (std::vector<std::string>{"j", "i"})); // C is stored by columns
  EXPECT_EQ(graph.operands[1].format.order, (std::vector<int>{1, 0}));
  EXPECT_EQ(graph.nodes.size(), 24U); // 26, but for the broadcasts
  EXPECT_EQ(read(print_dot({graph})), std::vector<Graph>{graph});
}

TEST(PublishedDot, Compressions) {
  const Graph drops = published("vec_ds_compression_HAND");
  EXPECT_EQ(problem_of(drops), "");
  EXPECT_EQ(drops.nodes.size(), 5U); // one of them is declared twice
  EXPECT_TRUE(drops.nodes[0].on_values);
  EXPECT_EQ(read(print_dot({drops})), std::vector<Graph>{drops});
  const Graph holds = published("vec_sd_compression_HAND");
  EXPECT_EQ(problem_of(holds), "");
  EXPECT_EQ(read(print_dot({holds})), std::vector<Graph>{holds});
}

// The published compiler's graph of a matrix product, as far as its readers look.
TEST(PublishedDot, Spaccumulator) {
  std::string text = print_dot({matrix_product()});
  for (const char* ours : {" from=\"", " to=\"", " above=\"", " widths=\"", "    operands=\"", "    result=\"",
                           "    order=\"", "    title=\""})
    for (std::size_t at = text.find(ours); at != std::string::npos; at = text.find(ours))
      text.erase(at, text.find('"', at + std::string(ours).size()) + 1 - at);
  Graph expected = matrix_product();
  expected.title = "";
  EXPECT_EQ(read(text), std::vector<Graph>{expected}) << text;
}

TEST(Dot, SyntaxOfGraphviz) {
  const std::vector<Graph> graphs = read(R"(# a line for the preprocessor
strict digraph "two" { graph [comment="x=s0,b=s0"; rankdir=LR]; node [shape=box] // defaults
  subgraph cluster_0 { label=input; "b i" [type=fiberlookup, index=i, tensor=b, mode=0, format=compressed, root=true] }
  v [type=arrayvals tensor=b]; /* values */ w [type=fiberwrite tensor=x mode=0 index=i]
  u [type=fiberwrite tensor=x mode=vals]
  "b i":s -> w:n [type=crd]
  "b i" -> v [type=ref]
  v -> u [type=val]
}
digraph { comment="x=none" })");
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_EQ(problem_of(graphs[0]), "");
  EXPECT_EQ(graphs[0].nodes.size(), 4U);
  EXPECT_TRUE(graphs[1].nodes.empty());
}

} // namespace
} // namespace cyclotron::stream
