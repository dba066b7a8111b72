// SPDX-License-Identifier: MIT
#pragma once

#include "api/load.hpp"
#include "cyclotron/kernel.hpp"

namespace cyclotron::api {

// Throws Error where the options do not fit the program, or the target cannot do it.
Kernel compile(std::shared_ptr<Loaded> loaded, const Options& options, const std::string& name);

} // namespace cyclotron::api
