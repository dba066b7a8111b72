// SPDX-License-Identifier: MIT
#include "backend/array_report/chrome_trace.hpp"
#include "made_runs.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cyclotron::array_report {
namespace {

TEST(ChromeTrace, WholeTextOfTwoPes) {
  EXPECT_EQ(chrome_trace(array::triangular_solve_run(2)), R"({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"trsv, schedule stream x along i"}},
{"ph":"C","pid":1,"tid":0,"name":"PEs that compute","ts":0,"args":{"PEs":1}},
{"ph":"C","pid":1,"tid":0,"name":"PEs that compute","ts":3,"args":{"PEs":0}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"PE (0) role first"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":1,"tid":1,"name":"divide","cat":"step","ts":0,"dur":1},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"PE (1) role last"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"X","pid":1,"tid":2,"name":"update","cat":"step","ts":1,"dur":1},
{"ph":"X","pid":1,"tid":2,"name":"divide","cat":"step","ts":2,"dur":1}
]}
)");
}

// What every track spends in steps and waits is what the statistics say.
TEST(ChromeTrace, TimesAddUp) {
  const array::Statistics s = array::weight_stationary_run(5, 4, 6);
  const auto trace = nlohmann::json::parse(chrome_trace(s));
  std::vector<array::Time> steps(s.pes.size()), waits(s.pes.size());
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X")
      (event["cat"] == "step" ? steps : waits)[event["tid"].get<std::size_t>() - 1] += event["dur"].get<array::Time>();
  for (std::size_t p = 0; p < s.pes.size(); ++p) {
    EXPECT_EQ(steps[p], s.pes[p].computing);
    EXPECT_EQ(waits[p], s.pes[p].receiving);
  }
}

TEST(ChromeTrace, WaitingHasItsName) {
  EXPECT_NE(chrome_trace(array::weight_stationary_run(2, 2, 1))
                .find(R"({"ph":"X","pid":1,"tid":2,"name":"waits to receive","cat":"wait","ts":2,"dur":1})"),
            std::string::npos);
}

TEST(ChromeTrace, FallsBackToWhatWasRecorded) {
  array::Statistics s = array::triangular_solve_run(3);
  for (array::PeStatistics& pe : s.pes) pe.step_records.clear();
  EXPECT_NE(chrome_trace(s).find(R"("name":"computes","cat":"step","ts":2,"dur":3)"), std::string::npos);
  EXPECT_NE(chrome_trace(array::without_records(s)).find(R"("name":"first to last step","cat":"step","ts":2,"dur":3)"),
            std::string::npos);
}

TEST(ChromeTrace, NamesAreEscaped) {
  array::Statistics s = array::triangular_solve_run(2);
  s.program = "a \"b\"\\";
  s.spaces[1] = "d\n";
  const auto trace = nlohmann::json::parse(chrome_trace(s));
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "a \"b\"\\, schedule stream x along i");
  EXPECT_EQ(nlohmann::json::parse(chrome_trace({}))["traceEvents"].size(), 1U);
}

} // namespace
} // namespace cyclotron::array_report
