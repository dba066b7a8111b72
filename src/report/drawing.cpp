// SPDX-License-Identifier: MIT
#include "report/drawing.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cyclotron::report {

namespace {

constexpr const char* style = R"(<style>
svg{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
.page{fill:#ffffff}.ink{fill:#1d2330}.faint{fill:#5c6675}.idle{fill:#e6e9ee}.rule{stroke:#b6bdc8;fill:none}
.small{font-size:10px}.title{font-size:15px;font-weight:600}.middle{text-anchor:middle}.end{text-anchor:end}
@media (prefers-color-scheme:dark){.page{fill:#14171c}.ink{fill:#e8ebf0}.faint{fill:#a0a9b6}.idle{fill:#2c323b}.rule{stroke:#4c5563}}
</style>
)";

} // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n') out += '?';
    else out += c;
  }
  return out;
}

std::string number(double value) { return fmt::format("{:.6g}", std::round(100 * value) / 100 + 0.0); }

void Drawing::shape(std::string_view tag, std::string_view attributes, std::string_view hover) {
  body_ += fmt::format("<{} {}", tag, attributes);
  if (hover.empty()) body_ += "/>\n";
  else body_ += fmt::format("><title>{}</title></{}>\n", xml_text(hover), tag.substr(0, tag.find(' ')));
}

void Drawing::rectangle(double x, double y, double width, double height, std::string_view attributes,
                        std::string_view hover) {
  shape(
      fmt::format(R"(rect x="{}" y="{}" width="{}" height="{}")", number(x), number(y), number(width), number(height)),
      attributes, hover);
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  shape(fmt::format(R"(line x1="{}" y1="{}" x2="{}" y2="{}")", number(x1), number(y1), number(x2), number(y2)),
        attributes, "");
}

void Drawing::path(std::string_view data, std::string_view attributes, std::string_view hover) {
  shape(fmt::format(R"(path d="{}")", data), attributes, hover);
}

void Drawing::text(double x, double y, std::string_view text, std::string_view attributes) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", number(x), number(y), attributes, xml_text(text));
}

void Drawing::arrow_head(const std::string& id, const std::string& colour) {
  body_ +=
      fmt::format(R"(<defs><marker id="{}" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="8" markerHeight="8" )"
                  R"(markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{}"/></marker></defs>)"
                  "\n",
                  id, colour);
}

std::string Drawing::finish(double width, double height, std::string_view label) const {
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
                     R"(role="img" aria-label="{2}">)"
                     "\n{3}<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
                     number(width), number(height), xml_text(label), style, body_);
}

} // namespace cyclotron::report
