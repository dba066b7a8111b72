// SPDX-License-Identifier: MIT
// The kinds of levels that a tensor can be stored in, and what each of them has and can do: a row per kind.
//
// The rest of the compiler asks this table ("is every coordinate stored?", "has it positions?") and not which kind a
// level is. A new kind is a row here, its storage (pack, walk, locate, verify, fiber_bytes), and what the targets that
// support it add.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::tensor {

// dense:      every coordinate 0 .. size-1 is stored.
// compressed: the stored coordinates of each parent, sorted; positions say where a parent's begin.
// singleton:  exactly one coordinate per parent position.
// bitvector:  one bit per coordinate of each parent; positions count the set bits before a parent.
enum class LevelKind { dense, compressed, singleton, bitvector };

// How the entry of a parent that has a given coordinate is found.
enum class Locate {
  directly,  // its position follows from the coordinate
  by_search, // the coordinates ascend: halving finds it
  by_rank,   // a bit says whether it is there, and the number of bits set before it says where
};

struct LevelProperties {
  LevelKind kind = LevelKind::dense;
  std::string_view name;
  char letter = ' '; // in the short form of formats: `ds` is a dense level over a compressed one
  // The arrays that store it.
  bool positions = false;   // where the entries of each parent begin, and behind the last one, where they end
  bool coordinates = false; // of each entry
  bool bits = false;        // for each parent, one for each coordinate of the dimension
  // What holds for its entries.
  bool full = false;       // every parent has one for every coordinate of the dimension
  bool branchless = false; // every parent has exactly one
  bool may_repeat = false; // several entries of one parent may have the same coordinate, and differ further down
  Locate locate = Locate::directly;

  // Each parent has a list of coordinates of its own, between two positions.
  constexpr bool listed() const { return positions && coordinates; }
};

// A row for each kind, in the order of the enumeration.
inline constexpr std::array level_table = {
    LevelProperties{.kind = LevelKind::dense, .name = "dense", .letter = 'd', .full = true},
    LevelProperties{.kind = LevelKind::compressed,
                    .name = "compressed",
                    .letter = 's',
                    .positions = true,
                    .coordinates = true,
                    .may_repeat = true,
                    .locate = Locate::by_search},
    LevelProperties{.kind = LevelKind::singleton,
                    .name = "singleton",
                    .letter = 'q',
                    .coordinates = true,
                    .branchless = true,
                    .may_repeat = true,
                    .locate = Locate::by_search},
    LevelProperties{.kind = LevelKind::bitvector,
                    .name = "bitvector",
                    .letter = 'b',
                    .positions = true,
                    .bits = true,
                    .locate = Locate::by_rank},
};

constexpr const LevelProperties& properties_of(LevelKind kind) { return level_table[static_cast<std::size_t>(kind)]; }

// The question that is asked most.
constexpr bool is_full(LevelKind kind) { return properties_of(kind).full; }

constexpr std::string_view name_of(LevelKind kind) { return properties_of(kind).name; }
std::optional<LevelKind> level_kind_named(std::string_view name);
const std::vector<std::string>& level_kind_names();

} // namespace cyclotron::tensor
