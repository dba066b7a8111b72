// SPDX-License-Identifier: MIT
#include "backend/c/names.hpp"

#include <cctype>

namespace cyclotron::backend::c {

std::string NameTable::function(const std::string& wanted) {
  return fresh(is_library_name(wanted) || is_file_name(wanted) ? wanted + "_kernel" : wanted);
}

std::string NameTable::fresh(const std::string& wanted) {
  const std::string stem = is_reserved(wanted) ? "v_" + wanted : wanted;
  std::string name = stem;
  for (int i = 2; !taken_.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
  return name;
}

bool mentions(const std::string& text, const std::string& word) {
  const auto in_comment = [&](std::size_t at) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1; // npos + 1 is 0
    return text.substr(line, at - line).find("//") != std::string::npos;
  };
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
    if (whole && !in_comment(at)) return true;
  }
  return false;
}

std::string harmless(const std::string& text) {
  std::string out;
  for (char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == ' ';
    out += plain ? c : '_';
  }
  return out;
}

std::string identifier(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') out += c;
    else if (c == '-') out += 'm';
    else if (c == '+') out += 'p';
  }
  return out;
}

} // namespace cyclotron::backend::c
