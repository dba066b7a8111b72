// SPDX-License-Identifier: MIT
// What is wrong with a command line, in our words instead of the option parser's.
#pragma once

#include "verbs.hpp"

#include <vector>

// Prints it; the exit code.
int report(const CLI::ParseError& error, const CLI::App& app, const std::vector<Verb>& verbs);

// Where the first word is no verb: prints that, and is true.
bool is_no_verb(int argc, char** argv, const std::vector<Verb>& verbs);
