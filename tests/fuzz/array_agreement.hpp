// SPDX-License-Identifier: MIT
// A program on an array of processing elements beside the interpreter: the values, and the cycles found by three ways
// that know nothing of each other (the simulator, the rehearsal and, where there is one, the closed form).
#pragma once

#include "frontend/check.hpp"
#include "fuzz/compiled.hpp"
#include "pe/ir.hpp"
#include "schedule/ir.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

// Numbers of 64 bits as those of 32 where a program has both. On the array an empty sum is the literal 0, which takes
// the type of what stands beside it: what was to be computed with 64 bits may be computed with 32.
Tensors with_their_precision(Tensors outputs, const recurrence::Program& program);

struct ArrayOutcome {
  enum class Kind { agrees, refused, differs } kind = Kind::agrees;
  std::string text = {}; // of a refusal or a difference: why
  std::int64_t cycles = 0;
  std::string closed_form = {}; // empty where none is claimed
};

class OnArray {
public:
  // A program and its schedules.
  explicit OnArray(const std::string& text);
  ~OnArray();

  bool accepted() const; // by the front end
  const frontend::Checked& checked() const;
  std::string messages() const;
  const Sources& sources() const;
  const recurrence::Program& program() const;
  const std::vector<schedule::Schedule>& schedules() const;
  std::vector<std::string> indices() const;   // all index variables of its equations
  bool allows(const SizeValues& sizes) const; // by its assumptions

  // Random, with strong diagonals, so that factors and solutions exist.
  Tensors inputs(const SizeValues& sizes, std::uint64_t seed) const;

  // The program of the PEs, or nothing, with an error.
  std::optional<pe::Program> compile(const schedule::Schedule& schedule, const SizeValues& sizes,
                                     const std::vector<std::string>& torus, Diagnostics& diagnostics) const;

  // With random inputs. Integers must be equal, numbers of 64 bits up to 1e-9 and, where the program has numbers of 32
  // bits, all up to 1e-3, relative to the larger of 1 and the value. The ends of the axes in `torus` are joined.
  ArrayOutcome run(const schedule::Schedule& schedule, const SizeValues& sizes, std::uint64_t seed,
                   const std::vector<std::string>& torus = {});

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace cyclotron::fuzz
