// SPDX-License-Identifier: MIT
#include "support/location.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cyclotron {

std::string_view name_of(Severity severity) {
  switch (severity) {
  case Severity::error: return "error";
  case Severity::unsupported: return "unsupported";
  case Severity::warning: return "warning";
  case Severity::note: return "note";
  }
  bug("unknown severity");
}

std::int64_t columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }); // not bytes: UTF-8
}

namespace {

// Control characters would move the carets or the cursor.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? ' ' : c;
  return out;
}

} // namespace

std::int64_t Locator::line_at(std::int32_t file, std::size_t offset) {
  if (file != file_ || offset < offset_) {
    file_ = file;
    offset_ = 0;
    line_ = 1;
  }
  const std::string& text = sources_.text(file);
  const auto at = [&](std::size_t place) { return text.begin() + static_cast<std::ptrdiff_t>(place); };
  line_ += std::count(at(offset_), at(offset), '\n');
  offset_ = offset;
  return line_;
}

std::optional<Location> Locator::locate(const Remark& remark) {
  if (remark.place) {
    const Place& p = *remark.place;
    return Location{p.file, p.line, p.column, printable(p.line_text), 1};
  }
  if (!remark.span.known()) return std::nullopt;
  const std::string& text = sources_.text(remark.span.file);
  const std::size_t begin = std::min<std::size_t>(remark.span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(remark.span.end, begin, text.size());
  const std::size_t newline = text.rfind('\n', begin == 0 ? std::string::npos : begin - 1);
  const std::size_t start = begin == 0 || newline == std::string::npos ? 0 : newline + 1;
  const std::size_t stop = std::min(text.find('\n', begin), text.size());
  const std::string_view view = text;
  Location at;
  at.file = sources_.name(remark.span.file);
  at.line = line_at(remark.span.file, start);
  at.column = 1 + columns(view.substr(start, begin - start));
  at.text = printable(view.substr(start, stop - start));
  at.width = std::max<std::int64_t>(1, columns(view.substr(begin, std::min(end, stop) - begin)));
  return at;
}

std::vector<const Diagnostic*> in_order(const Diagnostics& diagnostics) {
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& d : diagnostics.all()) order.push_back(&d);
  const auto key = [](const Diagnostic* d) {
    const Span s = d->main.span;
    return std::pair(s.known() ? s.file : std::numeric_limits<std::int32_t>::max(), s.known() ? s.begin : 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Diagnostic* a, const Diagnostic* b) { return key(a) < key(b); });
  return order;
}

} // namespace cyclotron
