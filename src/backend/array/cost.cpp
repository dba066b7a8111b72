// SPDX-License-Identifier: MIT
#include "backend/array/cost.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace cyclotron::array {

namespace {

// Where the work is not as large as the shapes suggest: the extents whose product it is, and what part of it.
struct Work {
  std::string_view kernel;
  std::string_view extents;
  double share;
};

constexpr Work known_work[] = {
    {"POTRF", "mmm", 1.0 / 6},    {"GETRF", "mmm", 1.0 / 3},    {"GETRF_L", "mmm", 1.0 / 3},
    {"GETRF_U", "mmm", 1.0 / 3},  {"TRSM", "mmn", 1.0 / 2},     {"TRSM_LLU", "mmn", 1.0 / 2},
    {"TRSM_LLT", "mmn", 1.0 / 2}, {"TRSM_LUN", "mmn", 1.0 / 2}, {"TRSM_RLN", "nnm", 1.0 / 2},
    {"TRSM_RLT", "nnm", 1.0 / 2}, {"TRSM_RUN", "nnm", 1.0 / 2}, {"TRSV", "mm", 1.0 / 2},
    {"TRSV_LU", "mm", 1.0 / 2},   {"TRSV_UN", "mm", 1.0 / 2},   {"SYRK", "mmk", 1.0},
    {"TRANSPOSE", "", 0.0},
};

double extent_of(char letter, const recurrence::Kernel& kernel, const std::vector<recurrence::Tile>& arguments) {
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
    if (const std::size_t d = kernel.arguments[i].find(letter); d != std::string_view::npos)
      return static_cast<double>(arguments[i].dims[d]);
  return 1;
}

} // namespace

double multiply_adds(const recurrence::Kernel& kernel, const std::vector<recurrence::Tile>& arguments) {
  const auto known = std::find_if(std::begin(known_work), std::end(known_work),
                                  [&](const Work& w) { return w.kernel == kernel.name; });
  std::string extents;
  if (known != std::end(known_work)) extents = known->extents;
  else // every extent once, as in a product of matrices
    for (std::string_view letters : kernel.arguments)
      for (char letter : letters)
        if (extents.find(letter) == std::string::npos) extents += letter;
  double product = known != std::end(known_work) ? known->share : 1;
  for (char letter : extents) product *= extent_of(letter, kernel, arguments);
  return product;
}

Time cycles_of(const recurrence::Kernel& kernel, const std::vector<recurrence::Tile>& arguments,
               const Machine& machine) {
  Time cycles = 1;
  if (const auto given = machine.kernel_cycles.find(std::string(kernel.name)); given != machine.kernel_cycles.end())
    cycles = given->second;
  else if (machine.cycles_per_multiply_add > 0)
    cycles = static_cast<Time>(std::ceil(machine.cycles_per_multiply_add * multiply_adds(kernel, arguments)));
  return std::max<Time>(cycles, 1);
}

} // namespace cyclotron::array
