// SPDX-License-Identifier: MIT
#include "unit/stream/graphs.hpp"

#include "stream/json.hpp"

#include <gtest/gtest.h>

namespace cyclotron::stream {
namespace {

TEST(StreamJson, RoundTrip) {
  const std::vector<Graph> graphs = {matrix_vector(), matrix_product(), sampled_product(), every_block(), Graph{}};
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto read = parse_json(sources.add("g.json", print_json(graphs)), diagnostics);
  ASSERT_TRUE(read) << diagnostics.render(false);
  for (std::size_t g = 0; g < graphs.size(); ++g) EXPECT_EQ((*read)[g], graphs[g]) << g;
}

TEST(StreamJson, ABlockAndAnEdge) {
  const std::string text = print_json({matrix_vector()});
  EXPECT_NE(text.find(R"({
          "label": "fiberlookup B.i",
          "type": "fiberlookup",
          "index": "i",
          "operand": "B",
          "tensor": "B",
          "mode": 0,
          "root": true
        })"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({
          "from": 0,
          "output": "ref",
          "to": 1,
          "input": "ref",
          "type": "ref"
        })"),
            std::string::npos);
}

std::string json_error_of(std::string text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(parse_json(sources.add("g.json", std::move(text)), diagnostics));
  EXPECT_EQ(diagnostics.errors(), 1);
  return diagnostics.all().at(0).main.message;
}

TEST(StreamJson, Errors) {
  EXPECT_EQ(json_error_of("{"), "this is no JSON");
  EXPECT_EQ(json_error_of("{}"), "the file has no `form`");
  EXPECT_EQ(json_error_of(R"({"form": "other", "graphs": []})"), "this is JSON of another form");
  EXPECT_EQ(json_error_of(R"({"form": "cyclotron stream 1", "graphs": 3})"), "`graphs` of the file should be array");
  const auto broken = [](const std::string& from, const std::string& to) {
    std::string text = print_json({matrix_vector()});
    return json_error_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(broken(R"("type": "repeat")", R"("type": "repaet")"),
            "block 3 of graph 0 is of type `repaet`, which does not exist");
  EXPECT_EQ(broken(R"("mode": 1)", R"("mode": "one")"), "`one` is no value of `mode` of block 1 of graph 0");
  EXPECT_EQ(broken(R"("to": 1,)", R"("to": 99,)"), "edge 0 of graph 0 names the block 99");
  EXPECT_EQ(broken(R"("input": "ref")", R"("input": "crd")"),
            "edge 0 of graph 0 names a port `crd` that its block does not have");
}

} // namespace
} // namespace cyclotron::stream
