// SPDX-License-Identifier: MIT
// A rank in the middle of its run, as words of a checkpoint: its PEs, the values that they still need, and the parts of
// results that are there. Inputs are not among them: they are read again. Nor is it said who waits for what: a PE that
// waits tries its instruction again.
#include "backend/mpi/checkpoint.hpp"
#include "backend/mpi/rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <unordered_map>

namespace cyclotron::mpi {

// A tile that many refer to is written once. Those that a new run has from the start are not written.
class TileWriter {
public:
  explicit TileWriter(CheckpointWriter& file) : file_(file) {}

  void knows(const TileRef& tile) { numbers_.emplace(tile.get(), numbers_.size() + 1); }
  void add(const TileRef& tile) {
    if (!tile) return file_.word(0);
    const auto [at, is_new] = numbers_.emplace(tile.get(), numbers_.size() + 1);
    file_.word(at->second);
    if (!is_new) return;
    file_.number(tile->extents_used);
    file_.words(tile->extents.data(), static_cast<std::size_t>(tile->extents_used));
    file_.words(tile->values(), static_cast<std::size_t>(tile->numbers()));
  }

private:
  CheckpointWriter& file_;
  std::unordered_map<const TileHead*, std::uint64_t> numbers_;
};

class TileReader {
public:
  TileReader(CheckpointReader& file, Arena& arena) : file_(file), arena_(arena) {}

  void knows(const TileRef& tile) { tiles_.push_back(tile); }
  TileRef get() {
    const std::uint64_t number = file_.word();
    if (number == 0) return {};
    if (number <= tiles_.size()) return tiles_[number - 1];
    std::array<std::int64_t, most_extents> extents{};
    const auto used = static_cast<std::size_t>(file_.number());
    file_.words(extents.data(), std::min(used, extents.size()));
    tiles_.push_back(arena_.make(extents.data(), std::min(used, extents.size())));
    file_.words(tiles_.back()->values(), static_cast<std::size_t>(tiles_.back()->numbers()));
    return tiles_.back();
  }

private:
  CheckpointReader& file_;
  Arena& arena_;
  std::vector<TileRef> tiles_;
};

void Cell::save(CheckpointWriter& file, TileWriter& tiles) const {
  file.number(state.at - state.code->instructions.data());
  for (const std::size_t count : {need, make, step}) file.word(count);
  file.words(frame_.data(), frame_.size());
  file.words(words_.data(), words_.size());
  for (const TileRef& tile : tiles_) tiles.add(tile);
}

void Cell::restore(CheckpointReader& file, TileReader& tiles) {
  state.at = state.code->instructions.data() + file.number();
  for (std::size_t* count : {&need, &make, &step}) *count = file.word();
  expected = need;
  file.words(frame_.data(), frame_.size());
  file.words(words_.data(), words_.size());
  for (TileRef& tile : tiles_) tile = tiles.get();
}

// Takes in what has left the ranks of other nodes; what has not is `under_way`.
void Rank::settle(std::vector<Mail::UnderWay>& under_way) {
  const auto is_there = [&](int c) { return cargo_[static_cast<std::size_t>(c)].there; };
  std::vector<int> sent = mail_.sent_here();
  try {
    collect();
    for (int c : sent) mail_.expect(c);
    while (!std::all_of(sent.begin(), sent.end(), is_there)) collect();
  } catch (const std::bad_alloc&) {
    failed_ = fmt::format("there is not enough memory for a checkpoint\n  on rank {}", plan_.rank);
  }
  under_way = mail_.not_arrived(is_there);
}

bool Rank::make_checkpoint() {
  if (!checkpoints_->meet(alarm_)) return false;
  std::vector<Mail::UnderWay> under_way;
  settle(under_way);
  checkpoints_->keep(failed_, profile_.steps, [&](CheckpointWriter& file) { save(file, under_way); });
  spins_ = 0;
  return true;
}

bool Rank::is_result(std::size_t part) const {
  return executable_.program.tensors[static_cast<std::size_t>(plan_.parts[part].tensor)].is_output;
}

bool Rank::is_saved(std::size_t cargo) const {
  const CargoState& state = cargo_[cargo];
  return state.there && state.uses > 0 && value_of(static_cast<int>(cargo)).element >= 0;
}

template <class Tiles> void Rank::know_what_is_there_at_the_start(Tiles& tiles) const {
  tiles.knows(zero_);
  for (std::size_t p = 0; p < plan_.parts.size(); ++p)
    if (!is_result(p) && part_tiles_[p]) tiles.knows(part_tiles_[p]);
}

void Rank::save(CheckpointWriter& file, const std::vector<Mail::UnderWay>& under_way) const {
  for (const std::uint64_t count :
       {profile_.steps, profile_.pe_messages, profile_.pe_bytes, mail_.messages(), mail_.bytes()})
    file.word(count);
  TileWriter tiles(file);
  const auto add = [&](int cargo, const TileRef& tile, const pe::Word& word) {
    if (is_tile(cargo)) tiles.add(tile);
    else file.words(&word, 1);
  };
  know_what_is_there_at_the_start(tiles);
  for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
    if (!is_result(p)) continue;
    tiles.add(part_tiles_[p]);
    file.words(&part_words_[p], 1);
  }
  for (std::size_t c = 0; c < cargo_.size(); ++c) {
    const CargoState& state = cargo_[c];
    file.number(state.uses);
    file.number(state.there);
    if (is_saved(c)) add(static_cast<int>(c), state.tile, state.word);
  }
  for (const auto& cell : cells_) cell->save(file, tiles);
  file.word(under_way.size());
  for (const Mail::UnderWay& u : under_way) {
    file.number(u.cargo);
    file.number(u.rank);
    add(u.cargo, u.tile, u.word);
  }
}

