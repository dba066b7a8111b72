// SPDX-License-Identifier: MIT
// Text to tokens. Line ends separate statements, except where a line plainly goes on: inside brackets, after an
// operator or comma, and before a line that starts with an operator or `:`.
#pragma once

#include "support/diagnostics.hpp"

#include <string_view>
#include <vector>

namespace cyclotron::frontend {

enum class TokenKind { name, number, text, symbol, line_end, file_end };

struct Token {
  TokenKind kind = TokenKind::file_end;
  std::string_view text; // of the source; without the quotes for a text; what is meant by a foreign symbol
  Span span;
};

// Ends with a file_end token. Characters that start no token are reported and skipped; so are symbols of other
// languages that say the same as one of ours, which takes their place.
std::vector<Token> lex(std::int32_t file, const Sources& sources, Diagnostics& diagnostics);

// Whether a text could be a name: a letter or `_`, then letters, digits and `_`.
bool is_identifier(std::string_view text);

} // namespace cyclotron::frontend
