// SPDX-License-Identifier: MIT
#include "lower/dataflow/unfold_steps.hpp"

#include "lower/contains.hpp"
#include "recurrence/affine_maps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace cyclotron::lower {

using namespace recurrence;
using schedule::Entry;

namespace {

struct Row {
  std::string name;
  std::vector<Entry> entries; // one for each column

  bool has_sizes() const {
    return std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return !e.sizes.empty(); });
  }
};

// Whether `by` divides it, and what is left.
std::optional<Entry> divided(const Entry& entry, const Entry& by) {
  if (entry.factor % by.factor != 0 ||
      !std::includes(entry.sizes.begin(), entry.sizes.end(), by.sizes.begin(), by.sizes.end()))
    return std::nullopt;
  Entry left{entry.factor / by.factor};
  std::set_difference(entry.sizes.begin(), entry.sizes.end(), by.sizes.begin(), by.sizes.end(),
                      std::back_inserter(left.sizes));
  return left;
}

class Unfolding {
public:
  Unfolding(Mapping& mapping, const ArrayEquations& equations, Diagnostics& diagnostics)
      : mapping_(mapping), map_(*mapping.spacetime), equations_(equations), diagnostics_(diagnostics) {}

  bool run() {
    SpaceTime unfolded = map_;
    unfolded.axes.clear();
    unfolded.matrix = {0, map_.matrix.columns, {}};
    for (const Row& given : rows()) {
      const std::vector<Row> parts = parts_of(given);
      if (parts.empty()) return false;
      replace_in_time(given.name, parts);
      for (const Row& part : parts) {
        unfolded.axes.push_back(part.name);
        unfolded.matrix.entries.insert(unfolded.matrix.entries.end(), part.entries.begin(), part.entries.end());
        ++unfolded.matrix.rows;
      }
    }
    mapping_.spacetime = std::move(unfolded);
    return true;
  }

private:
  std::vector<Row> rows() const {
    std::vector<Row> result;
    auto next = map_.matrix.entries.begin();
    for (const std::string& name : map_.axes) {
      result.push_back({name, {next, next + map_.matrix.columns}});
      next += map_.matrix.columns;
    }
    return result;
  }

  // Outermost first; none where an error was reported.
  std::vector<Row> parts_of(const Row& row) {
    const bool is_step = contains(mapping_.time, row.name), has_sizes = row.has_sizes();
    const bool is_lacking = mapping_.steps_are_loops && map_.matrix.rows < map_.matrix.columns;
    if (!has_sizes && !(is_step && is_lacking)) return {row};
    std::vector<Row> parts;
    Row left = row;
    while (is_step && cut(left, parts)) {}
    parts.push_back(left);
    std::reverse(parts.begin(), parts.end());
    for (auto part = parts.begin(); part != parts.end() - 1; ++part) part->name = name_of(row, *part);
    if (!left.has_sizes()) return parts;
    if (is_step) report_steps(row);
    else
      diagnostics_.error(map_.span, fmt::format("`{}` is an axis, and its row has a size for a factor", row.name))
          .with_hint("rows of axes are whole numbers; rows that `time` names are steps");
    return {};
  }

  // Takes the innermost loop off, and leaves those around it.
  bool cut(Row& row, std::vector<Row>& parts) {
    for (const Entry& by : factors_of(row)) {
      Row around{row.name, {}}, inside{row.name, {}};
      for (const Entry& entry : row.entries) {
        const auto left = entry.factor == 0 ? std::nullopt : divided(entry, by);
        around.entries.push_back(left.value_or(Entry{}));
        inside.entries.push_back(left ? Entry{} : entry);
      }
      if (inside.has_sizes() || !stays_below(inside, by)) continue;
      if (std::any_of(inside.entries.begin(), inside.entries.end(), [](const Entry& e) { return e.factor != 0; }))
        parts.push_back(inside);
      row = std::move(around);
      return true;
    }
    return false;
  }

