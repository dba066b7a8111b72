// SPDX-License-Identifier: MIT
#include "driver/explore_lanes.hpp"

#include "backend/simd/kernel.hpp"
#include "driver/compare.hpp"
#include "driver/lane_arrays.hpp"
#include "explore/lane_ways.hpp"
#include "lanes/measure.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::driver {

namespace {

// The program with one more schedule.
class WithSchedule {
public:
  WithSchedule(const ExploreSweep& sweep, const std::string& commands)
      : sweep_(with_text(sweep, commands)), own_(sweep_) {}

  std::optional<CompiledLanes> lanes(const LaneTarget& target, Diagnostics& diagnostics) {
    ArrayRequest wanted = request();
    wanted.machine.emplace();
    wanted.machine->registers = target.registers;
    wanted.machine->layout = target.layout;
    if (target.vector_bytes == 0) wanted.machine->lanes = target.lanes;
    return compile_lanes(std::move(wanted), diagnostics);
  }

  std::optional<LaneKernels> code(const LaneTarget& target, Diagnostics& diagnostics) {
    return make_lanes_code(request(), target, &sweep_.bindings, diagnostics);
  }

  Sources& sources() { return own_.sources(); }
  const recurrence::Program& program() const { return own_.checked().program(); }

private:
  static ExploreSweep with_text(ExploreSweep sweep, const std::string& commands) {
    std::string name = "explored";
    while (sweep.text.find(name) != std::string::npos) name += "_";
    sweep.text += fmt::format("\nschedule {} {{\n{}}}\n", name, commands);
    return sweep;
  }

  ArrayRequest request() const {
    const auto& checked = own_.checked();
    return {&checked, &checked.unit->schedules.back(), {}, sweep_.bindings.sizes, {"", {}, sweep_.unwanted}, {}};
  }

  const ExploreSweep sweep_;
  OwnProgram own_;
};

bool is_legal(const ExploreSweep& sweep, const LaneTarget& target, const std::string& commands) {
  WithSchedule program(sweep, commands);
  Diagnostics unheard(program.sources());
  return program.lanes(target, unheard).has_value();
}

std::string reason(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "no reason was given" : diagnostics.all().front().main.message;
}

// The least of several calls, and of a tenth of a second.
double seconds_of_calls(const std::function<void()>& call) {
  constexpr double enough = 0.1;
  double least = 1e30, all = 0;
  for (int calls = 0; calls < 3 || (all < enough && calls < 1000); ++calls) {
    const Stopwatch watch;
    call();
    const double seconds = watch.seconds();
    if (calls > 0) least = std::min(least, seconds); // the first fills the caches
    all += seconds;
  }
  return least;
}

} // namespace

std::optional<std::string> with_inputs_that_travel(const ExploreSweep& sweep, const LaneTarget& target,
                                                   const std::string& commands, const std::vector<std::string>& along) {
  std::string travelling;
  const OwnProgram own(sweep);
  for (const recurrence::TensorDecl* t : own.checked().program().inputs())
    for (const std::string& way : along) {
      const std::string command = fmt::format("stream {} along {}\n", t->name.name, way);
      if (!is_legal(sweep, target, commands + travelling + command)) continue;
      travelling += command;
      break;
    }
  return travelling.empty() ? std::nullopt : std::optional(commands + travelling);
}

explore::Point lane_design(const ExploreSweep& sweep, const LaneTarget& target, const std::string& commands) {
  explore::Point point;
  point.parameters = {{lane_parameter::schedule, commands}};
  WithSchedule program(sweep, commands);
  Diagnostics diagnostics(program.sources());
  const auto made = program.lanes(target, diagnostics);
  if (!made) {
    point.verdict = "refused: " + reason(diagnostics);
    return point;
  }
  const auto worth = lanes::measure(made->program, sweep.bindings.sizes);
  if (!worth) {
    point.verdict = "refused: there are too many points to count; give smaller sizes";
    return point;
  }
  const explore::LaneWays ways = explore::lane_ways_of(made->program.flow);
  point.family = explore::letters_of(ways);
  point.cycles = worth->steps;
  point.pes = worth->elements;
  point.utilisation = worth->utilisation();
  point.parameters[lane_parameter::tensors] = explore::describe(ways);
  point.parameters[lane_parameter::strips] = lanes::name_of(made->program.strips);
  point.parameters[lane_parameter::registers] = std::to_string(worth->registers);
  point.parameters[lane_parameter::outturn] = fmt::format("{:.3g}", worth->outturn());
  point.verdict = "ok";
  return point;
}

std::optional<double> seconds_of_design(const ExploreSweep& sweep, const std::string& commands, const std::string& axis,
                                        std::int64_t elements, const std::map<std::string, tensor::Tensor>& expected,
                                        std::string& problem) {
  WithSchedule program(sweep, commands + fmt::format("unroll {} by {}\n", axis, elements));
  Diagnostics diagnostics(program.sources());
  const auto made = program.code(simd_target(), diagnostics);
  if (!made) return std::nullopt;
  const auto kernel = backend::simd::Kernel::make(made->code.kernels, {}, diagnostics);
  auto arrays = lane_arrays(made->code, program.program(), sweep.bindings, diagnostics);
  if (!kernel || !arrays) return std::nullopt;
  std::optional<std::int64_t> answer;
  const double seconds = seconds_of_calls([&] { answer = kernel->call(arrays->sizes, arrays->memories, diagnostics); });
  if (!answer) return std::nullopt;
  problem = *answer != 0 ? "the kernel fails" : compare(arrays->outputs, expected, sweep.unwanted).problem;
  return seconds;
}

} // namespace cyclotron::driver
