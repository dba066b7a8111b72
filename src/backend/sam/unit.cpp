// SPDX-License-Identifier: MIT
#include "backend/sam/unit.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {

void Output::keep(Token token) {
  if (wires_.empty()) return;
  const Input& wire = *wires_.front();
  tokens_.push_back({wire.sender().now() + wire.options().latency, token});
}

void fail(const Unit& unit, const std::string& problem) {
  throw Fault(fmt::format("{} {}, in cycle {}", unit.label, problem, unit.self.now()));
}

std::string describe(const Token& token) {
  switch (token.kind) {
  case TokenKind::data: return "data";
  case TokenKind::stop: return fmt::format("`S{}`", token.level);
  case TokenKind::empty: return "`N`";
  case TokenKind::done: return "`D`";
  }
  return "?";
}

} // namespace cyclotron::sam
