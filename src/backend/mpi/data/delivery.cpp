// SPDX-License-Identifier: MIT
#include "backend/mpi/data/delivery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::mpi {

using tensor::ValueType;

Delivery::Delivery(const Directory& directory, const std::vector<Part>& parts, const Declaration& tensor,
                   ValueType type, MPI_Comm comm)
    : directory_(directory), parts_(parts), tensor_(tensor), type_(type), comm_(comm), starts_{0} {
  for (const Part& part : parts) {
    std::fill_n(part.values, part.box.elements(), Word{.whole = 0}); // the bits of 0.0, too
    starts_.push_back(starts_.back() + part.box.elements());
  }
  seen_.resize(static_cast<std::size_t>(starts_.back() / 64 + 1));
}

void Delivery::add(const std::int64_t* at, Word value) {
  const Directory::Home home = directory_.find(at);
  if (home.rank < 0) return;
  to_.push_back(home.rank);
  items_.push_back({home.slot, value});
}

bool Delivery::exchange(bool& more, Diagnostics& mine, Diagnostics& agreed) {
  if (!agree(mine, agreed, comm_, &more)) return false;
  send_and_receive();
  for (const Item& item : received_) store(item, mine);
  received_.clear();
  return more || agree(mine, agreed, comm_); // an error while storing comes up in the next round, or now
}

void Delivery::send_and_receive() {
  const auto ranks = static_cast<std::size_t>(ranks_of(comm_));
  std::vector<int> sent(ranks, 0), sent_at(ranks, 0), got(ranks), got_at(ranks, 0);
  for (int to : to_) ++sent[static_cast<std::size_t>(to)];
  MPI_Alltoall(sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, comm_);
  std::partial_sum(sent.begin(), sent.end() - 1, sent_at.begin() + 1);
  std::partial_sum(got.begin(), got.end() - 1, got_at.begin() + 1);
  std::vector<Item> ordered(items_.size());
  std::vector<int> next = sent_at;
  for (std::size_t i = 0; i < items_.size(); ++i)
    ordered[static_cast<std::size_t>(next[static_cast<std::size_t>(to_[i])]++)] = items_[i];
  to_.clear();
  items_.clear();
  received_.resize(static_cast<std::size_t>(got_at.back() + got.back()));
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT64_T, &pair);
  MPI_Type_commit(&pair);
  static_assert(sizeof(Item) == 16);
  MPI_Alltoallv(ordered.data(), sent.data(), sent_at.data(), pair, received_.data(), got.data(), got_at.data(), pair,
                comm_);
  MPI_Type_free(&pair);
}

void Delivery::store(const Item& item, Diagnostics& mine) {
  if (item.slot < starts_[last_] || item.slot >= starts_[last_ + 1])
    last_ = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), item.slot) - starts_.begin() - 1);
  const std::size_t part = last_;
  const std::int64_t offset = item.slot - starts_[part];
  Word& word = parts_[part].values[offset];
  std::uint64_t& bits = seen_[static_cast<std::size_t>(item.slot / 64)];
  const std::uint64_t bit = std::uint64_t{1} << (item.slot % 64);
  if (!(bits & bit)) {
    bits |= bit;
    ++arrived_;
    word = item.value;
    return;
  }
  if (sum(word, item.value) || mine.failed()) return;
  std::vector<std::int64_t> at = parts_[part].box.first;
  std::int64_t rest = offset;
  for (std::size_t d = at.size(); d-- > 0; rest /= parts_[part].box.count[d]) at[d] += rest % parts_[part].box.count[d];
  mine.error(fmt::format("the entries at ({}) of {} sum to more than it can hold", fmt::join(at, ", "),
                         tensor::describe(tensor_.dims, type_)))
      .with_hint("entries with the same coordinates are summed: remove the repeated ones or use `f64`");
}

bool Delivery::sum(Word& into, Word value) const {
  switch (type_) {
  case ValueType::f64: into.real += value.real; return true;
  case ValueType::f32: into.real = static_cast<float>(into.real) + static_cast<float>(value.real); return true;
  case ValueType::boolean: into.whole |= value.whole; return true;
  case ValueType::i64: return !__builtin_add_overflow(into.whole, value.whole, &into.whole);
  case ValueType::i32: into.whole += value.whole; return into.whole == static_cast<std::int32_t>(into.whole);
  }
  bug("unknown value type");
}

std::int64_t elements_per_round(MPI_Comm comm) {
  constexpr std::int64_t altogether = std::int64_t{1} << 22;
  return std::clamp<std::int64_t>(altogether / ranks_of(comm), 1 << 12, 1 << 18);
}

} // namespace cyclotron::mpi
