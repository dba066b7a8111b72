// SPDX-License-Identifier: MIT
// The values that are under way between ranks when these stop for a checkpoint. If MPI has taken a value from its
// sender, the receiver takes it in. If not, the sender still has it, saves it, and sends it again later. So no rank
// needs memory for more than it had to take in anyway. Within a node nothing is under way, because mailboxes are
// emptied at once.
#include "backend/mpi/mail.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace cyclotron::mpi {

namespace {

using Lists = std::vector<std::vector<int>>; // one per rank

// Collective: what each rank has for each other one.
Lists trade(const Lists& own, MPI_Comm comm) {
  const std::size_t ranks = own.size();
  std::vector<int> send_counts(ranks), counts(ranks), send_at(ranks), at(ranks), sent;
  for (std::size_t r = 0; r < ranks; ++r) {
    send_counts[r] = static_cast<int>(own[r].size());
    send_at[r] = static_cast<int>(sent.size());
    sent.insert(sent.end(), own[r].begin(), own[r].end());
  }
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::exclusive_scan(counts.begin(), counts.end(), at.begin(), 0);
  std::vector<int> got(static_cast<std::size_t>(at.back() + counts.back()));
  MPI_Alltoallv(sent.data(), send_counts.data(), send_at.data(), MPI_INT, got.data(), counts.data(), at.data(), MPI_INT,
                comm);
  Lists lists;
  for (std::size_t r = 0; r < ranks; ++r) lists.emplace_back(got.begin() + at[r], got.begin() + at[r] + counts[r]);
  return lists;
}

Lists no_lists(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return Lists(static_cast<std::size_t>(ranks));
}

std::vector<int>& list_of(Lists& lists, int rank) { return lists[static_cast<std::size_t>(rank)]; }

// Both ends of a transfer know it by the other rank and a tag.
class ByTag {
public:
  void add(int rank, int tag, int cargo) { cargo_.emplace(key(rank, tag), cargo); }
  int find(int rank, int tag) const {
    const auto found = cargo_.find(key(rank, tag));
    if (found == cargo_.end()) bug("a rank knows of a transfer that another does not");
    return found->second;
  }

private:
  static std::uint64_t key(int rank, int tag) {
    return static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(tag);
  }
  std::unordered_map<std::uint64_t, int> cargo_;
};

ByTag incoming(const pe::RankPlan& plan) {
  ByTag by_tag;
  for (std::size_t c = 0; c < plan.cargo.size(); ++c)
    if (plan.cargo[c].source >= 0) by_tag.add(plan.cargo[c].source, plan.cargo[c].tag, static_cast<int>(c));
  return by_tag;
}

bool any(const Lists& lists) {
  return std::any_of(lists.begin(), lists.end(), [](const auto& list) { return !list.empty(); });
}

} // namespace

const pe::Delivery& Mail::delivery(int cargo, int rank) const {
  const auto& all = plan_.cargo[static_cast<std::size_t>(cargo)].deliveries;
  const auto found = std::find_if(all.begin(), all.end(), [&](const pe::Delivery& d) { return d.rank == rank; });
  if (found == all.end()) bug("a value goes to a rank that does not get it");
  return *found;
}

void Mail::has_left(const Message& message) {
  if (!keeps_account_ || value_of(message.cargo).element < 0) return;
  left_.push_back({message.to, delivery(message.cargo, message.to).tag});
}

std::vector<int> Mail::sent_here() {
  Lists left = no_lists(comm_);
  all_gone(); // what has left meanwhile is noted
  for (const Sent& s : left_) list_of(left, s.rank).push_back(s.tag);
  left_.clear();
  const Lists here = trade(left, comm_);
  std::vector<int> cargo;
  if (!any(here)) return cargo;
  const ByTag by_tag = incoming(plan_);
  for (std::size_t r = 0; r < here.size(); ++r)
    for (int tag : here[r]) cargo.push_back(by_tag.find(static_cast<int>(r), tag));
  return cargo;
}

std::vector<Mail::UnderWay> Mail::not_arrived(const std::function<bool(int)>& is_there) {
  Lists going = no_lists(comm_), answers = no_lists(comm_);
  for (const Message& m : going_)
    if (value_of(m.cargo).element >= 0) list_of(going, m.to).push_back(delivery(m.cargo, m.to).tag);
  const Lists asked = trade(going, comm_);
  if (any(asked)) {
    const ByTag by_tag = incoming(plan_);
    for (std::size_t r = 0; r < asked.size(); ++r)
      for (int tag : asked[r]) answers[r].push_back(is_there(by_tag.find(static_cast<int>(r), tag)));
  }
  const Lists answered = trade(answers, comm_);
  std::vector<std::size_t> next(answered.size(), 0);
  std::vector<UnderWay> missing;
  for (const Message& m : going_) {
    if (value_of(m.cargo).element < 0) continue;
    const auto r = static_cast<std::size_t>(m.to);
    if (answered[r][next[r]++] == 0) missing.push_back({m.cargo, m.to, m.tile, m.word ? m.word->value : pe::Word()});
  }
  return missing;
}

std::vector<Mail::UnderWay> Mail::asked_for(const std::vector<int>& lacking) {
  Lists wanted = no_lists(comm_);
  for (int c : lacking) {
    const pe::Cargo& cargo = plan_.cargo[static_cast<std::size_t>(c)];
    list_of(wanted, cargo.source).push_back(cargo.tag);
  }
  const Lists asked = trade(wanted, comm_);
  ByTag outgoing;
  for (std::size_t c = 0; c < plan_.cargo.size(); ++c)
    for (const pe::Delivery& d : plan_.cargo[c].deliveries) outgoing.add(d.rank, d.tag, static_cast<int>(c));
  std::vector<UnderWay> list;
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (int tag : asked[r]) {
      const int rank = static_cast<int>(r);
      list.push_back({outgoing.find(rank, tag), rank, {}, {}});
    }
  return list;
}

void Mail::give_again(const UnderWay& what) {
  const pe::Delivery& to = delivery(what.cargo, what.rank);
  if (is_tile(what.cargo)) pass(what.cargo, to, what.tile);
  else pass(what.cargo, to, what.word);
}

} // namespace cyclotron::mpi
