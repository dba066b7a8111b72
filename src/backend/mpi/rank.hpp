// SPDX-License-Identifier: MIT
// A rank runs the programs of its PEs, each until it has to wait. If several PEs can go on, the rank takes the one
// whose step has the most work behind it, counted along the longest way to the end of the run. So values that much
// other work waits for are made first.
#pragma once

#include "backend/mpi/blas_kernels.hpp"
#include "backend/mpi/context.hpp"
#include "backend/mpi/mail.hpp"
#include "backend/mpi/profile.hpp"
#include "pe/execute.hpp"
#include "pe/rank_status.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cyclotron::mpi {

class Checkpoints;
class CheckpointReader;
class CheckpointWriter;
class Rank;
class TileReader;
class TileWriter;

// A PE on this rank: what pe::execute asks of a runtime.
class Cell {
public:
  Cell(Rank& rank, const pe::PlannedElement& plan, const pe::Code& code, const std::vector<std::int64_t>& at);

  bool receive(int, pe::Word& to) { return take(to); }
  bool receive(int, TileRef& to) { return take(to); }
  bool send(int, const pe::Word& from) { return leave(from); }
  bool send(int, const TileRef& from) { return leave(from); }
  pe::Fetch load(const pe::MemoryAccess&, pe::Word& to) { return take(to) ? pe::Fetch::there : pe::Fetch::later; }
  pe::Fetch load(const pe::MemoryAccess&, TileRef& to) { return take(to) ? pe::Fetch::there : pe::Fetch::later; }
  bool store(const pe::MemoryAccess& access, const pe::Word& from);
  bool store(const pe::MemoryAccess& access, const TileRef& from);
  bool compute(const pe::Instruction& instruction);
  void finish() {}
  bool end_step(const pe::Instruction& instruction);

  // Where it stands, into a checkpoint and out of it (rank_state.cpp).
  void save(CheckpointWriter& file, TileWriter& tiles) const;
  void restore(CheckpointReader& file, TileReader& tiles);

  double priority() const { return step < plan.steps.size() ? plan.steps[step].level : 0; }

  Rank& rank;
  const pe::PlannedElement& plan;
  pe::StateOf<TileRef> state;
  std::size_t need = 0, make = 0, step = 0; // how many are done
  std::size_t expected = 0;                 // needs for which mail was told

private:
  template <class T> bool take(T& to);
  template <class T> bool leave(const T& from);
  struct Call;
  bool call_kernel(const pe::Instruction& instruction);
  TileRef accumulated(const Call& call, const pe::Instruction& instruction);
  TileRef computed(Call& call);
  TileRef added(const Call& call, const TileRef& result, const TileRef& sum);
  bool elementwise(const pe::Instruction& instruction);

  std::vector<std::int64_t> frame_;
  std::vector<pe::Word> words_;
  std::vector<TileRef> tiles_;
};

// What a rank has of a value.
struct CargoState {
  bool there = false;
  int uses = 0; // left
  pe::Word word;
  TileRef tile;
  std::vector<Cell*> waiting;
};

// Whether the parts of inputs are still there after a run, or their memory may take results.
enum class Inputs { kept, consumed };

class Rank {
public:
  // `previous`: an earlier run of the same plan, whose inputs are those of this one.
  Rank(const pe::Executable& executable, const pe::Trace& trace, const pe::RankPlan& plan, Context& context,
       const Rank* previous = nullptr, Inputs inputs = Inputs::kept);

  // The parts of tensors that it keeps; inputs are to be filled before the run, results are there after it.
  TileRef& part_tile(int part) { return part_tiles_[static_cast<std::size_t>(part)]; }
  pe::Word& part_word(int part) { return part_words_[static_cast<std::size_t>(part)]; }

  Arena& arena() { return arena_; }

  // Collective. Why it could not run to its end, the same on every rank; empty where it could.
  // `status`, where given, says at any time where it is. With `checkpoints`, it goes on from the one that was found.
  std::string run(pe::RankStatus* status = nullptr, Checkpoints* checkpoints = nullptr);

  const Profile& profile() const { return profile_; }

private:
  friend class Cell;

  void start();
  void resume(Cell& cell);
  void collect();
  template <class T> void arrived(int cargo, T value);
  void wake(CargoState& state);
  void expect_ahead(Cell& cell);
  bool is_over();
  bool may_leave();
  bool make_checkpoint(); // false where a rank has failed
  void settle(std::vector<Mail::UnderWay>& under_way);
  void save(CheckpointWriter& file, const std::vector<Mail::UnderWay>& under_way) const;
  std::string restore(); // what is wrong with the checkpoint, the same words on every rank
  void restore(CheckpointReader& file, std::vector<Mail::UnderWay>& under_way);
  bool is_result(std::size_t part) const; // whether the part belongs to an output
  bool is_saved(std::size_t cargo) const; // whether a checkpoint holds it: it is there, needed, and no input
  template <class Tiles> void know_what_is_there_at_the_start(Tiles& tiles) const;
  bool is_tile(int cargo) const { return value_of(cargo).is_tile; }
  const pe::Value& value_of(int cargo) const {
    return trace_.values[static_cast<std::size_t>(plan_.cargo[static_cast<std::size_t>(cargo)].value)];
  }
  void idle();
  std::string words_for(const Cell& cell) const;
  void put_part(int part, const TileRef& tile);
  bool fits_part(int part, const TileHead& tile) const;

  const pe::Executable& executable_;
  const pe::Trace& trace_;
  const pe::RankPlan& plan_;
  Arena& arena_;
  Alarm& alarm_;
  Mail mail_;
  TileRef zero_; // what registers hold at first
  std::vector<std::unique_ptr<Cell>> cells_;
  std::vector<CargoState> cargo_;
  std::vector<TileRef> part_tiles_;
  std::vector<pe::Word> part_words_;
  struct Later {
    bool operator()(const Cell* a, const Cell* b) const { return a->priority() < b->priority(); }
  };
  std::vector<Cell*> ready_;                         // a heap
  std::vector<std::vector<const BlasKernel*>> blas_; // per code and kernel
  Inputs inputs_;
  std::size_t ended_ = 0, to_fill_ = 0;
  std::size_t steps_left_to_poll_ = 0;
  std::string failed_; // why this rank cannot go on
  Profile profile_;
  int spins_ = 0;
  pe::RankStatus own_status_;
  pe::RankStatus* status_ = &own_status_;
  Checkpoints* checkpoints_ = nullptr;
};

} // namespace cyclotron::mpi
