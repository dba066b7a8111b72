// SPDX-License-Identifier: MIT
// Every family of rows.
#pragma once

#include "bench.hpp"

namespace cyclotron::bench {

void solves(Bench& bench);
void cholesky(Bench& bench);
void floyd_warshall(Bench& bench);
void needleman_wunsch(Bench& bench);
void gauss_seidel(Bench& bench);
void viterbi(Bench& bench);
void matrix_algebra(Bench& bench);
void sparse_results(Bench& bench);
void tensor_algebra(Bench& bench);
void lanes(Bench& bench);
void compile_times(Bench& bench);

} // namespace cyclotron::bench
