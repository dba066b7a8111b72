// SPDX-License-Identifier: MIT
#include "backend/mpi/rank.hpp"

#include "backend/mpi/checkpoint.hpp"
#include "pe/report_fault.hpp"
#include "support/memory.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <ctime>
#include <new>
#include <utility>

namespace cyclotron::mpi {

namespace {

// How far ahead of a PE messages of other nodes may come.
constexpr std::size_t tiles_ahead = 8, words_ahead = 64;

// With nothing to do, look often at first; then let others have the processor.
constexpr int spins_before_yield = 2000, yields_before_sleep = 2000;
constexpr int looks_per_alarm = 64;
constexpr long sleep_nanoseconds = 50'000;

std::int64_t steps_of(const pe::RankPlan& plan) {
  std::size_t steps = 0;
  for (const pe::PlannedElement& e : plan.elements) steps += e.steps.size();
  return static_cast<std::int64_t>(steps);
}

} // namespace

// --- a PE ---

Cell::Cell(Rank& on, const pe::PlannedElement& planned, const pe::Code& code, const std::vector<std::int64_t>& at)
    : rank(on), plan(planned), frame_(static_cast<std::size_t>(code.frame_size)),
      words_(static_cast<std::size_t>(code.words)), tiles_(static_cast<std::size_t>(code.tiles), on.zero_) {
  std::copy(at.begin(), at.end(), frame_.begin());
  for (const auto& [word, value] : code.constants) words_[static_cast<std::size_t>(word)] = value;
  state.code = &code;
  state.at = code.instructions.data();
  state.frame = frame_.data();
  state.words = words_.data();
  state.tiles = tiles_.data();
}

namespace {

void copy(const CargoState& from, pe::Word& to) { to = from.word; }
void copy(const CargoState& from, TileRef& to) { to = from.tile; }
void move(CargoState& from, pe::Word& to) { to = from.word; }
void move(CargoState& from, TileRef& to) { to = std::move(from.tile); }
void keep(CargoState& to, const pe::Word& from) { to.word = from; }
void keep(CargoState& to, TileRef from) { to.tile = std::move(from); }

} // namespace

template <class T> bool Cell::take(T& to) {
  const pe::Need& wanted = plan.needs[need];
  if (wanted.cargo >= 0) {
    CargoState& cargo = rank.cargo_[static_cast<std::size_t>(wanted.cargo)];
    if (!cargo.there) {
      cargo.waiting.push_back(this);
      return false;
    }
    if (--cargo.uses == 0) move(cargo, to);
    else copy(cargo, to);
  }
  ++need;
  if (wanted.bytes > 0) {
    ++rank.profile_.pe_messages;
    rank.profile_.pe_bytes += static_cast<std::uint64_t>(wanted.bytes);
  }
  if (expected < plan.needs.size()) rank.expect_ahead(*this);
  return true;
}

template <class T> bool Cell::leave(const T& from) {
  const int number = plan.makes[make++].cargo;
  if (number < 0) return true;
  rank.mail_.give(number, from);
  CargoState& cargo = rank.cargo_[static_cast<std::size_t>(number)];
  if (cargo.uses > 0) {
    keep(cargo, from);
    rank.wake(cargo);
  }
  return true;
}

bool Cell::store(const pe::MemoryAccess&, const pe::Word& from) {
  const int part = plan.makes[make].part;
  if (part >= 0) rank.part_word(part) = from;
  return leave(from);
}

bool Cell::store(const pe::MemoryAccess&, const TileRef& from) {
  const int part = plan.makes[make].part;
  if (part >= 0 && !rank.fits_part(part, *from)) return false;
  if (part >= 0) rank.put_part(part, from);
  return leave(from);
}

bool Cell::end_step(const pe::Instruction& instruction) {
  for (int tile : state.code->steps[static_cast<std::size_t>(instruction.c)].dead_tiles)
    tiles_[static_cast<std::size_t>(tile)].reset();
  ++step;
  ++rank.profile_.steps;
  rank.status_->instruction = static_cast<std::int32_t>(state.at - state.code->instructions.data());
  rank.status_->steps = static_cast<std::int64_t>(rank.profile_.steps);
  if (rank.steps_left_to_poll_-- == 0) rank.collect();
  if (rank.checkpoints_ && rank.checkpoints_->is_wanted_after_step()) return true;
  return !rank.ready_.empty() && rank.ready_.front()->priority() > priority();
}

// --- the rank ---

Rank::Rank(const pe::Executable& executable, const pe::Trace& trace, const pe::RankPlan& plan, Context& context,
           const Rank* previous, Inputs inputs)
    : executable_(executable), trace_(trace), plan_(plan), arena_(context.arena()), alarm_(context.alarm()),
      mail_(context.comm(), context.arena(), trace, plan), zero_(context.arena().make(nullptr, 0)),
      cargo_(plan.cargo.size()), part_tiles_(plan.parts.size()), part_words_(plan.parts.size()), inputs_(inputs) {
  zero_->values()[0] = 0;
  for (const pe::PlannedElement& e : plan.elements)
    cells_.push_back(std::make_unique<Cell>(*this, e, *executable.code(e.element), executable.coordinates(e.element)));
  for (const pe::Code& code : executable.codes) {
    blas_.emplace_back();
    for (const pe::KernelCode& k : code.kernels) blas_.back().push_back(blas_kernel(k.kernel->name));
  }
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const pe::Memory& memory = executable.program.tensors[static_cast<std::size_t>(plan.parts[p].tensor)];
    part_words_[p].whole = 0; // also 0.0
    if (memory.is_output) continue;
    if (previous) {
      part_tiles_[p] = previous->part_tiles_[p];
      part_words_[p] = previous->part_words_[p];
    } else if (pe::is_tiled(memory))
      part_tiles_[p] = arena_.make(pe::tile_of(memory, pe::box_of(memory, plan.parts[p].part)));
  }
  for (std::size_t c = 0; c < cargo_.size(); ++c) {
    cargo_[c].uses = plan.cargo[c].uses;
    to_fill_ += plan.cargo[c].fills.empty() ? 0 : 1;
  }
}

