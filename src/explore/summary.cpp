// SPDX-License-Identifier: MIT
#include "explore/summary.hpp"

#include "explore/pareto.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace cyclotron::explore {

namespace {

const std::string& value_of(const Point& point, const char* name) {
  static const std::string none;
  const auto found = point.parameters.find(name);
  return found == point.parameters.end() ? none : found->second;
}

bool runs_on(const Point& p, const std::string& latency, const std::string& depth) {
  return p.is_ok() && p.cycles && value_of(p, parameter::latency) == latency && value_of(p, parameter::depth) == depth;
}

auto rank(const Point& p) {
  const std::string& text = value_of(p, parameter::schedule);
  return std::tuple(*p.cycles, p.pes, p.messages, p.memory_bytes_per_pe, text.size(), text);
}

// `0` is a FIFO of any depth.
std::string depth_name(const std::string& depth) { return depth == "0" ? "unbounded" : "depth " + depth; }

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "      " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string shown(const std::string& reason) { return reason.rfind("refused: ", 0) == 0 ? reason.substr(9) : reason; }

std::string without_details(const std::string& reason) {
  std::string out;
  bool quoted = false;
  for (const char c : reason) {
    if (c == '`') quoted = !quoted;
    if (!quoted && (c < '0' || c > '9')) out += c;
  }
  return out;
}

} // namespace

std::vector<const Point*> front_of(const std::vector<Point>& points, const std::string& latency,
                                   const std::string& depth) {
  std::map<std::int64_t, const Point*> best; // by PEs
  for (const Point& p : points) {
    if (!runs_on(p, latency, depth)) continue;
    const Point*& now = best[p.pes];
    if (!now || rank(p) < rank(*now)) now = &p;
  }
  std::vector<const Point*> front;
  for (const auto& [pes, p] : best)
    if (front.empty() || *p->cycles < *front.back()->cycles) front.push_back(p);
  return front;
}

std::vector<const Point*> best_of_families(const std::vector<Point>& points, const std::string& latency,
                                           const std::string& depth) {
  std::map<std::string, const Point*> best;
  for (const Point& p : points) {
    if (!runs_on(p, latency, depth)) continue;
    const Point*& now = best[p.family];
    if (!now || rank(p) < rank(*now)) now = &p;
  }
  std::vector<const Point*> list;
  for (const auto& [family, p] : best) list.push_back(p);
  std::sort(list.begin(), list.end(), [](const Point* a, const Point* b) { return rank(*a) < rank(*b); });
  return list;
}

std::string print_points(const std::vector<const Point*>& points) {
  std::string out = fmt::format("  {:>3} {:>9} {:>6} {:>5} {:>9} {:>9}  {}\n", "", "cycles", "PEs", "busy", "bytes/PE",
                                "messages", "family: operands");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& p = *points[i];
    out +=
        fmt::format("  {:>2}. {:>8} {:>6} {:>4.0f}% {:>9} {:>9}  {}: {}\n", i + 1, *p.cycles, p.pes,
                    100 * p.utilisation, p.memory_bytes_per_pe, p.messages, p.family, value_of(p, parameter::operands));
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    out += fmt::format("\n  {}. schedule\n{}", i + 1, indented(value_of(*points[i], parameter::schedule)));
  return out;
}

std::string print_machine_effect(const std::vector<Point>& points, const std::vector<std::string>& latencies,
                                 const std::vector<std::string>& depths) {
  std::size_t width = 16, latency_width = 9; // of the first two columns
  for (const Point& p : points)
    if (p.is_ok()) width = std::max(width, p.family.size());
  for (const std::string& l : latencies) latency_width = std::max(latency_width, l.size() + std::size("latency ") - 1);
  std::string out = fmt::format("  {:<{}}", "", width + latency_width + 3);
  for (const std::string& d : depths) out += fmt::format("{:>11}", depth_name(d));
  out += "\n";
  const auto add_rows = [&](const std::string& name, const std::vector<Point>& some) {
    for (const std::string& l : latencies) {
      out += fmt::format("  {:<{}}  {:<{}} ", l == latencies[0] ? name : "", width, "latency " + l, latency_width);
      for (const std::string& d : depths) {
        const auto front = front_of(some, l, d);
        out += fmt::format("{:>11}", front.empty() ? "-" : std::to_string(*front.back()->cycles));
      }
      out += "\n";
    }
  };
  add_rows("all", points);
  std::map<std::string, std::vector<Point>> families;
  for (const Point& p : points)
    if (p.is_ok()) families[p.family].push_back(p);
  for (const auto& [family, some] : families) add_rows(family, some);
  out += "\nthe front as the machine changes: cycles on so many PEs\n";
  for (const std::string& l : latencies)
    for (const std::string& d : depths) {
      out += fmt::format("  {:<10}{:>11} ", "latency " + l, depth_name(d));
      for (const Point* p : front_of(points, l, d)) out += fmt::format("  {} on {}", *p->cycles, p->pes);
      out += "\n";
    }
  return out;
}

std::string print_refusals(const std::vector<Point>& points, std::size_t most) {
  struct Reason {
    std::size_t count = 0;
    std::string example;
  };
  std::map<std::string, Reason> reasons;
  for (const Point& p : points) {
    if (p.verdict.rfind("refused", 0) != 0) continue;
    Reason& r = reasons[without_details(p.verdict)];
    if (r.count++ == 0) r.example = p.verdict;
  }
  std::vector<Reason> sorted;
  for (auto& [key, r] : reasons) sorted.push_back(std::move(r));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Reason& a, const Reason& b) { return a.count > b.count; });
  std::string out;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
    out += fmt::format("  {:>6} x {}\n", sorted[i].count, shown(sorted[i].example));
  if (sorted.size() > most) out += fmt::format("  and {} other reasons\n", sorted.size() - most);
  return out;
}

} // namespace cyclotron::explore
