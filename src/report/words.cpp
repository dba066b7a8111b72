// SPDX-License-Identifier: MIT
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::report {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return count_text(bytes, "byte");
  double amount = static_cast<double>(bytes) / 1024;
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; amount >= 1024 && unit < 3; ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string count_text(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t most) {
  const std::string line = text.substr(0, text.find('\n'));
  if (characters_in(line) <= most) return line.size() == text.size() ? line : line + " …";
  std::size_t end = 0; // keep one character fewer than `most`: the last is the dots
  for (std::size_t characters = 0; characters < most; ++end)
    characters += (static_cast<unsigned char>(line[end]) & 0xC0) != 0x80;
  return line.substr(0, end - 1) + "…";
}

} // namespace cyclotron::report
