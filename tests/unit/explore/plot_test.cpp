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

TEST(Plot, LoadsNothing) {
  const std::string page = plot_html(made_sweep());
  for (const char* sign : {" src=", "href=", "@import", "fetch(", "url("})
    EXPECT_EQ(page.find(sign), std::string::npos) << sign;
}

} // namespace
} // namespace cyclotron::explore
