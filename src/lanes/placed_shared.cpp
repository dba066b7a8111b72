// SPDX-License-Identifier: MIT
// Inputs in the memory that a block shares. What the points of a block read of a tensor is taken for a box. In each
// dimension it begins at a formula that is never above an index that the block reads; where there are several, one in
// which the box is smallest.
#include "lanes/placed.hpp"

#include "lanes/copies.hpp"
#include "lanes/reads.hpp"
#include "lanes/time_and_place.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <fmt/format.h>

#include <limits>

namespace cyclotron::lanes {

using namespace recurrence;

namespace {

class BoxFinder {
public:
  BoxFinder(const Program& program, const std::string& tensor)
      : program_(program), tensor_(tensor), blocks_(block_components(program)) {}

  std::optional<Box> run() {
    for (const InputRead& read : reads_of_input(program_, tensor_))
      add(read.rule, program_.flow.rules[read.rule].domain, read.indices);
    add_what_is_loaded_again();
    Box box;
    for (std::size_t d = 0; d < rank_; ++d) {
      std::vector<std::size_t> others;
      for (std::size_t o = 0; o < rank_; ++o)
        if (o != d) others.push_back(blocks_.size() + o);
      const isl::set own = without(*all_, others); // { [blocks, index] }
      const auto side = side_of(own);
      if (!side) return std::nullopt;
      box.corner.push_back(side->first);
      box.extents.push_back(side->extent);
    }
    return box;
  }

private:
  void add(std::size_t rule, const isl::set& domain, const Point& indices) {
    const dataflow::Space& space = program_.flow.spaces[static_cast<std::size_t>(program_.flow.rules[rule].space)];
    Point point;
    for (const std::size_t c : blocks_) point.push_back(space.time[c]);
    point.insert(point.end(), indices.begin(), indices.end());
    const isl::map to = map_to(*program_.flow.context, *program_.flow.source, space.coordinates, point);
    const isl::set own = to.intersect_domain(domain).range();
    all_ = all_ ? all_->unite(own) : own;
    rank_ = indices.size();
  }

  // Copies that come from another strip are loaded by those who need them.
  void add_what_is_loaded_again() {
    for (const Read& r : reads_of(program_).reads) {
      if (r.edge != Edge::load) continue;
      const std::size_t value = number_of_value(program_.flow, r.flow.what.space, r.flow.what.value);
      if (program_.copies[value]->tensor == tensor_)
        add(r.flow.rule, r.flow.domain, element_again(program_, *program_.copies[value], r.flow.what));
    }
  }

  struct Side {
    Affine first;
    std::int64_t extent = 1;
  };

  std::optional<Side> side_of(const isl::set& own) const {
    if (own.is_empty()) return Side{};
    isl_map* by_block = isl_map_from_range(own.copy());
    by_block = isl_map_move_dims(by_block, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(blocks_.size()));
    std::vector<std::string> names;
    for (const std::size_t c : blocks_) names.push_back(time_names(program_)[c]);
    const auto least = pieces_of(isl::manage(isl_map_lexmin(by_block)), names, *program_.flow.source);
    std::optional<Side> best;
    for (const Piece& piece : least.value_or(std::vector<Piece>{})) {
      const auto extent = extent_from(piece.point[0], own, names);
      if (extent && (!best || *extent < best->extent)) best = Side{piece.point[0], *extent};
    }
    return best;
  }

  // So many indices from there on; nothing where some come before, or where their number depends on sizes.
  std::optional<std::int64_t> extent_from(const Affine& first, const isl::set& own,
                                          std::vector<std::string> names) const {
    names.emplace_back("index'");
    const isl::map to =
        map_to(*program_.flow.context, *program_.flow.source, names, {Affine{{{"index'", 1}}, 0} - first});
    const isl::set steps = to.intersect_domain(own).range();
    isl_set* all = isl_set_project_out(steps.copy(), isl_dim_param, 0,
                                       static_cast<unsigned>(isl_set_dim(steps.get(), isl_dim_param)));
    const isl::set numbers = isl::manage(all);
    const isl::val least = numbers.dim_min_val(0), most = numbers.dim_max_val(0);
    if (!least.is_int() || !most.is_int() || least.get_num_si() < 0) return std::nullopt;
    return most.get_num_si() + 1;
  }

  const Program& program_;
  const std::string& tensor_;
  const std::vector<std::size_t> blocks_;
  std::optional<isl::set> all_; // { [blocks, indices] }
  std::size_t rank_ = 0;
};

} // namespace

std::int64_t Box::elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t e : extents)
    if (__builtin_mul_overflow(elements, e, &elements)) return std::numeric_limits<std::int64_t>::max();
  return elements;
}

std::vector<std::size_t> block_components(const Program& program) {
  std::vector<std::size_t> blocks;
  for (std::size_t c = 0; c < program.time.size(); ++c)
    if (program.time[c].worker && program.time[c].workers == Workers::blocks) blocks.push_back(c);
  return blocks;
}

std::optional<Box> box_of_block(const Program& program, const std::string& tensor) {
  return BoxFinder(program, tensor).run();
}

std::optional<PlacedProblem> problem_of_shared(const Program& program, const std::string& tensor) {
  const std::vector<InputRead> reads = reads_of_input(program, tensor);
  const Span span = program.flow.rules[reads.front().rule].span;
  if (reads.front().indices.empty())
    return PlacedProblem{fmt::format("`{}` is one number, and no part of it could be shared", tensor),
                         fmt::format("`place {} in registers`", tensor), span};
  if (block_components(program).empty())
    return PlacedProblem{
        fmt::format("`{}` is to be shared by a block, and no loop is given to blocks", tensor),
        "split a loop around the lanes, and give a part to `blocks`: `tile i by 4 -> io, ii`, `blocks io`", span};
  if (!box_of_block(program, tensor))
    return PlacedProblem{fmt::format("how many elements of `{}` a block reads depends on sizes", tensor),
                         "`tile` each loop by which they are read by a number first, and give the outer part to "
                         "`blocks`; a loop that no block can take needs a range that is a number",
                         span};
  return std::nullopt;
}

} // namespace cyclotron::lanes
