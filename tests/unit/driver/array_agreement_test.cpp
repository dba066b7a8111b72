// SPDX-License-Identifier: MIT
// Every schedule of every program in arrays/ on an array, beside the interpreter, at small sizes. A schedule whose name
// begins with `refused_` must be refused with an error; all others must run.
#include "fuzz/array_agreement.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/property.hpp"
#include "fuzz/repository.hpp"

#include <fmt/format.h>

namespace cyclotron::fuzz {
namespace {

// Sizes that are 0, sizes that tiles do not divide, and sizes that differ from each other.
std::vector<SizeValues> sizes_for(const OnArray& on_array) {
  std::vector<std::vector<std::int64_t>> rows = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 3, 5, 2}, {5, 3, 2, 3}};
  if (nightly())
    for (const std::int64_t a : {1, 2, 3, 4, 7})
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
std::string problem_with(OnArray& on_array, const schedule::Schedule& schedule, const std::vector<std::string>& torus) {
  const bool refused = schedule.name.name.starts_with("refused_");
  std::uint64_t seed = 1;
  for (const SizeValues& sizes : sizes_for(on_array)) {
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
  for (const schedule::Schedule& s : on_array.schedules())
    if (const std::string problem = problem_with(on_array, s, torus); !problem.empty())
      out += fmt::format("{}: {}\n", s.name.name, problem);
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
    const Fate fate = run_isolated([&] { return problems_of(program.text + "\n" + at->second, {}); }, 60);
    EXPECT_EQ(fate.problem + fate.result, "") << program.name;
  }
  EXPECT_EQ(seen, schedules.size());
}

} // namespace
} // namespace cyclotron::fuzz
