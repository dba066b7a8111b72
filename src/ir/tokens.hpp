// SPDX-License-Identifier: MIT
// The text form of an IR as tokens, where every line is a statement of its own.
#pragma once

#include "support/diagnostics.hpp"

#include <string_view>
#include <vector>

namespace cyclotron::ir {

enum class TokenKind { word, number, symbol, line_end, file_end };

struct Token {
  TokenKind kind = TokenKind::file_end;
  std::string_view text;
  Span span;
  int column = 0; // from 0
};

// Lines without tokens leave none. Ends with a file_end. Characters that start no token are reported and skipped.
std::vector<Token> tokens_of(std::int32_t file, Diagnostics& diagnostics);

} // namespace cyclotron::ir
