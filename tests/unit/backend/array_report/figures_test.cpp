// SPDX-License-Identifier: MIT
#include "backend/array_report/figures.hpp"
#include "backend/array_report/flows.hpp"
#include "backend/array_report/spacetime_bins.hpp"
#include "made_runs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::array_report {
namespace {

TEST(Figures, SharesAddUpToOne) {
  const Statistics s = array::weight_stationary_run(4, 3, 5);
  for (const PeStatistics& pe : s.pes) {
    const Shares part = shares_of(pe, s.cycles);
    EXPECT_NEAR(part.computing + part.receiving + part.sending + part.idle, 1, 1e-12) << place_text(pe);
  }
  EXPECT_EQ(idle_of(s.pes.back(), s.cycles), 3) << "before its first step";
  EXPECT_EQ(shares_of(s.pes.front(), 0).idle, 1);
}

TEST(Figures, ActivityAccountsForBinsThatAreCut) {
  Statistics s;
  s.cycles = 10;
  s.cycles_per_bin = 4;
  s.active = {8, 4, 6};
  EXPECT_EQ(activity_of(s), (std::vector<double>{2, 1, 3}));
}

TEST(Figures, MovingIsNotComputing) {
  Statistics s = array::triangular_solve_run(2); // 3 steps in 3 cycles on 2 PEs
  EXPECT_EQ(utilisation_text(s), "50.0 %");
  EXPECT_EQ(hover_text(s, s.pes[1]).find("moving"), std::string::npos);
  s.pes[1].operating = 1;
  EXPECT_EQ(utilisation_text(s), "50.0 %; 33.3 % computing, 16.7 % moving values only");
  EXPECT_NE(hover_text(s, s.pes[1]).find("of them 1 moving values only"), std::string::npos);
}

TEST(Figures, ClosedFormSaysHowFarOff) {
  Statistics s;
  s.cycles = 12;
  EXPECT_EQ(closed_form_text(s), "");
  s.predicted = 12;
  EXPECT_EQ(closed_form_text(s), "closed form 12: equal");
  s.closed_form = "R + C";
  s.predicted = 10;
  EXPECT_EQ(closed_form_text(s), "closed form R + C = 10: 2 more");
  s.predicted = 13;
  EXPECT_EQ(closed_form_text(s), "closed form R + C = 13: 1 fewer");
  s.link_latency = 4;
  EXPECT_EQ(closed_form_text(s), "closed form R + C = 13 is for links of one cycle, not of 4");
}

TEST(Figures, RolesComeInOrderAndThoseWithoutLast) {
  Statistics s = array::triangular_solve_run(4);
  s.pes[0].role = -1;
  const std::vector<RoleFigures> roles = roles_of(s);
  ASSERT_EQ(roles.size(), 3U);
  EXPECT_EQ(roles[0].name, "inner");
  EXPECT_EQ(roles[0].pes.size(), 2U);
  EXPECT_EQ(roles[2].name, "none");
}

TEST(Flows, LinksThatWrapAreFound) {
  const std::vector<Arrow> arrows = arrows_of(array::cannon_run(4));
  ASSERT_EQ(arrows.size(), 32U);
  std::size_t wraps = 0;
  for (const Arrow& arrow : arrows) {
    EXPECT_EQ(direction_text(arrow.down, arrow.right), arrow.value == 0 ? "left" : "up");
    wraps += arrow.wraps;
  }
  EXPECT_EQ(wraps, 8U);
}

TEST(Flows, ChannelsOfOneValueAndDirectionAreOneArrow) {
  Statistics s = array::triangular_solve_run(2);
  s.links.push_back({"x_again", "x", 0, 1, 4, 32, 2});
  s.links.push_back({"y", "y", 1, 1, 1, 8, 1});
  const std::vector<Arrow> arrows = arrows_of(s);
  ASSERT_EQ(arrows.size(), 2U);
  EXPECT_EQ(arrows[0].channels, (std::vector<std::string>{"x_next", "x_again"}));
  EXPECT_EQ(arrows[0].messages, 5U);
  EXPECT_EQ(arrows[0].most_waiting, 2U);
  EXPECT_EQ(direction_text(arrows[1].down, arrows[1].right), "to itself");
  EXPECT_EQ(direction_text(-2, 1), "up 2 and right");
}

TEST(Bins, HoldWhatTookMostOfThem) {
  const Statistics s = array::triangular_solve_run(4); // 7 cycles; PE 3 updates from cycle 3, divides in 6
  const Bins bins = bins_of(s, 4, 4);
  EXPECT_EQ(bins.cycles_per_column, 2);
  ASSERT_EQ(bins.columns, 4);
  const Bin* row = &bins.bins[12];
  EXPECT_EQ(row[0].kind, idles);
  EXPECT_EQ(row[1].kind, 0);
  EXPECT_EQ(row[1].share, 0.5);
  EXPECT_EQ(row[2].kind, 0);
  EXPECT_EQ(row[3].kind, 1);
  EXPECT_EQ(row[3].share, 1) << "the last bin has one cycle";
  EXPECT_EQ(bins.bins[3].kind, idles) << "PE 0 has long ended";
}

TEST(Bins, RowsOfTheGridStayTogether) {
  EXPECT_EQ(bins_of(array::weight_stationary_run(20, 6, 1), 30, 400).pes_per_row, 6);
  EXPECT_EQ(bins_of(array::weight_stationary_run(20, 6, 1), 60, 400).pes_per_row, 2);
  EXPECT_EQ(bins_of(array::triangular_solve_run(10), 4, 400).pes_per_row, 3);
}

TEST(Bins, WithoutRecordsTheTimeFromFirstToLastStep) {
  const Statistics s = array::without_records(array::triangular_solve_run(4));
  const std::vector<Stretch> stretches = stretches_of(s.pes[3]);
  ASSERT_EQ(stretches.size(), 1U);
  EXPECT_EQ(stretches[0].kind, between_steps);
  EXPECT_EQ(stretches[0].begin, 3);
  EXPECT_EQ(stretches[0].end, 7);
}

} // namespace
} // namespace cyclotron::array_report
