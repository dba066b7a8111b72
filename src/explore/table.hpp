// SPDX-License-Identifier: MIT
// The points of a sweep as a table: CSV or JSON, and back.
//
// CSV: first family, verdict, cycles, utilisation, pes, memory_bytes_per_pe, messages, bytes; then a column per
// parameter. A cell is quoted where it holds a comma, a quote or a line break. An empty cell is a parameter that the
// point does not have; one with an empty text is written "". JSON: {"points": [ … ]}, each as in points.hpp, one per
// line.
#pragma once

#include "explore/points.hpp"
#include "support/diagnostics.hpp"

#include <string>
#include <vector>

namespace cyclotron::explore {

std::string to_csv(const std::vector<Point>& points);
std::string to_json_text(const std::vector<Point>& points);

// Reports what is wrong, with its place in `file`.
std::optional<std::vector<Point>> read_csv(const std::string& text, const std::string& file, Diagnostics& diagnostics);
std::optional<std::vector<Point>> read_json(const std::string& text, const std::string& file, Diagnostics& diagnostics);

// The columns before those of the parameters.
inline constexpr const char* result_columns[] = {
    "family", "verdict", "cycles", "utilisation", "pes", "memory_bytes_per_pe", "messages", "bytes"};

} // namespace cyclotron::explore
