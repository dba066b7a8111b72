// SPDX-License-Identifier: MIT
// What a generated input is called: a generator's name with its arguments. generate.hpp makes the tensor of it; a
// program only holds the name, so most of the compiler reads this file and not that one.
#pragma once

#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cyclotron::tensor {

// `spd(n=200, seed=1)` in a program, `spd:n=200,seed=1` on the command line. An argument is a number, a text,
// or (for combinators such as `tiles`) another recipe; unnamed ones are given in the order of the help text.
struct Recipe;
struct Argument {
  std::string name;                                             // "" where it was given by position
  std::variant<double, std::string, std::vector<Recipe>> value; // a nested recipe is a vector of one
  Span span;
};
struct Recipe {
  std::string name;
  std::vector<Argument> arguments;
  Span span;
};

// The command-line or the call spelling; nothing, with an error that quotes the text, where it is neither. A bare
// word as an argument is a recipe without arguments (`tiles:identity,4,4`); one with a `.` or `/` in it is a text
// (`tiles:a.mtx,4,4`).
std::optional<Recipe> parse_recipe(std::string_view text, Diagnostics& diagnostics);

// The call spelling, which reads back as the same recipe.
std::string to_string(const Recipe& recipe);

} // namespace cyclotron::tensor
