// SPDX-License-Identifier: MIT
// What remarks are about, as people count and name it: for whoever prints them, as text or as JSON.
#pragma once

#include "support/diagnostics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron {

std::string_view name_of(Severity severity);

// A remark's place as line, column and the text of the line, wherever it comes from. Columns are counted in characters.
struct Location {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string text;       // without control characters
  std::int64_t width = 1; // how many columns are meant
};

// Finds places. Remarks come mostly in the order of the text, so that counting lines goes on from the one before.
class Locator {
public:
  explicit Locator(const Sources& sources) : sources_(sources) {}

  // Nothing for a remark without a place.
  std::optional<Location> locate(const Remark& remark);

private:
  std::int64_t line_at(std::int32_t file, std::size_t offset);

  const Sources& sources_;
  std::int32_t file_ = -1;
  std::size_t offset_ = 0;
  std::int64_t line_ = 1;
};

// The number of characters of a text.
std::int64_t columns(std::string_view text);

// In the order of the text; what has no place in a source comes last.
std::vector<const Diagnostic*> in_order(const Diagnostics& diagnostics);

} // namespace cyclotron
