// SPDX-License-Identifier: MIT
#include "driver/pipelines.hpp"

#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"
#include "ir/pass.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

using frontend::Checked;
using frontend::Unit;
using ir::Pass;

namespace {

struct SourceFile {
  std::int32_t file;
};

constexpr Pass<SourceFile, Unit> parse{"parse", "text to a program",
                                       [](const SourceFile& s, Diagnostics& d) { return frontend::parse(s.file, d); }};
constexpr Pass<Unit, Unit> resolve{"resolve", "give every name its meaning", frontend::resolve};
constexpr Pass<Unit, Unit> expand_sums{"expand-sums", "make implied sums explicit", frontend::expand_sums};
constexpr Pass<Unit, Checked> infer{"infer", "find types, shapes and domains", frontend::infer};
constexpr Pass<Checked, Checked> check_definitions{"check-definitions", "each element is defined at most once",
                                                   frontend::check_definitions};
constexpr Pass<Checked, Checked> check_bounds{"check-bounds", "every read is inside its tensor", frontend::check_bounds,
                                              true};
constexpr Pass<Checked, Checked> check_schedules{"check-schedules", "schedules name what the program has",
                                                 frontend::check_schedules, true};
constexpr Pass<Checked, Checked> check_order{"check-order", "an order of computation exists", frontend::check_order};

constexpr auto front_end = parse >> resolve >> expand_sums >> infer >> check_definitions >> check_bounds >>
                           check_schedules >>
                           check_order; // last: a cycle through an element defined twice would only confuse

std::string text_of(const Unit& unit) { return frontend::print(unit); }
std::string text_of(const Checked& checked) { return checked.unit ? frontend::print(*checked.unit) : ""; }

const recurrence::Program* program_of(const Unit& unit) { return &unit.program; }
const recurrence::Program* program_of(const Checked& checked) {
  return checked.unit ? &checked.unit->program : nullptr;
}

} // namespace

FrontEndResult run_front_end(std::int32_t file, const PipelineOptions& options, Diagnostics& diagnostics) {
  const Progress progress("checking the program");
  FrontEndResult result;
  std::string last;
  result.checked =
      ir::run(front_end, SourceFile{file}, diagnostics, [&](const auto& pass, const auto& output, double seconds) {
        result.passes.push_back({pass.name, seconds});
        const recurrence::Program* program = program_of(output);
        if (!diagnostics.failed() && program && pass.name != parse.name)
          if (const std::string problem = recurrence::problem_of(*program); !problem.empty())
            bug(fmt::format("after {}: {}", pass.name, problem));
        if (!options.print_after_all || diagnostics.failed()) return;
        const std::string text = text_of(output);
        fmt::print("# after {}{}\n{}", pass.name, text == last ? ": unchanged" : "", text == last ? "" : text + "\n");
        last = text;
      });
  return result;
}

std::vector<PassInfo> front_end_passes() {
  return std::apply(
      [](const auto&... passes) {
        return std::vector<PassInfo>{{passes.name, passes.summary}...};
      },
      front_end.passes);
}

} // namespace cyclotron::driver
