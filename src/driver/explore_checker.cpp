// SPDX-License-Identifier: MIT
#include "driver/explore_checker.hpp"

#include "backend/array/simulate.hpp"
#include "driver/compare.hpp"
#include "driver/compile_array.hpp"
#include "explore/summary.hpp"
#include "frontend/parse.hpp"
#include "pe/predict.hpp"
#include "pe/rehearse.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::driver {

namespace {

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "no reason was given" : diagnostics.all().front().main.message;
}

std::int64_t number_in(const explore::Point& point, const char* name, std::int64_t otherwise) {
  const auto found = point.parameters.find(name);
  return found == point.parameters.end() ? otherwise : std::stoll(found->second);
}

std::string disagreement(const char* what, std::int64_t claimed, std::int64_t found) {
  return claimed == found ? "" : fmt::format("{} {} were claimed, {} are right", claimed, what, found);
}

} // namespace

std::string ExploreChecker::compile(const std::string& text) {
  program_.reset();
  Diagnostics diagnostics(own_.sources());
  const std::int32_t file = own_.sources().add("the schedule found", "schedule found {\n" + text + "}\n");
  const frontend::Unit unit = frontend::parse(file, diagnostics);
  if (!diagnostics.failed()) schedule::check(unit.schedules, own_.checked().program(), diagnostics);
  if (diagnostics.failed() || unit.schedules.size() != 1)
    return "its text is no schedule: " + first_message(diagnostics);
  auto compiled = compile_array(
      {&own_.checked(), &unit.schedules[0], {}, sweep_.bindings.sizes, {"", {}, sweep_.unwanted}}, diagnostics);
  if (!compiled) return "its text does not compile: " + first_message(diagnostics);
  program_ = std::move(compiled->program);
  return check_values();
}

// Values do not depend on when they arrive: a machine without limits will do.
std::string ExploreChecker::check_values() {
  Diagnostics diagnostics(own_.sources());
  const auto result = array::simulate(*program_, sweep_.bindings.tensors, {}, {}, diagnostics);
  if (!result) return "it does not run: " + first_message(diagnostics);
  return compare(result->outputs, expected_, sweep_.unwanted).problem;
}

std::string ExploreChecker::check_costs(const explore::Point& point) const {
  pe::RehearsalOptions options;
  options.latency = number_in(point, explore::parameter::latency, 1);
  options.depth = number_in(point, explore::parameter::depth, 0);
  const std::int64_t tile = number_in(point, explore::parameter::tile, 1);
  const auto kernels = kernel_cycles_of(tile, sweep_.cycles_per_multiply_add);
  if (tile > 1)
    options.kernel_cycles = [&](const std::string& kernel) { return static_cast<std::int64_t>(kernels.at(kernel)); };
  const auto rehearsal = pe::rehearse(*program_, options);
  const auto prediction = pe::predict(*program_);
  if (!rehearsal || !prediction) return "it is too large to be rehearsed";
  if (!point.cycles)
    return rehearsal->stuck > 0 ? "" : fmt::format("it was refused, but takes {} cycles", rehearsal->cycles);
  if (rehearsal->stuck > 0) return fmt::format("{} processing elements wait for ever", rehearsal->stuck);
  std::int64_t pes = 0, messages = 0, bytes = 0, memory = 0;
  for (const pe::ElementPrediction& e : prediction->elements) {
    pes += e.role >= 0;
    memory = std::max(memory, static_cast<std::int64_t>(e.memory_bytes));
  }
  for (const pe::LinkPrediction& l : prediction->links) {
    messages += static_cast<std::int64_t>(l.sent);
    bytes += static_cast<std::int64_t>(l.bytes);
  }
  for (const std::string& problem :
       {disagreement("cycles", *point.cycles, rehearsal->cycles), disagreement("processing elements", point.pes, pes),
        disagreement("messages", point.messages, messages),
        disagreement("bytes of memory", point.memory_bytes_per_pe, memory)})
    if (!problem.empty()) return problem;
  // In the prediction a message counts with the size of a whole tile.
  return point.bytes > bytes ? disagreement("bytes", point.bytes, bytes) : "";
}

std::string ExploreChecker::verdict(const explore::Point& point) {
  const std::string& text = point.parameters.at(explore::parameter::schedule);
  if (text != last_text_ || last_text_.empty()) {
    last_text_ = text;
    last_problem_ = compile(text);
  }
  const std::string problem = last_problem_.empty() ? check_costs(point) : last_problem_;
  if (!problem.empty()) return "wrong: " + problem;
  return point.cycles ? "ok" : point.verdict;
}

} // namespace cyclotron::driver
