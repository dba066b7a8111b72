// SPDX-License-Identifier: MIT
// What happens when a question about index sets is too hard: the program is refused with what was asked and where, and
// never half answered. isl counts its operations and gives up past a limit (polyhedra.hpp); what we work out ourselves
// has limits of its own.
#pragma once

#include "support/diagnostics.hpp"

#include <isl/cpp.h>

#include <optional>
#include <string>

namespace cyclotron::recurrence {

// Thrown past a limit of our own, as isl::exception is past isl's.
struct LimitReached {};

// f's result; nothing where a limit was reached.
template <class F> auto unless_too_hard(F f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const isl::exception&) {
  } catch (const LimitReached&) {}
  return std::nullopt;
}

// For people: `what` was asked is a noun, `the bounds of the loops of this command`.
struct Question {
  Span span;
  std::string what;
  std::string hint; // what to write instead
};

inline void report_too_hard(const Question& asked, Diagnostics& diagnostics) {
  diagnostics.error(asked.span, asked.what + " cannot be worked out: there are too many cases").with_hint(asked.hint);
}

// The same with a report. `asked` may change while f runs, so that the report is about the last question.
template <class F>
auto within_isl_limit(const Question& asked, Diagnostics& diagnostics, F f) -> std::optional<decltype(f())> {
  auto result = unless_too_hard(f);
  if (!result) report_too_hard(asked, diagnostics);
  return result;
}

} // namespace cyclotron::recurrence
