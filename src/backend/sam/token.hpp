// SPDX-License-Identifier: MIT
// What streams carry, one a cycle.
#pragma once

#include "engine/process.hpp"
#include "tensor/word.hpp"

#include <cstdint>

namespace cyclotron::sam {

enum class TokenKind : std::uint8_t { data, stop, empty, done };

struct Token {
  tensor::Word payload = {.whole = 0}; // data: a coordinate, reference or word of bits in `whole`, a value as its type
  TokenKind kind = TokenKind::data;
  std::uint8_t level = 0;   // stop: how many fibers above end there, too
  std::uint8_t hollow = 0;  // stop: on how many levels above there is no coordinate that this fiber could belong to
  std::uint8_t unused1 = 0; // without holes it is copied in one go
  std::uint32_t unused2 = 0;

  bool is_data() const { return kind == TokenKind::data; }
  bool is_stop() const { return kind == TokenKind::stop; }
  bool is_empty() const { return kind == TokenKind::empty; }
  bool is_done() const { return kind == TokenKind::done; }
};

inline Token data(std::int64_t number) { return {.payload = {.whole = number}, .kind = TokenKind::data}; }
inline Token value(tensor::Word word) { return {.payload = word, .kind = TokenKind::data}; }
inline Token stop(int level, int hollow = 0) {
  return {.payload = {.whole = 0},
          .kind = TokenKind::stop,
          .level = static_cast<std::uint8_t>(level),
          .hollow = static_cast<std::uint8_t>(hollow)};
}
inline Token empty() { return {.payload = {.whole = 0}, .kind = TokenKind::empty}; }
inline Token done() { return {.payload = {.whole = 0}, .kind = TokenKind::done}; }

// A token, and the cycle in which its consumer finds it.
struct TimedToken {
  engine::Time time = 0;
  Token token;
};

} // namespace cyclotron::sam
