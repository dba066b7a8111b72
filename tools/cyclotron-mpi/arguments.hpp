// SPDX-License-Identifier: MIT
// The command line of cyclotron-mpi, read without further libraries: a cluster may have none.
#pragma once

#include "pe/placement.hpp"

#include <map>
#include <optional>
#include <string>

namespace cyclotron_mpi {

struct Arguments {
  std::string program;
  std::map<std::string, std::string> inputs, outputs; // name, and file or generator
  std::optional<cyclotron::pe::Spread> spread;
  bool messages = false; // on one node, too
  int repeat = 1;
  std::string json, status, measure; // files
  std::string checkpoint;            // a folder
  double checkpoint_every = 60;      // seconds
  bool predict = false, profile = false, quiet = false, help = false;
};

// Nothing where it cannot be read: the reason is printed.
std::optional<Arguments> read_arguments(int count, char** words);

} // namespace cyclotron_mpi
