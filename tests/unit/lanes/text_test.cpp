// SPDX-License-Identifier: MIT
// The text form: what is printed, what is read back, what is refused.
#include "lanes/ir.hpp"
#include "unit/lanes/compiled.hpp"

#include <gtest/gtest.h>

namespace cyclotron::lanes {
namespace {

// The text of the program that the text means; what is wrong with it where something is.
std::string again(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto program = parse(sources.add("x.lanes", text), diagnostics);
  return program ? print(*program) : diagnostics.render(false);
}

const std::string convolution = R"(tensor x(n)
tensor w(r)
tensor z(n-r+1)
assume 1 <= r <= n
axes c

space z(c, q) : 0 <= q < r <= -c + n, 0 <= c
  place (c)
  time (q)
  (c, q)_z <- (c, q-1)_z + x(c+q) * w(q) : 1 <= q
  (c, 0)_z <- x(c) * w(0)
  z(c) <- (c, r-1)_z
)";

// Weights of a fixed number.
const std::string filter = R"(tensor x(m+4)
tensor w(5)
tensor z(m)
axes c

space z(o, c, q) : 0 <= c <= 15, 0 <= q <= 4, 0 <= c + 16*o, c + 16*o < m
  place (c)
  time (o, q)
  (o, c, q)_z <- (o, c, q-1)_z + x(c+16*o+q) * w(q) : 1 <= q
  (o, c, 0)_z <- x(c+16*o) * w(0)
  z(c+16*o) <- (o, c, 4)_z
)";

const std::string blocks_of_sums = R"(tensor A(m,n)
tensor S(m,n)
axes j

space S(i, j) : 0 <= i < m, 0 <= j < n
  place (j)
  time (i, j)
  (i, 0)_S <- A(i,0)
  (i, j)_S <- (i, j-1)_S + A(i,j) : 1 <= j
  S(i,j) <- (i, j)_S
)";

const std::string two_phases = R"(tensor A(n)
tensor y(n)
axes i

space load(i) : 0 <= i < n
  place (i)
  time (0, 0)
  (i)_v <- A(i) * 2

space y(i, t) : 0 <= i < n, 0 <= t < n
  place (i)
  time (1, t)
  (i, 0)_y <- (i)_v^load
  (i, t)_y <- (i, t-1)_y * (i)_v^load : 1 <= t
  y(i) <- (i, n-1)_y
)";

TEST(LanesText, ReadsWhatItPrints) {
  for (const std::string& text : {"lanes 16\nstrips parallel from 0\ntime q\n\n" + convolution,
                                  "lanes 8 of 4 neighbours\nstrips parallel from 0\ntime q\n\n" + convolution,
                                  "lanes 8 of 2 striped\nstrips inside from 0\ntime q\n\n" + convolution,
                                  "lanes 4\nstrips rising from 0\ntime i blocks, j\n\n" + blocks_of_sums,
                                  "lanes 4\nstrips rising from 0\ntime i worker, j\n\n" + blocks_of_sums,
                                  "lanes 4\nstrips rising from 0\ntime i threads, j\n\n" + blocks_of_sums,
                                  "lanes 4\nstrips rising from 0\ntime i, j\n\n" + blocks_of_sums,
                                  "lanes 16\nstrips one from 0\ntime o blocks, q\nplace x shared\n\n" + filter,
                                  "lanes 16\nstrips one from 0\ntime o, q unrolled\nplace w registers\n\n" + filter,
                                  "lanes 16\nstrips one from 0\ntime o blocks, q unrolled\nplace w registers\n"
                                  "place x shared\n\n" +
                                      filter,
                                  "lanes 4\nstrips falling from -3\ntime phase, t\n\n" + two_phases})
    EXPECT_EQ(again(text), text);
}

TEST(LanesText, WhatTheCompilerMakes) {
  for (const char* name :
       {"conv1d", "needleman_wunsch", "gotoh", "triangular_solve_many", "floyd_warshall", "cholesky"}) {
    SCOPED_TRACE(name);
    const auto program = compiled(example(name));
    ASSERT_TRUE(program);
    EXPECT_EQ(problem_of(*program), "");
    const std::string once = again(print(*program));
    EXPECT_EQ(again(once), once);
  }
}

TEST(LanesText, LayoutIsFree) {
  EXPECT_EQ(again("strips   parallel from 1 - 1   # all at once\ntime q\nlanes 16\n" + convolution),
            "lanes 16\nstrips parallel from 0\ntime q\n\n" + convolution);
}

// With another head over the convolution.
std::string with(const std::string& head) { return again(head + convolution); }

TEST(LanesText, SaysWhatIsWrong) {
  EXPECT_EQ(with("lanes 16\ntime q\n"), R"(error: there is no line `strips`
  --> x.lanes:1:1
   |
 1 | lanes 16
   | ^^^^^
hint: write how the array is cut: `strips one from 0`
)");
  EXPECT_EQ(with("strips one from 0\ntime q\n"), R"(error: there is no line `lanes`
  --> x.lanes:1:1
   |
 1 | strips one from 0
   | ^^^^^^
hint: write how long a vector is: `lanes 16`
)");
  EXPECT_EQ(with("lanes 16\nlanes 8\nstrips parallel from 0\ntime q\n"), R"(error: there are two lines `lanes`
  --> x.lanes:2:1
   |
 2 | lanes 8
   | ^^^^^
)");
  EXPECT_EQ(with("lanes 16 of 2\nstrips parallel from 0\ntime q\n"),
            R"(error: expected how the elements of a lane lie: one of `striped`, `neighbours`, found the end of the line
  --> x.lanes:1:14
   |
 1 | lanes 16 of 2
   |              ^
)");
  EXPECT_EQ(
      with("lanes 16\nstrips up from 0\ntime q\n"),
      R"(error: expected the order of the strips: one of `one`, `parallel`, `rising`, `falling`, `inside`, found `up`
  --> x.lanes:2:8
   |
 2 | strips up from 0
   |        ^^
)");
  EXPECT_EQ(with("lanes 16\nstrips parallel from k\ntime q\n"), R"(error: `k` is no size of the program
  --> x.lanes:2:22
   |
 2 | strips parallel from k
   |                      ^
hint: the first place depends on sizes only
)");
  EXPECT_EQ(with("lanes 16\nstrips parallel from 0\ntime c\n"), R"(error: component 1 of the time is `q`, not `c`
  --> x.lanes:3:6
   |
 3 | time c
   |      ^
)");
  EXPECT_EQ(with("lanes 16\nstrips parallel from 0\n"),
            R"(error: the time of the spaces has 1 component, this line has 0
  --> x.lanes:1:1
   |
 1 | lanes 16
   | ^^^^^^^^
)");
}

