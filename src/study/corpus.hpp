// SPDX-License-Identifier: MIT
// A corpus of tensor algebra for the ablation study: what people write, in formats that people use. It is ours; the
// published study has the programs that visitors of a web page compiled, which are not to be had.
#pragma once

#include "study/algorithm.hpp"

namespace cyclotron::study {

// All different: an equation counts once for each choice of formats.
std::vector<Algorithm> corpus();

} // namespace cyclotron::study
