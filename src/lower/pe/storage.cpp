// SPDX-License-Identifier: MIT
#include "lower/pe/storage.hpp"

#include "lower/pe/step_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using pe::Register;

pe::Slot Keep::at(const Point& element) const {
  pe::Slot slot{name, {}};
  for (const std::size_t c : coordinates) slot.at.push_back(element[c]);
  return slot;
}

namespace {

// Elements that share a register: when each gets there, and until when it is needed.
struct Lifetimes {
  isl::set elements;
  isl::map place; // element -> PE that keeps it, up to a constant
  isl::map begin; // element -> step
  isl::map uses;  // element -> steps of that PE
  bool in_place;  // a step may overwrite what it reads
};

class Chooser {
public:
  explicit Chooser(const Lifetimes& of)
      : of_(of), rank_(static_cast<std::size_t>(isl_set_dim(of.elements.get(), isl_dim_set))),
        clashes_(distances_of_clashes(of)) {}

  // The smallest table; among equals the one with fewer dimensions.
  Keep choose(const std::string& name) const {
    std::optional<Keep> best;
    for (const std::vector<std::size_t>& coordinates : subsets()) {
      if (best && size_of(*best) <= (std::int64_t{1} << coordinates.size())) break; // no larger one can be smaller
      Keep keep{name, coordinates, whole_table(coordinates)};
      if (!tells_apart(keep)) continue;
      for (std::size_t d = 0; d < keep.table.size(); ++d) make_ring(keep, d);
      if (!best || size_of(keep) < size_of(*best)) best = std::move(keep);
    }
    return std::move(*best);
  }

private:
  static std::int64_t size_of(const Keep& keep) {
    std::int64_t size = 1;
    for (const Register::Extent& e : keep.table) size *= e.count;
    return size;
  }

  // { y' - y }: on one PE, y' gets there while y is still needed.
  static isl::set distances_of_clashes(const Lifetimes& of) {
    const isl::map begin = of.begin.intersect_domain(of.elements);
    const isl::map same_pe = of.place.apply_range(of.place.reverse());
    isl_map* later = isl_map_intersect(isl_map_lex_le_map(begin.copy(), begin.copy()), same_pe.copy());
    isl_map* needed = of.in_place ? isl_map_lex_gt_map(of.uses.copy(), begin.copy())
                                  : isl_map_lex_ge_map(of.uses.copy(), begin.copy());
    isl_map* both = isl_map_intersect(later, needed);
    isl_map* self = isl_map_identity(isl_map_get_space(both));
    return isl::manage(isl_set_coalesce(isl_map_deltas(isl_map_subtract(both, self))));
  }

  // Small ones first, of coordinates in which clashing elements differ at all.
  std::vector<std::vector<std::size_t>> subsets() const {
    std::vector<std::size_t> useful;
    for (std::size_t c = 0; c < rank_; ++c)
      if (!clashes_.is_subset(isl::manage(isl_set_fix_si(clashes_.copy(), isl_dim_set, static_cast<unsigned>(c), 0))))
        useful.push_back(c);
    std::vector<std::vector<std::size_t>> result;
    for (unsigned bits = 0; bits < (1U << useful.size()); ++bits) {
      result.emplace_back();
      for (std::size_t u = 0; u < useful.size(); ++u)
        if (bits & (1U << u)) result.back().push_back(useful[u]);
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return result;
  }

  // No two clashing elements have the same place.
  bool tells_apart(const Keep& keep) const {
    isl::set same = clashes_;
    for (std::size_t d = 0; d < keep.table.size(); ++d) same = same.intersect(multiples(keep, d));
    return same.is_empty();
  }

  // Distances that lead to the same index: 0, and in a ring the multiples of its extent.
  isl::set multiples(const Keep& keep, std::size_t d) const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < rank_; ++c) names.push_back(fmt::format("d{}", c));
    const std::string& own = names[keep.coordinates[d]];
    const bool ring = keep.table[d].ring;
    return isl::set(clashes_.ctx(), fmt::format("{{ [{}] : {}{} = 0 }}", fmt::join(names, ", "), own,
                                                ring ? fmt::format(" mod {}", keep.table[d].count) : ""));
  }

  Register::Extent range(std::size_t coordinate) const {
    if (of_.elements.is_empty()) return {0, 0, false};
    const int c = static_cast<int>(coordinate);
    const std::int64_t first = of_.elements.dim_min_val(c).get_num_si();
    return {first, of_.elements.dim_max_val(c).get_num_si() - first + 1, false};
  }

