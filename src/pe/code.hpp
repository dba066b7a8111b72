// SPDX-License-Identifier: MIT
// Programs of PEs made ready to run: one list of instructions per role, in which registers are numbers of words,
// indices are sums over a small frame of whole numbers, and every change of type is written out.
//
// A step becomes, in this order: its receives and loads; `forward` and the sends of what it does not compute; its
// computations and stores, with the values of sends that a later one overwrites kept aside; `finish`, and the sends of
// what it computed; `end_step`. The order is that of the timing contract of a step, so that a simulator need only
// move the clock at `finish` and `end_step`.
#pragma once

#include "pe/ir.hpp"
#include "recurrence/kernels.hpp"
#include "tensor/word.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cyclotron::pe {

using tensor::Word;

// Tiles are never changed once they are made, so sending one is sending a reference. A tile without extents holds one
// number that stands for a tile of any shape.
using TileRef = std::shared_ptr<const recurrence::Tile>;

// constant + sum of coefficient * frame[slot].
struct Linear {
  std::int64_t constant = 0;
  std::vector<std::pair<int, std::int64_t>> terms;

  std::int64_t evaluate(const std::int64_t* frame) const {
    std::int64_t sum = constant;
    for (const auto& [slot, c] : terms) sum += c * frame[slot];
    return sum;
  }
};

enum class Opcode : std::uint8_t {
  // Whole numbers of the frame: frame[a] = form b, with form c.
  whole_set,
  whole_multiply,
  whole_floor_div,
  whole_mod,
  whole_min,
  whole_max,
  // Control. c: where to.
  jump,
  jump_unless_zero,        // form a
  jump_if_zero,            // form a
  jump_unless_nonnegative, // form a
  jump_if_false,           // word a
  jump_if_true,            // word a
  loop_begin,              // frame[a] over its last value frame[a + 1], by b
  loop_next,
  pass, // passes[a]
  end,
  // A step.
  load,      // word b <- accesses[a]
  load_tile, // tile b <- accesses[a]
  receive,   // word b <- inputs[a]
  receive_tile,
  send, // outputs[a] <- word b
  send_tile,
  store, // accesses[a] <- word b
  store_tile,
  finish,   // the last cycle of the step begins
  end_step, // a: its cost where it calls no kernel; b: its StepWork
  // Tables: places[b], word or tile a.
  read_place,
  write_place,
  read_tile_place,
  write_tile_place,
  // Numbers: word a <- word b, word c.
  move,
  index, // word a <- form b
  to_real,
  to_f32,
  check_i32, // word a <- word b, which must fit
  add_real,
  sub_real,
  mul_real,
  div_real,
  mul_add_real, // word a <- word a + word b * word c, rounded twice
  min_real,
  max_real,
  pow_real,
  negate_real,
  abs_real,
  sqrt_real,
  exp_real,
  log_real,
  less_real,
  less_equal_real,
  equal_real,
  not_equal_real,
  add_whole,
  sub_whole,
  mul_whole,
  min_whole,
  max_whole,
  negate_whole,
  abs_whole,
  less_whole,
  less_equal_whole,
  equal_whole,
  not_equal_whole,
  logical_not,
  // Tiles: tile a <- tile b, and tile or word c.
  move_tile,
  add_tile,
  sub_tile,
  scale_tile,
  divide_tile,
  negate_tile,
  round_tile,
  fill_tile,  // from word b
  kernel,     // kernels[b]
  add_kernel, // tile c + kernels[b]
  sub_kernel, // tile c - kernels[b]
};

// What a step does with its values, as far as its time and what is said of it depend on that.
enum class StepWork : std::int32_t {
  computes_numbers,
  calls_kernels,
  moves_values, // it passes on, keeps and stores, and computes nothing
};

struct Instruction {
  Opcode op = Opcode::end;
  std::int32_t a = 0, b = 0, c = 0;
};

// A tensor in memory and where in it.
struct MemoryAccess {
  int tensor = 0; // into Program::tensors
  std::vector<Linear> indices;
  Supply supply = Supply::direct;
};

// One dimension of a table.
struct PlaceIndex {
  Linear form;
  Register::Extent extent;
};

// A place of a table: from `base`, row-major.
struct Place {
  int reg = 0; // into Program::registers
  int base = 0;
  std::vector<PlaceIndex> indices;
};

struct PassCode {
  std::vector<Linear> at;
  std::int64_t cycles = 0;
};

struct KernelCode {
  const recurrence::Kernel* kernel = nullptr;
  std::vector<int> arguments;                     // tiles
  std::vector<std::vector<std::int64_t>> largest; // extents of each, for one that has none of its own
  std::vector<bool> consumed; // whether nothing reads it after this call, so that its memory may be reused
};

// What is being computed from an instruction on, to say so where it fails.
struct StepCode {
  int first = 0, last = 0; // instructions, both included
  int space = 0;           // into Code::spaces
  std::vector<std::pair<std::string, Linear>> coordinates;
  std::vector<int> dead_tiles; // that no later step reads before it writes them (code_lifetimes.cpp)
};

struct ComputeCode {
  int first = 0, last = 0;
  std::string target;          // `[i,k]_C`
  std::string tensor;          // what a store of the step makes of it, where one does
  std::vector<Linear> indices; // of that element or tile
};

struct Port {
  int channel = 0; // into Program::channels
  bool is_tile = false;
};

// The program of a role. The frame begins with the axes; words begin with the registers, in the order of the program,
// and constants; tiles likewise.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<Span> spans;      // one per instruction
  std::vector<bool> last_reads; // of an operation on tiles: whether nothing reads tile b after it
  std::vector<Linear> forms;
  std::vector<MemoryAccess> accesses;
  std::vector<Port> inputs, outputs;
  std::vector<Place> places;
  std::vector<PassCode> passes;
  std::vector<KernelCode> kernels;
  std::vector<StepCode> steps;
  std::vector<ComputeCode> computes;
  std::vector<std::pair<int, Word>> constants; // words that have a value from the start
  int frame_size = 0, words = 0, tiles = 0;
  std::int64_t register_bytes = 0;    // of the registers that it uses
  std::vector<std::string> registers; // their names
  bool loads_broadcasts = false;
};

// Fills in `dead_tiles`, `last_reads` and `consumed`.
void find_lifetimes(Code& code);

// Steps of all roles have the numbers of their spaces in `spaces`, which grows.
Code compile(const std::vector<Statement>& body, const Program& program, std::vector<std::string>& spaces);

} // namespace cyclotron::pe
