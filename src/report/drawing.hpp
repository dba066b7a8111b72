// SPDX-License-Identifier: MIT
// An SVG drawing as it grows: shapes with a text that shows where the pointer rests. Colours follow a dark page through
// classes: `page`, `ink`, `faint` fill; `rule` strokes; `idle` fills what does nothing.
#pragma once

#include <string>
#include <string_view>

namespace cyclotron::report {

std::string xml_text(std::string_view text); // for texts and attributes; what XML cannot hold becomes `?`
std::string number(double value);            // two digits after the point, at most

class Drawing {
public:
  // `attributes` as they stand in the tag: `class="ink" fill="#2a788e"`.
  void rectangle(double x, double y, double width, double height, std::string_view attributes,
                 std::string_view hover = "");
  void line(double x1, double y1, double x2, double y2, std::string_view attributes);
  void path(std::string_view data, std::string_view attributes, std::string_view hover = "");
  void text(double x, double y, std::string_view text, std::string_view attributes);
  void arrow_head(const std::string& id, const std::string& colour); // for `marker-end="url(#id)"`

  // The whole file. `label` is what a screen reader says.
  std::string finish(double width, double height, std::string_view label) const;

private:
  void shape(std::string_view tag, std::string_view attributes, std::string_view hover);
  std::string body_;
};

} // namespace cyclotron::report
