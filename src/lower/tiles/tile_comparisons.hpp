// SPDX-License-Identifier: MIT
// The constraints of an equation whose indices are tiled: which of them compare tiled indices, and the cases they make.
//
// `k < j` holds where the tile k is before the tile j, and inside the tile k = j where k' < j'. Several comparisons
// hold in every combination of their cases that is possible.
#pragma once

#include "lower/tiles/index_order.hpp"
#include "lower/tiles/tile_blocks.hpp"

namespace cyclotron::lower {

// A comparison of tiled indices, and which constraint it comes from: results keep the user's order and direction.
struct PlacedComparison {
  Comparison comparison; // `<`, `<=`, `==` or `!=`
  std::size_t position = 0;
  bool turned = false;  // the user wrote `right > left`
  bool implied = false; // nobody wrote it: it only tells cases apart
};

// One way in which comparisons can hold: what is true of tiles (`<`, `==` or `!=`), and inside those that are equal.
struct Choice {
  std::vector<PlacedComparison> tiles;
  Comparisons inside;

  Comparisons between_tiles() const;
};

struct TileConstraints {
  std::vector<std::pair<std::size_t, recurrence::Constraint>> plain; // without tiled indices
  std::vector<PlacedComparison> comparisons;
  std::size_t count = 0;

  // Those between indices of the left-hand side. Two of them that one reduction variable is compared with are told
  // apart, too: which tiles it meets depends on their order.
  std::vector<PlacedComparison> between(const std::vector<std::string>& targets) const;
};

// Takes an equation's constraints apart. Reports those that are not about whole tiles, and comparisons of indices whose
// tiles differ. What a dimension says already is left out. `ranges`: the sizes that the tiled indices range over.
TileConstraints tile_constraints(const recurrence::Program& program, const Lift& lift,
                                 const recurrence::Equation& equation,
                                 const std::map<std::string, recurrence::Affine>& ranges, Diagnostics& diagnostics);

// All ways in which the comparisons can hold where `tiles` and `inside` are known; those with different tiles first.
std::vector<Choice> choices(const std::vector<PlacedComparison>& comparisons, const Comparisons& tiles,
                            const Comparisons& inside, const IndexOrder& order);

// Places inside tiles have names that no user can write.
bool is_inside(const std::string& name);
std::string inside_of(const std::string& tile);

} // namespace cyclotron::lower
