// SPDX-License-Identifier: MIT
#include "backend/mpi/data/directory.hpp"

#include "backend/mpi/data/agree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::mpi {

Directory::Directory(const std::vector<Part>& parts, const Declaration& tensor, Diagnostics& mine, MPI_Comm comm)
    : rank_(tensor.dims.size()) {
  gather(parts, comm);
  order_.resize(owner_.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (owner_.empty()) return;
  grow(0, static_cast<int>(owner_.size()));
  for (int box = 0; box < static_cast<int>(owner_.size()); ++box) {
    if (owner_[static_cast<std::size_t>(box)] != rank_of(comm)) continue;
    const int other = find_overlap(0, box);
    if (other < 0) continue;
    std::vector<std::int64_t> at(rank_);
    for (std::size_t d = 0; d < rank_; ++d) at[d] = std::max(bounds_of_box(box)[d], bounds_of_box(other)[d]);
    mine.error(fmt::format("the element ({}) of `{}` is in two parts, of rank {} and of rank {}", fmt::join(at, ", "),
                           tensor.name, owner_[static_cast<std::size_t>(box)], owner_[static_cast<std::size_t>(other)]))
        .with_hint("every element belongs to one part of one rank");
    return;
  }
}

// Parts without elements are left out.
void Directory::gather(const std::vector<Part>& parts, MPI_Comm comm) {
  const std::size_t words = 2 * rank_ + 1;
  std::vector<std::int64_t> sent, all;
  std::int64_t slot = 0;
  for (const Part& part : parts) {
    if (part.box.elements() == 0) continue;
    sent.push_back(slot);
    slot += part.box.elements();
    sent.insert(sent.end(), part.box.first.begin(), part.box.first.end());
    for (std::size_t d = 0; d < rank_; ++d) sent.push_back(part.box.first[d] + part.box.count[d]);
  }
  const auto ranks = static_cast<std::size_t>(ranks_of(comm));
  std::vector<int> counts(ranks), starts(ranks, 0);
  const int count = static_cast<int>(sent.size());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
  all.resize(static_cast<std::size_t>(starts.back() + counts.back()));
  MPI_Allgatherv(sent.data(), count, MPI_INT64_T, all.data(), counts.data(), starts.data(), MPI_INT64_T, comm);
  for (std::size_t r = 0; r < ranks; ++r)
    for (int at = starts[r]; at < starts[r] + counts[r]; at += static_cast<int>(words)) {
      const auto box = all.begin() + at;
      owner_.push_back(static_cast<int>(r));
      slot_.push_back(*box);
      bounds_.insert(bounds_.end(), box + 1, box + static_cast<std::ptrdiff_t>(words));
    }
}

// Halves the boxes along the dimension in which they begin farthest apart.
int Directory::grow(int begin, int end) {
  const int node = static_cast<int>(nodes_.size());
  nodes_.push_back({begin, end});
  std::vector<std::int64_t> bounds(bounds_of_box(order_[static_cast<std::size_t>(begin)]),
                                   bounds_of_box(order_[static_cast<std::size_t>(begin)]) + 2 * rank_);
  std::vector<std::int64_t> last_begin(bounds.begin(), bounds.begin() + static_cast<std::ptrdiff_t>(rank_));
  for (int i = begin + 1; i < end; ++i) {
    const std::int64_t* box = bounds_of_box(order_[static_cast<std::size_t>(i)]);
    for (std::size_t d = 0; d < rank_; ++d) {
      bounds[d] = std::min(bounds[d], box[d]);
      bounds[rank_ + d] = std::max(bounds[rank_ + d], box[rank_ + d]);
      last_begin[d] = std::max(last_begin[d], box[d]);
    }
  }
  node_bounds_.insert(node_bounds_.end(), bounds.begin(), bounds.end());
  constexpr int leaf = 4;
  if (end - begin <= leaf) return node;
  std::size_t widest = 0;
  for (std::size_t d = 1; d < rank_; ++d)
    if (last_begin[d] - bounds[d] > last_begin[widest] - bounds[widest]) widest = d;
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int a, int b) { return bounds_of_box(a)[widest] < bounds_of_box(b)[widest]; });
  const int left = grow(begin, middle), right = grow(middle, end);
  nodes_[static_cast<std::size_t>(node)].left = left;
  nodes_[static_cast<std::size_t>(node)].right = right;
  return node;
}

bool Directory::holds(const std::int64_t* bounds, const std::int64_t* at) const {
  for (std::size_t d = 0; d < rank_; ++d)
    if (at[d] < bounds[d] || at[d] >= bounds[rank_ + d]) return false;
  return true;
}

bool Directory::meet(const std::int64_t* a, const std::int64_t* b) const {
  for (std::size_t d = 0; d < rank_; ++d)
    if (a[rank_ + d] <= b[d] || b[rank_ + d] <= a[d]) return false;
  return true;
}

int Directory::find_box(int node, const std::int64_t* at) const {
  if (!holds(bounds_of_node(node), at)) return -1;
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  if (n.left >= 0) {
    const int found = find_box(n.left, at);
    return found >= 0 ? found : find_box(n.right, at);
  }
  for (int i = n.begin; i < n.end; ++i)
    if (holds(bounds_of_box(order_[static_cast<std::size_t>(i)]), at)) return order_[static_cast<std::size_t>(i)];
  return -1;
}

int Directory::find_overlap(int node, int box) const {
  if (!meet(bounds_of_node(node), bounds_of_box(box))) return -1;
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  if (n.left >= 0) {
    const int found = find_overlap(n.left, box);
    return found >= 0 ? found : find_overlap(n.right, box);
  }
  for (int i = n.begin; i < n.end; ++i) {
    const int other = order_[static_cast<std::size_t>(i)];
    if (other != box && meet(bounds_of_box(other), bounds_of_box(box))) return other;
  }
  return -1;
}

Directory::Home Directory::find(const std::int64_t* at) const {
  if (owner_.empty()) return {};
  if (last_ < 0 || !holds(bounds_of_box(last_), at)) last_ = find_box(0, at);
  if (last_ < 0) return {};
  const std::int64_t* bounds = bounds_of_box(last_);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < rank_; ++d) offset = offset * (bounds[rank_ + d] - bounds[d]) + at[d] - bounds[d];
  return {owner_[static_cast<std::size_t>(last_)], slot_[static_cast<std::size_t>(last_)] + offset};
}

} // namespace cyclotron::mpi
