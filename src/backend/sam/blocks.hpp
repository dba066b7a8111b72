// SPDX-License-Identifier: MIT
// What the blocks do: the body of each, in the order of its ports in stream/ports.hpp.
#pragma once

#include "backend/sam/arithmetic.hpp"
#include "backend/sam/unit.hpp"
#include "stream/ir.hpp"
#include "tensor/tensor.hpp"

#include <array>
#include <memory>
#include <vector>

namespace cyclotron::sam {

using engine::Body;
using engine::Time;

// --- scan.cpp ---
Body feed_root(Unit& unit); // one reference 0
// `keeps_empty`: the fiber of an `N` is `N`, else it is empty.
Body scan_compressed(Unit& unit, const tensor::Level& level, bool keeps_empty = true); // also singleton
// parents: how many there are; -1: any number
Body scan_dense(Unit& unit, std::int64_t size, std::int64_t parents, bool keeps_empty = true);
Body scan_bits(Unit& unit, const tensor::Level& level, bool keeps_empty = true); // words of 64 bits

// --- scan_skipping.cpp ---
Body scan_skipping(Unit& unit, const tensor::Level& level, engine::Simulation& simulation);

// --- locate.cpp ---
std::int64_t position_in(const tensor::Level& level, std::int64_t parent, std::int64_t coordinate); // -1: not there
Body locate(Unit& unit, const tensor::Level& level, std::int64_t parents);

// --- place.cpp ---
// offset + the sum of factors * coordinates.
struct Place {
  std::int64_t offset = 0;
  std::vector<std::int64_t> factors;
};
Body place_coordinates(Unit& unit, Place place);
Body look_up(Unit& unit, const tensor::Level& level, std::int64_t parents, Place place);

// --- buffer.cpp ---
struct Buffer {
  std::int64_t bytes = 0, rate = 1; // of the memory; a cycle
  Time latency = 0;
  int levels = 1;                   // of a fiber, with those below it
  std::vector<std::int64_t> fibers; // the bytes of each
};
struct BufferCounts {
  std::int64_t asked = 0, reads = 0, bytes = 0; // fibers asked for, fibers that were read, their bytes
};
Body buffer(Unit& unit, Buffer memory, BufferCounts& counts);

// --- coordinates.cpp ---
Body coordinates_as_values(Unit& unit, ValueType type);
// factor * coordinate + offset + the sum of others * coordinates of outer levels, compared with 0.
struct Condition {
  std::int64_t factor = 0, offset = 0;
  std::vector<std::int64_t> others;
  recurrence::Relation relation = recurrence::Relation::less;
};
Body mask_coordinates(Unit& unit, Condition condition);

// --- repeat.cpp ---
Body make_signals(Unit& unit);
Body repeat(Unit& unit);
Body hold(Unit& unit); // `crdhold`, first half: passes the inner stream on and makes signals for a `repeat`

// --- join.cpp ---
enum class Join { intersection, united };
// Two sides; `last`: of a chain; `keeps_empty`: what no side has is `N`. Two outputs more than references and
// coordinates need are skip wires.
Body join(Unit& unit, Join kind, std::size_t first_width, std::size_t second_width, bool last, bool keeps_empty);

// --- compute.cpp ---
Body load_values(Unit& unit, const tensor::Values& values);
// The operands of an ALU: constants in their places, and where the values of its ports go.
struct Operands {
  struct Port {
    std::size_t place = 0;
    ValueType from = ValueType::f64, to = ValueType::f64; // type in the stream, type to compute with
  };
  std::array<Word, 3> words = {};
  std::vector<Port> ports;
};
Body compute(Unit& unit, Calculation calculation, Operands operands);
Body reduce(Unit& unit, Combination combination, bool keeps_empty);

// --- drop.cpp ---
Body drop_stops(Unit& unit);
Body drop_coordinates(Unit& unit, bool on_values, ValueType type);

// --- accumulate.cpp ---
// Points of one group with their values, sorted; they go on to two others at once.
struct Group {
  std::vector<std::int64_t> coordinates; // all levels, point by point; none: the last group
  std::vector<Word> values;
};
using Groups = engine::Channel<std::shared_ptr<const Group>>;
Body accumulate(Unit& unit, std::size_t outer, std::size_t order, Combination combination, Groups& to_values,
                Groups& to_coordinates);
Body put_values(Unit& unit, Groups& from);
Body put_coordinates(Unit& unit, Groups& from);

// --- split.cpp ---
Body split(Unit& unit, std::int64_t factor);
Body flatten(Unit& unit, std::int64_t factor);

// --- copies.cpp ---
Body parallelize(Unit& unit);
Body serialize(Unit& unit);
Body serialize_fibers(Unit& unit, int below); // of streams that are so many levels further in

// --- bits.cpp ---
// `bvconvert`: one unit collects a fiber, the other puts its words out.
struct BitFiber {
  std::vector<std::uint64_t> words; // none: a stop or the end
  Token end;
};
using Fibers = engine::Channel<BitFiber>;
Body collect_bits(Unit& unit, std::int64_t width, std::int64_t size, Fibers& to);
Body put_bits(Unit& unit, Fibers& from);
// The references of words are those of their first bit, or there is one for each bit.
Body expand_bits(Unit& unit, std::int64_t width, bool reference_a_bit);
Body join_bits(Unit& unit, Join kind);

// --- drop_bits.cpp ---
Body pass_twice(Unit& unit);
Body clear_bits(Unit& unit, bool keeps_zeros);
Body drop_empty_fibers(Unit& unit);

// --- write.cpp ---
struct Written {
  std::vector<std::int64_t> coordinates; // -1: `N`
  std::vector<std::int64_t> ends;        // of its fibers
  std::vector<Word> values;
  int level = -1; // of its last stop
};
Body write_level(Unit& unit, Written& written, bool skips_empty);
Body write_bits(Unit& unit, Written& written, std::int64_t width, bool skips_empty);
Body write_values(Unit& unit, Written& written);
Body write_points(Unit& unit, Written& written); // coordinates point by point

} // namespace cyclotron::sam
