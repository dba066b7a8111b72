// SPDX-License-Identifier: MIT
#include "xml_check.hpp"

#include <cctype>
#include <regex>
#include <set>
#include <vector>

namespace cyclotron::report {

namespace {

std::string text_problem(const std::string& text) {
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const std::string entity = text.substr(at, text.find(';', at) - at + 1);
    if (!std::set<std::string>{"&amp;", "&lt;", "&gt;", "&quot;"}.count(entity)) return "unknown entity " + entity;
  }
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return "a control character";
  return "";
}

std::string attribute_problem(const std::string& inside) {
  static const std::regex attribute(R"re(\s+([\w:-]+)="([^"<]*)")re");
  std::set<std::string> names;
  std::size_t end = 0;
  for (std::sregex_iterator it(inside.begin(), inside.end(), attribute), none; it != none; ++it) {
    if (static_cast<std::size_t>(it->position()) != end) break;
    end = static_cast<std::size_t>(it->position() + it->length());
    if (!names.insert((*it)[1]).second) return "attribute twice: " + (*it)[1].str();
    if (const std::string problem = text_problem((*it)[2]); !problem.empty()) return problem;
  }
  return end == inside.size() ? "" : "bad attributes: " + inside.substr(end);
}

} // namespace

std::string xml_problem(const std::string& text) {
  std::vector<std::string> open;
  std::size_t at = text.rfind("<!DOCTYPE html>\n", 0) == 0 ? 16 : 0;
  bool had_root = false;
  while (at < text.size()) {
    const std::size_t tag = std::min(text.find('<', at), text.size());
    const std::string between = text.substr(at, tag - at);
    if (const std::string problem = text_problem(between); !problem.empty()) return problem;
    if (tag == text.size()) break;
    if (open.empty() && had_root) return "something after the root";
    const std::size_t end = text.find('>', tag);
    if (end == std::string::npos) return "a tag that does not end";
    std::string inside = text.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside[0] == '/') {
      if (open.empty() || open.back() != inside.substr(1)) return "closes " + inside;
      open.pop_back();
      continue;
    }
    const bool closed = inside.back() == '/';
    if (closed) inside.pop_back();
    const std::size_t name = std::min(inside.find_first_of(" \n"), inside.size());
    if (const std::string problem = attribute_problem(inside.substr(name)); !problem.empty()) return problem;
    had_root = true;
    if (!closed) open.push_back(inside.substr(0, name));
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

} // namespace cyclotron::report
