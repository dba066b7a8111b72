// SPDX-License-Identifier: MIT
#include "cyclotron/schedule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron {

namespace {

std::string joined(const std::vector<Index>& names) {
  std::string list;
  for (const Index& i : names) list += (list.empty() ? "" : ", ") + i.text();
  return list;
}

} // namespace

Schedule& Schedule::add(const std::string& commands) {
  if (commands.find_first_not_of(" \t\r\n;") != std::string::npos) commands_.push_back(commands);
  return *this;
}

Schedule& Schedule::names(const char* command, const std::vector<Index>& loops, const std::string& rest) {
  return add(fmt::format("{} {}{}", command, joined(loops), rest));
}

Schedule& Schedule::tile(const Index& loop, const std::vector<std::int64_t>& sizes, const std::vector<Index>& parts) {
  return add(fmt::format("tile {} by {} -> {}", loop.text(), fmt::join(sizes, ", "), joined(parts)));
}

std::string Schedule::text() const {
  std::string text;
  for (const std::string& c : commands_) text += c + "\n";
  return text;
}

} // namespace cyclotron