void Rank::restore(CheckpointReader& file, std::vector<Mail::UnderWay>& under_way) {
  profile_.steps = file.word();
  profile_.pe_messages = file.word();
  profile_.pe_bytes = file.word();
  const std::uint64_t messages = file.word();
  mail_.count_from(messages, file.word());
  TileReader tiles(file, arena_);
  const auto get = [&](int cargo, TileRef& tile, pe::Word& word) {
    if (is_tile(cargo)) tile = tiles.get();
    else file.words(&word, 1);
  };
  know_what_is_there_at_the_start(tiles);
  for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
    if (!is_result(p)) continue;
    part_tiles_[p] = tiles.get();
    file.words(&part_words_[p], 1);
  }
  for (std::size_t c = 0; c < cargo_.size(); ++c) {
    CargoState& state = cargo_[c];
    state.uses = static_cast<int>(file.number());
    state.there = file.number() != 0;
    if (is_saved(c)) get(static_cast<int>(c), state.tile, state.word);
  }
  for (const auto& cell : cells_) cell->restore(file, tiles);
  under_way.resize(file.problem().empty() ? file.word() : 0);
  for (Mail::UnderWay& u : under_way) {
    u.cargo = static_cast<int>(file.number());
    u.rank = static_cast<int>(file.number());
    get(u.cargo, u.tile, u.word);
  }
}

std::string Rank::restore() {
  std::vector<Mail::UnderWay> under_way;
  std::string problem;
  try {
    CheckpointReader& file = checkpoints_->state();
    restore(file, under_way);
    problem = file.problem();
  } catch (const std::bad_alloc&) {
    problem = fmt::format("there is not enough memory for what the checkpoint holds\n  on rank {}", plan_.rank);
  }
  problem = alarm_.agree(problem);
  checkpoints_->close_state();
  if (!problem.empty()) return problem;

  std::vector<int> lacking;
  to_fill_ = 0;
  for (std::size_t c = 0; c < cargo_.size(); ++c) {
    const pe::Cargo& cargo = plan_.cargo[c];
    const int number = static_cast<int>(c);
    if (cargo.part >= 0 && cargo_[c].uses > 0) {
      if (is_tile(number)) cargo_[c].tile = part_tile(cargo.part);
      else cargo_[c].word = part_word(cargo.part);
    }
    if (cargo.source < 0) continue;
    const bool is_input = value_of(number).element < 0;
    if (is_input && !(cargo_[c].there && cargo_[c].uses == 0)) {
      lacking.push_back(number);
      cargo_[c].there = false;
    }
    if (cargo_[c].there) mail_.has_come(number);
    else if (!cargo.fills.empty()) ++to_fill_;
  }
  const std::vector<Mail::UnderWay> asked = mail_.asked_for(lacking);
  for (Mail::UnderWay u : asked) {
    const int part = plan_.cargo[static_cast<std::size_t>(u.cargo)].part;
    mail_.give_again({u.cargo, u.rank, part_tile(part), part_word(part)});
  }
  for (const Mail::UnderWay& u : under_way) mail_.give_again(u);
  for (std::size_t c = 0; c < cargo_.size(); ++c)
    if (!plan_.cargo[c].fills.empty() && !cargo_[c].there) mail_.expect(static_cast<int>(c));
  for (const auto& cell : cells_) {
    expect_ahead(*cell);
    ready_.push_back(cell.get());
  }
  std::make_heap(ready_.begin(), ready_.end(), Later());
  return {};
}

} // namespace cyclotron::mpi
