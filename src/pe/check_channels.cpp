// SPDX-License-Identifier: MIT
#include "pe/check_channels.hpp"

#include <fmt/format.h>

namespace cyclotron::pe {

std::optional<Rehearsal> check_channels(const Program& program, Diagnostics& diagnostics) {
  if (const auto prediction = predict(program); prediction && !prediction->problem.empty()) {
    diagnostics.error(fmt::format("the channels of this array do not match: {}", prediction->problem));
    return std::nullopt;
  }
  auto rehearsal = rehearse(program);
  if (!rehearsal || rehearsal->stuck == 0) return rehearsal;
  diagnostics.error("with this schedule the processing elements would wait for each other for ever")
      .note(describe(*rehearsal, program, 0))
      .with_hint("choose other axes with `space`, or another order of steps with `time`");
  return std::nullopt;
}

} // namespace cyclotron::pe
