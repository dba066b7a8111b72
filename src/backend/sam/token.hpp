// SPDX-License-Identifier: MIT
// What streams carry, one a cycle.
#pragma once

#include "engine/process.hpp"
#include "tensor/word.hpp"

#include <cstdint>

namespace cyclotron::sam {

enum class TokenKind : std::uint8_t { data, stop, empty, done };

// Two words, so that it is copied as such: bytes that were just written one by one would be waited for.
struct Token {
  tensor::Word payload = {.whole = 0}; // data: a coordinate, reference or word of bits in `whole`, a value as its type
  std::uint64_t tag = 0;               // the kind; a stop's level and hollow levels above that

  TokenKind kind() const { return static_cast<TokenKind>(tag & 0xff); }
  // Of a stop: how many fibers above end there, too.
  int level() const { return static_cast<int>(tag >> 8 & 0xff); }
  // Of a stop: on how many levels above there is no coordinate that this fiber could belong to.
  int hollow() const { return static_cast<int>(tag >> 16); }

  bool is_data() const { return kind() == TokenKind::data; }
  bool is_stop() const { return kind() == TokenKind::stop; }
  bool is_empty() const { return kind() == TokenKind::empty; }
  bool is_done() const { return kind() == TokenKind::done; }
};

constexpr std::uint64_t tag_of(TokenKind kind, int level = 0, int hollow = 0) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(level) << 8 |
         static_cast<std::uint64_t>(hollow) << 16;
}
inline Token value(tensor::Word word) { return {.payload = word, .tag = tag_of(TokenKind::data)}; }
inline Token data(std::int64_t number) { return value({.whole = number}); }
inline Token stop(int level, int hollow = 0) {
  return {.payload = {.whole = 0}, .tag = tag_of(TokenKind::stop, level, hollow)};
}
inline Token empty() { return {.payload = {.whole = 0}, .tag = tag_of(TokenKind::empty)}; }
inline Token done() { return {.payload = {.whole = 0}, .tag = tag_of(TokenKind::done)}; }

// A token, and the cycle in which its consumer finds it.
struct TimedToken {
  engine::Time time = 0;
  Token token;
};

} // namespace cyclotron::sam
