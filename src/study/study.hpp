// SPDX-License-Identifier: MIT
// `cyclotron study`: the experiments of the paper on the sparse abstract machine, run again on our graphs and
// simulator. Every number comes from a run; every run's result is compared with what the program means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::study {

struct StudyOptions {
  std::string name;               // "": list them
  std::vector<std::string> files; // matrices, for the studies that take some
  std::string output;             // .svg; "": no picture
  std::uint64_t seed = 1;
  bool quick = false; // few and small points
  bool json = false;
};

int study(const StudyOptions& options);

} // namespace cyclotron::study
