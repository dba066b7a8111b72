// SPDX-License-Identifier: MIT
#include "report/colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::report {

namespace {

constexpr Colour anchors[] = {{0x44, 0x01, 0x54}, {0x47, 0x2d, 0x7b}, {0x3b, 0x52, 0x8b},
                              {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c}, {0x28, 0xae, 0x80},
                              {0x5e, 0xc9, 0x62}, {0xad, 0xdc, 0x30}, {0xfd, 0xe7, 0x25}};
constexpr int last_anchor = 8;

// No orange and no red among the first: those are for waiting.
constexpr const char* kinds[kind_colours] = {"#3b7dc4", "#1f9e78", "#c46ca4", "#8a6fd1",
                                             "#7a8b2e", "#43b0c8", "#a0623f", "#7d8590"};

int between(int from, int to, double part) { return static_cast<int>(std::lround(from + part * (to - from))); }

} // namespace

Colour ramp(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * last_anchor;
  const int index = std::min(static_cast<int>(at), last_anchor - 1);
  const Colour &low = anchors[index], &high = anchors[index + 1];
  const double part = at - index;
  return {between(low.red, high.red, part), between(low.green, high.green, part), between(low.blue, high.blue, part)};
}

Colour ink_on(const Colour& colour) {
  const int brightness = (299 * colour.red + 587 * colour.green + 114 * colour.blue) / 1000;
  return brightness > 115 ? Colour{0, 0, 0} : Colour{255, 255, 255};
}

std::string hex(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

// The colours 16 to 231 of a terminal are a cube of six levels per channel: 0, 95, 135, … 255.
int terminal_colour(const Colour& colour) {
  const auto level = [](int value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; };
  return 16 + 36 * level(colour.red) + 6 * level(colour.green) + level(colour.blue);
}

std::string kind_colour(std::size_t kind) { return kinds[kind % kind_colours]; }

} // namespace cyclotron::report
