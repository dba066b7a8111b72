// SPDX-License-Identifier: MIT
// Statistics of runs as the simulator would give them, made from closed forms of when every PE does what.
#pragma once

#include "backend/array/statistics.hpp"

namespace cyclotron::array {

// An R x C array with stationary weights, M rows of A: the weights are shifted down, A flows right, sums flow down.
// 2R + C + M - 2 cycles, nine roles where R and C are at least 3.
Statistics weight_stationary_run(std::int64_t rows, std::int64_t columns, std::int64_t m);

// n PEs in a row; PE i takes x(0) … x(i-1) away, then divides. 2n - 1 cycles.
Statistics triangular_solve_run(std::int64_t n);

// Cannon's algorithm on a torus: A moves left, B moves up, everyone computes all the time. n cycles.
Statistics cannon_run(std::int64_t n);

// The same run with what a simulator records only when asked to left out.
Statistics without_records(Statistics statistics);

} // namespace cyclotron::array
