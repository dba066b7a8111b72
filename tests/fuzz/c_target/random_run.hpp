// SPDX-License-Identifier: MIT
// A random program in random formats, run by a random schedule on random inputs.
#pragma once

#include "fuzz/compiled.hpp"
#include "fuzz/random_program.hpp"

#include <optional>
#include <random>

namespace cyclotron::fuzz {

// `how` decides formats, order and commands; all zero, or empty, is dense and without a schedule.
struct RandomRun {
  RandomProgram program;
  std::vector<int> how;
};

void showValue(const RandomRun& run, std::ostream& os);

// The program's text in other formats, with a schedule; nothing where the front end rejects the program.
std::optional<std::string> text_of(const RandomRun& run);

// One round of sizes is large, for what native code does to many elements at a time.
constexpr int large_round = 2;

// 0, 1, 2, 3, 5, 7, 8 in other rounds, as far as the program's assumptions allow.
SizeValues some_sizes(const recurrence::Program& program, std::uint64_t seed, int round);

// What a family of programs asks of its square inputs.
enum class Content { any, full, dominant, spd, lower, upper };

Tensors some_inputs(const recurrence::Program& program, const SizeValues& sizes,
                    const std::map<std::string, Content>& contents, std::uint64_t seed);

} // namespace cyclotron::fuzz

template <> struct rc::Arbitrary<cyclotron::fuzz::RandomRun> { static Gen<cyclotron::fuzz::RandomRun> arbitrary(); };
