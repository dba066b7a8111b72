// SPDX-License-Identifier: MIT
#include "explore/plot.hpp"
#include "made_sweep.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cyclotron::explore {
namespace {

nlohmann::ordered_json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::ordered_json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Plot, HoldsAllPoints) {
  const std::vector<Point> points = made_sweep();
  const auto data = data_of(plot_html(points, {"matmul", "cycles", "bytes", "latency"}));
  ASSERT_EQ(data["points"].size(), points.size());
  for (std::size_t p = 0; p < points.size(); ++p) EXPECT_EQ(point_from_json(data["points"][p]), points[p]);
  EXPECT_EQ(data["x"], "cycles");
  EXPECT_EQ(data["y"], "bytes");
  EXPECT_EQ(data["colour"], "latency");
}

TEST(Plot, SaysHowManyThereAre) {
  EXPECT_NE(plot_html(made_sweep()).find("<p>162 points: 108 ok, 54 refused</p>"), std::string::npos);
  Point wrong;
  wrong.verdict = "wrong: C(0,0)";
  EXPECT_NE(plot_html({wrong}).find("<p>1 point: 0 ok, 1 wrong or failed</p>"), std::string::npos);
}

TEST(Plot, TextsCannotBreakOut) {
  Point point = made_point("</script><b>", 4, 1, 1);
  point.parameters["<i>"] = "\xff</script>";
  const std::string page = plot_html({point}, {"<title> & more", "pes", "cycles", "family"});
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_NE(page.find("<h1>&lt;title&gt; &amp; more</h1>"), std::string::npos);
  EXPECT_EQ(data_of(page)["points"][0]["family"], "</script><b>");
}

TEST(Plot, SpreadsThePointsThatRan) {
  EXPECT_EQ(telling_axis(made_sweep()), "pes");
  std::vector<Point> fixed{made_point("a", 4, 1, 1), made_point("b", 4, 1, 1)};
  EXPECT_EQ(telling_axis(fixed), "pes"); // they differ in nothing
  fixed[1].parameters["latency"] = "2";
  EXPECT_EQ(telling_axis(fixed), "latency");
  fixed[1].messages = fixed[0].messages + 1;
  EXPECT_EQ(telling_axis(fixed), "messages");
  fixed[1].memory_bytes_per_pe = fixed[0].memory_bytes_per_pe + 8;
  EXPECT_EQ(telling_axis(fixed), "memory_bytes_per_pe");
  fixed[1].verdict = "refused: no";
  fixed[1].pes = 4;
  EXPECT_EQ(telling_axis(fixed), "pes"); // only one ran
}

TEST(Plot, LoadsNothing) {
  const std::string page = plot_html(made_sweep());
  for (const char* sign : {" src=", "href=", "@import", "fetch(", "url("})
    EXPECT_EQ(page.find(sign), std::string::npos) << sign;
}

} // namespace
} // namespace cyclotron::explore