// What is there from the start goes to who needs it.
void Rank::start() {
  for (std::size_t c = 0; c < cargo_.size(); ++c) {
    const pe::Cargo& cargo = plan_.cargo[c];
    if (!cargo.fills.empty()) mail_.expect(static_cast<int>(c));
    if (cargo.part < 0) continue;
    const bool is_tile = trace_.values[static_cast<std::size_t>(cargo.value)].is_tile;
    if (is_tile) mail_.give(static_cast<int>(c), part_tile(cargo.part));
    else mail_.give(static_cast<int>(c), part_word(cargo.part));
    if (is_tile && cargo.uses > 0) cargo_[c].tile = part_tile(cargo.part);
    else cargo_[c].word = part_word(cargo.part);
    cargo_[c].there = true;
  }
  if (inputs_ == Inputs::consumed)
    for (std::size_t p = 0; p < plan_.parts.size(); ++p)
      if (!executable_.program.tensors[static_cast<std::size_t>(plan_.parts[p].tensor)].is_output)
        part_tiles_[p].reset();
  for (const auto& cell : cells_) {
    expect_ahead(*cell);
    ready_.push_back(cell.get());
  }
  std::make_heap(ready_.begin(), ready_.end(), Later());
}

void Rank::expect_ahead(Cell& cell) {
  const auto& needs = cell.plan.needs;
  while (cell.expected < needs.size()) {
    const int cargo = needs[cell.expected].cargo;
    if (cargo >= 0) {
      const bool is_tile =
          trace_.values[static_cast<std::size_t>(plan_.cargo[static_cast<std::size_t>(cargo)].value)].is_tile;
      if (cell.expected >= cell.need + (is_tile ? tiles_ahead : words_ahead)) return;
      mail_.expect(cargo);
    }
    ++cell.expected;
  }
}

void Rank::wake(CargoState& state) {
  state.there = true;
  for (Cell* cell : std::exchange(state.waiting, {})) {
    ready_.push_back(cell);
    std::push_heap(ready_.begin(), ready_.end(), Later());
  }
}

template <class T> void Rank::arrived(int number, T value) {
  const auto c = static_cast<std::size_t>(number);
  const pe::Cargo& cargo = plan_.cargo[c];
  for (int part : cargo.fills) {
    if constexpr (std::is_same_v<T, pe::Word>) part_word(part) = value;
    else put_part(part, value);
  }
  if (!cargo.fills.empty()) --to_fill_;
  cargo_[c].there = true;
  if (cargo_[c].uses == 0) return;
  keep(cargo_[c], std::move(value));
  wake(cargo_[c]);
}

void Rank::collect() {
  constexpr std::size_t steps_between_polls = 1;
  steps_left_to_poll_ = steps_between_polls;
  mail_.collect([&](int cargo, auto value) {
    spins_ = 0;
    arrived(cargo, std::move(value));
  });
}

void Rank::resume(Cell& cell) {
  status_->element = cell.plan.element;
  while (true) {
    switch (pe::execute(cell.state, cell)) {
    case pe::Stop::at_pass: ++cell.state.at; continue; // values come when they are there: no need to wait for all
    case pe::Stop::after_step:
      ready_.push_back(&cell);
      std::push_heap(ready_.begin(), ready_.end(), Later());
      return;
    case pe::Stop::ended:
      ++ended_;
      for (int t = 0; t < cell.state.code->tiles; ++t) cell.state.tiles[t].reset();
      return;
    case pe::Stop::waits_to_receive: return; // in the list of the value that it waits for
    case pe::Stop::waits_to_send: bug("sending never waits");
    case pe::Stop::failed: failed_ = words_for(cell); return;
    }
  }
}

