// SPDX-License-Identifier: MIT
// Every schedule of every program in arrays/ on an array, beside the interpreter, at small sizes. A schedule whose name
// begins with `refused_` must be refused with an error; all others must run.
#include "fuzz/array_agreement.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/property.hpp"
#include "fuzz/repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace cyclotron::fuzz {
namespace {

// Sizes that tiles do not divide and that differ from each other, and then small ones: by day 0 and 1 take turns.
std::vector<SizeValues> sizes_for(const OnArray& on_array, std::size_t turn) {
  std::vector<std::vector<std::int64_t>> rows = {{5, 3, 2, 3}};
  const auto small = static_cast<std::int64_t>(turn % 2);
  rows.push_back({small, small, small, small});
  if (nightly())
    for (const std::int64_t a : {0, 1, 2, 3, 4, 7, 5})
      for (const std::int64_t b : {0, 1, 3, 6, 7}) rows.push_back({a, b, (a + b) % 5 + 1, (a * b) % 3 + 1});
  std::vector<SizeValues> result;
  for (const auto& row : rows) {
    SizeValues sizes;
    for (std::size_t s = 0; s < on_array.program().sizes.size(); ++s)
      sizes[on_array.program().sizes[s].name] = row.at(s % row.size());
    if (on_array.allows(sizes)) result.push_back(sizes);
  }
  return result;
}

std::string describe(const SizeValues& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) out += fmt::format(" {}={}", name, value);
  return out;
}

// Empty, or what is wrong with the schedule.
std::string problem_with(OnArray& on_array, std::size_t number, const std::vector<std::string>& torus) {
  const schedule::Schedule& schedule = on_array.schedules()[number];
  const bool refused = schedule.name.name.starts_with("refused_");
  std::uint64_t seed = 1;
  for (const SizeValues& sizes : sizes_for(on_array, number)) {
    if (refused && sizes.begin()->second < 5) continue; // no PE waits for another on a small array
    const ArrayOutcome outcome = on_array.run(schedule, sizes, seed++, torus);
    if (outcome.kind == ArrayOutcome::Kind::differs || refused != (outcome.kind == ArrayOutcome::Kind::refused))
      return fmt::format("at{}, seed {}: {}", describe(sizes), seed - 1, refused ? "it runs" : outcome.text);
  }
  return "";
}

std::string problems_of(const std::string& text, const std::vector<std::string>& torus) {
  OnArray on_array(text);
  if (!on_array.accepted()) return on_array.messages();
  std::string out;
  for (std::size_t s = 0; s < on_array.schedules().size(); ++s)
    if (const std::string problem = problem_with(on_array, s, torus); !problem.empty())
      out += fmt::format("{}: {}\n", on_array.schedules()[s].name.name, problem);
  return out;
}

TEST(ArrayAgreement, EveryArrayAgreesWithTheInterpreter) {
  const auto programs = programs_in({"tests/unit/driver/arrays"});
  EXPECT_GE(programs.size(), 20u);
  run_all_isolated(
      static_cast<int>(programs.size()),
      [&](int i) { return problems_of(programs[static_cast<std::size_t>(i)].text, {}); },
      [&](int i, const std::string& problem) {
        ADD_FAILURE() << programs[static_cast<std::size_t>(i)].name << "\n" << problem;
      },
      60);
}

struct ExpectedForm {
  std::string program, schedule, form;
};

// A formula that does not hold is not told, so that these must be.
const std::vector<ExpectedForm> expected_forms = {
    {"matrix_product", "output_stationary", "m + n + p - 2"},
    {"matrix_product", "broadcast_both", "p"},
    {"matrix_product", "broadcast_one", "m + p - 1"},
    {"matrix_product", "weight_stationary", "m + n + p - 2"},
    {"matrix_product", "weight_stationary_prefetched", "m + n + 2*p - 2"},
    {"matrix_product", "grid_of_tiles", "(p + 3) * ceil(m/2) * ceil(n/3)"},
    {"matrix_product", "tiles_of_weights", "(m + 3) * ceil(p/2) * ceil(n/3)"},
    {"triangular_solve", "by_rows", "2*n - 1"},
    {"triangular_solve", "by_columns", "2*n - 1"},
    {"triangular_solve_many", "grid", "m + 2*n - 2"},
    {"cholesky", "triangle", "3*n - 2"},
    {"lu", "square", "3*n - 2"},
    {"needleman_wunsch", "rows", "m + n - 1"},
    {"needleman_wunsch", "columns", "m + n - 1"},
    {"convolution_fsm", "matrix", "m + r - 1"},
    {"convolution_ffs", "matrix", "2*m + r - 2"},
    {"convolution_sbm", "matrix", "r"},
};

TEST(ArrayAgreement, ClosedForms) {
  for (const StoredProgram& program : programs_in({"tests/unit/driver/arrays"})) {
    const std::string name = std::filesystem::path(program.name).stem().string();
    const auto wanted = [&](const ExpectedForm& f) { return f.program == name; };
    if (std::none_of(expected_forms.begin(), expected_forms.end(), wanted)) continue;
    OnArray on_array(program.text);
    ASSERT_TRUE(on_array.accepted()) << on_array.messages();
    for (const ExpectedForm& expected : expected_forms)
      for (const schedule::Schedule& s : on_array.schedules()) {
        if (!wanted(expected) || s.name.name != expected.schedule) continue;
        const ArrayOutcome outcome = on_array.run(s, sizes_for(on_array, 0).front(), 1);
        EXPECT_EQ(outcome.text, "") << name << " " << s.name.name;
        EXPECT_EQ(outcome.closed_form, expected.form) << name << " " << s.name.name;
      }
  }
}

// The same with the ends of all axes joined: only the way of a value may change.
TEST(ArrayAgreement, RingsAgreeToo) {
  for (const StoredProgram& program : programs_in({"tests/unit/driver/arrays"})) {
    if (program.name.find("matrix_product") == std::string::npos) continue;
    const Fate fate = run_isolated([&] { return problems_of(program.text, {"i", "j", "k", "ii", "ji", "ki"}); }, 60);
    EXPECT_EQ(fate.problem + fate.result, "") << program.name;
  }
}

// Written over tiles by hand.
TEST(ArrayAgreement, TiledExamples) {
  const std::map<std::string, std::string> schedules = {
      {"examples/tiled_matmul.cyc", "schedule output_stationary {\n space i, j\n time k\n}\n"
                                    "schedule weight_stationary {\n space k, j\n time i\n}\n"},
      {"examples/tiled_triangular_solve.cyc", "schedule rows {\n space i\n time j\n}\n"},
      {"examples/tiled_cholesky.cyc", "schedule triangle {\n space i, j\n time k\n}\n"},
      {"examples/tiled_lu.cyc", "schedule square {\n space i, j\n time k\n}\n"}};
  std::size_t seen = 0;
  for (const StoredProgram& program : programs_in({"examples"})) {
    const auto at = schedules.find(program.name);
    if (at == schedules.end()) continue;
    ++seen;
    const Fate fate =
        run_isolated([&] { return problems_of("assume 1 <= b\n" + program.text + "\n" + at->second, {}); }, 60);
    EXPECT_EQ(fate.problem + fate.result, "") << program.name;
  }
  EXPECT_EQ(seen, schedules.size());
}

} // namespace
} // namespace cyclotron::fuzz
