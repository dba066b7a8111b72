// SPDX-License-Identifier: MIT
// Random and structured inputs by name, each determined by its arguments and seed on every machine.
#pragma once

#include "tensor/box.hpp"
#include "tensor/recipe.hpp"
#include "tensor/tensor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cyclotron::tensor {

// What is wanted: the type, and the dimensions as far as they are known already (-1: the recipe decides).
// A known dimension wins over the recipe's own size argument, so that a default follows the other inputs; where
// `arguments_win`, as for what a user wrote beside the program, the argument does, and the caller sees them disagree.
// The arguments n, m, l, k give the sizes of dimensions 1 to 4; n is also the size of those that are neither known
// nor given, so that `random(n=8)` for a matrix is square. Where `dims` is empty the recipe decides the rank, too: a
// generator of matrices makes a matrix, one that fits any rank has as many dimensions as sizes were given (none: a
// scalar).
struct Request {
  std::vector<std::int64_t> dims;
  ValueType type = ValueType::f64;
  std::string tensor; // its name, for messages
  bool arguments_win = false;
};

std::optional<Entries> generate(const Recipe& recipe, const Request& request, Diagnostics& diagnostics);

// The dimensions of what `generate` would make, without making it.
std::optional<std::vector<std::int64_t>> generated_dims(const Recipe& recipe, const Request& request,
                                                        Diagnostics& diagnostics);

// What `generate` would put into that part of the tensor, whose dimensions are all known, bit for bit, as a tensor of
// the box's size. Needs memory for the part and at most the stored entries of the whole. Not for `tiles`: see `uncut`.
std::optional<Entries> generate_part(const Recipe& recipe, const Request& request, const Box& box,
                                     Diagnostics& diagnostics);

// Whether a part takes only as long as it is large. Where not (positions drawn at random, sums along rows), every part
// may take as long as the whole: ask for few large ones.
bool is_made_by_element(const Recipe& recipe, const Request& request);

// What `tiles(…)` cuts: another recipe, or the file of that name, and the size of the tiles. Nothing, with an error,
// where it says neither, or the sizes do not fit.
struct Uncut {
  std::variant<Recipe, std::string> source;
  Request request;
  std::vector<std::int64_t> tiles;
};
std::optional<Uncut> uncut(const Recipe& recipe, const Request& request, Diagnostics& diagnostics);

// One line per generator for --help and the docs: name, arguments with defaults, what it makes.
struct GeneratorHelp {
  std::string name;
  std::string arguments;
  std::string meaning;
};
const std::vector<GeneratorHelp>& generator_help();

} // namespace cyclotron::tensor
