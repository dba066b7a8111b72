// SPDX-License-Identifier: MIT
// The text form as tokens of the language: declarations apart, and values at points as accesses.
#pragma once

#include "frontend/lex.hpp"

#include <deque>
#include <string>
#include <vector>

namespace cyclotron::dataflow {

struct TextTokens {
  std::vector<frontend::Token> declarations; // `tensor`, `let`, `assume`
  std::vector<frontend::Token> rest;
  std::deque<std::string> names; // that tokens of ours point to
};

// `(i, j-1)_A^tri` --> `tri.A(i, j-1)`, which is how expressions name a value (key_of). Without a superscript the value
// is of the space whose block this is. The texts of the given tokens must last.
TextTokens tokens_of(const std::vector<frontend::Token>& tokens);

} // namespace cyclotron::dataflow
