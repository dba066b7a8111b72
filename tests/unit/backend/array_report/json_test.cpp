// SPDX-License-Identifier: MIT
#include "backend/array_report/json.hpp"
#include "made_runs.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cyclotron::array_report {
namespace {

using Json = nlohmann::ordered_json;

TEST(Json, ReadsBackAsItWasMade) {
  const array::Statistics s = array::weight_stationary_run(8, 8, 8);
  EXPECT_EQ(Json::parse(json(s)), to_json(s));
  EXPECT_EQ(Json::parse(json({})), to_json({}));
}

TEST(Json, KeysInOrder) {
  const Json all = to_json(array::triangular_solve_run(2));
  std::vector<std::string> keys;
  for (const auto& [key, value] : all.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"program", "schedule", "grid", "cycles", "closed_form", "utilisation",
                                            "operating", "totals", "spaces", "roles", "values", "activity", "pes",
                                            "links", "simulation"}));
}

TEST(Json, APeAndALink) {
  const Json all = to_json(array::triangular_solve_run(2));
  EXPECT_EQ(
      all["pes"][1].dump(),
      R"({"at":[1],"role":"last","computing":2,"operating":2,"receiving":0,"sending":0,"idle":1,"utilisation":0.6666666666666666,)"
      R"("begin":1,"end":3,"steps":2,"loads":3,"stores":1,"received":1,"sent":0,"memory_bytes":16,)"
      R"("intervals":[["computes",1,3]],)"
      R"("step_records":[["update",1,2],["divide",2,3]]})");
  EXPECT_EQ(all["links"].dump(),
            R"([{"channel":"x_next","value":"x","from":[0],"to":[1],"messages":1,"bytes":8,"most_waiting":1}])");
}

TEST(Json, Waiting) {
  EXPECT_EQ(to_json(array::weight_stationary_run(2, 2, 1))["pes"][1]["intervals"].dump(),
            R"([["computes",0,2],["waits_to_receive",2,3],["computes",3,4]])");
}

TEST(Json, TotalsAndClosedForm) {
  array::Statistics s = array::triangular_solve_run(16);
  EXPECT_EQ(to_json(s)["totals"].dump(),
            R"({"computing":136,"operating":136,"receiving":0,"sending":0,"idle":360,"steps":136,)"
            R"("loads":152,"stores":16,"messages":120,"bytes":960,"memory_bytes":16})");
  EXPECT_EQ(to_json(s)["closed_form"].dump(), R"({"text":"2n - 1","cycles":31,"equal":true})");
  s.predicted = 30;
  EXPECT_FALSE(to_json(s)["closed_form"]["equal"]);
  s.predicted.reset();
  EXPECT_TRUE(to_json(s)["closed_form"].is_null());
  s.pes[0].role = -1;
  EXPECT_TRUE(to_json(s)["pes"][0]["role"].is_null());
}

TEST(Json, TextThatIsNoUtf8IsReplaced) {
  array::Statistics s = array::triangular_solve_run(2);
  s.program = "\xff";
  EXPECT_EQ(Json::parse(json(s))["program"], "\xEF\xBF\xBD");
}

} // namespace
} // namespace cyclotron::array_report
