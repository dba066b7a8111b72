// SPDX-License-Identifier: MIT
#include "lower/tiles/tile_operators.hpp"

#include "lower/tiles/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

// The same for every element of a tile.
bool is_number(const Expr& expr) {
  bool number = true;
  each_inside_name(expr, [&](const std::string&) { number = false; });
  return number;
}

bool has_place(const Expr& expr, const std::string& place) {
  bool found = false;
  each_inside_name(expr, [&](const std::string& n) { found = found || n == place; });
  return found;
}

int size_of(const Expr& expr) {
  int count = 0;
  ir::walk<ExprNode>(expr, [&](const Expr&) { ++count; });
  return count;
}

Elements with_value(Elements elements, Expr value) {
  elements.value = std::move(value);
  return elements;
}

} // namespace

TileOperators::Lifted TileOperators::fail(Span span, std::string reason) {
  failure_ = {span, std::move(reason)};
  return std::nullopt;
}

std::optional<TileOperators::Value> TileOperators::value_of(const TileGroup& group) {
  const TileCase& first = *group.cases[0];
  const std::set<std::string> places(first.place.begin(), first.place.end());
  bool whole = group.cases.size() == 1 && places.size() == first.place.size();
  for (const Comparison& c : first.inside) whole = whole && !(places.count(c.left) && places.count(c.right));
  if (whole && !reads_tile(first.value, first.tile)) {
    const Lifted tile = is_number(first.value) ? Lifted(first.value) : lift({first.place, first.value, &first});
    return tile ? std::optional(Value{*tile, &first}) : std::nullopt;
  }
  const std::vector<KernelUse> uses = kernels_for(group, groups_, order_);
  for (const TileCase* one : group.cases) {
    std::vector<KernelUse> from_one;
    for (const KernelUse& use : uses)
      if (use.arguments[0].of == one) from_one.push_back(use);
    if (const Lifted tile = smallest(from_one)) return Value{*tile, one};
  }
  fail(first.origin->span, whole ? "no kernel has this recurrence inside a tile"
                                 : "no kernel computes this tile, of which an equation defines only a part");
  return std::nullopt;
}

TileOperators::Lifted TileOperators::lift(const Elements& elements) {
  const Expr& e = elements.value;
  if (is_number(e)) return fail(e->span, "this is one number for all elements of a tile; tiles are added to tiles");
  if (as<Access>(e)) return lift_access(elements);
  if (const Unary* u = as<Unary>(e)) return lift_unary(*u, elements);
  if (const Binary* b = as<Binary>(e)) return lift_binary(*b, elements);
  if (const Reduce* r = as<Reduce>(e)) return lift_sum(*r, elements);
  if (const Select* s = as<Select>(e); s && is_number(s->condition)) {
    const Lifted yes = lift(with_value(elements, s->then_value));
    const Lifted no = yes ? lift(with_value(elements, s->else_value)) : std::nullopt;
    return no ? Lifted(Expr(Select{s->condition, *yes, *no}, e->span)) : std::nullopt;
  }
  return fail(e->span, "this is done element by element, which no kernel does");
}

TileOperators::Lifted TileOperators::lift_access(const Elements& elements) {
  if (const std::vector<std::string> places = places_read(elements.value); places == elements.places) {
    Access tile = *as<Access>(elements.value);
    tile.indices.resize(tile.indices.size() - places.size());
    return Expr(std::move(tile), elements.value->span);
  }
  return by_kernel(elements, "this does not have the indices of the tile that it is needed for");
}

TileOperators::Lifted TileOperators::lift_unary(const Unary& unary, const Elements& elements) {
  if (unary.op != UnaryOp::negate) return fail(elements.value->span, "no kernel does this");
  const Lifted operand = lift(with_value(elements, unary.operand));
  if (!operand) return std::nullopt;
  return Expr(Unary{unary.op, *operand}, elements.value->span);
}

TileOperators::Lifted TileOperators::lift_binary(const Binary& binary, const Elements& elements) {
  const Span span = elements.value->span;
  switch (binary.op) {
  case BinaryOp::mul: return lift_product(elements);
  case BinaryOp::add:
  case BinaryOp::sub: {
    const Lifted left = lift(with_value(elements, binary.lhs));
    const Lifted right = left ? lift(with_value(elements, binary.rhs)) : std::nullopt;
    return right ? Lifted(Expr(Binary{binary.op, *left, *right}, span)) : std::nullopt;
  }
  case BinaryOp::div: {
    if (!is_number(binary.rhs)) return fail(span, "no kernel divides by elements of a tile here");
    const Lifted left = lift(with_value(elements, binary.lhs));
    return left ? Lifted(Expr(Binary{binary.op, *left, binary.rhs}, span)) : std::nullopt;
  }
  default: return fail(span, "tiles cannot be compared");
  }
}

