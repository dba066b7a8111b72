// SPDX-License-Identifier: MIT
#include "lower/pe/reads.hpp"

#include "lower/pe/places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Reference;
using dataflow::Rule;
using dataflow::Space;

bool Read::is_local() const {
  return std::all_of(offset.begin(), offset.end(), [](std::int64_t o) { return o == 0; });
}

std::vector<Order> orders_of(const dataflow::Program& program) {
  std::vector<Order> result;
  for (std::size_t s = 0; s < program.spaces.size(); ++s) {
    const Space& space = program.spaces[s];
    Point step = space.time;
    step.push_back(Affine{{}, static_cast<std::int64_t>(s)});
    result.push_back({map_to(*program.context, *program.source, space.coordinates, space.place),
                      map_to(*program.context, *program.source, space.coordinates, step)});
  }
  return result;
}

namespace {

class ReadFinder {
public:
  ReadFinder(const dataflow::Program& program, const std::vector<Order>& orders, const Wrap& wrap,
             Diagnostics& diagnostics)
      : program_(program), orders_(orders), wrap_(wrap), diagnostics_(diagnostics) {}

  std::optional<std::vector<Read>> run() {
    const int before = diagnostics_.errors();
    for (std::size_t s = 0; s < program_.spaces.size(); ++s) check_one_at_a_time(s);
    for (std::size_t r = 0; r < program_.rules.size(); ++r) {
      isl_ctx_reset_operations(program_.context->get().get());
      const Rule& rule = program_.rules[r];
      if (rule.domain.is_empty()) continue;
      ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        if (const auto ref = a ? dataflow::reference_of(*a, program_) : std::nullopt)
          add(r, *ref, e->span.known() ? e->span : rule.span);
      });
    }
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(reads_);
  }

private:
  const Space& space(int s) const { return program_.spaces[static_cast<std::size_t>(s)]; }
  const Order& order(int s) const { return orders_[static_cast<std::size_t>(s)]; }

  std::string text(const Space& of, const Point& point, const std::string& value) const {
    std::vector<std::string> parts;
    for (const Affine& a : point) parts.push_back(print_index(expression_of(a, *program_.source)));
    return fmt::format("({})_{}{}", fmt::join(parts, ", "), value, program_.spaces.size() > 1 ? "^" + of.name : "");
  }

  std::string text(const Rule& rule, const Reference& ref) const {
    const Space& own = space(rule.space);
    return fmt::format("{} <- {}", text(own, dataflow::own_point(own), rule.value),
                       text(space(ref.space), ref.point, ref.value));
  }

  void check_one_at_a_time(std::size_t s) {
    const isl::map both = orders_[s].place.intersect_domain(program_.spaces[s].domain);
    const isl::map when = isl::manage(isl_map_flat_range_product(both.copy(), orders_[s].step.copy()));
    if (when.is_injective()) return;
    const isl::map clash =
        when.apply_range(when.reverse())
            .subtract(isl::manage(isl_map_identity(isl_map_get_space(when.apply_range(when.reverse()).get()))));
    const auto witness = find_witness(clash.domain(), *program_.source, program_.spaces[s].coordinates);
    diagnostics_
        .error(Span{}, fmt::format("two points of space `{}` are computed by one PE at the same time, such as {}",
                                   program_.spaces[s].name, witness ? witness->describe() : "some"))
        .with_hint("place and time together must tell the points of a space apart");
  }

  void add(std::size_t r, const Reference& ref, Span span) {
    const Rule& rule = program_.rules[r];
    const isl::map element = map_to(*program_.context, *program_.source, space(rule.space).coordinates, ref.point)
                                 .intersect_domain(rule.domain);
    const auto offset = offset_of(rule, ref, element);
    if (!offset) {
      diagnostics_.error(span, fmt::format("`{}` comes from PEs at different distances", text(rule, ref)))
          .with_hint("pass it on from neighbour to neighbour: a rule that reads the value one place away");
      return;
    }
    Read read{r, ref, element, *offset, false, span};
    read.own =
        ref.space == rule.space && element.is_subset(isl::manage(isl_map_identity(element.get_space().release())));
    if (read.is_local() && !read.own) check_order(rule, ref, element, span);
    reads_.push_back(std::move(read));
  }

  // Place of the reader - place of the element, where that is the same for all.
  std::optional<std::vector<std::int64_t>> offset_of(const Rule& rule, const Reference& ref,
                                                     const isl::map& element) const {
    const isl::map from = element.apply_range(order(ref.space).place);
    const isl::map to = order(rule.space).place.intersect_domain(rule.domain);
    const isl::set offsets = isl::manage(isl_map_range(isl_map_sum(to.copy(), isl_map_neg(from.copy()))));
    if (isl_set_is_singleton(offsets.get()) != isl_bool_true) return std::nullopt;
    std::vector<std::int64_t> result = numbers_of(offsets.sample_point());
    for (std::size_t a = 0; a < result.size(); ++a) { // on a ring the short way
      while (wrap_[a] > 0 && 2 * result[a] > wrap_[a]) result[a] -= wrap_[a];
      while (wrap_[a] > 0 && -2 * result[a] > wrap_[a]) result[a] += wrap_[a];
    }
    return result;
  }

  // The element is computed in an earlier step of the same PE.
  void check_order(const Rule& rule, const Reference& ref, const isl::map& element, Span span) {
    const isl::map later = isl::manage(isl_map_lex_gt_map(order(rule.space).step.copy(), order(ref.space).step.copy()));
    const isl::map early = element.subtract(later);
    if (early.is_empty()) return;
    const auto witness = find_witness(early.domain(), *program_.source, space(rule.space).coordinates);
    diagnostics_
        .error(span, fmt::format("`{}` reads a value before it is computed{}", text(rule, ref),
                                 witness ? ": at " + witness->describe() : ""))
        .with_hint("both are on one PE, so the time of the value must be less than the time of its reader");
  }

  const dataflow::Program& program_;
  const std::vector<Order>& orders_;
  const Wrap& wrap_;
  Diagnostics& diagnostics_;
  std::vector<Read> reads_;
};

} // namespace

std::optional<std::vector<Read>> reads_of(const dataflow::Program& program, const std::vector<Order>& orders,
                                          const Wrap& wrap, Diagnostics& diagnostics) {
  return ReadFinder(program, orders, wrap, diagnostics).run();
}

} // namespace cyclotron::lower