  // Of which some terms of the row may be multiples: the smallest first.
  static std::vector<Entry> factors_of(const Row& row) {
    std::vector<Entry> factors;
    for (Entry e : row.entries) {
      e.factor = std::abs(e.factor);
      if (e.sizes.size() > 1 || (e.sizes.empty() && e.factor < 2)) continue; // no bound, or nothing to cut
      if (std::find(factors.begin(), factors.end(), e) == factors.end()) factors.push_back(e);
    }
    std::sort(factors.begin(), factors.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.sizes, a.factor) < std::pair(b.sizes, b.factor);
    });
    return factors;
  }

  // For all sizes, any two values that a term takes are less than the factor apart.
  bool stays_below(const Row& row, const Entry& factor) const {
    Affine term;
    for (std::size_t c = 0; c < row.entries.size(); ++c)
      if (row.entries[c].factor != 0) term.terms[map_.indices[c]] = row.entries[c].factor;
    Affine bound;
    if (factor.sizes.empty()) bound.constant = factor.factor;
    else bound.terms[factor.sizes[0]] = factor.factor;
    isl::set values = set_where(*equations_.context, *equations_.program, {"d"}, {})
                          .subtract(set_where(*equations_.context, *equations_.program, {"d"}, {}));
    for (const auto& [names, domain] : domains()) {
      const bool has_all =
          std::all_of(term.terms.begin(), term.terms.end(), [&](const auto& t) { return contains(names, t.first); });
      if (has_all) values = values.unite(domain.apply(map_to(*equations_.context, *equations_.program, names, {term})));
    }
    const isl::set apart = isl::manage(isl_map_deltas(isl_map_from_domain_and_range(values.copy(), values.copy())));
    const isl::set too_far = set_where(*equations_.context, *equations_.program, {"d"},
                                       {condition_of(bound, Relation::less_equal, Affine{{{"d", 1}}, 0})});
    return apart.intersect(too_far).is_empty();
  }

  // Of all that is computed, with what its indices are called.
  std::vector<std::pair<std::vector<std::string>, isl::set>> domains() const {
    std::vector<std::pair<std::vector<std::string>, isl::set>> result;
    for (const ArrayEquation& e : equations_.equations) {
      result.emplace_back(e.variables, e.domain);
      for (const ArrayEquation::Sum& sum : e.sums) {
        std::vector<std::string> names = sum.outer;
        names.insert(names.end(), sum.own.begin(), sum.own.end());
        result.emplace_back(names, sum.domain);
      }
    }
    return result;
  }

  std::vector<std::string> indices_of(const Row& row) const {
    std::vector<std::string> indices;
    for (std::size_t c = 0; c < row.entries.size(); ++c)
      if (row.entries[c].factor != 0) indices.push_back(map_.indices[c]);
    return indices;
  }

  // `t_q` for the steps of `q`.
  std::string name_of(const Row& row, const Row& part) const {
    std::string name = fmt::format("{}_{}", row.name, fmt::join(indices_of(part), "_"));
    const std::vector<std::string> known = variables_of(equations_);
    while (contains(known, name) || contains(map_.axes, name) || contains(mapping_.time, name)) name += "_";
    return name;
  }

  void replace_in_time(const std::string& name, const std::vector<Row>& parts) {
    const auto at = std::find(mapping_.time.begin(), mapping_.time.end(), name);
    if (at == mapping_.time.end()) return;
    std::vector<std::string> names;
    for (const Row& part : parts) names.push_back(part.name);
    mapping_.time.insert(mapping_.time.erase(at), names.begin(), names.end());
  }

  void report_steps(const Row& row) {
    diagnostics_
        .error(map_.span, fmt::format("the row `{}` counts the steps of {} by one number, and it is not proved that "
                                      "no two of them get the same",
                                      row.name, fmt::join(indices_of(row), ", ")))
        .with_hint("in `p + P*q`, `p` must stay below `P`; or write a row for each loop, and name the rows in `time`, "
                   "outermost first");
  }

  Mapping& mapping_;
  const SpaceTime map_;
  const ArrayEquations& equations_;
  Diagnostics& diagnostics_;
};

} // namespace

bool unfold_steps(Mapping& mapping, const ArrayEquations& equations, Diagnostics& diagnostics) {
  return Unfolding(mapping, equations, diagnostics).run();
}

} // namespace cyclotron::lower
