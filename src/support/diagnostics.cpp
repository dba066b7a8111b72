// SPDX-License-Identifier: MIT
#include "support/diagnostics.hpp"

#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
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

const char* name_of(Severity severity) {
  switch (severity) {
  case Severity::error: return "error";
  case Severity::unsupported: return "unsupported";
  case Severity::warning: return "warning";
  case Severity::note: return "note";
  }
  bug("unknown severity");
}

const char* code_of(Severity severity) {
  switch (severity) {
  case Severity::error: return "1;31";
  case Severity::unsupported: return "1;35";
  case Severity::warning: return "1;33";
  case Severity::note: return "1;36";
  }
  bug("unknown severity");
}

// A remark's place as line, column and the text of the line, wherever it comes from.
struct Located {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string text;
  std::int64_t width = 1; // how many columns the carets underline
};

// Columns are counted in characters, not bytes, so that carets stand right under UTF-8 text.
std::int64_t columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Control characters would move the carets or the cursor.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? ' ' : c;
  return out;
}

// Line numbers. Remarks come mostly in the order of the text, so that counting goes on from the one before.
class Lines {
public:
  std::int64_t number_at(std::int32_t file, const std::string& text, std::size_t offset) {
    if (file != file_ || offset < offset_) {
      file_ = file;
      offset_ = 0;
      number_ = 1;
    }
    const auto at = [&](std::size_t place) { return text.begin() + static_cast<std::ptrdiff_t>(place); };
    number_ += std::count(at(offset_), at(offset), '\n');
    offset_ = offset;
    return number_;
  }

private:
  std::int32_t file_ = -1;
  std::size_t offset_ = 0;
  std::int64_t number_ = 1;
};

Located locate(const Remark& remark, const Sources& sources, Lines& lines) {
  if (remark.place) {
    const Place& p = *remark.place;
    return {p.file, p.line, p.column, printable(p.line_text), 1};
  }
  const std::string& text = sources.text(remark.span.file);
  const std::size_t begin = std::min<std::size_t>(remark.span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(remark.span.end, begin, text.size());
  const std::size_t newline = text.rfind('\n', begin == 0 ? std::string::npos : begin - 1);
  const std::size_t start = begin == 0 || newline == std::string::npos ? 0 : newline + 1;
  const std::size_t stop = std::min(text.find('\n', begin), text.size());
  const std::string_view view = text;
  Located at;
  at.file = sources.name(remark.span.file);
  at.line = lines.number_at(remark.span.file, text, start);
  at.column = 1 + columns(view.substr(start, begin - start));
  at.text = printable(view.substr(start, stop - start));
  at.width = std::max<std::int64_t>(1, columns(view.substr(begin, std::min(end, stop) - begin)));
  return at;
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
void shorten(Located& at) {
  constexpr std::int64_t most = 160;
  if (columns(at.text) <= most) return;
  const std::int64_t from = std::max<std::int64_t>(1, at.column - most / 2);
  const std::size_t begin = byte_of_column(at.text, from), end = byte_of_column(at.text, from + most);
  at.text = at.text.substr(begin, end - begin);
  at.column -= from - 1;
  at.width = std::clamp<std::int64_t>(most - at.column + 1, 1, at.width);
}

std::string render_remark(const Remark& remark, const Sources& sources, Lines& lines, const Style& style) {
  std::string out = style.paint(code_of(remark.severity), name_of(remark.severity)) + ": " +
                    (remark.severity == Severity::note ? remark.message : style.paint("1", remark.message)) + "\n";
  if (!remark.span.known() && !remark.place) return out;
  Located at = locate(remark, sources, lines);
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
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& d : list_) order.push_back(&d);
  // What has no place in a file comes last.
  const auto key = [](const Diagnostic* d) {
    const Span s = d->main.span;
    return std::pair(s.known() ? s.file : std::numeric_limits<std::int32_t>::max(), s.known() ? s.begin : 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Diagnostic* a, const Diagnostic* b) { return key(a) < key(b); });
  std::string out;
  Lines lines, lines_of_notes;
  for (const Diagnostic* d : order) {
    if (!out.empty()) out += "\n";
    out += render_remark(d->main, *sources_, lines, style);
    for (const Remark& note : d->notes) out += render_remark(note, *sources_, lines_of_notes, style);
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
