// SPDX-License-Identifier: MIT
#include "backend/c/tidy.hpp"

#include "backend/c/names.hpp"

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

namespace {

// The name that a line declares as an element of an array, which can be left out where nobody uses it.
std::string declared_coordinate(const std::string& line) {
  static const std::string start = "const int64_t ";
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos || line.compare(first, start.size(), start) != 0) return "";
  const std::size_t name = first + start.size(), equals = line.find(" = ", name);
  if (equals == std::string::npos || line.find_first_of("(?,", equals) != std::string::npos) return "";
  if (line.find('[', equals) == std::string::npos) return "";
  return line.substr(name, equals - name);
}

} // namespace

std::string without_unused_coordinates(const std::string& text) {
  std::string out = text;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t next = std::min(out.find('\n', at), out.size() - 1) + 1;
    const std::string line = out.substr(at, next - at);
    const std::string name = declared_coordinate(line);
    if (!name.empty()) {
      const std::size_t depth = line.find_first_not_of(' ');
      // The block ends with the first line that stands further out; those for the preprocessor stand anywhere.
      const auto inside = [&](std::size_t begin) {
        return out[begin] == '\n' || out[begin] == '#' || out.find_first_not_of(' ', begin) - begin >= depth;
      };
      std::size_t end = next;
      while (end < out.size() && inside(end)) end = std::min(out.find('\n', end), out.size() - 1) + 1;
      if (!mentions(out.substr(next, end - next), name)) {
        out.erase(at, next - at);
        continue;
      }
    }
    at = next;
  }
  return out;
}

} // namespace cyclotron::backend::c
