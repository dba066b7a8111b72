// SPDX-License-Identifier: MIT
#include "pe/file.hpp"

#include "support/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::pe {

namespace {

constexpr std::string_view first_words = "cyclotron pe ";
constexpr std::string_view checksum_opens = "checksum \"";
constexpr std::size_t digits = 64;

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

Span span_of(std::int32_t file, std::string_view text, std::string_view part) {
  const auto begin = static_cast<std::uint32_t>(part.data() - text.data());
  return {file, begin, begin + static_cast<std::uint32_t>(part.size())};
}

bool is_version(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The last line, whole and without its line end; empty where it is no checksum.
std::string_view checksum_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t before = text.rfind('\n');
  const std::string_view line = before == std::string_view::npos ? text : text.substr(before + 1);
  const bool whole =
      line.size() == checksum_opens.size() + digits + 1 && line.starts_with(checksum_opens) && line.ends_with('"');
  return whole ? line : std::string_view{};
}

} // namespace

std::string sealed(const std::string& declarations) {
  std::string text = fmt::format("{}{}\n{}", first_words, file_version, declarations);
  const std::string checksum = sha256(text);
  return text + fmt::format("{}{}\"\n", checksum_opens, checksum);
}

bool check_seal(std::int32_t file, Diagnostics& diagnostics) {
  const std::string_view text = diagnostics.sources().text(file);
  const std::string_view opening = first_line(text);
  if (!opening.starts_with(first_words) || !is_version(opening.substr(first_words.size()))) {
    diagnostics.error(span_of(file, text, opening.substr(0, 80)), "this is not a file of programs for PEs")
        .with_hint(fmt::format("its first line would be `{}{}`", first_words, file_version));
    return false;
  }
  if (const std::string_view version = opening.substr(first_words.size()); version != std::to_string(file_version)) {
    diagnostics
        .error(span_of(file, text, version),
               fmt::format("this file has version {}, expected version {}", version, file_version))
        .with_hint("compile the program again with this cyclotron");
    return false;
  }
  const std::string_view line = checksum_line(text);
  if (line.empty()) {
    const auto end = static_cast<std::uint32_t>(text.size());
    diagnostics.error(Span{file, end, end}, "the file was cut short: its last line is no checksum")
        .with_hint("copy it again, or compile the program again");
    return false;
  }
  const std::string_view before = text.substr(0, static_cast<std::size_t>(line.data() - text.data()));
  if (line.substr(checksum_opens.size(), digits) == sha256(before)) return true;
  diagnostics.error(span_of(file, text, line), "the file was damaged: its text does not have this checksum")
      .label("that of the text it was written with")
      .with_hint("copy it again, or compile the program again");
  return false;
}

} // namespace cyclotron::pe
