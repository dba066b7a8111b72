// SPDX-License-Identifier: MIT
#include "support/quote.hpp"

namespace cyclotron {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string unquote(std::string_view inside) {
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\' && i + 1 < inside.size()) ++i;
    out += inside[i];
  }
  return out;
}

} // namespace cyclotron
