// SPDX-License-Identifier: MIT
#include "backend/array/statistics.hpp"

namespace cyclotron::array {

namespace {

double part_of_all(const Statistics& s, Time PeStatistics::*cycles) {
  Time sum = 0;
  for (const PeStatistics& pe : s.pes) sum += pe.*cycles;
  const double all = static_cast<double>(s.cycles) * static_cast<double>(s.pes.size());
  return all > 0 ? static_cast<double>(sum) / all : 0;
}

} // namespace

double Statistics::utilisation() const { return part_of_all(*this, &PeStatistics::computing); }
double Statistics::operating() const { return part_of_all(*this, &PeStatistics::operating); }

} // namespace cyclotron::array
