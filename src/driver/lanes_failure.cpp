// SPDX-License-Identifier: MIT
#include "driver/lanes_failure.hpp"

#include "lower/code/operations.hpp"
#include "support/pass_clock.hpp"

namespace cyclotron::driver {

void report_lanes_failure(const frontend::Checked& checked, const recurrence::Bindings& bindings, std::int64_t answer,
                          Diagnostics& diagnostics) {
  const TimedPass finding("find-the-mistake");
  if (!interpret(checked.program(), checked.types, checked.domains, bindings, {}, diagnostics)) return;
  const bool overflow = answer == lower::overflow_code;
  diagnostics
      .unsupported({}, overflow ? "in lanes, a part of a sum or a product does not fit its type, though the whole does"
                                : "in lanes, something is divided by zero that no element needs")
      .with_hint(overflow ? "use a wider type, such as `i64`; `--target=c` computes sums in wider numbers"
                          : "`--target=c` compiles the equations");
}

} // namespace cyclotron::driver
