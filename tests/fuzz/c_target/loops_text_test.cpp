// SPDX-License-Identifier: MIT
// The text of loops is all that the C target needs: C made from what `--emit=loops` prints is the C made from the
// program, for the examples with their schedules and for random programs with random ones.
#include "driver/compile_kernel.hpp"
#include "driver/loops_file.hpp"
#include "driver/pipelines.hpp"
#include "fuzz/property.hpp"
#include "fuzz/repository.hpp"
#include "judge.hpp"

#include <fmt/format.h>

namespace cyclotron::fuzz {
namespace {

using schedule::Schedule;
using Only = std::vector<std::string>;

// One program and one schedule, from its equations and from the text of its loops.
class RoundTrip {
public:
  explicit RoundTrip(const std::string& text) {
    if (auto made = driver::run_front_end(sources_.add("a.cyc", text), {}, diagnostics_).checked)
      checked_ = std::move(*made);
  }

  const std::vector<Schedule>* schedules() const { return checked_ ? &checked_->unit->schedules : nullptr; }

  // The outputs but for the last one; none where that is the only one.
  Only last_output() const {
    const auto outputs = checked_->program().outputs();
    return outputs.size() > 1 ? Only{outputs.back()->name.name} : Only{};
  }

  Verdict judge(const Schedule* schedule, const Only& only) {
    backend::c::KernelOptions options;
    for (const recurrence::TensorDecl* t : checked_->program().outputs())
      if (!only.empty() && t->name.name != only[0]) options.unwanted.insert(t->name.name);
    const auto direct = driver::to_c({&*checked_, schedule, options}, diagnostics_);
    if (!direct) return {Verdict::Kind::rejected, diagnostics_.render(false)};
    const auto placed = driver::to_loops({&*checked_, schedule, options}, diagnostics_);
    if (!placed) return {Verdict::Kind::differs, "C, but no loops"};
    const std::string text =
        driver::print_loops_file(*checked_, schedule, only, placed->loops, placed->kernel.program.checked().program());
    const std::string again = from_text(text, options), expected = direct->emitted.text();
    if (again == expected) return {Verdict::Kind::agrees, ""};
    return {Verdict::Kind::differs, text + again + "\ninstead of\n" + expected};
  }

private:
  // The C, or what is wrong with the text.
  std::string from_text(const std::string& text, backend::c::KernelOptions options) {
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto begin = driver::find_loops(text);
    if (!begin) return "no line `loops`";
    const auto checked = driver::run_front_end(sources.add("head", text.substr(0, *begin)), {}, diagnostics).checked;
    if (!checked) return diagnostics.render(false);
    const auto read = driver::read_loops(sources.add("a.loops", text), *begin, *checked, diagnostics);
    if (!read) return diagnostics.render(false);
    const auto& data = checked->unit->schedules;
    options.loops = read->loops;
    const auto made = driver::to_c({&*checked, data.empty() ? nullptr : data.data(), options}, diagnostics);
    return made ? made->emitted.text() : diagnostics.render(false);
  }

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  std::optional<frontend::Checked> checked_;
};

TEST(LoopsText, MakesTheSameCForTheSchedulesOfTheExamples) {
  Tally tally;
  for (const StoredProgram& own : programs_in({"examples", "tests/golden/loops", "tests/golden/c"})) {
    RoundTrip program(own.text);
    if (!program.schedules()) continue;
    std::vector<const Schedule*> schedules{nullptr};
    for (const Schedule& s : *program.schedules()) schedules.push_back(&s);
    for (const Schedule* s : schedules)
      for (const Only& only : {Only{}, program.last_output()}) {
        if (!only.empty() && s) continue;
        const std::string problem = tally.add(isolated([&] { return program.judge(s, only); }, 60));
        EXPECT_EQ(problem, "") << own.name << " " << (s ? s->name.name : "as chosen");
      }
  }
  EXPECT_GT(tally.of(Verdict::Kind::agrees), 120) << tally.report();
}

TEST(LoopsText, MakesTheSameCForRandomSchedules) {
  Tally tally;
  check_property(40, [&](const RandomRun& run) {
    const auto text = text_of(run);
    if (!text) return;
    RoundTrip program(*text);
    if (!program.schedules()) return;
    const Schedule* schedule = program.schedules()->empty() ? nullptr : program.schedules()->data();
    const std::string problem = tally.add(isolated([&] { return program.judge(schedule, program.last_output()); }, 60));
    if (!problem.empty()) RC_FAIL(*text + problem);
  });
  EXPECT_GT(tally.of(Verdict::Kind::agrees), 10) << tally.report();
}

} // namespace
} // namespace cyclotron::fuzz
