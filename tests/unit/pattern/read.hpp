// SPDX-License-Identifier: MIT
// Pattern programs from text, for tests.
#pragma once

#include "pattern/ir.hpp"

#include <gtest/gtest.h>

namespace cyclotron::pattern {

// The program, or what is wrong with the text.
inline std::optional<Program> read(const std::string& text, std::string& report) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto program = parse(sources.add("x.pattern", text), diagnostics);
  report = diagnostics.render(false);
  EXPECT_EQ(bool(program), !diagnostics.failed());
  return program;
}

// A text that is right.
inline Program program_of(const std::string& text) {
  std::string report;
  const auto program = read(text, report);
  EXPECT_TRUE(program) << report;
  return program ? *program : Program{};
}

// The text of the program that the text means; what is wrong with it where something is.
inline std::string again(const std::string& text) {
  std::string report;
  const auto program = read(text, report);
  return program ? print(*program) : report;
}

// The first mistake: its message, its hint if it has one, and the text that it points at.
struct Mistake {
  std::string message, hint, place;
  bool operator==(const Mistake&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Mistake& m) {
  return out << "{\"" << m.message << "\",\n\"" << m.hint << "\",\n\"" << m.place << "\"}";
}
inline Mistake mistake_in(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  if (parse(sources.add("x.pattern", text), diagnostics)) return {};
  const Diagnostic& first = diagnostics.all().at(0);
  const Span span = first.main.span;
  return {first.main.message, first.hint, span.known() ? std::string(sources.slice(span)) : "?"};
}

} // namespace cyclotron::pattern
