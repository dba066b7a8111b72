// SPDX-License-Identifier: MIT
// From a loop nest and formats to C.
#pragma once

#include "loops/ir.hpp"
#include "lower/loops/precompute.hpp"
#include "recurrence/domains.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::backend::c {

// One argument of the generated function, in order.
struct Argument {
  enum class Kind { size, first_step, last_step, positions, coordinates, bits, entries, values };
  Kind kind = Kind::size;
  std::string name; // of the size or the tensor, in the program
  int level = 0;    // positions, coordinates, bits
  int mask = -1;    // of one of the tensor's masks, in the order of the options
  std::string c_name;
  bool written = false;
  std::string meaning{}; // a few words for people who call it

  bool is_number() const { return kind == Kind::size || kind == Kind::first_step || kind == Kind::last_step; }
};

// `mask L csr`: the structure of L in another order of its levels, each entry with its place in the values of L.
struct Mask {
  std::string tensor;
  tensor::Format format;
  Span span;
};

// `marching L along i`: a pointer into each fiber of L, to the first coordinate that is at least i.
struct Marching {
  std::string tensor;
  std::string variable;
  Span span;
};

struct EmitOptions {
  std::string name = "kernel";              // of the C function, as far as C allows
  std::string title;                        // for the comment on top
  bool wide = false;                        // 64-bit positions and coordinates
  std::set<std::string> all_steps;          // stepped outputs of which every step is wanted
  std::set<std::string> internal;           // dense tensors that are no arguments: only the kernel itself reads them
  std::vector<lower::Workspace> workspaces; // among the internal ones
  std::vector<Mask> masks;
  std::vector<Marching> marching;
  bool careful = false; // look at every operation on whole numbers, not only at what is stored
  bool narrow = false;  // where it helps, work on copies of whole numbers in one byte, as long as they fit
};

struct Emitted {
  // A whole C file, and what it is made of.
  std::string text() const { return comment + includes + declarations + code + entry; }
  std::string comment; // what it computes and what its arguments are
  std::string includes;
  std::string declarations; // of the error and its kinds
  std::string code;         // the function and what it calls
  std::string entry;        // `cyclotron_call`, the same function with its arguments in arrays
  std::string function;     // its name
  std::vector<Argument> arguments;
  bool uses_openmp = false;
  bool notes_sizes = false;          // whole numbers may overflow before that is found out
  bool narrows = false;              // some input is copied into bytes: numbers that do not fit are `large`
  std::vector<std::string> searches; // what is looked up because the loops cross its format, for people
  std::map<std::string, std::string> without_effect; // by loop: why `vectorize` or `unroll` changes nothing there
};

// What a kernel returns besides recurrence::Failure.
// large: a whole number is so large that another form of the kernel must be run: one without copies in bytes where
// there were any, else the careful one.
enum KernelFailure { overflows = 4, out_of_memory = 5, large = 6 };

constexpr std::size_t most_indices = 32; // that a failure names

struct KernelError {
  int kind = 0;
  int equation = 0;
  std::int64_t at[most_indices] = {};
};

// Reports what this target cannot do.
std::optional<Emitted> emit(const recurrence::Program& program, const recurrence::Domains& domains,
                            const loops::Nest& nest, const EmitOptions& options, Diagnostics& diagnostics);

} // namespace cyclotron::backend::c