TEST(LanesText, ShapeAndStrips) {
  EXPECT_EQ(with("lanes 12\nstrips parallel from 0\ntime q\n"), R"(error: a vector has a power of two of lanes, not 12
  --> x.lanes:1:1
   |
 1 | lanes 12
   | ^^^^^^^^
)");
  EXPECT_EQ(with("lanes 16\nstrips one from 0\ntime q\n"),
            R"(error: an element is outside of the strips: n = 17, r = 1, element = 16
  --> x.lanes:1:1
   |
 1 | lanes 16
   | ^^^^^^^^
)");
  EXPECT_EQ(with("lanes 16\nstrips parallel from 2\ntime q\n"),
            R"(error: an element is outside of the strips: n = 1, r = 1, element = -2
  --> x.lanes:1:1
   |
 1 | lanes 16
   | ^^^^^^^^
)");
  EXPECT_EQ(
      with("lanes 16\nstrips parallel from 0\ntime q worker\n"),
      R"(error: `z` of space `z` comes from another iteration of `q`, which workers do at once: n = 2, r = 2, c = 0, q = 1
  --> x.lanes:1:1
   |
 1 | lanes 16
   | ^^^^^^^^
)");
}

// The first line of what is wrong.
std::string where_placed(const std::string& time, const std::string& place) {
  const std::string all = again("lanes 16\nstrips one from 0\ntime " + time + "\n" + place + "\n" + filter);
  return all.substr(0, all.find('\n'));
}

TEST(LanesText, WhatIsPlaced) {
  EXPECT_EQ(where_placed("o, q", "place w somewhere"),
            "error: expected the memory it is in: one of `registers`, `shared`, found `somewhere`");
  EXPECT_EQ(where_placed("o, q", "place v registers"), "error: there is no tensor `v` to place");
  EXPECT_EQ(where_placed("o, q", "place z registers"),
            "error: `z` is computed, and only inputs are placed in memories of the device");
  EXPECT_EQ(where_placed("o, q unrolled", "place w registers\nplace w registers"), "error: `w` is placed twice");
  EXPECT_EQ(where_placed("o, q", "place w registers"),
            "error: `w(q)` is another element in every iteration of `q`, and cannot stay in a register");
  EXPECT_EQ(where_placed("o, q unrolled", "place x registers"),
            "error: `x(c+16*o+q)` is another element in every iteration of `o`, and cannot stay in a register");
  EXPECT_EQ(where_placed("o, q", "place x shared"),
            "error: `x` is to be shared by a block, and no loop is given to blocks");
}

TEST(LanesText, TimesAndWays) {
  EXPECT_EQ(again("lanes 4\nstrips parallel from 0\ntime i, j\n" + blocks_of_sums),
            R"(error: strips are parallel, but `S` of space `S` comes from another place: m = 1, n = 2, i = 0, j = 1
  --> x.lanes:1:1
   |
 1 | lanes 4
   | ^^^^^^^
)");
  EXPECT_EQ(again("lanes 4\nstrips falling from 0\ntime i, j\n" + blocks_of_sums),
            R"(error: strips are falling, but `S` of space `S` comes from another place: m = 1, n = 2, i = 0, j = 1
  --> x.lanes:1:1
   |
 1 | lanes 4
   | ^^^^^^^
)");
  EXPECT_EQ(again("lanes 4\nstrips rising from 0\ntime i, j worker\n" + blocks_of_sums),
            R"(error: workers do the outer loops: `j` is inside of another component
  --> x.lanes:1:1
   |
 1 | lanes 4
   | ^^^^^^^
)");
  EXPECT_EQ(again("lanes 4\nstrips parallel from 0\ntime phase worker, t\n" + two_phases),
            R"(error: a phase has no iterations that workers could do
  --> x.lanes:1:1
   |
 1 | lanes 4
   | ^^^^^^^
)");
  std::string together = blocks_of_sums; // all elements at one time
  together.replace(together.find("time (i, j)"), 11, "time (i)");
  EXPECT_EQ(again("lanes 4\nstrips rising from 0\ntime i\n" + together),
            R"(error: `S` of space `S` is read before it is computed: m = 1, n = 2, i = 0, j = 1
  --> x.lanes:1:1
   |
 1 | lanes 4
   | ^^^^^^^
)");
  std::string apart = convolution; // two points of an element at one time
  apart.replace(apart.find("place (c)"), 9, "place (q)");
  EXPECT_EQ(again("lanes 4\nstrips rising from 0\ntime q\n" + apart),
            R"(error: time and place do not tell the points of space `z` apart
  --> x.lanes:1:1
   |
 1 | lanes 4
   | ^^^^^^^
)");
}

} // namespace
} // namespace cyclotron::lanes
