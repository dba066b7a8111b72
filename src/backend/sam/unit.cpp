// SPDX-License-Identifier: MIT
#include "backend/sam/unit.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {

void Output::keep(Token token, engine::Time now) {
  tokens_.push_back({now + wires_.front()->options().latency, token});
}

void fail(const Unit& unit, engine::Time cycle, const std::string& problem) {
  throw Fault(fmt::format("{} {}, in cycle {}", unit.label, problem, cycle));
}

void fail(const Unit& unit, const std::string& problem) { fail(unit, unit.self.now(), problem); }

std::string describe(const Token& token) {
  switch (token.kind()) {
  case TokenKind::data: return "data";
  case TokenKind::stop: return fmt::format("`S{}`", token.level());
  case TokenKind::empty: return "`N`";
  case TokenKind::done: return "`D`";
  }
  return "?";
}

} // namespace cyclotron::sam
