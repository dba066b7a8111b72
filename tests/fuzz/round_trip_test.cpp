// SPDX-License-Identifier: MIT
// Printing and parsing are inverse to each other, and passes that are done change nothing when done again.
#include "fuzz/compiled.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"
#include "fuzz/repository.hpp"

#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"

namespace cyclotron::fuzz {
namespace {

struct Parsed {
  Sources sources;
  Diagnostics diagnostics{sources};
  frontend::Unit unit;
  explicit Parsed(const std::string& text) { unit = frontend::parse(sources.add("program.cyc", text), diagnostics); }
};

// Empty where the text survives printing and parsing; texts that do not parse have nothing to survive.
std::string round_trip_problem(const std::string& text) {
  const Parsed first(text);
  if (first.diagnostics.failed()) return "";
  const std::string printed = frontend::print(first.unit);
  const Parsed second(printed);
  if (second.diagnostics.failed())
    return "what was printed does not parse:\n" + printed + second.diagnostics.render(false);
  if (!(second.unit == first.unit)) return "a different program comes back:\n" + printed;
  const std::string again = frontend::print(second.unit);
  return again == printed ? "" : "printed again it reads\n" + again + "instead of\n" + printed;
}

// The same once more, for the passes between parsing and checking.
std::string settled_problem(const std::string& text) {
  Parsed parsed(text);
  const frontend::Unit resolved = frontend::resolve(parsed.unit, parsed.diagnostics);
  if (parsed.diagnostics.failed()) return "";
  if (!(frontend::resolve(resolved, parsed.diagnostics) == resolved)) return "resolve changes its own result";
  const frontend::Unit expanded = frontend::expand_sums(resolved, parsed.diagnostics);
  if (parsed.diagnostics.failed()) return "";
  if (!(frontend::expand_sums(expanded, parsed.diagnostics) == expanded)) return "expand_sums changes its own result";
  const std::string problem = recurrence::problem_of(expanded.program);
  return problem.empty() ? round_trip_problem(frontend::print(expanded)) : problem;
}

TEST(RoundTrip, RandomPrograms) {
  check_property(200, [](const RandomProgram& random) {
    const Fate fate = run_isolated([&] { return round_trip_problem(random.text) + settled_problem(random.text); });
    RC_ASSERT(fate.problem + fate.result == "");
  });
}

TEST(RoundTrip, AcceptedProgramsAreSound) {
  check_property(60, [](const RandomProgram& random) {
    const Fate fate = run_isolated([&] {
      const Compiled compiled(random.text);
      return compiled.accepted() ? recurrence::problem_of(compiled.program()) : "";
    });
    RC_ASSERT(fate.problem + fate.result == "");
  });
}

TEST(RoundTrip, UnusualSpellings) {
  for (const char* text :
       {"tensor s\ntensor y\ny = s() + s\n", "tensor y()\ny() = 1\n", "tensor x(n): onchip\nx(i) = 1\n",
        "tensor x(n)\nx^-1(i) = 1.\nx^t(i) = +x^(t-1)(i) : 0<=t<3\n", "let a = 1e-7\ntensor x\nx = .5*a + 1E3\n",
        "tensor x\nx = 1\nschedule s { environment v = -inf; environment w = -0.0 }\n",
        "tensor x(n)\nx(i) = 1\ndefault x = tiles(random(n=1e3, low=-inf), -2.5, \"a b\")\n"})
    EXPECT_EQ(round_trip_problem(text) + settled_problem(text), "") << text;
}

TEST(RoundTrip, StoredPrograms) {
  const auto stored = programs_in({"examples", "tests/golden", "tests/errors"});
  EXPECT_GE(stored.size(), 40u);
  run_all_isolated(
      static_cast<int>(stored.size()),
      [&](int i) {
        const std::string& text = stored[static_cast<std::size_t>(i)].text;
        return round_trip_problem(text) + settled_problem(text);
      },
      [&](int i, const std::string& problem) {
        ADD_FAILURE() << stored[static_cast<std::size_t>(i)].name << ": " << problem;
      });
}

} // namespace
} // namespace cyclotron::fuzz
