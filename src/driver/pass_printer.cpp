// SPDX-License-Identifier: MIT
#include "driver/pass_printer.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

void PassPrinter::show(std::string_view pass, const std::string& text) {
  const bool changed = text != last_;
  fmt::print("# after {}{}\n{}", pass, changed ? "" : ": unchanged", changed ? text + "\n" : "");
  last_ = text;
}

} // namespace cyclotron::driver
