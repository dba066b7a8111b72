// SPDX-License-Identifier: MIT
#include "backend/mpi/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace cyclotron::mpi {

namespace {

constexpr std::uint64_t page = 4096;
constexpr int offset_bits = 48;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

// As much as the machine has: only what is used is taken.
std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

void TileRef::reset() {
  if (!tile_) return;
  if (tile_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) arena_->give_back(tile_);
  tile_ = nullptr;
}

Arena::Arena(MPI_Comm comm, bool shared) {
  int rank = 0, ranks = 1, node_size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_);
  MPI_Comm_rank(node_, &own_);
  MPI_Comm_size(node_, &node_size);
  const int leader = own_ == 0;
  MPI_Allreduce(&leader, &nodes_, 1, MPI_INT, MPI_SUM, comm);
  node_ranks_.assign(static_cast<std::size_t>(ranks), -1);
  memory_.resize(static_cast<std::size_t>(node_size));
  size_ = rounded(machine_memory(), page);
  int good = map_own(shared), all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
  if (!all) throw std::bad_alloc();
  top_ = page;
  shelf_ = new (memory_[static_cast<std::size_t>(own_)].base) Shelf{};
  if (!shared) return;
  good = map_others();
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, node_);
  if (!all) {
    unmap_others();
    if (why_not_shared_.empty()) why_not_shared_ = "another rank of the node cannot";
    return;
  }
  std::vector<int> members(static_cast<std::size_t>(node_size));
  MPI_Allgather(&rank, 1, MPI_INT, members.data(), 1, MPI_INT, node_);
  for (int n = 0; n < node_size; ++n) node_ranks_[static_cast<std::size_t>(members[static_cast<std::size_t>(n)])] = n;
}

Arena::~Arena() {
  unmap_others();
  if (memory_[static_cast<std::size_t>(own_)].base) munmap(memory_[static_cast<std::size_t>(own_)].base, size_);
  if (file_ >= 0) close(file_);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&node_);
}

bool Arena::map_own(bool shared) {
  void* at = MAP_FAILED;
  if (shared) {
    file_ = memfd_create("cyclotron tiles", MFD_CLOEXEC);
    if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(size_)) == 0)
      at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
    if (at == MAP_FAILED) why_not_shared_ = std::strerror(errno);
  }
  if (at == MAP_FAILED)
    at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  madvise(at, size_, MADV_HUGEPAGE); // where the system has them: fewer misses; else nothing is lost
  memory_[static_cast<std::size_t>(own_)].base = static_cast<std::byte*>(at);
  return true;
}

bool Arena::map_others() {
  struct Handle {
    std::int64_t process, file;
    std::uint64_t size;
  };
  const Handle own{getpid(), why_not_shared_.empty() ? file_ : -1, size_};
  std::vector<Handle> handles(memory_.size());
  MPI_Allgather(&own, sizeof own, MPI_BYTE, handles.data(), sizeof own, MPI_BYTE, node_);
  bool good = why_not_shared_.empty();
  for (std::size_t n = 0; n < handles.size() && good; ++n) {
    if (static_cast<int>(n) == own_) continue;
    const int file =
        open(fmt::format("/proc/{}/fd/{}", handles[n].process, handles[n].file).c_str(), O_RDWR | O_CLOEXEC);
    void* at = MAP_FAILED;
    if (file >= 0) at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (at == MAP_FAILED) why_not_shared_ = std::strerror(errno);
    else memory_[n].base = static_cast<std::byte*>(at);
    if (file >= 0) close(file);
    good = at != MAP_FAILED && handles[n].size == size_;
  }
  return good;
}

void Arena::unmap_others() {
  for (std::size_t n = 0; n < memory_.size(); ++n) {
    if (static_cast<int>(n) == own_ || !memory_[n].base) continue;
    munmap(memory_[n].base, size_);
    memory_[n].base = nullptr;
  }
}

