// SPDX-License-Identifier: MIT
// Runs the code of a PE until it ends or has to wait. What surrounds the PE (channels and memory, and what time they
// take) is the `Runtime`, so that simulators and other runtimes share this one meaning of the instructions:
//
//   bool receive(int port, Word& to)        false where it has to wait; the instruction is then run again
//   bool receive(int port, Tile& to)
//   bool send(int port, const Word& from)
//   bool send(int port, const Tile& from)
//   Fetch load(const MemoryAccess& access, Word& to)
//   Fetch load(const MemoryAccess& access, Tile& to)
//   bool store(const MemoryAccess& access, const Word& from)  false outside the tensor
//   bool store(const MemoryAccess& access, const Tile& from)
//   bool compute(const Instruction& instruction)              an operation on tiles; false where it fails
//   void finish()
//   bool end_step(const Instruction& instruction)             whether to stop after it
//
// `Tile` is a type of the runtime, which decides how it holds a tile.
#pragma once

#include "pe/code.hpp"
#include "pe/memory.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace cyclotron::pe {

enum class Stop { ended, waits_to_receive, waits_to_send, at_pass, after_step, failed };

enum class Fetch { there, later, outside };

enum class Fault {
  none,
  arithmetic, // State::failure says which
  overflow,
  outside_tensor,
  outside_table,
  unlike_tiles,
};

// Where a PE stands.
struct Position {
  const Code* code = nullptr;
  const Instruction* at = nullptr; // where it stopped: the instruction that could not be done, or the next
  std::int64_t* frame = nullptr;
  Word* words = nullptr;
  Fault fault = Fault::none;
  recurrence::Failure failure = recurrence::Failure::none;
};

// And the tiles that it holds.
template <class Tile> struct StateOf : Position { Tile* tiles = nullptr; };
using State = StateOf<TileRef>;

