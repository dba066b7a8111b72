// SPDX-License-Identifier: MIT
// The memory of a rank's tiles, which the other ranks of its node can read in place: a tile is passed to a neighbour
// on the same node as a reference, without a copy. References are counted in the tile itself; who lets go of the last
// one gives the tile back to the rank whose memory it is.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cyclotron::mpi {

constexpr int most_extents = 4;

// The head of a tile; its values follow. From `extents_used` on, head and values are what a message carries.
struct alignas(64) TileHead {
  std::atomic<std::int32_t> references;
  std::int32_t owner;    // the rank of the node whose memory it is
  std::int64_t capacity; // numbers that fit
  std::uint64_t next;    // in a list of tiles given back
  std::int64_t extents_used;
  std::array<std::int64_t, most_extents> extents;

  double* values() { return reinterpret_cast<double*>(this + 1); }
  const double* values() const { return reinterpret_cast<const double*>(this + 1); }
  // One without extents holds one number that stands for a tile of any shape.
  std::int64_t numbers() const {
    std::int64_t count = 1;
    for (std::int64_t d = 0; d < extents_used; ++d) count *= extents[static_cast<std::size_t>(d)];
    return count;
  }
  bool same_shape(const TileHead& other) const {
    if (extents_used != other.extents_used) return false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(extents_used); ++d)
      if (extents[d] != other.extents[d]) return false;
    return true;
  }
};
static_assert(sizeof(TileHead) == 64);

constexpr std::int64_t message_head = 1 + most_extents; // numbers before the values in a message

class Arena;

// One of the references to a tile.
class TileRef {
public:
  TileRef() = default;
  TileRef(TileHead* tile, Arena* arena) : tile_(tile), arena_(arena) {} // takes over a reference
  TileRef(const TileRef& other) : tile_(other.tile_), arena_(other.arena_) {
    if (tile_) tile_->references.fetch_add(1, std::memory_order_relaxed);
  }
  TileRef(TileRef&& other) noexcept : tile_(other.tile_), arena_(other.arena_) { other.tile_ = nullptr; }
  TileRef& operator=(TileRef other) noexcept {
    std::swap(tile_, other.tile_);
    std::swap(arena_, other.arena_);
    return *this;
  }
  ~TileRef() { reset(); }
  void reset();

  TileHead* operator->() const { return tile_; }
  TileHead& operator*() const { return *tile_; }
  TileHead* get() const { return tile_; }
  explicit operator bool() const { return tile_ != nullptr; }
  // Whether nobody else has one, on any rank: then it may be changed.
  bool is_only() const { return tile_->references.load(std::memory_order_acquire) == 1; }

private:
  TileHead* tile_ = nullptr;
  Arena* arena_ = nullptr;
};

// A value that has come from another rank of the node: a number, or where the tile is.
struct Letter {
  std::uint64_t payload = 0;
  std::uint64_t next = 0; // 1 + the mailbox that was filled before
};

class Arena {
public:
  // Collective over the communicator, which is kept. `shared`: whether the ranks of a node read each other's memory.
  Arena(MPI_Comm comm, bool shared);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Throws std::bad_alloc where the machine has no more.
  TileRef make(const std::vector<std::int64_t>& extents) { return make(extents.data(), extents.size()); }
  TileRef make(const std::int64_t* extents, std::size_t count);

  // Mailboxes for the run that begins; collective.
  void open_mailboxes(int count);
  // Fills a mailbox of another rank of the node. A tile's reference goes with it.
  void deliver(int node_rank, int mailbox, std::uint64_t payload);
  std::uint64_t address_of(const TileHead& tile) const; // as a payload
  TileRef adopt(std::uint64_t address);
  // The mailboxes that were filled since the last call: f(mailbox, payload).
  template <class F> void collect(F&& f) {
    std::uint64_t at = shelf_->filled.exchange(0, std::memory_order_acquire);
    while (at != 0) {
      const Letter letter = letters_[at - 1];
      f(static_cast<int>(at - 1), letter.payload);
      at = letter.next;
    }
  }

  // The rank of the node that a rank of the communicator is here; -1: on another node, or memory is not shared.
  int node_rank(int rank) const { return node_ranks_[static_cast<std::size_t>(rank)]; }
  int nodes() const { return nodes_; }
  std::int64_t bytes_used() const { return static_cast<std::int64_t>(top_); }
  const std::string& why_not_shared() const { return why_not_shared_; } // where that was wanted

private:
  friend class TileRef;
  // The first page of every rank's memory.
  struct Shelf {
    std::atomic<std::uint64_t> filled;   // 1 + the mailbox filled last
    std::atomic<std::uint64_t> returned; // the tile given back last: its offset
    std::atomic<std::uint64_t> letters;  // where the mailboxes are
  };
  struct Mapping {
    std::byte* base = nullptr;
    Shelf* shelf() const { return reinterpret_cast<Shelf*>(base); }
  };

  void give_back(TileHead* tile);
  bool map_own(bool shared);
  bool map_others();
  void unmap_others();
  std::byte* grow(std::uint64_t bytes);

  MPI_Comm node_ = MPI_COMM_NULL;
  int own_ = 0; // rank in the node
  int nodes_ = 1;
  std::uint64_t size_ = 0, top_ = 0;
  int file_ = -1;
  std::vector<Mapping> memory_; // per rank of the node
  std::vector<int> node_ranks_;
  std::map<std::int64_t, std::vector<TileHead*>> free_; // by capacity
  Shelf* shelf_ = nullptr;
  Letter* letters_ = nullptr;
  std::uint64_t letters_capacity_ = 0;
  std::vector<std::uint64_t> letters_of_; // per rank of the node: where its mailboxes are
  std::string why_not_shared_;
};

} // namespace cyclotron::mpi
