// SPDX-License-Identifier: MIT
// A corpus of tensor algebra for the ablation study: what people write, in formats that people use. It is ours; the
// published study has the programs that visitors of a web page compiled, which are not to be had.
#pragma once

#include "driver/study_algorithm.hpp"

namespace cyclotron::driver {

// All different: an equation counts once for each choice of formats.
std::vector<Algorithm> corpus();

} // namespace cyclotron::driver
