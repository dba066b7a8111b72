// SPDX-License-Identifier: MIT
// The folder of compiled kernels. For each key there are KEY.so and the source it was made from, KEY.c; or, under keys
// of their own, memories that lead to them, KEY.memory.
//
// A file appears whole, by renaming. It can still be damaged later: a disk fills up, a machine loses power, a user
// edits it. So KEY.so and KEY.memory end with a seal: their key and the hash of the bytes before it. A file whose seal
// is missing or wrong is treated as if it were not there.
#pragma once

#include "backend/c/build.hpp"

#include <optional>
#include <string>

namespace cyclotron::backend::c {

// Where kernels go by these options and the environment; "" where only a private folder is left.
std::string lasting_folder(const BuildOptions& options);

std::string entry_path(const std::string& folder, const std::string& key, const std::string& ending);

// True where there is a whole KEY.so that only we can have written. Counts as a use.
bool has_entry(const std::string& folder, const std::string& key);

// Seals `built` (in the same file system) and makes it KEY.so. Returns why that failed, "" where it did not.
std::string add_entry(const std::string& folder, const std::string& key, const std::string& built);

// The text of KEY.memory, where there is a whole one that only we can have written. Counts as a use.
std::optional<std::string> read_memory(const std::string& folder, const std::string& key);

// Not being able to is no trouble: the next process finds out again.
void write_memory(const std::string& folder, const CacheLimits& limits, const std::string& key,
                  const std::string& text);

void remove_entry(const std::string& folder, const std::string& key);

// Brings the folder under its limits, oldest use first, and never removes `kept`. Others may go on using the folder:
// what is loaded stays loaded, and what is missing is built again. Also removes what killed processes have left.
void trim(const std::string& folder, const CacheLimits& limits, const std::string& kept);

// Looks whether there is need of `trim`, mostly only by counting names.
void trim_now_and_then(const std::string& folder, const CacheLimits& limits, const std::string& added);

} // namespace cyclotron::backend::c
