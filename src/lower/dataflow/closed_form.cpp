// SPDX-License-Identifier: MIT
#include "lower/dataflow/closed_form.hpp"

#include "dataflow/timing.hpp"
#include "lower/dataflow/array_equations.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

std::size_t position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Sizes so large that the first passes are full.
isl::set large_sizes(const LoweredDataflow& lowered, const std::vector<std::string>& names) {
  const dataflow::Program& p = lowered.program;
  std::int64_t least = 4;
  for (const SplitIndex& s : lowered.mapping.splits) least = std::max(least, 4 * s.size);
  std::vector<Condition> large;
  for (const Binder& size : p.source->sizes)
    large.push_back(condition_of(Affine{{{size.name, 1}}, 0}, Relation::greater_equal, Affine{{}, least}));
  return set_where(*p.context, *p.source, names, large, false);
}

// The points of one pass that is full. Nothing where the second one is not like the first.
std::optional<isl::set> full_pass(const LoweredDataflow& lowered, const dataflow::Space& space) {
  const isl::set all = space.domain.intersect(large_sizes(lowered, space.coordinates));
  isl::set first = all;
  for (std::size_t t = 0; t < passes_of(lowered.mapping); ++t) {
    const std::size_t at = position(space.coordinates, lowered.mapping.time[t]);
    if (at == space.coordinates.size()) continue;
    const auto dimension = static_cast<unsigned>(at);
    const isl::set next = isl::manage(isl_set_fix_si(first.copy(), isl_dim_set, dimension, 1));
    first = isl::manage(isl_set_fix_si(first.copy(), isl_dim_set, dimension, 0));
    if (!without(first, {at}).is_equal(without(next, {at}))) return std::nullopt;
  }
  return first;
}

// The largest value of a formula over a set, in sizes.
std::optional<Affine> largest(const dataflow::Program& p, const isl::set& domain, const std::vector<std::string>& names,
                              const Affine& formula) {
  const isl::map to = map_to(*p.context, *p.source, names, {formula});
  const isl::set values = isl::manage(isl_set_apply(domain.copy(), to.copy()));
  return last_of(values, 0, {"value'"}, *p.source);
}

std::optional<Affine>
length_of(const dataflow::Program& p,
          const std::vector<std::pair<isl::set, std::pair<std::vector<std::string>, Affine>>>& parts) {
  std::optional<Affine> last, first;
  for (const auto& [domain, formula] : parts) {
    const auto most = largest(p, domain, formula.first, formula.second);
    const auto least = largest(p, domain, formula.first, -1 * formula.second);
    if (!most || !least) return std::nullopt;
    // Of several formulas the larger, where their difference is a number.
    const auto keep = [](std::optional<Affine>& best, const Affine& now) {
      if (!best) best = now;
      else if (const Affine d = now - *best; !d.is_constant()) return false;
      else if (d.constant > 0) best = now;
      return true;
    };
    if (!keep(last, *most) || !keep(first, *least)) return std::nullopt;
  }
  if (!last) return std::nullopt;
  return *last + *first + Affine{{}, 1};
}

} // namespace

std::int64_t ClosedForm::pass_cycles(const std::map<std::string, std::int64_t>& sizes) const {
  return pass.evaluate([&](const std::string& name) { return sizes.at(name); });
}

std::int64_t ClosedForm::cycles(const std::map<std::string, std::int64_t>& sizes) const {
  std::int64_t result = pass_cycles(sizes);
  for (const Tiles& t : tiles) {
    const std::int64_t extent = t.extent.evaluate([&](const std::string& name) { return sizes.at(name); });
    result *= extent <= 0 ? 0 : (extent + t.size - 1) / t.size;
  }
  return result;
}

std::string ClosedForm::text() const {
  std::string out = print(pass);
  if (!tiles.empty() && (pass.terms.size() + (pass.constant != 0 ? 1 : 0) > 1)) out = "(" + out + ")";
  for (const Tiles& t : tiles)
    out += fmt::format(" * ceil({}/{})",
                       t.extent.terms.size() + (t.extent.constant != 0 ? 1 : 0) > 1 ? "(" + print(t.extent) + ")"
                                                                                    : print(t.extent),
                       t.size);
  return out;
}

namespace {

std::optional<ClosedForm> find_form(const LoweredDataflow& lowered) {
  const dataflow::Program& p = lowered.program;
  if (!p.timing || !lowered.mapping.folds.empty()) return std::nullopt;
  if (p.passes != 0 && passes_of(lowered.mapping) == 0) return std::nullopt; // of a file: nobody knows the tiles
  std::vector<std::pair<isl::set, std::pair<std::vector<std::string>, Affine>>> main, fetch;
  for (std::size_t s = 0; s < p.spaces.size(); ++s) {
    const dataflow::Space& space = p.spaces[s];
    if (only_loads(p, static_cast<int>(s))) continue;
    const auto full = full_pass(lowered, space);
    if (!full) return std::nullopt;
    if (const auto& step = p.timing->steps[s]) {
      main.push_back({*full, {space.coordinates, *step}});
      continue;
    }
    if (!fetch.empty()) return std::nullopt;
    // One element after the other, the farthest first, each a cycle per processor: `at - place`.
    Affine at{{{space.coordinates.back(), 1}}, 0};
    int orders = 0;
    for (std::size_t c = static_cast<std::size_t>(p.passes); c < space.time.size(); ++c)
      if (!space.time[c].is_constant()) {
        at = at + space.time[c];
        ++orders;
      }
    if (orders != 1) return std::nullopt;
    fetch.push_back({*full, {space.coordinates, at}});
  }
  const auto steps = length_of(p, main);
  if (!steps) return std::nullopt;
  ClosedForm form{*steps, {}};
  if (!fetch.empty()) {
    const auto more = length_of(p, fetch);
    if (!more) return std::nullopt;
    form.pass = form.pass + *more;
  }
  const std::size_t passes = passes_of(lowered.mapping);
  for (std::size_t t = 0; t < passes; ++t)
    for (const SplitIndex& s : lowered.mapping.splits) {
      if (s.outer != lowered.mapping.time[t]) continue;
      // The extent of the index that was split, from where it is widest.
      std::optional<Affine> extent;
      for (const dataflow::Space& space : p.spaces) {
        if (!std::count(space.coordinates.begin(), space.coordinates.end(), s.outer) ||
            !std::count(space.coordinates.begin(), space.coordinates.end(), s.inner))
          continue;
        const auto last = largest(p, space.domain.intersect(large_sizes(lowered, space.coordinates)), space.coordinates,
                                  Affine{{{s.outer, s.size}, {s.inner, 1}}, 0});
        if (last && !extent) extent = *last + Affine{{}, 1};
      }
      if (!extent) return std::nullopt;
      form.tiles.push_back({*extent, s.size});
    }
  return form;
}

} // namespace

std::optional<ClosedForm> closed_form_of(const LoweredDataflow& lowered) {
  return lowered.program.context->bounded([&] { return find_form(lowered); }).value_or(std::nullopt);
}

} // namespace cyclotron::lower
