// SPDX-License-Identifier: MIT
#include "families.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace cyclotron::fuzz {

std::vector<Family> families_in(const char* folder) {
  const std::map<std::string, Content> kinds{
      {"lower", Content::lower}, {"upper", Content::upper}, {"spd", Content::spd}, {"dominant", Content::dominant}};
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cyc") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Family> list;
  for (const auto& path : paths) {
    std::ifstream in(path);
    Family family{path.stem().string(), {std::istreambuf_iterator<char>(in), {}}, {}};
    std::istringstream lines(family.text);
    for (std::string line; std::getline(lines, line);)
      for (const auto& [name, kind] : kinds)
        if (line.starts_with("# ") && line.ends_with(": " + name))
          family.contents[line.substr(2, line.size() - name.size() - 4)] = kind;
    list.push_back(std::move(family));
  }
  return list;
}

} // namespace cyclotron::fuzz