std::byte* Arena::grow(std::uint64_t bytes) {
  const std::uint64_t at = rounded(top_, 64);
  if (bytes > size_ - at) throw std::bad_alloc();
  top_ = at + bytes;
  return memory_[static_cast<std::size_t>(own_)].base + at;
}

TileRef Arena::make(const std::int64_t* extents, std::size_t count) {
  std::int64_t numbers = 1;
  for (std::size_t d = 0; d < count; ++d) numbers *= extents[d];
  std::vector<TileHead*>& free = free_[numbers];
  if (free.empty()) { // what others have given back
    std::byte* base = memory_[static_cast<std::size_t>(own_)].base;
    std::uint64_t at = shelf_->returned.exchange(0, std::memory_order_acquire);
    while (at != 0) {
      auto* tile = reinterpret_cast<TileHead*>(base + at);
      at = tile->next;
      free_[tile->capacity].push_back(tile);
    }
  }
  TileHead* tile = nullptr;
  if (!free.empty()) {
    tile = free.back();
    free.pop_back();
  } else {
    tile = new (grow(sizeof(TileHead) + static_cast<std::uint64_t>(numbers) * sizeof(double))) TileHead{};
    tile->owner = own_;
    tile->capacity = numbers;
  }
  tile->references.store(1, std::memory_order_relaxed);
  tile->extents_used = static_cast<std::int64_t>(count);
  std::copy(extents, extents + count, tile->extents.begin());
  return {tile, this};
}

void Arena::give_back(TileHead* tile) {
  if (tile->owner == own_) {
    free_[tile->capacity].push_back(tile);
    return;
  }
  const Mapping& to = memory_[static_cast<std::size_t>(tile->owner)];
  const auto offset = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(tile) - to.base);
  std::uint64_t head = to.shelf()->returned.load(std::memory_order_relaxed);
  do tile->next = head;
  while (
      !to.shelf()->returned.compare_exchange_weak(head, offset, std::memory_order_release, std::memory_order_relaxed));
}

void Arena::open_mailboxes(int count) {
  const auto wanted = static_cast<std::uint64_t>(count);
  if (wanted > letters_capacity_) {
    letters_capacity_ = wanted;
    letters_ = reinterpret_cast<Letter*>(grow(wanted * sizeof(Letter)));
  }
  shelf_->filled.store(0);
  std::byte* base = memory_[static_cast<std::size_t>(own_)].base;
  const std::uint64_t at = letters_ ? static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(letters_) - base) : 0;
  letters_of_.resize(memory_.size());
  MPI_Allgather(&at, 1, MPI_UINT64_T, letters_of_.data(), 1, MPI_UINT64_T, node_);
}

void Arena::deliver(int node_rank, int mailbox, std::uint64_t payload) {
  const Mapping& to = memory_[static_cast<std::size_t>(node_rank)];
  auto* letters = reinterpret_cast<Letter*>(to.base + letters_of_[static_cast<std::size_t>(node_rank)]);
  Letter& letter = letters[mailbox];
  letter.payload = payload;
  std::uint64_t head = to.shelf()->filled.load(std::memory_order_relaxed);
  do letter.next = head;
  while (!to.shelf()->filled.compare_exchange_weak(head, static_cast<std::uint64_t>(mailbox) + 1,
                                                   std::memory_order_release, std::memory_order_relaxed));
}

std::uint64_t Arena::address_of(const TileHead& tile) const {
  const std::byte* base = memory_[static_cast<std::size_t>(tile.owner)].base;
  return static_cast<std::uint64_t>(tile.owner) << offset_bits |
         static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&tile) - base);
}

TileRef Arena::adopt(std::uint64_t address) {
  std::byte* base = memory_[address >> offset_bits].base;
  return {reinterpret_cast<TileHead*>(base + (address & ((std::uint64_t{1} << offset_bits) - 1))), this};
}

} // namespace cyclotron::mpi
