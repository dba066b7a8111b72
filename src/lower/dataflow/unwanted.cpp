// SPDX-License-Identifier: MIT
#include "lower/dataflow/unwanted.hpp"

namespace cyclotron::lower {

void drop_unwanted(dataflow::Program& program, const std::set<std::string>& unwanted) {
  std::erase_if(program.exports, [&](const dataflow::Export& e) { return unwanted.count(e.tensor) > 0; });
  std::erase_if(program.constants, [&](const dataflow::Constant& c) { return unwanted.count(c.tensor) > 0; });
}

} // namespace cyclotron::lower
