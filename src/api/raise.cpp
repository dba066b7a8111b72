// SPDX-License-Identifier: MIT
#include "api/raise.hpp"

#include <algorithm>

namespace cyclotron::api {

namespace {

Problem problem_of(const Diagnostic& diagnostic, const Sources& sources) {
  Problem problem{diagnostic.main.message, diagnostic.hint, "", 0, 0};
  if (diagnostic.main.place) {
    problem.file = diagnostic.main.place->file;
    problem.line = static_cast<int>(diagnostic.main.place->line);
    problem.column = static_cast<int>(diagnostic.main.place->column);
  } else if (const Span span = diagnostic.main.span; span.known()) {
    const std::string_view before = std::string_view(sources.text(span.file)).substr(0, span.begin);
    const std::size_t newline = before.rfind('\n');
    const std::string_view line = newline == std::string_view::npos ? before : before.substr(newline + 1);
    problem.file = sources.name(span.file);
    problem.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    // In characters, as the report counts them.
    problem.column =
        1 + static_cast<int>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }
  return problem;
}

} // namespace

void raise(const Diagnostics& diagnostics) {
  std::vector<Problem> problems;
  for (const Diagnostic& d : diagnostics.all())
    if (d.main.severity == Severity::error || d.main.severity == Severity::unsupported)
      problems.push_back(problem_of(d, diagnostics.sources()));
  if (problems.empty()) bug("an error without a message");
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tuple(a.line == 0, a.line, a.column) < std::tuple(b.line == 0, b.line, b.column);
  });
  throw Error(diagnostics.render(false), std::move(problems), diagnostics.only_unsupported());
}

void raise(const std::string& message, const std::string& hint) {
  const Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(message).with_hint(hint);
  raise(diagnostics);
}

} // namespace cyclotron::api
