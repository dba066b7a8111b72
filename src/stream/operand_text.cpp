// SPDX-License-Identifier: MIT
#include "stream/operand_text.hpp"

#include "tensor/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace cyclotron::stream {
namespace {

using tensor::Format;
using tensor::LevelKind;
using tensor::Region;

constexpr auto regions = std::to_array<std::pair<Region, std::string_view>>({
    {Region::unspecified, ""},
    {Region::onchip, ":onchip"},
    {Region::offchip, ":offchip"},
});

std::string letters_of(const Format& format) {
  std::string text;
  for (const LevelKind level : format.levels) text += tensor::properties_of(level).letter;
  return text;
}

bool read_letters(Format& format, std::string_view text) {
  for (const char letter : text) {
    const auto* const row = std::ranges::find(tensor::level_table, letter, &tensor::LevelProperties::letter);
    if (row == tensor::level_table.end()) return false;
    format.levels.push_back(row->kind);
  }
  return true;
}

bool is_order(const Format& format) {
  if (format.order.size() != format.levels.size()) return false;
  for (int dimension = 0; dimension < format.rank(); ++dimension)
    if (std::ranges::count(format.order, dimension) != 1) return false;
  return true;
}

bool read_order(Format& format, std::string_view text) {
  for (const std::string& piece : pieces_of(text, ',')) {
    int& dimension = format.order.emplace_back();
    const auto [end, problem] = std::from_chars(piece.data(), piece.data() + piece.size(), dimension);
    if (problem != std::errc{} || end != piece.data() + piece.size()) return false;
  }
  return is_order(format);
}

void read_region(Format& format, std::string& text) {
  for (const auto& [region, name] : regions)
    if (!name.empty() && text.ends_with(name)) {
      format.region = region;
      text.resize(text.size() - name.size());
      return;
    }
}

} // namespace

std::vector<std::string> pieces_of(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string operand_text(const Operand& operand) {
  const auto region = std::ranges::find(regions, operand.format.region, &decltype(regions)::value_type::first);
  return fmt::format("{}={}({}):{}:{}{}", operand.name, operand.tensor, fmt::join(operand.indices, ","),
                     letters_of(operand.format), fmt::join(operand.format.order, ","), region->second);
}

std::optional<Operand> operand_from(std::string_view whole) {
  Operand operand;
  std::string text(whole);
  read_region(operand.format, text);
  const std::size_t equals = text.find('='), open = text.find('(', equals), close = text.find("):", open);
  if (equals == std::string::npos || open == std::string::npos || close == std::string::npos) return std::nullopt;
  const std::size_t colon = text.find(':', close + 2);
  if (colon == std::string::npos) return std::nullopt;
  operand.name = text.substr(0, equals);
  operand.tensor = text.substr(equals + 1, open - equals - 1);
  operand.indices = pieces_of(std::string_view(text).substr(open + 1, close - open - 1), ',');
  if (!read_letters(operand.format, text.substr(close + 2, colon - close - 2))) return std::nullopt;
  if (!read_order(operand.format, text.substr(colon + 1))) return std::nullopt;
  return operand;
}

std::string published_format(const Format& format) {
  if (format.rank() == 0) return "none";
  return letters_of(format) + fmt::format("{}", fmt::join(format.order, ""));
}

std::optional<Format> format_from_published(std::string_view text) {
  Format format;
  if (text == "none") return format;
  const std::size_t half = text.size() / 2;
  if (text.size() % 2 != 0 || !read_letters(format, text.substr(0, half))) return std::nullopt;
  for (const char digit : text.substr(half)) {
    if (!std::isdigit(static_cast<unsigned char>(digit))) return std::nullopt;
    format.order.push_back(digit - '0');
  }
  if (format.rank() == 0 || !is_order(format)) return std::nullopt;
  return format;
}

} // namespace cyclotron::stream
