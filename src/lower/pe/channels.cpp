// SPDX-License-Identifier: MIT
#include "lower/pe/channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class Linker {
public:
  Linker(const dataflow::Program& program, const std::vector<Order>& orders, const std::vector<Read>& reads,
         Diagnostics& diagnostics)
      : program_(program), orders_(orders), reads_(reads), diagnostics_(diagnostics) {}

  std::optional<std::vector<Link>> run() {
    const int before = diagnostics_.errors();
    for (const std::vector<std::size_t>& group : groups()) {
      isl_ctx_reset_operations(program_.context->get().get());
      if (add(group)) continue;
      // What several readers need in different orders comes over a link of its own for each.
      for (const std::size_t r : group)
        if (group.size() == 1 || !add({r})) refuse(reads_[r]);
    }
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(links_);
  }

private:
  bool add(const std::vector<std::size_t>& group) {
    Link link = linked(group);
    const bool ordered = keeps_order(link);
    if (ordered) links_.push_back(std::move(link));
    return ordered;
  }

  const Order& order_of_value(const Link& link) const { return orders_[static_cast<std::size_t>(link.space)]; }
  int reader_space(std::size_t read) const { return program_.rules[reads_[read].rule].space; }
  const Order& order_of_reader(std::size_t read) const { return orders_[static_cast<std::size_t>(reader_space(read))]; }

  // Reads of one value over one distance.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> result;
    for (std::size_t r = 0; r < reads_.size(); ++r) {
      if (reads_[r].is_local()) continue;
      const auto same = std::find_if(result.begin(), result.end(), [&](const auto& group) {
        const Read& other = reads_[group[0]];
        return other.what.space == reads_[r].what.space && other.what.value == reads_[r].what.value &&
               other.offset == reads_[r].offset;
      });
      if (same == result.end()) result.push_back({r});
      else same->push_back(r);
    }
    return result;
  }

  Link linked(const std::vector<std::size_t>& group) const {
    const Read& first = reads_[group[0]];
    isl::set sent = first.element.range();
    isl::map uses = first.element.reverse().apply_range(order_of_reader(group[0]).step); // element -> step
    bool kept = !first.element.is_injective();
    for (std::size_t g = 1; g < group.size(); ++g) {
      const isl::map& element = reads_[group[g]].element;
      kept |= !element.is_injective() || !element.range().is_disjoint(sent);
      sent = sent.unite(element.range()).coalesce();
      uses = uses.unite(element.reverse().apply_range(order_of_reader(group[g]).step));
    }
    const isl::map arrival = kept ? uses.lexmin().coalesce() : uses;
    Link link{first.what.space, first.what.value, first.offset, group, sent, kept, {}, {}, arrival};
    for (const std::size_t r : group) link.receives.push_back(received_by(link, r));
    return link;
  }

  // Points of the read's rule at which its element arrives, unless an earlier read of the same point takes it.
  isl::set received_by(const Link& link, std::size_t read) const {
    const isl::map& element = reads_[read].element;
    if (!link.kept) return element.domain();
    const isl::map step = order_of_reader(read).step;
    isl::set result = isl::manage(
        isl_map_domain(isl_map_intersect(isl_map_apply_range(element.copy(), link.arrival.copy()), step.copy())));
    for (std::size_t g = 0; g < link.receives.size(); ++g) {
      const std::size_t other = link.reads[g];
      if (reader_space(other) != reader_space(read)) continue;
      const isl::map same = element.intersect(reads_[other].element).intersect_domain(link.receives[g]);
      result = result.subtract(same.domain());
    }
    return result.coalesce();
  }

  // All that a PE sends takes the same number of steps, so nothing overtakes: the common case, and quick to see.
  bool takes_constant_time(const Link& link, const isl::map& sending) const {
    const isl::map delay = isl::manage(isl_map_sum(link.arrival.copy(), isl_map_neg(sending.copy())));
    return order_of_value(link).place.reverse().apply_range(delay).is_single_valued();
  }

  // What a PE sends earlier is received earlier; of those received in one step, in the order found here.
  bool keeps_order(Link& link) {
    const Order& at = order_of_value(link);
    const isl::map sending = at.step.intersect_domain(link.sent);
    for (std::size_t g = 0; g < link.reads.size(); ++g) link.order.push_back(g);
    if (takes_constant_time(link, sending)) return true;
    const isl::map same_pe = at.place.apply_range(at.place.reverse());
    const isl::map before = isl::manage(isl_map_lex_lt_map(sending.copy(), sending.copy())).intersect(same_pe);
    const isl::map overtaking =
        before.intersect(isl::manage(isl_map_lex_gt_map(link.arrival.copy(), link.arrival.copy())));
    bool clear = overtaking.is_empty();
    const auto precedes = [&](std::size_t a, std::size_t b) { // somewhere both arrive in one step, a's before b's
      if (reader_space(link.reads[a]) != reader_space(link.reads[b])) return false;
      const isl::map first = reads_[link.reads[a]].element.intersect_domain(link.receives[a]);
      const isl::map second = reads_[link.reads[b]].element.intersect_domain(link.receives[b]);
      return !first.reverse().apply_range(second).intersect(before).is_empty();
    };
    for (std::size_t i = 0; clear && i < link.order.size(); ++i)
      for (std::size_t j = i + 1; clear && j < link.order.size(); ++j)
        if (precedes(link.order[j], link.order[i])) {
          clear = !precedes(link.order[i], link.order[j]);
          std::swap(link.order[i], link.order[j]);
        }
    return clear;
  }

  void refuse(const Read& read) {
    diagnostics_
        .error(read.span,
               fmt::format("values of `{}` travel from PE to PE by ({}) in another order than they are needed in",
                           read.what.value, fmt::join(read.offset, ", ")))
        .with_hint("a link keeps the order: change the time of the space, or let the value travel another way");
  }

  const dataflow::Program& program_;
  const std::vector<Order>& orders_;
  const std::vector<Read>& reads_;
  Diagnostics& diagnostics_;
  std::vector<Link> links_;
};

} // namespace

std::optional<std::vector<Link>> links_of(const dataflow::Program& program, const std::vector<Order>& orders,
                                          const std::vector<Read>& reads, Diagnostics& diagnostics) {
  return Linker(program, orders, reads, diagnostics).run();
}

} // namespace cyclotron::lower