  std::vector<Register::Extent> whole_table(const std::vector<std::size_t>& coordinates) const {
    std::vector<Register::Extent> table;
    for (const std::size_t c : coordinates) table.push_back(range(c));
    return table;
  }

  // Counts one coordinate modulo the least number that still tells clashing elements apart.
  void make_ring(Keep& keep, std::size_t d) const {
    const int c = static_cast<int>(keep.coordinates[d]);
    const std::int64_t enough =
        1 + std::max(clashes_.dim_max_val(c).get_num_si(), -clashes_.dim_min_val(c).get_num_si());
    const Register::Extent all = keep.table[d];
    for (std::int64_t count = 2; count <= enough; ++count) {
      if (count > most_ring_sizes) count = enough;
      if (count >= all.count) break;
      keep.table[d] = {0, count, true};
      if (tells_apart(keep)) return;
    }
    keep.table[d] = all;
  }

  static constexpr std::int64_t most_ring_sizes = 16; // that are tried before the one that surely suffices

  const Lifetimes& of_;
  std::size_t rank_;
  isl::set clashes_;
};

class Planner {
public:
  Planner(const dataflow::Program& program, const std::vector<Order>& orders, const std::vector<Read>& reads,
          const std::vector<Link>& links, const StepOrder& order)
      : program_(program), orders_(orders), reads_(reads), links_(links), order_(order) {}

  Stores run() {
    for (const dataflow::Value& v : program_.values) stores_.values.push_back(keep_value(v));
    for (std::size_t l = 0; l < links_.size(); ++l) stores_.links.push_back(keep_link(links_[l]));
    stores_.rules = order_.rules;
    return std::move(stores_);
  }

private:
  const Order& order(int space) const { return orders_[static_cast<std::size_t>(space)]; }
  const dataflow::Space& space(int s) const { return program_.spaces[static_cast<std::size_t>(s)]; }

  isl::set nowhere(int s) const { return space(s).domain.subtract(space(s).domain); }

  Keep keep_value(const dataflow::Value& v) {
    isl_ctx_reset_operations(program_.context->get().get());
    Lifetimes of{nowhere(v.space), order(v.space).place, order(v.space).step, order(v.space).step,
                 order_.in_place.count({v.space, v.name}) > 0};
    for (const dataflow::Rule& r : program_.rules)
      if (r.space == v.space && r.value == v.name) of.elements = of.elements.unite(r.domain);
    of.uses = of.uses.intersect_domain(nowhere(v.space));
    for (const Read& read : reads_)
      if (read.is_local() && !read.own && read.what.space == v.space && read.what.value == v.name)
        of.uses = of.uses.unite(read.element.reverse().apply_range(order(program_.rules[read.rule].space).step));
    const std::string name = unused_name(value_name(v));
    if (of.uses.is_empty()) return {name, {}, {}};
    return Chooser(of).choose(name);
  }

  Keep keep_link(const Link& link) {
    if (!link.kept) return {};
    isl_ctx_reset_operations(program_.context->get().get());
    Lifetimes of{link.sent, order(link.space).place, link.arrival, link.arrival, false};
    for (const std::size_t r : link.reads)
      of.uses =
          of.uses.unite(reads_[r].element.reverse().apply_range(order(program_.rules[reads_[r].rule].space).step));
    return Chooser(of).choose(unused_name(link.value + "_in"));
  }

  // The value's own name, unless values of several spaces have it.
  std::string value_name(const dataflow::Value& v) const {
    const auto same = std::count_if(program_.values.begin(), program_.values.end(),
                                    [&](const dataflow::Value& other) { return other.name == v.name; });
    return same == 1 ? v.name : v.name + "_" + space(v.space).name;
  }

  std::string unused_name(const std::string& wish) {
    std::string name = wish;
    for (int n = 2; !names_.insert(name).second; ++n) name = wish + std::to_string(n);
    return name;
  }

  const dataflow::Program& program_;
  const std::vector<Order>& orders_;
  const std::vector<Read>& reads_;
  const std::vector<Link>& links_;
  const StepOrder& order_;
  std::set<std::string> names_;
  Stores stores_;
};

} // namespace

std::optional<Stores> stores_of(const dataflow::Program& program, const std::vector<Order>& orders,
                                const std::vector<Read>& reads, const std::vector<Link>& links,
                                Diagnostics& diagnostics) {
  const auto order = step_order_of(program, reads, diagnostics);
  if (!order) return std::nullopt;
  return Planner(program, orders, reads, links, *order).run();
}

} // namespace cyclotron::lower
