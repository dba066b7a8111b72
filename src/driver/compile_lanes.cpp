// SPDX-License-Identifier: MIT
#include "driver/compile_lanes.hpp"

#include "lanes/accesses.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace cyclotron::driver {

namespace {

MappedProgram on_axis(const MappedProgram& program, const std::string& axis) {
  MappedProgram tried = program;
  tried.mapping.space = {axis};
  tried.mapping.space_given = true;
  return tried;
}

// The steps with one of them outermost, as `t` of a stencil that is computed step by step.
MappedProgram with_first(const MappedProgram& program, const std::vector<std::string>& indices, const std::string& axis,
                         const std::string& first) {
  MappedProgram tried = on_axis(program, axis);
  tried.mapping.time = {first};
  for (const std::string& index : indices)
    if (index != axis && index != first) tried.mapping.time.push_back(index);
  tried.mapping.time_given = true;
  return tried;
}

// Less is better: work of which one element is done at a time, then strips that wait for each other, then elements that
// lie apart in memory.
std::tuple<lanes::InTurns, int, std::size_t> cost_of(const lanes::Program& program) {
  int waits = 0;
  if (program.strips == lanes::Strips::rising || program.strips == lanes::Strips::falling) waits = 1;
  if (program.strips == lanes::Strips::inside) waits = 2;
  return {lanes::spaces_in_turns(program), waits, lanes::accesses_apart(program)};
}

// The indices of left-hand sides, as far as they are among these.
std::vector<std::string> of_results(const recurrence::Program& program, const std::vector<std::string>& indices) {
  std::vector<std::string> result;
  for (const std::string& index : indices) {
    const auto names = [&](const recurrence::Equation& equation) {
      bool found = false;
      ir::walk<recurrence::ExprNode>(equation.target, [&](const recurrence::Expr& e) {
        const auto* name = ir::as<recurrence::Name>(e);
        found |= name && name->id == index;
      });
      return found;
    };
    if (std::any_of(program.equations.begin(), program.equations.end(), names)) result.push_back(index);
  }
  return result;
}

class Chooser {
public:
  Chooser(const MappedProgram& program, WithMapping with_mapping, Diagnostics& diagnostics)
      : program_(program), with_mapping_(with_mapping), diagnostics_(diagnostics) {}

  std::optional<CompiledLanes> run() {
    const lower::Mapping& mapping = program_.mapping;
    std::vector<std::string> indices;
    for (const auto& choice : lower::axis_choices(program_.checked(), mapping, diagnostics_))
      if (choice.size() == 1) indices.push_back(choice.front());
    if (diagnostics_.failed()) return std::nullopt;
    if (indices.empty()) {
      diagnostics_.unsupported({}, "this program has no index that could be an axis of lanes")
          .with_hint("`--target=c` compiles the equations");
      return std::nullopt;
    }
    const std::vector<std::string> results = of_results(program_.checked().program(), indices);
    if (mapping.space_given) try_axes(mapping.space, results, "steps");
    else try_axes(results, results, "axes");
    if (!best_ && !mapping.space_given) try_axes(indices, {}, "axes of sums");
    if (best_) return std::move(best_);
    return with_mapping_(mapping.space_given ? program_ : on_axis(program_, indices.front()),
                         diagnostics_); // for its messages
  }

private:
  // Where the steps do not work as they are, also with one of these outermost.
  void try_axes(const std::vector<std::string>& axes, const std::vector<std::string>& outermost, const char* what) {
    Progress progress(fmt::format("choosing {}", what), {static_cast<std::int64_t>(axes.size()), "choices"});
    for (std::size_t i = 0; i < axes.size(); ++i) {
      progress.advance_to(static_cast<std::int64_t>(i));
      if (attempt(on_axis(program_, axes[i])) || program_.mapping.time_given) continue;
      for (const std::string& first : outermost)
        if (first != axes[i] && attempt(with_first(program_, outermost, axes[i], first))) break;
    }
  }

  bool attempt(MappedProgram mapped) {
    Diagnostics unheard(diagnostics_.sources());
    auto made = with_mapping_(std::move(mapped), unheard);
    if (!made) return false;
    if (best_ && !(cost_of(made->program) < cost_of(best_->program))) return true;
    best_ = std::move(made);
    best_->dataflow.chosen = true;
    return true;
  }

  const MappedProgram& program_;
  WithMapping with_mapping_;
  Diagnostics& diagnostics_;
  std::optional<CompiledLanes> best_;
};

} // namespace

std::string CompiledLanes::describe() const {
  std::string text = lower::print(dataflow.mapping);
  text += fmt::format("{} lanes of {}, strips {}\n", program.shape.lanes, program.shape.per_lane,
                      lanes::name_of(program.strips));
  return text;
}

bool CompiledLanes::says_threads() const {
  return std::any_of(program.time.begin(), program.time.end(),
                     [](const lanes::Component& c) { return c.workers != lanes::Workers::any; });
}

std::optional<CompiledLanes> choose_lanes(MappedProgram program, WithMapping with_mapping, Diagnostics& diagnostics) {
  const lower::Mapping& mapping = program.mapping;
  if (mapping.spacetime || (mapping.space_given && (mapping.time_given || mapping.space.size() != 1)))
    return with_mapping(std::move(program), diagnostics);
  return Chooser(program, with_mapping, diagnostics).run();
}

} // namespace cyclotron::driver
