// SPDX-License-Identifier: MIT
// The pictures are well-formed, load nothing, and hold what they promise; how they look is for eyes.
#include "backend/array_report/grid_picture.hpp"
#include "backend/array_report/spacetime_picture.hpp"
#include "backend/array_report/utilisation_profile.hpp"
#include "made_runs.hpp"
#include "unit/report/xml_check.hpp"

#include <gtest/gtest.h>

namespace cyclotron::array_report {
namespace {

using array::Statistics;
using report::count_of;
using report::xml_problem;

std::vector<std::string> pictures_of(const Statistics& s) {
  return {grid_svg(s), grid_html(s), spacetime_svg(s), spacetime_html(s), utilisation_svg(s), utilisation_html(s)};
}

Statistics hostile_run() {
  Statistics s = array::weight_stationary_run(3, 3, 4);
  s.program = "a<b> & \"c\" \x01";
  s.schedule = "one\n</pre><script>two";
  s.roles[0] = "<role>";
  s.spaces[0] = "\"&";
  s.links[0].value = "</svg>";
  s.links[0].channel = "x\"y";
  s.pes[4].role = -1;
  return s;
}

Statistics cube_run() {
  Statistics s = array::weight_stationary_run(8, 4, 4);
  s.axes = {"i", "j", "k"};
  s.extents = {2, 4, 4};
  for (std::size_t p = 0; p < s.pes.size(); ++p) {
    const auto i = static_cast<std::int64_t>(p);
    s.pes[p].at = {i / 16, i / 4 % 4, i % 4};
  }
  return s;
}

Statistics point_run() {
  Statistics s = array::triangular_solve_run(1);
  s.axes = {};
  s.extents = {};
  s.pes[0].at = {};
  return s;
}

TEST(Pictures, AreWellFormedAndLoadNothing) {
  const Statistics runs[] = {array::weight_stationary_run(8, 8, 8),
                             array::triangular_solve_run(16),
                             array::cannon_run(3),
                             array::cannon_run(1),
                             array::weight_stationary_run(20, 3, 4),
                             array::weight_stationary_run(70, 67, 2),
                             array::without_records(array::weight_stationary_run(4, 4, 4)),
                             hostile_run(),
                             cube_run(),
                             point_run(),
                             Statistics{}};
  for (const Statistics& run : runs)
    for (const std::string& picture : pictures_of(run)) {
      EXPECT_EQ(xml_problem(picture), "") << run.program << "\n" << picture.substr(0, 500);
      EXPECT_EQ(count_of(picture, "<script"), 0U);
      EXPECT_EQ(count_of(picture, "://"), count_of(picture, "xmlns=\"http://www.w3.org/2000/svg\""));
      EXPECT_EQ(count_of(picture, "nan") + count_of(picture, "inf"), 0U);
    }
}

TEST(Grid, HasACellPerPeAndAnArrowPerLink) {
  const std::string svg = grid_svg(array::weight_stationary_run(8, 8, 8));
  EXPECT_EQ(count_of(svg, "<title>PE ("), 64U);
  EXPECT_EQ(count_of(svg, "waiting at most</title>"), 168U);
  EXPECT_EQ(count_of(svg, ">B: down; 56 links, 224 messages, 1.8 KiB</text>"), 1U);
  EXPECT_EQ(count_of(svg, ">A: right; 56 links, 448 messages, 3.5 KiB</text>"), 1U);
  EXPECT_EQ(count_of(svg, ">role 5</text>"), 36U);
  EXPECT_EQ(count_of(svg, "Arrows are drawn"), 0U);
}

TEST(Grid, HoverSaysAll) {
  const std::string svg = grid_svg(array::triangular_solve_run(4));
  EXPECT_EQ(count_of(svg, "<title>PE (2), role inner\n"
                          "computing 3 cycles (42.9 %)\n"
                          "waiting to receive 0 (0.0 %), to send 0 (0.0 %)\n"
                          "idle 4 (57.1 %)\n"
                          "3 steps in cycles 2 to 5, 4 loads, 1 store\n"
                          "received 2, sent 3; 16 bytes of registers</title>"),
            1U);
  EXPECT_EQ(count_of(svg, "<title>x from (1) right to (2)\nchannel x_next\n2 messages, 16 bytes; 1 waiting at "
                          "most</title>"),
            1U);
}

TEST(Grid, ArrowsWrapAroundATorus) {
  const std::string svg = grid_svg(array::cannon_run(4));
  EXPECT_EQ(count_of(svg, ", around the grid\n"), 8U);
  EXPECT_EQ(count_of(svg, ">A: left, around the grid; 16 links"), 1U);
}

TEST(Grid, LargeGridsSayWhatIsLeftOut) {
  const std::string medium = grid_svg(array::weight_stationary_run(17, 16, 2));
  EXPECT_EQ(count_of(medium, "<title>PE ("), 272U);
  EXPECT_EQ(count_of(medium, "waiting at most</title>"), 0U);
  EXPECT_EQ(count_of(medium, ">Arrows are drawn up to 16 x 16 PEs.</text>"), 1U);
  const std::string large = grid_svg(array::weight_stationary_run(65, 10, 2));
  EXPECT_EQ(count_of(large, "<title>4 PEs from ("), 160U);
  EXPECT_EQ(count_of(large, "<title>2 PEs from (64,"), 5U);
  EXPECT_EQ(count_of(large, "Each cell is the mean of 2 x 2 PEs."), 1U);
  EXPECT_EQ(count_of(grid_svg(array::triangular_solve_run(200)), "Each cell is the mean of 4 PEs."), 1U);
}

TEST(Spacetime, EveryStepIsABox) {
  const std::string svg = spacetime_svg(array::triangular_solve_run(16));
  EXPECT_EQ(count_of(svg, "\nstep of update\n"), 120U);
  EXPECT_EQ(count_of(svg, "\nstep of divide\n"), 16U);
  EXPECT_EQ(count_of(svg, "waits to"), 0U);
  EXPECT_EQ(count_of(svg, "<title>PE (3)\nstep of divide\ncycles 6 to 6</title>"), 1U);
}

TEST(Spacetime, WaitingIsABoxToo) {
  const std::string svg = spacetime_svg(array::weight_stationary_run(4, 4, 4));
  EXPECT_EQ(count_of(svg, "\nwaits to receive\n"), 15U) << "all but PE (0,0)";
  EXPECT_EQ(count_of(svg, "<title>PE (0,2)\nwaits to receive\ncycles 4 to 5</title>"), 1U);
}

TEST(Spacetime, LongRunsAreBinned) {
  const std::string svg = spacetime_svg(array::weight_stationary_run(16, 16, 1000));
  EXPECT_EQ(count_of(svg, ">cycle; a box is 3 cycles; a row is 4 PEs</text>"), 1U);
  EXPECT_LT(svg.size(), 200000U);
}

TEST(Utilisation, AxesAndDiagonal) {
  const std::string svg = utilisation_svg(array::weight_stationary_run(8, 8, 8));
  EXPECT_EQ(count_of(svg, ">along k, mean over the rest</text>"), 1U);
  EXPECT_EQ(count_of(svg, ">along j, mean over the rest</text>"), 1U);
  EXPECT_EQ(count_of(svg, ">along the diagonal</text>"), 1U);
  EXPECT_EQ(count_of(utilisation_svg(array::weight_stationary_run(8, 4, 8)), "diagonal"), 0U);
}

TEST(Utilisation, BarsRiseAlongTheTriangularSolve) {
  const std::string svg = utilisation_svg(array::triangular_solve_run(4));
  for (const char* share : {"PE (0)\ncomputing 14.3 %", "PE (1)\ncomputing 28.6 %", "PE (2)\ncomputing 42.9 %"})
    EXPECT_GT(count_of(svg, share), 0U) << share;
  EXPECT_EQ(count_of(svg, "PE (3)\ncomputing 57.1 %\nwaiting to receive 0.0 %\nwaiting to send 0.0 %\nidle 42.9 %"),
            2U);
  EXPECT_GT(count_of(utilisation_svg(array::triangular_solve_run(100)), "<title>PE (98) to PE (99)\n"), 0U);
}

} // namespace
} // namespace cyclotron::array_report
