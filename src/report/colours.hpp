// SPDX-License-Identifier: MIT
// The colours of all pictures: a ramp that is even to the eye and to the colour-blind, and colours to tell things
// apart.
#pragma once

#include <cstddef>
#include <string>

namespace cyclotron::report {

struct Colour {
  int red = 0, green = 0, blue = 0;
};

// From dark violet at 0 over green to yellow at 1.
Colour ramp(double share);

// Black or white, whichever can be read on it.
Colour ink_on(const Colour& colour);

std::string hex(const Colour& colour);     // #21918c
int terminal_colour(const Colour& colour); // the nearest of the 256 of a terminal
std::string kind_colour(std::size_t kind); // for values and spaces; repeats after `kind_colours`
inline constexpr std::size_t kind_colours = 8;

// What a PE does; the same in all pictures.
inline constexpr const char* computing_colour = "#2a788e";
inline constexpr const char* receiving_colour = "#e9b44c";
inline constexpr const char* sending_colour = "#c8553d";

} // namespace cyclotron::report
