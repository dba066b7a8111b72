// SPDX-License-Identifier: MIT
// The vector registers that values wait in, as variables of a kernel: for each vector of a strip one register, or as
// many as there are steps to wait.
//
//   z: back 1, coalesced, 2 vectors   -->   var z_0: f32 lanes; var z_1: f32 lanes
//   y: back 2                         -->   var y_0: f32 lanes; var y_0_back1: f32 lanes; var y_0_back2: f32 lanes
//
// Where loops are written out, there are such registers for each of their iterations: for each slot (lanes/slots.hpp).
#pragma once

#include "lanes/reads.hpp"
#include "lower/code/names.hpp"
#include "lower/code/operations.hpp"

#include <string>
#include <vector>

namespace cyclotron::lower {

class Registers {
public:
  Registers(const lanes::Program& program, const lanes::Reads& reads, const Arithmetic& arithmetic, FreshNames& names);

  void declare(code::Body& to) const;

  // A vector of the strip, and a slot.
  struct Where {
    std::int64_t vector = 0;
    std::size_t slot = 0;
  };

  // The register that a value is computed into.
  const std::string& now(std::size_t value, Where where) const { return at(value, where, 0); }

  // What was computed `back` steps before, `distance` elements before, for every lane of a vector. Elements that come
  // from before the strip, or from behind it, get lanes of `beyond`, which may be missing: then they may be anything.
  code::Expr read(std::size_t value, Where where, std::int64_t back, std::int64_t distance,
                  const code::Expr& beyond) const;

  // Whether such a read has lanes whose element is in another strip.
  bool leaves_strip(std::int64_t vector, std::int64_t distance) const;

  // Whether some value has registers for several steps; then `step` moves all of them on, once in every step.
  bool rotate() const;
  void step(code::Body& to) const;

private:
  const std::string& at(std::size_t value, Where where, std::int64_t back) const;
  std::size_t depth(std::size_t value, std::size_t slot) const;

  const lanes::Program& program_;
  const lanes::Reads& reads_;
  Arithmetic arithmetic_;
  std::vector<std::vector<std::vector<std::vector<std::string>>>> names_; // value, vector, slot, back
};

} // namespace cyclotron::lower
