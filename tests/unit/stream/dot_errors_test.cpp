// SPDX-License-Identifier: MIT
// Graphviz files that are refused: the whole message of each.
#include "unit/stream/graphs.hpp"

#include "stream/dot.hpp"
#include "stream/verify.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cyclotron::stream {
namespace {

std::string error_of(std::string text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(parse_dot(sources.add("g.gv", std::move(text)), diagnostics));
  return "\n" + diagnostics.render(false);
}

TEST(DotErrors, Syntax) {
  EXPECT_EQ(error_of(""), R"(
error: expected a graph, found the end of the file
  --> g.gv:1:1
   |
 1 |
   | ^
hint: write `digraph SAM { … }`
)");
  EXPECT_EQ(error_of("graph SAM {}"), R"(
error: expected `digraph`, found `graph`
  --> g.gv:1:1
   |
 1 | graph SAM {}
   | ^^^^^
hint: a file holds one `digraph SAM { … }` for each phase
)");
  EXPECT_EQ(error_of("digraph SAM { 1 [type="), R"(
error: expected a value, found the end of the file
  --> g.gv:1:23
   |
 1 | digraph SAM { 1 [type=
   |                       ^
)");
  EXPECT_EQ(error_of("digraph SAM { 1 -- 2 }"), R"(
error: unexpected `-`
  --> g.gv:1:17
   |
 1 | digraph SAM { 1 -- 2 }
   |                 ^
hint: streams have a direction: write `a -> b`
)");
  EXPECT_EQ(error_of("digraph SAM { 1 [label=\"x] }"), R"(
error: this text has no end
  --> g.gv:1:24
   |
 1 | digraph SAM { 1 [label="x] }
   |                        ^
hint: close it with `"`
)");
  EXPECT_EQ(error_of("digraph SAM {\n  1 [type=reduce]\n"), R"(
error: expected `}`, found the end of the file
  --> g.gv:3:1
   |
 3 |
   | ^
hint: this graph is not closed
)");
}

TEST(DotErrors, Blocks) {
  EXPECT_EQ(error_of("digraph SAM {\n  1 [label=\"Reduce\"]\n}"), R"(
error: the block `1` has no `type`
  --> g.gv:2:3
   |
 2 |   1 [label="Reduce"]
   |   ^
hint: write `type="fiberlookup"`, say
)");
  EXPECT_EQ(error_of("digraph SAM {\n  1 [type=\"fiberlokup\"]\n}"), R"(
error: there is no block of type `fiberlokup`
  --> g.gv:2:11
   |
 2 |   1 [type="fiberlokup"]
   |           ^^^^^^^^^^^^
hint: did you mean `fiberlookup`?
)");
  EXPECT_EQ(error_of("digraph SAM {\n  1 [type=\"fiberlookup\" tensor=\"B\" index=\"i\" format=\"dense\"]\n}"), R"(
error: the block `1` (fiberlookup) has no `mode`
  --> g.gv:2:3
   |
 2 |   1 [type="fiberlookup" tensor="B" index="i" format="dense"]
   |   ^
hint: write `mode="…"`, a dimension from 0 up, or `vals`
)");
  EXPECT_EQ(
      error_of("digraph SAM {\n  1 [type=\"fiberlookup\" tensor=\"B\" index=\"i\" mode=\"0\" format=\"sparse\"]\n}"),
      R"(
error: `sparse` is no value of `format`
  --> g.gv:2:62
   |
 2 |   1 [type="fiberlookup" tensor="B" index="i" mode="0" format="sparse"]
   |                                                              ^^^^^^^^
hint: expected `dense`, `compressed`, `singleton` or `bitvector`
)");
  EXPECT_EQ(error_of("digraph SAM {\n  1 [type=\"add\" sub=\"yes\"]\n}"), R"(
error: `yes` is no value of `sub`
  --> g.gv:2:21
   |
 2 |   1 [type="add" sub="yes"]
   |                     ^^^^^
hint: expected `0` or `1`
)");
}

TEST(DotErrors, Ports) {
  EXPECT_EQ(error_of("digraph SAM {\n  1 [type=\"parallelize\" width=\"4000000000\"]\n}"), R"(
error: the block `1` (parallelize) has 4000000000 copies, where 1 to 1000 were expected
  --> g.gv:2:3
   |
 2 |   1 [type="parallelize" width="4000000000"]
   |   ^
)");
}

// Damaged files are refused or read, and never do harm.
TEST(DotErrors, DamagedFiles) {
  const std::string whole = print_dot({matrix_product()});
  std::minstd_rand random(1);
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string text = whole;
    for (int damage = 0; damage < 3; ++damage) {
      const std::size_t at = random() % text.size(), from = random() % text.size();
      if (random() % 2 == 0) text.erase(at, 1 + random() % 40);
      else text.replace(at, 1 + random() % 4, text.substr(from, 1 + random() % 30));
    }
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto graphs = parse_dot(sources.add("g.gv", text), diagnostics);
    EXPECT_EQ(graphs.has_value(), !diagnostics.failed());
    refused += graphs ? 0 : 1;
    if (!graphs) continue;
    for (const Graph& graph : *graphs) problem_of(graph);
    EXPECT_FALSE(print_dot(*graphs).empty());
  }
  EXPECT_GT(refused, 200);
}

const std::string two =
    "digraph SAM {\n  scan [type=\"fiberlookup\" tensor=\"B\" index=\"i\" mode=\"0\" format=\"dense\"]\n"
    "  vals [type=\"arrayvals\" tensor=\"B\"]\n";

TEST(DotErrors, Edges) {
  EXPECT_EQ(error_of(two + "  scan -> valls [type=\"ref\"]\n}"), R"(
error: there is no block `valls`
  --> g.gv:4:11
   |
 4 |   scan -> valls [type="ref"]
   |           ^^^^^
hint: did you mean `vals`?
)");
  EXPECT_EQ(error_of(two + "  scan -> vals [label=\"ref\"]\n}"), R"(
error: this edge has no `type`
  --> g.gv:4:3
   |
 4 |   scan -> vals [label="ref"]
   |   ^^^^^^^^^^^^
hint: expected `crd`, `ref`, `val`, `repsig`, `bv` or `skip`
)");
  EXPECT_EQ(error_of(two + "  scan -> vals [type=\"rev\"]\n}"), R"(
error: there is no stream of type `rev`
  --> g.gv:4:22
   |
 4 |   scan -> vals [type="rev"]
   |                      ^^^^^
hint: expected `crd`, `ref`, `val`, `repsig`, `bv` or `skip`
)");
  EXPECT_EQ(error_of(two + "  scan -> vals [type=\"crd\"]\n}"), R"(
error: `vals` (arrayvals) has no input of type `crd`
  --> g.gv:4:3
   |
 4 |   scan -> vals [type="crd"]
   |   ^^^^^^^^^^^^
hint: it has `ref`
)");
  EXPECT_EQ(error_of(two + "  scan -> vals [type=\"ref\" from=\"reference\"]\n}"), R"(
error: `scan` (fiberlookup) has no output `reference`
  --> g.gv:4:33
   |
 4 |   scan -> vals [type="ref" from="reference"]
   |                                 ^^^^^^^^^^^
hint: it has `crd` and `ref`
)");
  EXPECT_EQ(error_of(two + "  vals -> scan [type=\"ref\" from=\"val\"]\n}"), R"(
error: `val` of `vals` (arrayvals) is of type `val`, but the edge's is `ref`
  --> g.gv:4:33
   |
 4 |   vals -> scan [type="ref" from="val"]
   |                                 ^^^^^
)");
  EXPECT_EQ(error_of(two + "  scan -> vals [type=\"ref\"]\n  scan -> vals [type=\"ref\"]\n}"), R"(
error: a second stream reaches `vals` (arrayvals) at `ref`
  --> g.gv:5:3
   |
 5 |   scan -> vals [type="ref"]
   |   ^^^^^^^^^^^^
hint: an input takes one stream; `to="…"` says which one an edge leads to
)");
  EXPECT_EQ(error_of(two + "  b [type=\"broadcast\"]\n  b -> vals [type=\"ref\"]\n}"), R"(
error: no stream reaches the broadcast `b`
  --> g.gv:5:3
   |
 5 |   b -> vals [type="ref"]
   |   ^
)");
  EXPECT_EQ(
      error_of(two +
               "  drop [type=\"crddrop\" outer=\"i\" inner=\"j\"]\n  scan -> drop [type=\"crd\" comment=\"k\"]\n}"),
      R"(
error: it is not clear which input of `drop` (crddrop) this edge means
  --> g.gv:5:3
   |
 5 |   scan -> drop [type="crd" comment="k"]
   |   ^^^^^^^^^^^^
hint: write `to="outer"`, or another of `outer` and `inner`
)");
}

TEST(DotErrors, Operands) {
  EXPECT_EQ(error_of(two + "}"), R"(
error: the graph does not say how its tensors are stored
  --> g.gv:1:9
   |
 1 | digraph SAM {
   |         ^^^
hint: write `comment="x=s0,B=ss01,c=none"`: the result first, levels and their dimensions
)");
  EXPECT_EQ(error_of(two + "  comment=\"x=none,B=ss0\"\n}"), R"(
error: `B=ss0` says no format
  --> g.gv:4:11
   |
 4 |   comment="x=none,B=ss0"
   |           ^^^^^^^^^^^^^^
hint: expected `B=ss01`: `d` or `s` for each level, then the dimension of each; or `b=none`
)");
  EXPECT_EQ(error_of(two + "  comment=\"x=none,B=ss01\"\n}"), R"(
error: no fiberlookup of `B` says the index of dimension 1
  --> g.gv:4:11
   |
 4 |   comment="x=none,B=ss01"
   |           ^^^^^^^^^^^^^^^
hint: `B` has 2 dimensions by its format
)");
  EXPECT_EQ(error_of(two + "  operands=\"B(i)\" result=\"x=x()::\"\n}"), R"--(
error: `B(i)` describes no operand
  --> g.gv:4:12
   |
 4 |   operands="B(i)" result="x=x()::"
   |            ^^^^^^
hint: expected name, tensor, indices, levels and their order: `B=B(i,j):ss:0,1`
)--");
}

} // namespace
} // namespace cyclotron::stream
