// SPDX-License-Identifier: MIT
// Properties as parts of GoogleTest cases: a fixed seed by day, so that a run can be repeated; with CYCLOTRON_NIGHTLY=1
// a new seed every time and fifty times as many cases. RC_PARAMS, as rapidcheck prints it, overrides both.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

namespace cyclotron::fuzz {

inline bool nightly() {
  const char* text = std::getenv("CYCLOTRON_NIGHTLY");
  return text && std::string(text) == "1";
}

inline int cases(int by_day) { return nightly() ? 50 * by_day : by_day; }

template <class Testable> void check_property(int by_day, Testable&& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (!std::getenv("RC_PARAMS")) {
    params.maxSuccess = cases(by_day);
    if (!nightly()) params.seed = 20240117;
  }
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(info->test_suite_name()) + "/" + info->name();
  metadata.description = info->name();
  const auto result = rc::detail::checkTestable(std::forward<Testable>(property), metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  FAIL() << text.str() << "\nseed=" << params.seed;
}

} // namespace cyclotron::fuzz
