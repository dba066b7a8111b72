// SPDX-License-Identifier: MIT
// Lines, words and numbers of a text file read block by block.
#include "tensor/io/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace cyclotron::tensor {

namespace {

constexpr std::size_t block = std::size_t{1} << 18;
constexpr std::size_t longest_line = std::size_t{1} << 24;

// Bytes that a terminal would not show as one column each.
std::string visible(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = c == '\t' ? ' ' : '?';
  return out;
}

} // namespace

TextLines::TextLines(ByteSource& source)
    : source_(source), buffer_(block), progress_("reading " + source.path(), {source.file_size()}) {}

// Keeps the unread rest, which may be the beginning of a long line, and reads behind it.
bool TextLines::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  at_end_ = got < buffer_.size() - end_;
  end_ += got;
  progress_.advance_to(source_.consumed());
  return got > 0;
}

// A line that began before `begin` is another's: it ends with the first line break at or behind the byte before.
void TextLines::confine(std::int64_t begin, std::int64_t end, std::int64_t lines_before) {
  number_ = lines_before;
  limit_ = end;
  begin_ = end_ = 0;
  at_end_ = false;
  offset_ = begin > 0 ? begin - 1 : 0;
  source_.seek(offset_);
  while (begin > 0 && offset_ < limit_) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from, '\n', end_ - begin_);
    const std::size_t skipped =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - from) + 1 : end_ - begin_;
    begin_ += skipped;
    offset_ += static_cast<std::int64_t>(skipped);
    if (found || !refill()) return;
  }
}

bool TextLines::next() {
  if (failed() || offset_ >= limit_) return false;
  std::size_t looked = 0;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + looked, '\n', end_ - begin_ - looked);
    if (found) {
      line_ = {from, static_cast<std::size_t>(static_cast<const char*>(found) - from)};
      begin_ += line_.size() + 1;
      offset_ += static_cast<std::int64_t>(line_.size()) + 1;
      break;
    }
    looked = end_ - begin_;
    if (looked > longest_line) {
      failed_ = true;
      source_.diagnostics()
          .error(Place{source_.path(), number_ + 1, 0, ""}, "a line is longer than 16 MiB")
          .with_hint("expected a text file with one entry per line");
      return false;
    }
    if (refill()) continue;
    if (source_.failed() || looked == 0) return false;
    line_ = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    offset_ += static_cast<std::int64_t>(line_.size());
    break;
  }
  ++number_;
  return true;
}

bool TextLines::next_data(char comment) {
  while (next()) {
    const std::string_view word = Words(line_).next();
    if (!word.empty() && word[0] != comment) return true;
  }
  return false;
}

Diagnostic& TextLines::error(std::string_view word, std::string message) {
  failed_ = true;
  std::size_t column = static_cast<std::size_t>(word.data() - line_.data());
  // What stands far from the word is of no use, and a line may be very long.
  const std::size_t from = column > 200 ? column - 200 : 0;
  Place place{source_.path(), number_, static_cast<std::int64_t>(column + 1), ""};
  if (from == 0) place.line_text = visible(line_.substr(0, 400));
  return source_.diagnostics().error(std::move(place), std::move(message));
}

Diagnostic& TextLines::error_at_end(std::string message) {
  failed_ = true;
  return source_.diagnostics().error(Place{source_.path(), number_, 0, ""}, std::move(message));
}

std::string in_backquotes(std::string_view word) {
  if (word.empty()) return "the end of the line";
  return word.size() > 40 ? fmt::format("`{}...`", visible(word.substr(0, 40))) : fmt::format("`{}`", visible(word));
}

namespace {

bool starts_a_number(std::string_view word) { return !word.empty() && word[0] != '-' && word[0] != '+'; }

// from_chars says "out of range" for both ends; a number too near to zero is zero, or as near as it gets.
Parsed parse_extreme(std::string_view word, double& value) {
  const std::string copy(word);
  value = std::strtod(copy.c_str(), nullptr);
  return std::isinf(value) ? Parsed::too_large : Parsed::fine;
}

Parsed parse_plain(std::string_view word, double& value) {
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || rest != word.data() + word.size()) return Parsed::not_a_number;
  return error == std::errc::result_out_of_range ? parse_extreme(word, value) : Parsed::fine;
}

} // namespace

Parsed parse_integer(std::string_view word, std::int64_t& value) {
  if (!word.empty() && word[0] == '+') {
    word.remove_prefix(1);
    if (!starts_a_number(word)) return Parsed::not_a_number;
  }
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || rest != word.data() + word.size()) return Parsed::not_a_number;
  return error == std::errc::result_out_of_range ? Parsed::too_large : Parsed::fine;
}

Parsed parse_real(std::string_view word, double& value) {
  if (!word.empty() && word[0] == '+') {
    word.remove_prefix(1);
    if (!starts_a_number(word)) return Parsed::not_a_number;
  }
  const Parsed parsed = parse_plain(word, value);
  if (parsed != Parsed::not_a_number || word.size() > 400) return parsed;
  std::string fortran(word);
  const std::size_t exponent = fortran.find_first_of("dD");
  if (exponent == std::string::npos || exponent == 0) return Parsed::not_a_number;
  fortran[exponent] = 'e';
  return parse_plain(fortran, value);
}

} // namespace cyclotron::tensor
