// SPDX-License-Identifier: MIT
// What stands on a command line besides words: NAME=VALUE, numbers, lists, one of several words. What cannot be read is
// told with what was expected, what was found, and how to write it.
#pragma once

#include "driver/commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Prints an error, and a hint unless it is empty; false, for the caller to return.
bool fail(const std::string& message, const std::string& hint);

// NAME=VALUE; reports a text that is not. `form` is for the message: "NAME=FILE after -o".
bool split_all(const std::vector<std::string>& texts, const char* form,
               std::vector<cyclotron::driver::Assignment>& list);

// `1,2` and `4` -> {"1", "2", "4"}.
std::vector<std::string> items_of(const std::vector<std::string>& texts, char separator);

std::optional<std::int64_t> number_in(const std::string& text, std::int64_t least, std::int64_t most = 999'999'999);

// A list of whole numbers such as `1,2,4`, without repetitions, in place of what `to` holds, where anything was given.
bool read_numbers(const char* option, const std::vector<std::string>& texts, std::int64_t least,
                  std::vector<std::int64_t>& to);

// An option that may be given several times and takes one text each time, so that the words behind it stay what they
// are: inputs.
CLI::Option* add_texts(CLI::App& app, const char* name, std::vector<std::string>& to, const std::string& meaning,
                       const char* form);

// The value must be a whole number in that range; a number of at least 0, or above 0, whole or not; one of these words.
CLI::Option* take_whole(CLI::Option* option, std::int64_t least, std::int64_t most = 999'999'999);
CLI::Option* take_real(CLI::Option* option);
CLI::Option* take_positive(CLI::Option* option);
CLI::Option* take_word(CLI::Option* option, const std::vector<std::string>& words);

// The program with what all verbs know about it.
void add_program(CLI::App& command, cyclotron::driver::CommonOptions& common);
void add_inputs(CLI::App& command, std::vector<std::string>& inputs,
                const char* meaning = "inputs and sizes, NAME=VALUE");
void add_only(CLI::App& command, cyclotron::driver::CommonOptions& common);
