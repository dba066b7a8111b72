// SPDX-License-Identifier: MIT
#include "backend/c/vector_text.hpp"

#include <cctype>

namespace cyclotron::backend::c {

namespace {

constexpr char sign = '$'; // which C text of ours never has: then the member and the number of members, a digit each
constexpr std::size_t length = 3;

int member_at(const std::string& text, std::size_t at) { return text[at + 1] - '0'; }
int width_at(const std::string& text, std::size_t at) { return text[at + 2] - '0'; }

// Sums and products only: no calls, no choices, nothing that vectors do not have.
bool is_arithmetic(const std::string& text) {
  if (text.find_first_of("?<>&|!=") != std::string::npos) return false;
  for (std::size_t at = 0; (at = text.find('(', at)) != std::string::npos; ++at)
    if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')) return false;
  return true;
}

// How many members the vector has that a line assigns to; 0: it does something else.
int width_assigned(const std::string& line) {
  std::size_t end = line.find(" += "), size = 4;
  if (end == std::string::npos) end = line.find(" -= ");
  if (end == std::string::npos) end = line.find(" = "), size = 3;
  if (end == std::string::npos || end < length || line[end - length] != sign) return 0;
  const std::string value = line.substr(end + size);
  return is_arithmetic(value) && value.find(sign) != std::string::npos ? width_at(line, end - length) : 0;
}

std::string as_elements(std::string text) {
  for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos;)
    text.replace(at, length, {'[', text[at + 1], ']'});
  return text;
}

} // namespace

std::string member_mark(std::size_t member, std::size_t width) {
  return sign + std::to_string(member) + std::to_string(width);
}

std::string with_suffix(const std::string& name, const std::string& suffix) {
  const std::size_t mark = name.find(sign);
  return mark == std::string::npos ? name + suffix : name.substr(0, mark) + suffix + name.substr(mark);
}

std::string without_mark(const std::string& name) { return name.substr(0, name.find(sign)); }

std::optional<std::string> on_whole_vectors(const std::vector<std::string>& texts) {
  std::optional<std::string> whole;
  for (std::size_t member = 0; member < texts.size(); ++member) {
    std::string text = texts[member];
    for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos;) {
      if (member_at(text, at) != static_cast<int>(member) || width_at(text, at) != static_cast<int>(texts.size()))
        return std::nullopt;
      text.erase(at, length);
    }
    if (text == texts[member] || (whole && text != *whole)) return std::nullopt;
    whole = text;
  }
  return whole;
}

std::string without_member_marks(const std::string& code) {
  if (code.find(sign) == std::string::npos) return code;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size() - 1) + 1;
    lines.push_back(code.substr(at, end - at));
    at = end;
  }
  std::string out;
  for (std::size_t l = 0; l < lines.size();) {
    const auto width = static_cast<std::size_t>(width_assigned(lines[l]));
    std::optional<std::string> whole;
    if (width > 0 && l + width <= lines.size())
      whole = on_whole_vectors(
          {lines.begin() + static_cast<std::ptrdiff_t>(l), lines.begin() + static_cast<std::ptrdiff_t>(l + width)});
    out += whole ? *whole : as_elements(lines[l]);
    l += whole ? width : 1;
  }
  return out;
}

} // namespace cyclotron::backend::c
