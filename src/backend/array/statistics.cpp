// SPDX-License-Identifier: MIT
#include "backend/array/statistics.hpp"

namespace cyclotron::array {

double Statistics::utilisation() const {
  Time computing = 0;
  for (const PeStatistics& pe : pes) computing += pe.computing;
  const double all = static_cast<double>(cycles) * static_cast<double>(pes.size());
  return all > 0 ? static_cast<double>(computing) / all : 0;
}

} // namespace cyclotron::array
