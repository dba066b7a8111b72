// SPDX-License-Identifier: MIT
// Generated inputs: every rank makes its own elements. Where elements depend on each other, as where positions are
// drawn at random, every rank makes an equal share of the tensor and sends it to the owners.
#include "backend/mpi/data/input.hpp"

#include <algorithm>
#include <iterator>

namespace cyclotron::mpi {

namespace {

// Calls visit(box) for boxes of at most `most` elements that make up this one.
template <class Visit> bool for_each_slab(const Box& box, std::int64_t most, const Visit& visit) {
  if (box.elements() == 0) return true;
  if (box.elements() <= most) return visit(box);
  const auto widest =
      static_cast<std::size_t>(std::max_element(box.count.begin(), box.count.end()) - box.count.begin());
  Box low = box, high = box;
  low.count[widest] = box.count[widest] / 2;
  high.first[widest] += low.count[widest];
  high.count[widest] -= low.count[widest];
  return for_each_slab(low, most, visit) && for_each_slab(high, most, visit);
}

// `entries` are those of `box`, which lies in the piece.
void place(const tensor::Entries& entries, const Box& box, const Piece& piece) {
  std::int64_t base = 0;
  for (std::size_t d = 0; d < box.first.size(); ++d) base += (box.first[d] - piece.box.first[d]) * piece.strides[d];
  Word* values = piece.values + base;
  const std::size_t rank = box.first.size();
  const std::int64_t step = rank == 0 ? 1 : piece.strides[rank - 1];
  const auto row_at = [&](const std::int64_t* at) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < rank; ++d) offset += (at[d] - box.first[d]) * piece.strides[d];
    return values + offset;
  };
  std::visit(
      [&](const auto& made) {
        for_each_row(box, [&](const std::int64_t* at, std::int64_t from, std::int64_t length) {
          Word* row = row_at(at);
          for (std::int64_t i = 0; i < length; ++i)
            row[i * step] = entries.dense ? word_of(made[static_cast<std::size_t>(from + i)]) : Word{.whole = 0};
        });
        for (std::size_t i = 0; !entries.dense && i < made.size(); ++i) {
          Word* word = values;
          for (std::size_t d = 0; d < rank; ++d) word += entries.coordinates[d][i] * piece.strides[d];
          *word = word_of(made[i]);
        }
      },
      entries.values);
}

bool make_by_element(const Input& input, const tensor::Recipe& recipe, const tensor::Request& request,
                     Diagnostics& mine) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  for (const Piece& piece : pieces_of(input.parts, input.cuts)) {
    const bool fine = for_each_slab(piece.box, most, [&](const Box& box) {
      const std::optional<tensor::Entries> entries = generate_part(recipe, request, box, mine);
      if (entries) place(*entries, box, piece);
      return entries.has_value();
    });
    if (!fine) break;
  }
  return agree(mine, input.agreed, input.comm);
}

// An equal share of the tensor, handed out in batches with the coordinates of the tensor.
class Share {
public:
  Share(const Input& input, const tensor::Recipe& recipe, const tensor::Request& request, Diagnostics& mine)
      : box_(tensor::whole_box(request.dims)), at_once_(input.elements_at_once()) {
    const auto widest =
        static_cast<std::size_t>(std::max_element(request.dims.begin(), request.dims.end()) - request.dims.begin());
    const std::int64_t rank = rank_of(input.comm), ranks = ranks_of(input.comm);
    const std::int64_t each = request.dims[widest] / ranks, rest = request.dims[widest] % ranks;
    box_.first[widest] = each * rank + std::min(rank, rest);
    box_.count[widest] = each + (rank < rest ? 1 : 0);
    made_ = generate_part(recipe, request, box_, mine);
  }

  std::optional<tensor::Entries> next(bool& more) {
    if (!made_) return std::nullopt;
    const std::int64_t length = std::min(at_once_, made_->count() - done_);
    tensor::Entries batch;
    batch.dims = made_->dims;
    batch.coordinates.resize(box_.first.size());
    for (auto& column : batch.coordinates) column.reserve(static_cast<std::size_t>(length));
    if (made_->dense) count_through(batch, length);
    else shift(batch, length);
    batch.values = std::visit(
        [&](const auto& values) -> tensor::Values {
          const auto from = values.begin() + done_;
          return std::decay_t<decltype(values)>(from, from + length);
        },
        made_->values);
    done_ += length;
    more = done_ < made_->count();
    return batch;
  }

private:
  // Dense elements lie row by row.
  void count_through(tensor::Entries& batch, std::int64_t length) const {
    if (length == 0) return;
    std::vector<std::int64_t> at = coordinates_in(box_, done_);
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::size_t d = 0; d < at.size(); ++d) batch.coordinates[d].push_back(at[d]);
      for (std::size_t d = at.size(); d-- > 0; at[d] = box_.first[d])
        if (++at[d] < box_.first[d] + box_.count[d]) break;
    }
  }

  // The coordinates of a part count from its first element.
  void shift(tensor::Entries& batch, std::int64_t length) const {
    for (std::size_t d = 0; d < box_.first.size(); ++d) {
      const auto from = made_->coordinates[d].begin() + done_;
      std::transform(from, from + length, std::back_inserter(batch.coordinates[d]),
                     [&](std::int64_t c) { return c + box_.first[d]; });
    }
  }

  Box box_;
  std::int64_t at_once_, done_ = 0;
  std::optional<tensor::Entries> made_;
};

} // namespace

bool make(const Input& input, const tensor::Recipe& recipe) {
  Diagnostics mine(input.agreed.sources());
  const tensor::Request request{input.source.dims, input.source.type, input.source.name};
  // A part without elements, first: a recipe that is wrong is wrong for ranks that own nothing, too.
  const Box nothing{std::vector<std::int64_t>(request.dims.size(), 0),
                    std::vector<std::int64_t>(request.dims.size(), 0)};
  const bool by_element = request.dims.empty() || is_made_by_element(recipe, request);
  if (by_element) generate_part(recipe, request, nothing, mine);
  if (!agree(mine, input.agreed, input.comm)) return false;
  if (by_element) return make_by_element(input, recipe, request, mine);
  Share share(input, recipe, request, mine);
  return deliver(input, request.type, -1, mine, [&](bool& more) { return share.next(more); });
}

} // namespace cyclotron::mpi
