// SPDX-License-Identifier: MIT
#include "explore/table.hpp"
#include "made_sweep.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cyclotron::explore {
namespace {

std::vector<Point> awkward() {
  Point a = made_point("output-stationary", 4, 1, 2), b;
  a.parameters["note"] = "with \"quotes\", commas\nand lines";
  a.parameters["empty"] = "";
  b.verdict = "refused: no, never";
  b.parameters["a,b"] = "1";
  return {a, b};
}

TEST(Csv, Text) {
  EXPECT_EQ(to_csv(awkward()),
            "family,verdict,cycles,utilisation,pes,memory_bytes_per_pe,messages,bytes,\"a,b\",empty,fifo depth,grid,"
            "latency,note,schedule\n"
            "output-stationary,ok,18432,0.8888888888888888,16,56,393216,3145728,,\"\",2,4 x 4,1,"
            "\"with \"\"quotes\"\", commas\nand lines\",\"space i, j\nstream A along j\nstream B along i\"\n"
            "\"\",\"refused: no, never\",,0,0,0,0,0,1,,,,,,\n");
}

class Tables : public testing::Test {
protected:
  std::string problem_of_csv(const std::string& text) {
    Diagnostics fresh(sources);
    EXPECT_FALSE(read_csv(text, "points.csv", fresh));
    return fresh.render(false);
  }
  std::string problem_of_json(const std::string& text) {
    Diagnostics fresh(sources);
    EXPECT_FALSE(read_json(text, "points.json", fresh));
    return fresh.render(false);
  }
  Sources sources;
  Diagnostics diagnostics{sources};
};

TEST_F(Tables, ReadBackAsTheyWereWritten) {
  for (const std::vector<Point>& points : {made_sweep(), awkward(), std::vector<Point>{}}) {
    EXPECT_EQ(read_csv(to_csv(points), "points.csv", diagnostics), points);
    EXPECT_EQ(read_json(to_json_text(points), "points.json", diagnostics), points);
  }
  EXPECT_FALSE(diagnostics.failed()) << diagnostics.render(false);
}

TEST_F(Tables, ASpreadsheetMayHaveWrittenIt) {
  std::string text;
  for (const char c : to_csv(made_sweep())) text += c == '\n' ? "\r\n" : std::string(1, c);
  const auto points = read_csv(text + "\r\n", "points.csv", diagnostics);
  ASSERT_TRUE(points) << diagnostics.render(false);
  EXPECT_EQ(points->size(), made_sweep().size());
  EXPECT_EQ(points->front().cycles, made_sweep().front().cycles);
}

const std::string header = "family,verdict,cycles,utilisation,pes,memory_bytes_per_pe,messages,bytes,grid\n";

TEST_F(Tables, WhatIsWrongWithACsv) {
  EXPECT_EQ(problem_of_csv("family,cycles\n"),
            "error: expected `verdict` as the name of column 2, found `cycles`\n  --> points.csv:1\n");
  EXPECT_EQ(problem_of_csv(header + "a,ok,1,0.5,4,8,1,8,2\nb,ok,1,0.5,four,8,1,8,2\n"),
            "error: expected a number in column `pes`, found `four`\n  --> points.csv:3\n");
  EXPECT_EQ(problem_of_csv(header + "a,ok,1,0.5,4,8,1\n"), "error: expected 9 cells, found 7\n  --> points.csv:2\n");
  EXPECT_EQ(problem_of_csv(header + "a,ok,1,0.5,4,8,1,8,\"2"),
            "error: a quoted cell is not closed: the file is cut short or damaged\n  --> points.csv\n");
}

TEST_F(Tables, WhatIsWrongWithAJson) {
  EXPECT_EQ(problem_of_json("{\"points\": [1, 2"),
            "error: expected a JSON object with a list `points`\n  --> points.json\n");
  EXPECT_EQ(problem_of_json("{\"points\": [{\"family\": 3}]}"),
            "error: entry 1 of `points` is not a point of a sweep\n  --> points.json\n");
}

} // namespace
} // namespace cyclotron::explore
