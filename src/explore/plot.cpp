// SPDX-License-Identifier: MIT
#include "explore/plot.hpp"

#include "explore/summary.hpp"
#include "report/colours.hpp"
#include "report/drawing.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <set>

namespace cyclotron::explore {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* style = R"(<style>
:root{color-scheme:light dark;--page:#fff;--ink:#1d2330;--faint:#5c6675;--rule:#d5dae2;--box:#f5f7fa}
@media (prefers-color-scheme:dark){:root{--page:#14171c;--ink:#e8ebf0;--faint:#a0a9b6;--rule:#39414d;--box:#1e232a}}
body{margin:2rem;max-width:72rem;font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;
background:var(--page);color:var(--ink)}
h1{font-size:1.3rem;margin:0}p{margin:.2rem 0 1rem;color:var(--faint)}
#controls{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;margin-bottom:.6rem;font-size:.9rem}
select{font:inherit;color:inherit;background:var(--box);border:1px solid var(--rule);border-radius:4px;padding:.1rem .3rem}
svg{width:100%;height:auto;font-size:12px}svg text{fill:var(--faint)}svg .name{fill:var(--ink)}
.grid{stroke:var(--rule)}.front{fill:none;stroke-width:1.8;stroke-linejoin:round}.front.all{stroke:var(--ink);stroke-dasharray:5 4}
circle{stroke:var(--page);stroke-width:1;cursor:pointer}circle.best{stroke:var(--ink);stroke-width:1.6}
circle.chosen{stroke:var(--ink);stroke-width:3}
#key{display:flex;flex-wrap:wrap;gap:.2rem .9rem;font-size:.9rem;margin:.2rem 0 1.2rem}
#key button{all:unset;cursor:pointer}#key button.off{opacity:.35}#key button:focus-visible{outline:2px solid}
#key i,td i{display:inline-block;width:.75em;height:.75em;border-radius:50%;margin-right:.4em}
#tip{position:fixed;pointer-events:none;max-width:30rem;background:var(--box);border:1px solid var(--rule);border-radius:6px;
padding:.5rem .7rem;font-size:.85rem;box-shadow:0 2px 10px #0003;white-space:pre-wrap;overflow-wrap:anywhere}
#table{overflow-x:auto}table{border-collapse:collapse;font-size:.88rem}
th,td{padding:.15rem .9rem .15rem 0;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
th{cursor:pointer;font-weight:500;color:var(--faint);white-space:nowrap}
th.number,td.number{text-align:right}td.number{font-variant-numeric:tabular-nums}td.long{max-width:22rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
td.short{max-width:10rem}tr.bad td{color:var(--faint)}tr.chosen td{background:var(--box)}
</style>
)";

// Within a script element, `<` could end it.
std::string embedded(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

Json colours() {
  Json kinds = Json::array(), ramp = Json::array();
  for (std::size_t k = 0; k < report::kind_colours; ++k) kinds.push_back(report::kind_colour(k));
  for (int i = 0; i <= 16; ++i) ramp.push_back(report::hex(report::ramp(0.2 + i / 16.0 * 0.72)));
  return {{"kinds", kinds}, {"ramp", ramp}};
}

std::string facts(const std::vector<Point>& points) {
  std::size_t ok = 0, refused = 0;
  for (const Point& point : points) {
    ok += point.is_ok();
    refused += point.verdict.rfind("refused", 0) == 0;
  }
  std::string text = fmt::format("{} point{}: {} ok", points.size(), points.size() == 1 ? "" : "s", ok);
  if (refused > 0) text += fmt::format(", {} refused", refused);
  if (const std::size_t rest = points.size() - ok - refused; rest > 0)
    text += fmt::format(", {} wrong or failed", rest);
  return text;
}

} // namespace

std::string telling_axis(const std::vector<Point>& points) {
  const auto number = [](auto result) { return [result](const Point& p) { return std::to_string(p.*result); }; };
  const auto latency = [](const Point& p) {
    const auto at = p.parameters.find(parameter::latency);
    return at == p.parameters.end() ? std::string() : at->second;
  };
  const std::pair<std::string, std::function<std::string(const Point&)>> axes[] = {
      {"pes", number(&Point::pes)},
      {"memory_bytes_per_pe", number(&Point::memory_bytes_per_pe)},
      {"messages", number(&Point::messages)},
      {parameter::latency, latency},
  };
  for (const auto& [name, value] : axes) {
    std::set<std::string> values;
    for (const Point& p : points)
      if (p.is_ok()) values.insert(value(p));
    if (values.size() > 1) return name;
  }
  return "pes";
}

std::string plot_html(const std::vector<Point>& points, const PlotOptions& options) {
  Json list = Json::array();
  for (const Point& point : points) list.push_back(to_json(point));
  const Json data = {{"x", options.x},
                     {"y", options.y},
                     {"colour", options.colour},
                     {"colours", colours()},
                     {"points", std::move(list)}};
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  const std::string title = report::xml_text(options.title);
  out += fmt::format("<title>{}</title>\n", title);
  out += style;
  out += fmt::format("</head><body>\n<h1>{}</h1>\n<p>{}</p>\n", title, facts(points));
  out += "<div id=\"controls\"></div>\n<svg id=\"plot\" viewBox=\"0 0 960 480\" role=\"img\" "
         "aria-label=\"scatter plot of the points\"></svg>\n<div id=\"key\"></div>\n<div id=\"table\"></div>\n"
         "<div id=\"tip\" hidden=\"hidden\"></div>\n<noscript>This page needs JavaScript.</noscript>\n";
  out += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", embedded(data));
  return out + "<script>\n" + plot_script + "</script>\n</body></html>\n";
}

} // namespace cyclotron::explore
