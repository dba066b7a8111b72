// SPDX-License-Identifier: MIT
#include "backend/mpi/mail.hpp"

#include <utility>

namespace cyclotron::mpi {

Mail::Mail(MPI_Comm comm, Arena& arena, const pe::Trace& trace, const pe::RankPlan& plan)
    : arena_(arena), trace_(trace), plan_(plan), comm_(comm), cargo_of_(static_cast<std::size_t>(plan.mailboxes), -1),
      expected_(plan.cargo.size()) {
  int* most = nullptr;
  int known = 0;
  MPI_Comm_get_attr(comm_, MPI_TAG_UB, &most, &known);
  most_tags_ = known ? *most : 32767;
  for (std::size_t c = 0; c < plan.cargo.size(); ++c)
    if (plan.cargo[c].mailbox >= 0) cargo_of_[static_cast<std::size_t>(plan.cargo[c].mailbox)] = static_cast<int>(c);
  arena.open_mailboxes(plan.mailboxes);
  MPI_Barrier(comm_); // all mailboxes are open
}

// Only a run that failed leaves messages behind.
Mail::~Mail() {
  for (MPI_Request& r : coming_requests_) {
    MPI_Cancel(&r);
    MPI_Request_free(&r);
  }
  for (MPI_Request& r : going_requests_) MPI_Request_free(&r);
}

void Mail::give(int cargo, const TileRef& tile) {
  for (const pe::Delivery& d : plan_.cargo[static_cast<std::size_t>(cargo)].deliveries) {
    count(cargo);
    pass(cargo, d, tile);
  }
}

void Mail::give(int cargo, const pe::Word& word) {
  for (const pe::Delivery& d : plan_.cargo[static_cast<std::size_t>(cargo)].deliveries) {
    count(cargo);
    pass(cargo, d, word);
  }
}

void Mail::pass(int cargo, const pe::Delivery& to, const TileRef& tile) {
  if (const int near = arena_.node_rank(to.rank); near >= 0) {
    tile->references.fetch_add(1, std::memory_order_relaxed); // goes with the letter
    arena_.deliver(near, to.mailbox, arena_.address_of(*tile));
  } else send(to, {cargo, tile, nullptr, to.rank}, &tile->extents_used, message_head + tile->numbers());
}

void Mail::pass(int cargo, const pe::Delivery& to, const pe::Word& word) {
  if (const int near = arena_.node_rank(to.rank); near >= 0) {
    arena_.deliver(near, to.mailbox, static_cast<std::uint64_t>(word.whole));
  } else {
    auto buffer = std::make_unique<WordBuffer>(WordBuffer{word});
    const void* from = buffer.get();
    send(to, {cargo, {}, std::move(buffer), to.rank}, from, 1);
  }
}

void Mail::send(const pe::Delivery& to, Message message, const void* from, std::int64_t numbers) {
  going_requests_.emplace_back();
  MPI_Isend(from, static_cast<int>(numbers), MPI_DOUBLE, to.rank, to.tag % most_tags_, comm_, &going_requests_.back());
  going_.push_back(std::move(message));
}

void Mail::expect(int cargo) {
  const pe::Cargo& c = plan_.cargo[static_cast<std::size_t>(cargo)];
  if (c.source < 0 || arena_.node_rank(c.source) >= 0 || expected_[static_cast<std::size_t>(cargo)]) return;
  expected_[static_cast<std::size_t>(cargo)] = true;
  Message message{cargo, {}, nullptr, -1};
  void* to = nullptr;
  std::int64_t numbers = 1;
  if (is_tile(cargo)) {
    // Its extents come with it; how many numbers it has is known.
    const std::int64_t extent = value_of(cargo).numbers;
    message.tile = arena_.make(&extent, 1);
    to = &message.tile->extents_used;
    numbers = message_head + extent;
  } else {
    message.word = std::make_unique<WordBuffer>();
    to = message.word.get();
  }
  coming_requests_.emplace_back();
  MPI_Irecv(to, static_cast<int>(numbers), MPI_DOUBLE, c.source, c.tag % most_tags_, comm_, &coming_requests_.back());
  coming_.push_back(std::move(message));
}

namespace {

// Those that are done leave both lists; f(message).
template <class M, class F>
void test_some(std::vector<MPI_Request>& requests, std::vector<M>& messages, std::vector<int>& done, F&& f) {
  if (requests.empty()) return;
  int count = 0;
  done.resize(requests.size());
  MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, done.data(), MPI_STATUSES_IGNORE);
  if (count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; ++i) f(messages[static_cast<std::size_t>(done[static_cast<std::size_t>(i)])]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (kept != i) {
      requests[kept] = requests[i];
      messages[kept] = std::move(messages[i]);
    }
    ++kept;
  }
  requests.resize(kept);
  messages.resize(kept);
}

} // namespace

void Mail::test_messages() {
  test_some(coming_requests_, coming_, done_, [&](Message& m) { arrived_.push_back(std::move(m)); });
  test_some(going_requests_, going_, done_, [&](const Message& m) { has_left(m); });
}

bool Mail::all_gone() {
  test_some(going_requests_, going_, done_, [&](const Message& m) { has_left(m); });
  return going_.empty();
}

} // namespace cyclotron::mpi
