// SPDX-License-Identifier: MIT
// Programs for PEs as texts, for any size: what the tests of this folder are about.
#pragma once

#include "pe/file.hpp"
#include "pe/ir.hpp"

#include <string>

namespace cyclotron::pe {

// C(i,j) = sum[k](A(i,k) * B(k,j)) with A(i,k) in the PE (i,k); B flows down and C to the right. The weights are there
// at once, or are shifted down row by row from the upper edge.
std::string weight_stationary(int rows, int columns, int steps, bool shifted_weights = false);

// C(i,j) in the PE (i,j); A flows to the right and B down.
std::string output_stationary(int rows, int columns, int steps);

// L x = b on n PEs in a row, each with its row of L in a table; x flows on.
std::string triangular_solve(int n);

// A text and what is made of it.
struct PeText {
  Sources sources;
  Diagnostics diagnostics{sources};
  std::optional<Program> program;

  explicit PeText(std::string text) { program = parse(sources.add("a.pe", std::move(text)), diagnostics); }
  std::string report() const { return diagnostics.render(false); }
};

// The program; ends the test run where it is none.
Program parsed(const std::string& text);

} // namespace cyclotron::pe
