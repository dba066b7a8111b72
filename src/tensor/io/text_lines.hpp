// SPDX-License-Identifier: MIT
// Lines, words and numbers of a text file read block by block, with errors that point at a word.
#pragma once

#include "support/progress.hpp"
#include "tensor/io/byte_source.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::tensor {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The words of a line, one after the other.
class Words {
public:
  explicit Words(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  // Empty at the end of the line; its address is then still the place where a word was missing.
  std::string_view next() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    const char* begin = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

private:
  const char* at_;
  const char* end_;
};

class TextLines {
public:
  explicit TextLines(ByteSource& source);

  // Moves to the next line. False at the end, or after an error (which has been reported).
  bool next();
  // Skips blank lines, and comments, which begin with that character.
  bool next_data(char comment);
  bool failed() const { return failed_ || source_.failed(); }

  // From now on only the lines that begin in these bytes of a plain file; `lines_before` stand before them.
  void confine(std::int64_t begin, std::int64_t end, std::int64_t lines_before);
  // Where the next line begins.
  std::int64_t offset() const { return offset_; }

  // Without its line break. Valid until the next call of `next`.
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }

  // An error at a word of the current line.
  Diagnostic& error(std::string_view word, std::string message);
  // An error behind the last line.
  Diagnostic& error_at_end(std::string message);

  ByteSource& source() { return source_; }

private:
  bool refill();

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0; // what is unread: buffer_[begin_, end_)
  std::size_t end_ = 0;
  std::int64_t offset_ = 0; // of buffer_[begin_] in the file
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
  bool at_end_ = false;
  bool failed_ = false;
  std::string_view line_;
  std::int64_t number_ = 0;
  Progress progress_;
};

// A word of the user's for a message: in backquotes, not too long, nothing unprintable; "the end of the line"
// where it is empty.
std::string in_backquotes(std::string_view word);

enum class Parsed { fine, not_a_number, too_large };

// Both take a leading `+`; reals also `nan`, `inf` and exponents as Fortran writes them (1.0D+03).
Parsed parse_integer(std::string_view word, std::int64_t& value);
Parsed parse_real(std::string_view word, double& value);

} // namespace cyclotron::tensor
