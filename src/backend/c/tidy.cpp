// SPDX-License-Identifier: MIT
#include "backend/c/tidy.hpp"

#include <vector>

namespace cyclotron::backend::c {

namespace {

// Whether what stands left of a bracket starts an expression, and what stands right of its partner ends one.
bool starts(const std::string& line, std::size_t at) {
  if (at == 0) return false;
  if (line[at - 1] == '(') return true;
  return at >= 2 && line[at - 1] == ' ' && (line[at - 2] == ',' || line[at - 2] == '=') &&
         !(line[at - 2] == '=' && at >= 3 &&
           (line[at - 3] == '=' || line[at - 3] == '!' || line[at - 3] == '<' || line[at - 3] == '>'));
}

bool ends(const std::string& line, std::size_t at, char left) {
  if (at >= line.size()) return false;
  return line[at] == ';' ? left == '=' : left != '=' && (line[at] == ')' || line[at] == ',');
}

std::string tidy_line(std::string line) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '(') open.push_back(i);
    if (line[i] != ')' || open.empty()) continue;
    const std::size_t from = open.back();
    open.pop_back();
    const char left = from >= 2 && line[from - 1] == ' ' ? line[from - 2] : '(';
    if (!starts(line, from) || !ends(line, i + 1, left)) continue;
    line.erase(i, 1);
    line.erase(from, 1);
    i -= 2;
  }
  return line;
}

} // namespace

std::string without_needless_brackets(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    at = end;
    const std::size_t first = line.find_first_not_of(' ');
    const bool code = first != std::string::npos && line[first] != '#' && line.find("//") == std::string::npos;
    out += code ? tidy_line(line) : line;
  }
  return out;
}

} // namespace cyclotron::backend::c
