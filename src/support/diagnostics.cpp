// SPDX-License-Identifier: MIT
#include "support/diagnostics.hpp"

#include "support/location.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace cyclotron {

std::int32_t Sources::add(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text)});
  return static_cast<std::int32_t>(files_.size()) - 1;
}

std::string_view Sources::slice(Span span) const {
  if (!span.known()) return {};
  std::string_view text = files_[span.file].text;
  return text.substr(std::min<std::size_t>(span.begin, text.size()), span.end - span.begin);
}

Diagnostic& Diagnostic::label(std::string text) {
  main.label = std::move(text);
  return *this;
}

Diagnostic& Diagnostic::note(Span span, std::string message, std::string label) {
  notes.push_back({Severity::note, std::move(message), span, std::move(label), {}});
  return *this;
}

Diagnostic& Diagnostic::note(std::string message) { return note(Span{}, std::move(message)); }

Diagnostic& Diagnostic::with_hint(std::string text) {
  hint = std::move(text);
  return *this;
}

Diagnostic& Diagnostics::add(Severity severity, Span span, std::string message) {
  list_.push_back({{severity, std::move(message), span, "", {}}, {}, ""});
  return list_.back();
}

Diagnostic& Diagnostics::error(Span span, std::string message) {
  return add(Severity::error, span, std::move(message));
}

Diagnostic& Diagnostics::error(Place place, std::string message) {
  Diagnostic& d = add(Severity::error, {}, std::move(message));
  d.main.place = std::move(place);
  return d;
}

Diagnostic& Diagnostics::error(std::string message) { return add(Severity::error, {}, std::move(message)); }

Diagnostic& Diagnostics::unsupported(Span span, std::string message) {
  return add(Severity::unsupported, span, std::move(message));
}

Diagnostic& Diagnostics::warning(Span span, std::string message) {
  return add(Severity::warning, span, std::move(message));
}

int Diagnostics::errors() const {
  return static_cast<int>(std::count_if(list_.begin(), list_.end(), [](const Diagnostic& d) {
    return d.main.severity == Severity::error || d.main.severity == Severity::unsupported;
  }));
}

bool Diagnostics::only_unsupported() const {
  return failed() && std::none_of(list_.begin(), list_.end(),
                                  [](const Diagnostic& d) { return d.main.severity == Severity::error; });
}

namespace {

struct Style {
  bool color;
  std::string paint(const char* code, std::string_view text) const {
    return color ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
};

const char* code_of(Severity severity) {
  switch (severity) {
  case Severity::error: return "1;31";
  case Severity::unsupported: return "1;35";
  case Severity::warning: return "1;33";
  case Severity::note: return "1;36";
  }
  bug("unknown severity");
}

// The byte at which a column (from 1) starts.
std::size_t byte_of_column(std::string_view text, std::int64_t column) {
  std::size_t at = 0;
  for (std::int64_t c = 1; c < column && at < text.size(); ++c) {
    ++at;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
  }
  return at;
}

// Data files can have very long lines: show the part around the column.
void shorten(Location& at) {
  constexpr std::int64_t most = 160;
  if (columns(at.text) <= most) return;
  const std::int64_t from = std::max<std::int64_t>(1, at.column - most / 2);
  const std::size_t begin = byte_of_column(at.text, from), end = byte_of_column(at.text, from + most);
  at.text = at.text.substr(begin, end - begin);
  at.column -= from - 1;
  at.width = std::clamp<std::int64_t>(most - at.column + 1, 1, at.width);
}

std::string render_remark(const Remark& remark, Locator& locator, const Style& style) {
  std::string out = style.paint(code_of(remark.severity), name_of(remark.severity)) + ": " +
                    (remark.severity == Severity::note ? remark.message : style.paint("1", remark.message)) + "\n";
  std::optional<Location> found = locator.locate(remark);
  if (!found) return out;
  Location& at = *found;
  std::string where = at.file;
  if (at.line > 0) where += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) where += fmt::format(":{}", at.column);
  const std::string number = std::to_string(at.line);
  const std::string margin(number.size() + 1, ' ');
  const auto blue = [&](std::string_view text) { return style.paint("1;34", text); };
  out += fmt::format("{}{} {}\n", margin, blue("-->"), where);
  if (at.line == 0 || (remark.place && at.text.empty())) return out;
  shorten(at);
  out += fmt::format("{} {}\n", margin, blue("|"));
  out += fmt::format(" {} {}{}\n", blue(number), blue("|"), at.text.empty() ? "" : " " + at.text);
  if (at.column > 0) {
    const std::string carets(static_cast<std::size_t>(at.width), '^');
    const std::string line =
        std::string(static_cast<std::size_t>(at.column - 1), ' ') +
        style.paint(code_of(remark.severity), carets + (remark.label.empty() ? "" : " " + remark.label));
    out += fmt::format("{} {} {}\n", margin, blue("|"), line);
  }
  return out;
}

} // namespace

std::string Diagnostics::render(bool color) const {
  const Style style{color};
  std::string out;
  Locator mains(*sources_), of_notes(*sources_);
  for (const Diagnostic* d : in_order(*this)) {
    if (!out.empty()) out += "\n";
    out += render_remark(d->main, mains, style);
    for (const Remark& note : d->notes) out += render_remark(note, of_notes, style);
    if (!d->hint.empty()) out += style.paint("1;32", "hint") + ": " + d->hint + "\n";
  }
  return out;
}

void bug(std::string_view message, const char* file, int line) {
  stop_showing_progress();
  fmt::print(stderr, "bug in cyclotron: {}\n  at {}:{}\nPlease report it with the program that caused it.\n", message,
             file, line);
  std::fflush(nullptr);
  std::_Exit(70);
}

} // namespace cyclotron
