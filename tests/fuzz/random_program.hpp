// SPDX-License-Identifier: MIT
// Random legal programs with random sizes and inputs, for tests that compare one way to run a program with another.
//
//   check_property(100, [](const fuzz::RandomProgram& p) { ... });
//
// rapidcheck draws a list of numbers; the text is a function of them, so a failure shrinks to a short program.
#pragma once

#include "recurrence/ir.hpp"
#include "tensor/tensor.hpp"

#include <rapidcheck.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

struct RandomProgram {
  std::vector<int> choices;
  std::uint64_t seed = 0;           // of the sizes and inputs
  std::string text;                 // the program
  std::map<std::string, int> least; // smallest values that its `assume`s allow
};

void showValue(const RandomProgram& program, std::ostream& os);

RandomProgram make_program(const std::vector<int>& choices, std::uint64_t seed);

// Small sizes, different ones for different rounds: 0, 1, 2, 3, 5, 7 in all mixtures.
std::map<std::string, std::int64_t> random_sizes(const recurrence::Program& program, const RandomProgram& random,
                                                 int round);

// An input for every tensor that the program does not define, in its declared format, some elements zero.
std::map<std::string, tensor::Tensor>
random_inputs(const recurrence::Program& program, const std::map<std::string, std::int64_t>& sizes, std::uint64_t seed);

} // namespace cyclotron::fuzz

template <> struct rc::Arbitrary<cyclotron::fuzz::RandomProgram> {
  static Gen<cyclotron::fuzz::RandomProgram> arbitrary();
};