// NaN wins in min and max, so that a bad value is never hidden.
inline double least(double a, double b) { return std::isnan(a) || a < b ? a : b; }
inline double most(double a, double b) { return std::isnan(a) || a > b ? a : b; }
inline std::int64_t remainder(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

// The number of a place among the words or tiles, or -1 outside its table.
int position(const Place& place, const std::int64_t* frame);

// The operations on numbers that are rare or can fail, and those on tiles: false where they fail.
bool compute_rare(Position& state, const Instruction& instruction);
bool compute_tile(State& state, const Instruction& instruction);
// a + b or a - b, where one without extents has those of the other; null where they differ.
TileRef sum_of(const recurrence::Tile& a, const recurrence::Tile& b, bool subtract);
// The arguments of a kernel.
std::vector<recurrence::Tile> arguments_of(const KernelCode& kernel, const State& state);

// What was being computed at the instruction where the PE stands: `L(3, 3)`, or the step.
std::string element_at(const Position& state, const std::vector<std::string>& spaces);
// The step that it was in: `L(j = 3, k = 2)`; empty between steps.
std::string step_at(const Position& state, const std::vector<std::string>& spaces);

template <class Tile, class Runtime> Stop execute(StateOf<Tile>& state, Runtime& runtime) {
  const Code& code = *state.code;
  const Instruction* const first = code.instructions.data();
  std::int64_t* const frame = state.frame;
  Word* const w = state.words;
  const auto form = [&](int number) { return code.forms[static_cast<std::size_t>(number)].evaluate(frame); };
  const auto access = [&](int number) -> const MemoryAccess& {
    return code.accesses[static_cast<std::size_t>(number)];
  };
  const Instruction* at = state.at;
  const auto stop = [&](Stop why) {
    state.at = at;
    return why;
  };
  const auto fail = [&](Fault fault) {
    state.fault = fault;
    return stop(Stop::failed);
  };
  for (;; ++at) {
    const Instruction& i = *at;
    switch (i.op) {
    case Opcode::whole_set: frame[i.a] = form(i.b); break;
    case Opcode::whole_multiply: frame[i.a] = form(i.b) * form(i.c); break;
    case Opcode::whole_floor_div: {
      const std::int64_t a = form(i.b), b = form(i.c);
      frame[i.a] = (a - remainder(a, b)) / b;
      break;
    }
    case Opcode::whole_mod: frame[i.a] = remainder(form(i.b), form(i.c)); break;
    case Opcode::whole_min: frame[i.a] = std::min(form(i.b), form(i.c)); break;
    case Opcode::whole_max: frame[i.a] = std::max(form(i.b), form(i.c)); break;

    case Opcode::jump: at = first + i.c - 1; break;
    case Opcode::jump_unless_zero:
      if (form(i.a) != 0) at = first + i.c - 1;
      break;
    case Opcode::jump_if_zero:
      if (form(i.a) == 0) at = first + i.c - 1;
      break;
    case Opcode::jump_unless_nonnegative:
      if (form(i.a) < 0) at = first + i.c - 1;
      break;
    case Opcode::jump_if_false:
      if (w[i.a].whole == 0) at = first + i.c - 1;
      break;
    case Opcode::jump_if_true:
      if (w[i.a].whole != 0) at = first + i.c - 1;
      break;
    case Opcode::loop_begin:
      if (i.b > 0 ? frame[i.a] > frame[i.a + 1] : frame[i.a] < frame[i.a + 1]) at = first + i.c - 1;
      break;
    case Opcode::loop_next:
      frame[i.a] += i.b;
      if (i.b > 0 ? frame[i.a] <= frame[i.a + 1] : frame[i.a] >= frame[i.a + 1]) at = first + i.c - 1;
      break;
    case Opcode::pass: return stop(Stop::at_pass);
    case Opcode::end: return stop(Stop::ended);

    case Opcode::load:
    case Opcode::load_tile: {
      const Fetch got =
          i.op == Opcode::load ? runtime.load(access(i.a), w[i.b]) : runtime.load(access(i.a), state.tiles[i.b]);
      if (got == Fetch::outside) return fail(Fault::outside_tensor);
      if (got == Fetch::later) return stop(Stop::waits_to_receive);
      break;
    }
    case Opcode::receive:
      if (!runtime.receive(i.a, w[i.b])) return stop(Stop::waits_to_receive);
      break;
    case Opcode::receive_tile:
      if (!runtime.receive(i.a, state.tiles[i.b])) return stop(Stop::waits_to_receive);
      break;
    case Opcode::send:
      if (!runtime.send(i.a, w[i.b])) return stop(Stop::waits_to_send);
      break;
    case Opcode::send_tile:
      if (!runtime.send(i.a, state.tiles[i.b])) return stop(Stop::waits_to_send);
      break;
    case Opcode::store:
      if (!runtime.store(access(i.a), w[i.b])) return fail(Fault::outside_tensor);
      break;
    case Opcode::store_tile:
      if (!runtime.store(access(i.a), state.tiles[i.b])) return fail(Fault::outside_tensor);
      break;
    case Opcode::finish: runtime.finish(); break;
    case Opcode::end_step:
      if (runtime.end_step(i)) {
        ++at;
        return stop(Stop::after_step);
      }
      break;

    case Opcode::read_place: {
      const int from = position(code.places[static_cast<std::size_t>(i.b)], frame);
      if (from < 0) return fail(Fault::outside_table);
      w[i.a] = w[from];
      break;
    }
    case Opcode::write_place: {
      const int to = position(code.places[static_cast<std::size_t>(i.b)], frame);
      if (to < 0) return fail(Fault::outside_table);
      w[to] = w[i.a];
      break;
    }
    case Opcode::read_tile_place: {
      const int from = position(code.places[static_cast<std::size_t>(i.b)], frame);
      if (from < 0) return fail(Fault::outside_table);
      state.tiles[i.a] = state.tiles[from];
      break;
    }
    case Opcode::write_tile_place: {
      const int to = position(code.places[static_cast<std::size_t>(i.b)], frame);
      if (to < 0) return fail(Fault::outside_table);
      state.tiles[to] = state.tiles[i.a];
      break;
    }

    case Opcode::move: w[i.a] = w[i.b]; break;
    case Opcode::index: w[i.a].whole = form(i.b); break;
    case Opcode::to_real: w[i.a].real = static_cast<double>(w[i.b].whole); break;
    case Opcode::to_f32: w[i.a].real = static_cast<double>(static_cast<float>(w[i.b].real)); break;
    case Opcode::add_real: w[i.a].real = w[i.b].real + w[i.c].real; break;
    case Opcode::sub_real: w[i.a].real = w[i.b].real - w[i.c].real; break;
    case Opcode::mul_real: w[i.a].real = w[i.b].real * w[i.c].real; break;
    case Opcode::mul_add_real: w[i.a].real += w[i.b].real * w[i.c].real; break;
    case Opcode::min_real: w[i.a].real = least(w[i.b].real, w[i.c].real); break;
    case Opcode::max_real: w[i.a].real = most(w[i.b].real, w[i.c].real); break;
    case Opcode::negate_real: w[i.a].real = -w[i.b].real; break;
    case Opcode::abs_real: w[i.a].real = std::fabs(w[i.b].real); break;
    case Opcode::less_real: w[i.a].whole = w[i.b].real < w[i.c].real; break;
    case Opcode::less_equal_real: w[i.a].whole = w[i.b].real <= w[i.c].real; break;
    case Opcode::equal_real: w[i.a].whole = w[i.b].real == w[i.c].real; break;
    case Opcode::not_equal_real: w[i.a].whole = w[i.b].real != w[i.c].real; break;
    case Opcode::min_whole: w[i.a].whole = std::min(w[i.b].whole, w[i.c].whole); break;
    case Opcode::max_whole: w[i.a].whole = std::max(w[i.b].whole, w[i.c].whole); break;
    case Opcode::less_whole: w[i.a].whole = w[i.b].whole < w[i.c].whole; break;
    case Opcode::less_equal_whole: w[i.a].whole = w[i.b].whole <= w[i.c].whole; break;
    case Opcode::equal_whole: w[i.a].whole = w[i.b].whole == w[i.c].whole; break;
    case Opcode::not_equal_whole: w[i.a].whole = w[i.b].whole != w[i.c].whole; break;
    case Opcode::logical_not: w[i.a].whole = w[i.b].whole == 0; break;
    case Opcode::add_whole:
      if (__builtin_add_overflow(w[i.b].whole, w[i.c].whole, &w[i.a].whole)) return fail(Fault::overflow);
      break;
    case Opcode::sub_whole:
      if (__builtin_sub_overflow(w[i.b].whole, w[i.c].whole, &w[i.a].whole)) return fail(Fault::overflow);
      break;
    case Opcode::mul_whole:
      if (__builtin_mul_overflow(w[i.b].whole, w[i.c].whole, &w[i.a].whole)) return fail(Fault::overflow);
      break;
    case Opcode::check_i32:
      if (w[i.b].whole != static_cast<std::int32_t>(w[i.b].whole)) return fail(Fault::overflow);
      w[i.a] = w[i.b];
      break;
    case Opcode::div_real:
    case Opcode::pow_real:
    case Opcode::sqrt_real:
    case Opcode::exp_real:
    case Opcode::log_real:
    case Opcode::negate_whole:
    case Opcode::abs_whole:
      if (!compute_rare(state, i)) return stop(Stop::failed);
      break;

    case Opcode::move_tile: state.tiles[i.a] = state.tiles[i.b]; break;
    case Opcode::kernel:
    case Opcode::add_kernel:
    case Opcode::sub_kernel:
    case Opcode::add_tile:
    case Opcode::sub_tile:
    case Opcode::scale_tile:
    case Opcode::divide_tile:
    case Opcode::negate_tile:
    case Opcode::round_tile:
    case Opcode::fill_tile:
      if (!runtime.compute(i)) return stop(Stop::failed);
      break;
    default: __builtin_unreachable(); // there are no others, and no test for them
    }
  }
}

} // namespace cyclotron::pe
