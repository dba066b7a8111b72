// SPDX-License-Identifier: MIT
#include "lower/pe/scan.hpp"

namespace cyclotron::lower {

std::vector<pe::Statement> scan(const dataflow::Program& program, const std::vector<Visit>& visits,
                                const isl::set& known, const MakeStatement& make, int& levels) {
  return statements_of(visit_loops(*program.context, *program.source, visits, known, levels), make);
}

} // namespace cyclotron::lower
