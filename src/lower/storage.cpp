// SPDX-License-Identifier: MIT
#include "lower/storage.hpp"

#include "lower/step_order.hpp"

#include <fmt/format.h>
#include <isl/ilp.h>

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

std::int64_t whole(isl_val* value) {
  const std::int64_t result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

class Chooser {
public:
  explicit Chooser(const Lifetimes& of)
      : of_(of), rank_(static_cast<std::size_t>(isl_set_dim(of.elements.get(), isl_dim_set))), clashes_(clashes(of)) {}

  // The smallest table; among equals the one with fewer dimensions.
  Keep choose(std::string name) const {
    std::optional<Keep> best;
    std::int64_t best_size = 0;
    const auto offer = [&](Keep keep) {
      std::int64_t size = 1;
      for (const Register::Extent& e : keep.table) size *= e.count;
      if (best && (size > best_size || (size == best_size && keep.table.size() >= best->table.size()))) return;
      best = std::move(keep);
      best_size = size;
    };
    for (unsigned subset = 0; subset < (1U << rank_); ++subset) {
      std::vector<std::size_t> coordinates;
      for (std::size_t c = 0; c < rank_; ++c)
        if (subset & (1U << c)) coordinates.push_back(c);
      if (equal_in(coordinates).is_empty()) offer({name, coordinates, whole_table(coordinates)});
      for (std::size_t ring = 0; ring < coordinates.size(); ++ring)
        if (auto keep = with_ring(name, coordinates, ring)) offer(std::move(*keep));
      if (best && best->table.empty()) break;
    }
    return std::move(*best);
  }

private:
  // { y -> y' }: on one PE, y' gets there while y is still needed.
  static isl::map clashes(const Lifetimes& of) {
    const isl::map begin = of.begin.intersect_domain(of.elements);
    const isl::map same_pe = of.place.apply_range(of.place.reverse());
    isl_map* later = isl_map_lex_le_map(begin.copy(), begin.copy());
    isl_map* needed = of.in_place ? isl_map_lex_gt_map(of.uses.copy(), begin.copy())
                                  : isl_map_lex_ge_map(of.uses.copy(), begin.copy());
    isl_map* both = isl_map_intersect(isl_map_intersect(later, needed), same_pe.copy());
    isl_map* self = isl_map_identity(isl_map_get_space(both));
    return isl::manage(isl_map_coalesce(isl_map_subtract(both, self)));
  }

  // Clashes of elements that agree in these coordinates.
  isl::map equal_in(const std::vector<std::size_t>& coordinates) const {
    isl_map* result = clashes_.copy();
    for (const std::size_t c : coordinates)
      result = isl_map_equate(result, isl_dim_in, static_cast<int>(c), isl_dim_out, static_cast<int>(c));
    return isl::manage(result);
  }

  Register::Extent range(std::size_t coordinate) const {
    if (of_.elements.is_empty()) return {0, 0, false};
    const std::int64_t first = whole(isl_set_dim_min_val(of_.elements.copy(), static_cast<int>(coordinate)));
    const std::int64_t last = whole(isl_set_dim_max_val(of_.elements.copy(), static_cast<int>(coordinate)));
    return {first, last - first + 1, false};
  }

  std::vector<Register::Extent> whole_table(const std::vector<std::size_t>& coordinates) const {
    std::vector<Register::Extent> table;
    for (const std::size_t c : coordinates) table.push_back(range(c));
    return table;
  }

  // One coordinate counted modulo the least number that tells clashing elements apart.
  std::optional<Keep> with_ring(const std::string& name, const std::vector<std::size_t>& coordinates,
                                std::size_t ring) const {
    std::vector<std::size_t> others = coordinates;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(ring));
    isl_set* distances = isl_map_deltas(equal_in(others).release());
    const std::size_t c = coordinates[ring];
    distances =
        isl_set_project_out(distances, isl_dim_set, static_cast<unsigned>(c) + 1, static_cast<unsigned>(rank_ - c - 1));
    distances = isl_set_project_out(distances, isl_dim_set, 0, static_cast<unsigned>(c));
    const isl::set apart = isl::manage(isl_set_coalesce(distances));
    std::vector<Register::Extent> table = whole_table(coordinates);
    for (std::int64_t count = 2; count < table[ring].count; ++count) {
      const isl::set multiples(apart.ctx(), fmt::format("{{ [x] : x mod {} = 0 }}", count));
      if (!apart.is_disjoint(multiples)) continue;
      table[ring] = {0, count, true};
      return Keep{name, coordinates, table};
    }
    return std::nullopt;
  }

  const Lifetimes& of_;
  std::size_t rank_;
  isl::map clashes_;
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
    return Chooser(of).choose(unused_name(value_name(v)));
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
