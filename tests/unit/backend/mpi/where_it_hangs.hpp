// SPDX-License-Identifier: MIT
// Names what a rank was doing when it takes too long, crashes, or is ended by MPI: then no test framework can.
#pragma once

#include <string>

namespace cyclotron::mpi {

class NamedWhenItHangs {
public:
  NamedWhenItHangs(const std::string& what, unsigned seconds);
  ~NamedWhenItHangs();
  NamedWhenItHangs(const NamedWhenItHangs&) = delete;
  NamedWhenItHangs& operator=(const NamedWhenItHangs&) = delete;

private:
  std::string words_;
};

} // namespace cyclotron::mpi
