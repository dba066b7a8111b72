// SPDX-License-Identifier: MIT
#include "lower/stream/order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::lower {
namespace {

using Names = std::vector<std::string>;

// `before` is stored above `after` in this tensor.
struct Precedence {
  std::string before, after;
  const stream::Operand* tensor = nullptr;
  Span span;
};

Names stored_order(const stream::Operand& operand) {
  Names names;
  for (const int dimension : operand.format.order)
    names.push_back(operand.indices[static_cast<std::size_t>(dimension)]);
  return names;
}

std::vector<Precedence> precedences(const StreamEquation& equation, bool result_too) {
  std::vector<Precedence> list;
  const auto add = [&](const stream::Operand& operand, Span span) {
    const Names names = stored_order(operand);
    for (std::size_t l = 1; l < names.size(); ++l) list.push_back({names[l - 1], names[l], &operand, span});
  };
  for (const StreamOperand& o : equation.operands)
    if (o.kind == StreamOperand::Kind::access && o.places.empty()) add(o.at, o.span);
  if (result_too) add(equation.result, equation.span);
  return list;
}

// The first of these that can be next, again and again; shorter than the list where the precedences run in a circle.
Names sorted(const Names& appearance, const std::vector<Precedence>& all) {
  Names order;
  const auto done = [&](const std::string& name) { return std::ranges::count(order, name) > 0; };
  while (order.size() < appearance.size()) {
    const auto next = std::ranges::find_if(appearance, [&](const std::string& v) {
      return !done(v) &&
             std::ranges::none_of(all, [&](const Precedence& p) { return p.after == v && !done(p.before); });
    });
    if (next == appearance.end()) return order;
    order.push_back(*next);
  }
  return order;
}

// The format in which the tensor's levels would come in this order.
tensor::Format format_for(const stream::Operand& operand, const Names& order) {
  tensor::Format format = operand.format;
  std::ranges::sort(format.order, {}, [&](int dimension) {
    return std::ranges::find(order, operand.indices[static_cast<std::size_t>(dimension)]) - order.begin();
  });
  return format;
}

std::string access_text(const stream::Operand& operand) {
  return fmt::format("{}({})", operand.tensor, fmt::join(operand.indices, ","));
}

std::string store_hint(const stream::Operand& operand, const Names& order) {
  return fmt::format("store `{}` as `{}`", operand.tensor, tensor::to_string(format_for(operand, order)));
}

void report_circle(const StreamEquation& equation, const std::vector<Precedence>& all, Diagnostics& diagnostics) {
  auto& d = diagnostics.unsupported(equation.span,
                                    "no order of the loops walks through all these tensors as they are stored");
  for (const Precedence& p : all)
    d.note(p.span, fmt::format("`{}` has `{}` above `{}`", access_text(*p.tensor), p.before, p.after));
  // A tensor without which there is an order could be stored so.
  for (auto p = all.rbegin(); p != all.rend(); ++p) {
    std::vector<Precedence> others;
    std::ranges::copy_if(all, std::back_inserter(others), [&](const Precedence& o) { return o.tensor != p->tensor; });
    const Names order = sorted(equation.variables(), others);
    if (order.size() != equation.variables().size()) continue;
    d.with_hint(store_hint(*p->tensor, order));
    return;
  }
  d.with_hint(other_targets);
}

} // namespace

std::optional<Names> stream_order(const StreamEquation& equation, const StreamOrder& wanted, Diagnostics& diagnostics) {
  const Names appearance = equation.variables();
  const bool ordered_result =
      !tensor::is_dense(equation.result.format) && !wanted.scatters && equation.result_places.empty();
  const std::vector<Precedence> all = precedences(equation, ordered_result);
  const Names possible = sorted(appearance, all);
  if (wanted.given.empty()) {
    if (possible.size() == appearance.size()) return possible;
    report_circle(equation, all, diagnostics);
    return std::nullopt;
  }
  Names order;
  for (const std::string& v : wanted.given) {
    const auto add = [&](const std::string& name) {
      if (std::ranges::count(appearance, name) && !std::ranges::count(order, name)) order.push_back(name);
    };
    add(v);
    for (const auto& [name, variable] : equation.written_as)
      if (variable == v) add(name);
  }
  for (const std::string& v : appearance)
    if (!std::ranges::count(order, v)) {
      diagnostics.error(wanted.span, fmt::format("the order leaves out `{}`, an index of `{}`", v, equation.title))
          .with_hint(fmt::format("write `order {}, {}`", fmt::join(wanted.given, ", "), v));
      return std::nullopt;
    }
  const auto place = [&](const std::string& v) { return std::ranges::find(order, v) - order.begin(); };
  for (const Precedence& p : all) {
    if (place(p.before) < place(p.after)) continue;
    std::string hint = store_hint(*p.tensor, order);
    if (possible.size() == appearance.size())
      hint = fmt::format("write `order {}`, or {}", fmt::join(possible, ", "), hint);
    diagnostics
        .unsupported(wanted.span, fmt::format("streams cannot walk through `{}` with `{}` outside `{}`",
                                              access_text(*p.tensor), p.after, p.before))
        .note(p.span, fmt::format("it is stored with `{}` above `{}`", p.before, p.after))
        .with_hint(hint);
    return std::nullopt;
  }
  return order;
}

} // namespace cyclotron::lower
