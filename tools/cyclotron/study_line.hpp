// SPDX-License-Identifier: MIT
// The command line of `cyclotron study`.
#pragma once

#include "study/study.hpp"

#include <CLI/CLI.hpp>

CLI::App* add_study(CLI::App& app, cyclotron::study::StudyOptions& options);
