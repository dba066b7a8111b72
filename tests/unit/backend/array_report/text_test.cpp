// SPDX-License-Identifier: MIT
#include "backend/array_report/text.hpp"
#include "made_runs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::array_report {
namespace {

TEST(Summary, OfAFewPes) {
  array::Statistics s = array::triangular_solve_run(3);
  s.seconds = 0.5;
  s.channel_operations = 60'000'000;
  EXPECT_EQ(summary(s), "trsv, schedule stream x along i on 3 PEs\n"
                        "  cycles       5; closed form 2n - 1 = 5: equal\n"
                        "  utilisation  40.0 %\n"
                        "  work         6 steps, 9 loads, 3 stores\n"
                        "  traffic      3 messages, 24 bytes\n"
                        "  registers    at most 16 bytes per PE\n"
                        "  simulated    in 0.5 s, 120 million channel operations per second\n"
                        "\n"
                        "  time per PE\n"
                        "    PE   role    computing  receiving  sending    idle  steps  sent    memory\n"
                        "    (0)  first      20.0 %      0.0 %    0.0 %  80.0 %      1     1  16 bytes\n"
                        "    (1)  inner      40.0 %      0.0 %    0.0 %  60.0 %      2     2  16 bytes\n"
                        "    (2)  last       60.0 %      0.0 %    0.0 %  40.0 %      3     0  16 bytes\n"
                        "\n"
                        "  values on the links\n"
                        "    value   links  messages  bytes  most waiting\n"
                        "    x           2         3     24             1\n"
                        "\n"
                        "  busiest links of 2\n"
                        "    (1) -> (2)  x   2 messages  16 bytes  1 waiting at most\n"
                        "    (0) -> (1)  x    1 message   8 bytes  1 waiting at most\n"
                        "\n"
                        "  PEs that compute, over 5 cycles; most, 2 of 3, from cycle 2\n"
                        "    ▃▃▅▃▃\n");
}

TEST(Summary, OfManyPesByRole) {
  EXPECT_EQ(summary(array::weight_stationary_run(8, 8, 8)),
            "matmul, schedule weight_stationary on 8 x 8 PEs\n"
            "  cycles       30; closed form 2R + C + M - 2 = 30: equal\n"
            "  utilisation  41.7 %\n"
            "  work         800 steps, 128 loads, 64 stores\n"
            "  traffic      1120 messages, 8.8 KiB\n"
            "  registers    at most 24 bytes per PE\n"
            "\n"
            "  time per PE, on average\n"
            "    role   PEs  computing  receiving  sending    idle\n"
            "    1        1     53.3 %      0.0 %    0.0 %  46.7 %\n"
            "    2        6     53.3 %     11.7 %    0.0 %  35.0 %\n"
            "    3        1     53.3 %     23.3 %    0.0 %  23.3 %\n"
            "    4        6     41.7 %     11.7 %    0.0 %  46.7 %\n"
            "    5       36     41.7 %     23.3 %    0.0 %  35.0 %\n"
            "    6        6     41.7 %     35.0 %    0.0 %  23.3 %\n"
            "    7        1     30.0 %     23.3 %    0.0 %  46.7 %\n"
            "    8        6     30.0 %     35.0 %    0.0 %  35.0 %\n"
            "    9        1     30.0 %     46.7 %    0.0 %  23.3 %\n"
            "    all     64     41.7 %     23.3 %    0.0 %  35.0 %\n"
            "    from 30.0 % in PE (7,0) to 53.3 % in PE (0,7)\n"
            "\n"
            "  values on the links\n"
            "    value   links  messages  bytes  most waiting\n"
            "    B          56       224   1792             1\n"
            "    A          56       448   3584             1\n"
            "    C          56       448   3584             1\n"
            "\n"
            "  busiest links of 168\n"
            "    (0,0) -> (0,1)  A   8 messages  64 bytes  1 waiting at most\n"
            "    (0,0) -> (1,0)  C   8 messages  64 bytes  1 waiting at most\n"
            "    (0,1) -> (0,2)  A   8 messages  64 bytes  1 waiting at most\n"
            "    (0,1) -> (1,1)  C   8 messages  64 bytes  1 waiting at most\n"
            "    (0,2) -> (0,3)  A   8 messages  64 bytes  1 waiting at most\n"
            "\n"
            "  PEs that compute, over 30 cycles; most, 64 of 64, from cycle 7\n"
            "    ▁▂▃▄▅▆▇█▁▁▁▁▂▃▄▅▅▆▆▆▆▅▅▄▃▂▁▁▁▁\n");
}

TEST(Summary, TheActivityFitsTheWidth) {
  const std::string text = summary(array::triangular_solve_run(200), {24, false});
  const std::string last = text.substr(text.rfind("\n", text.size() - 2) + 1);
  EXPECT_EQ(last, "    ▁▁▁▁▂▂▃▃▃▄▄▃▃▃▂▂▁▁▁▁\n");
}

TEST(Summary, OfNothing) {
  EXPECT_EQ(summary({}), " on 0 PEs\n"
                         "  cycles       0\n"
                         "  utilisation  0.0 %\n"
                         "  work         0 steps, 0 loads, 0 stores\n"
                         "  traffic      0 messages, 0 bytes\n"
                         "  registers    at most 0 bytes per PE\n");
  EXPECT_EQ(heat_map({}), "");
}

TEST(HeatMap, OfAGrid) {
  EXPECT_EQ(heat_map(array::weight_stationary_run(3, 4, 4)), "  utilisation in percent\n"
                                                             "  (0,0)  58  58  58  58\n"
                                                             "  (1,0)  50  50  50  50\n"
                                                             "  (2,0)  42  42  42  42\n");
}

TEST(HeatMap, InColour) {
  EXPECT_EQ(heat_map(array::weight_stationary_run(2, 2, 1), {80, true}),
            "  utilisation in percent\n"
            "  (0,0) \033[48;5;36;38;5;16m 60  60 \033[0m\n"
            "  (1,0) \033[48;5;30;38;5;231m 40  40 \033[0m\n");
}

TEST(HeatMap, ALongRowIsFolded) {
  EXPECT_EQ(heat_map(array::triangular_solve_run(20), {48, false}), "  utilisation in percent\n"
                                                                    "   (0)   3   5   8  10  13  15  18  21\n"
                                                                    "   (8)  23  26  28  31  33  36  38  41\n"
                                                                    "  (16)  44  46  49  51\n");
}

TEST(HeatMap, AWideGridIsShades) {
  EXPECT_EQ(heat_map(array::weight_stationary_run(4, 12, 3), {40, false}),
            "  utilisation from 0 to 100 percent:  .:-=+*#%@\n"
            "   (0,0) ------------------------\n"
            "   (1,0) ::::::::::::::::::::::::\n"
            "   (2,0) ::::::::::::::::::::::::\n"
            "   (3,0) ........................\n");
}

TEST(HeatMap, AHugeGridIsBinned) {
  EXPECT_EQ(heat_map(array::weight_stationary_run(20, 64, 3), {40, false}),
            "  utilisation from 0 to 100 percent:  .:-=+*#%@ (each cell the mean of 3 x 3 PEs)\n"
            "    (0,0) ::::::::::::::::::::::\n"
            "    (3,0) ......................\n"
            "    (6,0) ......................\n"
            "    (9,0) ......................\n"
            "   (12,0)\n"
            "   (15,0)\n"
            "   (18,0)\n");
}

TEST(HeatMap, AHugeRowIsBinned) {
  EXPECT_EQ(heat_map(array::triangular_solve_run(2000), {60, false}),
            "  utilisation from 0 to 100 percent:  .:-=+*#%@ (each cell the mean of 40 PEs)\n"
            "     (0)           ..........::::::::::----------==========\n");
}

} // namespace
} // namespace cyclotron::array_report
