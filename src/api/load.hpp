// SPDX-License-Identifier: MIT
// A program read and checked for the API, with its own sources and its own isl context: nothing is shared between two.
#pragma once

#include "cyclotron/options.hpp"
#include "frontend/check.hpp"

#include <memory>
#include <string>

namespace cyclotron::api {

struct Loaded {
  Sources sources;
  std::shared_ptr<const frontend::Checked> checked;
  std::vector<schedule::Schedule> given; // in the options
  const schedule::Schedule* schedule = nullptr;
  std::string warnings;
};

// Both throw Error.
std::shared_ptr<Loaded> load(const std::string& text, const std::string& name);
void choose_schedule(Loaded& loaded, const Options& options);

} // namespace cyclotron::api
