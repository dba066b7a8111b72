// SPDX-License-Identifier: MIT
// An algorithm of tensor algebra in a line: an equation, and how its tensors are stored.
//
//   y(i) = A(i,j) * x(j)    with formats    y d, A ds, x d
//
// One letter for each level in the order of storage, `d` dense or `s` sparse (compressed); digits after them say which
// dimension each level holds where that is not 0, 1, 2, ...: `A ds10` is csc. Scalars have no levels and are not
// listed.
#pragma once

#include "study/runner.hpp"

namespace cyclotron::study {

struct Algorithm {
  std::string equation;
  std::string formats;
  std::string order = {}; // of the loops: `ikj`; "": as the compiler likes
};

// A program with a size `n_i` for each index `i`.
std::string program_of(const Algorithm& algorithm);

// Every input random, with some zeros where it is sparse; sizes from 4 up, all different.
std::optional<StudyInputs> small_inputs(const Algorithm& algorithm, StudyRunner& runner);

} // namespace cyclotron::study
