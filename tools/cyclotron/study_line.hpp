// SPDX-License-Identifier: MIT
// The command line of `cyclotron study`.
#pragma once

#include "driver/study.hpp"

#include <CLI/CLI.hpp>

CLI::App* add_study(CLI::App& app, cyclotron::driver::StudyOptions& options);
