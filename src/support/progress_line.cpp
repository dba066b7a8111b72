// SPDX-License-Identifier: MIT
#include "support/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron {

namespace {

constexpr double seconds_before_first = 1; // on a terminal

double seconds(std::chrono::steady_clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::string elapsed(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

// As exact as an estimate can be.
std::string left(double seconds) {
  if (seconds < 60) return fmt::format("about {} s left", std::max<std::int64_t>(1, std::llround(seconds)));
  if (seconds < 3600) return fmt::format("about {} min left", std::llround(seconds / 60));
  return fmt::format("about {:.1f} h left", seconds / 3600);
}

std::string count(std::int64_t n) {
  if (n < 1'000'000) return std::to_string(n);
  const auto number = static_cast<double>(n);
  return n < 1'000'000'000 ? fmt::format("{:.1f} million", number / 1e6) : fmt::format("{:.1f} billion", number / 1e9);
}

std::string how_far(Amount amount, std::int64_t done) {
  const std::string unit = amount.unit;
  if (amount.total > 0 && !unit.empty()) return fmt::format(": {} of {} {}", count(done), count(amount.total), unit);
  if (amount.total > 0)
    return fmt::format(": {} %", static_cast<int>(100 * static_cast<double>(done) / static_cast<double>(amount.total)));
  return unit.empty() || done == 0 ? "" : fmt::format(": {} {}", count(done), unit);
}

std::string text_of(const Progress& p, ProgressTime now) {
  return progress_text(p.what(), p.amount(), p.done(), seconds(now - p.begin()));
}

} // namespace

std::string progress_text(const std::string& what, Amount amount, std::int64_t done, double seconds) {
  if (amount.total > 0) done = std::min(done, amount.total);
  std::string text = what + how_far(amount, done) + " (" + elapsed(seconds);
  // The rest may well be quicker or slower: no estimate before a little of it is known.
  const double part = amount.total > 0 ? static_cast<double>(done) / static_cast<double>(amount.total) : 0;
  if (part >= 0.01 && part < 1 && seconds >= 2) text += ", " + left(seconds * (1 - part) / part);
  return text + ")";
}

std::string progress_text(const std::vector<const Progress*>& under_way, ProgressTime now) {
  if (under_way.empty()) return "";
  const auto counted =
      std::find_if(under_way.begin(), under_way.end(), [](const Progress* p) { return p->amount().total > 0; });
  if (counted == under_way.end()) return text_of(*under_way.back(), now);
  const Progress* within = nullptr;
  for (auto p = counted + 1; p != under_way.end(); ++p)
    if ((*p)->thread() == (*counted)->thread() && seconds(now - (*p)->begin()) >= 1) within = *p;
  const std::string text = text_of(**counted, now);
  return within ? text + ", now " + text_of(*within, now) : text;
}

std::string ProgressLine::show(const std::string& text, ProgressTime now) {
  if (moves_) {
    if (text == shown_ || seconds(now - begin_) < seconds_before_first) return "";
    shown_ = text;
    // Without the automatic line break, so that a narrow terminal cuts the line off instead of leaving old ones behind.
    return fmt::format("\r\033[K\033[?7lcyclotron: {}\033[?7h", text);
  }
  if (seconds(now - last_) < seconds_between_) return "";
  last_ = now;
  return fmt::format("cyclotron: {}\n", text);
}

std::string ProgressLine::erase() {
  if (shown_.empty()) return "";
  shown_.clear();
  return "\r\033[K";
}

} // namespace cyclotron
