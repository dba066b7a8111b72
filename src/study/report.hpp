// SPDX-License-Identifier: MIT
// What a study found: a table, remarks on it, a chart; as text or as JSON.
#pragma once

#include "explore/chart.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cyclotron::study {

using Cell = nlohmann::ordered_json; // a text, a whole number, or a number, which is shown with two digits

struct StudyReport {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
  explore::Chart chart;
};

std::string to_text(const StudyReport& report);
nlohmann::ordered_json to_json(const StudyReport& report);

} // namespace cyclotron::study