// Numbers multiply a tile; what is left is one tile, or a kernel.
TileOperators::Lifted TileOperators::lift_product(const Elements& elements) {
  const Span span = elements.value->span;
  std::vector<Expr> numbers, tiles;
  for (const Expr& f : factors_of(elements.value)) (is_number(f) ? numbers : tiles).push_back(f);
  const Elements rest = with_value(elements, product_of(tiles, span));
  const Lifted tile = tiles.size() == 1 ? lift(rest) : by_kernel(rest, "no kernel multiplies these");
  if (!tile || numbers.empty()) return tile;
  return Expr(Binary{BinaryOp::mul, product_of(numbers, span), *tile}, span);
}

// The sum over tiles stays, that over places is left for a kernel.
TileOperators::Lifted TileOperators::lift_sum(const Reduce& reduce, const Elements& elements) {
  const Span span = elements.value->span;
  std::vector<Binder> tiles, places;
  for (const Binder& b : reduce.variables) (is_inside(b.name) ? places : tiles).push_back(b);
  if (!tiles.empty() && reduce.reducer != Reducer::sum) return fail(span, "tiles can only be summed");
  if (tiles.empty()) return lift_sum_inside(reduce, elements);
  const Expr inside = places.empty() ? reduce.body : Expr(Reduce{Reducer::sum, places, reduce.body}, span);
  const Lifted tile = lift(with_value(elements, inside));
  if (!tile) return std::nullopt;
  return Expr(Reduce{Reducer::sum, std::move(tiles), *tile}, span);
}

TileOperators::Lifted TileOperators::lift_sum_inside(const Reduce& reduce, const Elements& elements) {
  const Span span = elements.value->span;
  const auto summed = [&](const Expr& body) { return Expr(Reduce{Reducer::sum, reduce.variables, body}, span); };
  if (is_sum_of_terms(reduce.body)) {
    std::vector<Term> terms = terms_of(reduce.body);
    for (Term& t : terms) t.value = summed(t.value);
    return lift(with_value(elements, sum_of(terms, span)));
  }
  if (const Binary* b = as<Binary>(reduce.body); b && b->op == BinaryOp::div && is_number(b->rhs))
    return lift(with_value(elements, Expr(Binary{BinaryOp::div, summed(b->lhs), b->rhs}, span)));
  std::vector<Expr> numbers, others;
  for (const Expr& f : factors_of(reduce.body)) (is_number(f) ? numbers : others).push_back(f);
  if (!numbers.empty() && !others.empty()) {
    numbers.push_back(summed(product_of(others, span)));
    return lift(with_value(elements, product_of(numbers, span)));
  }
  if (reduce.variables.size() > 1) return lift_several_sums(reduce, elements);
  for (const Comparison& c : elements.of->inside)
    if (c.mentions(reduce.variables[0].name))
      return by_kernel(elements, "no kernel has this sum over a part of a tile, where the indices compared meet");
  return by_kernel(elements, "no kernel has this sum");
}

// One sum after the other: sum[k,l](A(i,k) * B(k,l) * C(l,j)) is sum[k](A(i,k) * sum[l](B(k,l) * C(l,j))).
TileOperators::Lifted TileOperators::lift_several_sums(const Reduce& reduce, const Elements& elements) {
  const Span span = elements.value->span;
  for (std::size_t v = 0; v < reduce.variables.size(); ++v) {
    std::vector<Expr> with, without;
    for (const Expr& f : factors_of(reduce.body))
      (has_place(f, reduce.variables[v].name) ? with : without).push_back(f);
    if (with.empty() || without.empty()) continue;
    std::vector<Binder> others = reduce.variables;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(v));
    without.push_back(Expr(Reduce{Reducer::sum, {reduce.variables[v]}, product_of(with, span)}, span));
    const Expr outer(Reduce{Reducer::sum, others, product_of(without, span)}, span);
    if (Lifted tile = lift(with_value(elements, outer))) return tile;
  }
  return fail(span, "no kernels have these sums");
}

TileOperators::Lifted TileOperators::by_kernel(const Elements& elements, const std::string& reason) {
  if (Lifted tile = smallest(kernels_for(elements, order_))) return tile;
  return fail(elements.value->span, reason);
}

TileOperators::Lifted TileOperators::smallest(const std::vector<KernelUse>& uses) {
  Lifted best;
  for (const KernelUse& use : uses) {
    KernelCall call{std::string(use.kernel->name), {}};
    for (const Elements& argument : use.arguments)
      if (Lifted tile = lift(argument)) call.arguments.push_back(*tile);
    if (call.arguments.size() != use.arguments.size()) continue;
    const Span span = use.arguments[0].value->span;
    Expr tile(std::move(call), span);
    if (use.transposed) tile = Expr(KernelCall{"TRANSPOSE", {tile}}, span);
    if (!best || size_of(tile) < size_of(*best)) best = tile;
  }
  return best;
}

} // namespace cyclotron::lower
