// SPDX-License-Identifier: MIT
#include "lower/code/shared_inputs.hpp"

#include "code/build.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <iterator>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;

namespace {

// Whether all of the box is inside of the tensor in one dimension, at all sizes and for all blocks.
bool is_inside(const Expr& from, std::int64_t extent, const Expr& of_tensor) {
  const auto first = build::known(from), end = build::known(of_tensor);
  return first && end && *first >= 0 && extent <= *end - *first;
}

} // namespace

SharedInputs::SharedInputs(const Surroundings& of, const KernelNames& called, FreshNames& names)
    : program_(of.program), called_(called), names_(names) {
  for (const lanes::Placed& p : program_.placed) {
    if (p.memory != lanes::Memory::shared) continue;
    auto box = lanes::box_of_block(program_, p.tensor);
    if (!box) bug("what is shared is no box");
    Shared shared{names(p.tensor + "_shared"), std::move(*box), {}};
    for (const std::int64_t extent : shared.box.extents) shared.extents.push_back(build::number(extent));
    memories_.push_back(
        {shared.memory, called.scalars.at(p.tensor), code::Role::shared, build::number(shared.box.elements())});
    shared_.emplace(p.tensor, std::move(shared));
  }
}

recurrence::Point SharedInputs::in_box(const std::string& tensor, recurrence::Point element) const {
  const recurrence::Point& corner = shared_.at(tensor).box.corner;
  for (std::size_t d = 0; d < element.size(); ++d) element[d] = element[d] - corner[d];
  return element;
}

Expr SharedInputs::element(const std::string& tensor, const std::vector<Along>& in_box, const Expr& mask) const {
  const Shared& shared = shared_.at(tensor);
  return load_at(shared.memory, place_in(in_box, shared.extents), mask);
}

void SharedInputs::copy(const Moment& block, const std::optional<std::int64_t>& workers, code::Body& to) const {
  Here here{block, {}, 1};
  for (const auto& [size, name] : called_.sizes) here.names[size] = build::variable(name);
  for (const auto& [tensor, shared] : shared_) {
    code::Body copied = copy_box(tensor, shared, here, workers);
    std::move(copied.begin(), copied.end(), std::back_inserter(to));
  }
  to.push_back({code::Barrier{}});
}

// A part is as many elements of a row of the box as there are lanes. Workers of a block take turns: a block has no more
// of them than its own work has use for.
code::Body SharedInputs::copy_box(const std::string& tensor, const Shared& shared, const Here& block,
                                  const std::optional<std::int64_t>& workers) const {
  code::Body body;
  std::vector<Expr> from;
  for (const recurrence::Affine& corner : shared.box.corner) {
    from.push_back(along(corner, block).base);
    if (build::known(from.back())) continue;
    const std::string name = names_("from");
    body.push_back(build::declare(name, {code::Scalar::i64, false}, from.back()));
    from.back() = build::variable(name);
  }
  const std::int64_t row = shared.box.extents.back();
  const std::int64_t parts = shared.box.elements() / row * recurrence::ceil_div(row, program_.shape.lanes);
  const std::string part = names_("part");
  code::Body copied = copy_part(tensor, shared, from, build::variable(part));
  const auto over = [&](const std::string& worker, std::int64_t count, code::Body inside) {
    return build::loop(code::Run::workers, worker, build::number(0), build::number(count), std::move(inside));
  };
  if (!workers || parts <= *workers) {
    body.push_back(over(part, parts, std::move(copied)));
    return body;
  }
  const std::string worker = names_("copier");
  code::For turns{part, build::variable(worker), build::number(parts), *workers, code::Run::serial,
                  0,    std::move(copied)};
  body.push_back(over(worker, *workers, {{std::move(turns)}}));
  return body;
}

// Elements of the box that the tensor has not are not loaded: the block does not read them.
code::Body SharedInputs::copy_part(const std::string& tensor, const Shared& shared, const std::vector<Expr>& from,
                                   const Expr& part) const {
  const std::int64_t lanes = program_.shape.lanes, row = shared.box.extents.back();
  const std::size_t last = shared.box.extents.size() - 1;
  code::Body body;
  const auto named = [&](const std::string& wish, const Expr& value) {
    if (build::known(value) || ir::as<code::Variable>(value)) return value;
    const std::string name = names_(wish);
    body.push_back(build::declare(name, {code::Scalar::i64, false}, value));
    return build::variable(name);
  };
  // The part is made of digits: the part of a row, then the rows, the last dimension first.
  std::vector<Along> in_box(last + 1);
  Expr rest = part;
  const auto digit = [&](std::int64_t count, bool is_first) {
    if (count == 1) return build::number(0);
    const Expr whole = rest, of = build::number(count);
    rest = build::floor_div(whole, of);
    return is_first ? whole : build::mod(whole, of);
  };
  const Expr in_row = digit(recurrence::ceil_div(row, lanes), shared.box.elements() == row);
  in_box[last] = {named("column", build::mul(in_row, build::number(lanes))), 1, 1};
  for (std::size_t d = last; d-- > 0;) in_box[d] = {named("row", digit(shared.box.extents[d], d == 0)), 0, 1};
  Expr wanted;
  if (row % lanes != 0)
    wanted = lanes_between({}, build::sub(build::number(row - 1), in_box[last].base), lanes, code::Scalar::i32);
  const std::vector<Expr>& extents = called_.extents.at(tensor);
  std::vector<Along> in_tensor = in_box;
  Expr there = wanted;
  for (std::size_t d = 0; d <= last; ++d) {
    in_tensor[d].base = build::add(in_box[d].base, from[d]);
    if (is_inside(from[d], shared.box.extents[d], extents[d])) continue;
    const Expr inside = inside_of(in_tensor[d], extents[d], lanes);
    there = build::logical_and(there, d == last ? inside : build::spread(inside));
  }
  const Expr what = load_at(called_.memories.at(tensor), place_in(in_tensor, extents), there);
  body.push_back(store_at(shared.memory, place_in(in_box, shared.extents), what, wanted));
  return body;
}

} // namespace cyclotron::lower
