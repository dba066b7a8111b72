// SPDX-License-Identifier: MIT
// The programs that the repository holds: examples, goldens and tests of messages.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

struct StoredProgram {
  std::string name; // relative to the repository
  std::string text; // of a golden: what stands before its expected output
};

inline std::vector<StoredProgram> programs_in(const std::vector<std::string>& folders) {
  std::vector<StoredProgram> list;
  for (const std::string& folder : folders) {
    const std::filesystem::path root = std::filesystem::path(CYCLOTRON_ROOT) / folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".cyc") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      const std::size_t end = text.find("\n#--- ");
      if (end != std::string::npos) text.resize(end + 1);
      list.push_back({std::filesystem::relative(entry.path(), CYCLOTRON_ROOT).string(), text});
    }
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return list;
}

} // namespace cyclotron::fuzz