// A number that stands for a tile of any shape fills the part; what is stored as f32 is rounded.
void Rank::put_part(int part, const TileRef& tile) {
  const pe::OwnedPart& owned = plan_.parts[static_cast<std::size_t>(part)];
  const pe::Memory& memory = executable_.program.tensors[static_cast<std::size_t>(owned.tensor)];
  const bool rounds = memory.type == tensor::ValueType::f32;
  if (tile->extents_used > 0 && !rounds) {
    part_tile(part) = tile;
    return;
  }
  TileRef made = arena_.make(pe::tile_of(memory, pe::box_of(memory, owned.part)));
  for (std::int64_t i = 0; i < made->numbers(); ++i) {
    const double value = tile->values()[tile->extents_used > 0 ? i : 0];
    made->values()[i] = rounds ? static_cast<double>(static_cast<float>(value)) : value;
  }
  part_tile(part) = std::move(made);
}

bool Rank::fits_part(int part, const TileHead& tile) const {
  const pe::OwnedPart& owned = plan_.parts[static_cast<std::size_t>(part)];
  const pe::Memory& memory = executable_.program.tensors[static_cast<std::size_t>(owned.tensor)];
  const std::vector<std::int64_t> extents = pe::tile_of(memory, pe::box_of(memory, owned.part));
  return tile.extents_used == 0 || (tile.extents_used == static_cast<std::int64_t>(extents.size()) &&
                                    std::equal(extents.begin(), extents.end(), tile.extents.begin()));
}

std::string Rank::words_for(const Cell& cell) const {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::string name = executable_.name(cell.plan.element);
  pe::report_fault(executable_.program, cell.state, "PE " + name, executable_.spaces, diagnostics);
  const std::string step = pe::step_at(cell.state, executable_.spaces);
  const auto instruction = cell.state.at - cell.state.code->instructions.data();
  return fmt::format("{}\n  on rank {}, PE {}{}, instruction {}", diagnostics.all().front().main.message, plan_.rank,
                     name, step.empty() ? "" : ", in step " + step, instruction);
}

bool Rank::is_over() { return ended_ == cells_.size() && to_fill_ == 0 && mail_.all_gone(); }

// With checkpoints, all leave together: those that are over have to be saved with the others.
bool Rank::may_leave() { return is_over() && (!checkpoints_ || checkpoints_->may_leave()); }

void Rank::idle() {
  ++spins_;
  if (spins_ < spins_before_yield) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } else if (spins_ < spins_before_yield + yields_before_sleep) sched_yield();
  else {
    const timespec time{0, sleep_nanoseconds};
    nanosleep(&time, nullptr);
  }
}

std::string Rank::run(pe::RankStatus* status, Checkpoints* checkpoints) {
  if (status) status_ = status;
  checkpoints_ = checkpoints;
  const double begin = seconds_now();
  if (checkpoints_) mail_.keep_account();
  if (checkpoints_ && checkpoints_->goes_on()) {
    if (const std::string problem = restore(); !problem.empty()) return problem;
  } else start();
  double waits_since = 0;
  Progress progress(fmt::format("running the steps of rank {}", plan_.rank), {steps_of(plan_)});
  while (failed_.empty()) {
    progress.advance_to(static_cast<std::int64_t>(profile_.steps));
    if (checkpoints_ && checkpoints_->is_wanted() && !make_checkpoint()) break;
    if (ready_.empty()) {
      collect();
      if (ready_.empty()) {
        if (may_leave() || (spins_ % looks_per_alarm == 0 && alarm_.is_ringing())) break;
        if (waits_since == 0) waits_since = seconds_now();
        idle();
        continue;
      }
    }
    if (waits_since != 0) profile_.waiting += seconds_now() - std::exchange(waits_since, 0);
    std::pop_heap(ready_.begin(), ready_.end(), Later());
    Cell& cell = *ready_.back();
    ready_.pop_back();
    try {
      resume(cell);
    } catch (const std::bad_alloc&) {
      failed_ = fmt::format("there is not enough memory for another tile\n  on rank {}, PE {}, which keeps {} already",
                            plan_.rank, executable_.name(cell.plan.element),
                            describe_bytes(static_cast<double>(arena_.bytes_used())));
    }
  }
  if (!failed_.empty()) alarm_.ring();
  if (waits_since != 0) profile_.waiting += seconds_now() - waits_since;
  profile_.total = seconds_now() - begin;
  profile_.rank_messages = mail_.messages();
  profile_.rank_bytes = mail_.bytes();
  return alarm_.agree(failed_);
}

} // namespace cyclotron::mpi
