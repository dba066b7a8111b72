// SPDX-License-Identifier: MIT
// A program as a compiled function: made once, called many times, from several threads.
//
// Two phases. `analyse` finds the structure of sparse results by running the recurrence over structure only; `compute`
// fills in the values, for any values of inputs with that structure.
#pragma once

#include "backend/c/kernel_program.hpp"
#include "recurrence/interpret.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace cyclotron::backend::c {

using Outputs = std::map<std::string, tensor::Tensor>;

// The arrays of one tensor, borrowed. Positions and coordinates are all 32 or all 64 bits wide.
struct View {
  std::vector<const void*> positions, coordinates;
  std::vector<const std::uint64_t*> bits;
  void* values = nullptr;
  const void* entries = nullptr; // of a mask
  std::map<int, View> masks;     // by number in the kernel's list
};

// Writes one form of a kernel as C, for the program that the kernel was made of.
using Writer = std::function<std::optional<Written>(const KernelProgram&, Form, Diagnostics&)>;

class Kernel {
public:
  // `program` says what the kernel computes; `write` is asked for C once a form of it is needed. Where an earlier
  // process has made the same kernel, none is. Null where an error was reported.
  static std::shared_ptr<const Kernel> make(KernelProgram program, Writer write, Diagnostics& diagnostics);

  // The same, nothing built: for those that only want its C.
  static std::shared_ptr<Kernel> unbuilt(KernelProgram program, Writer write);
  std::string source(bool wide, Diagnostics& diagnostics) const;

  // Of the loops, once it is made.
  const std::vector<std::string>& order() const { return order_; }

  // The structure of the outputs that are not dense, values zero.
  std::optional<Outputs> structure(const recurrence::Bindings& bindings, Diagnostics& diagnostics) const;

  // The same with the dense outputs.
  std::optional<Outputs> analyse(const recurrence::Bindings& bindings, Diagnostics& diagnostics) const;

  // Computes the values of `outputs`, whose structure `analyse` made. False where an error was reported.
  bool compute(const recurrence::Bindings& bindings, Outputs& outputs, Diagnostics& diagnostics) const;

  // The same on borrowed arrays, nothing copied: what `compute` comes down to.
  bool call(const std::map<std::string, std::int64_t>& sizes, const std::map<std::string, View>& views, bool wide,
            Diagnostics& diagnostics) const;

  // The same in two steps: finding arguments, once, and running, as often as one likes. The kernel outlives the call.
  struct BoundCall;
  std::optional<BoundCall> bind(const std::map<std::string, std::int64_t>& sizes,
                                const std::map<std::string, View>& views, bool wide, Diagnostics& diagnostics) const;
  bool run(const BoundCall& call, Diagnostics& diagnostics) const;

  // The masks that the schedule asks for.
  const std::vector<Mask>& masks() const { return program_.masks; }
  // A tensor's structure in the format of a mask; the values say where each entry stands in the tensor's own.
  std::optional<tensor::Tensor> make_mask(const tensor::Tensor& tensor, const tensor::Format& format,
                                          Diagnostics& diagnostics) const;

  // The first and the last step of a stepped output at these sizes; nothing where there is none.
  using Steps = std::optional<std::pair<std::int64_t, std::int64_t>>;
  Steps steps_of(const std::string& tensor, const std::map<std::string, std::int64_t>& sizes) const;

  // Its C, nothing built.
  std::optional<Emitted> emitted(Form form, Diagnostics& diagnostics) const;

  // Outputs that the kernel keeps to itself: unwanted ones, where they are dense. They are no arguments, and `analyse`
  // makes none of them; other unwanted ones it does.
  const std::set<std::string>& internal() const { return program_.internal; }

  bool from_cache() const { return from_cache_; }
  bool from_memory() const { return from_memory_; } // then neither loops were placed nor C was written for it

private:
  Kernel(KernelProgram program, Writer write) : program_(std::move(program)), write_(std::move(write)) {}

  const frontend::Checked& written() const { return *program_.written; }
  const frontend::Checked& checked() const { return program_.checked(); }

  struct Compiled {
    std::shared_ptr<const Library> library;
    std::vector<Argument> arguments;
    bool narrows = false;
    int (*function)(const std::int64_t*, void* const*, KernelError*) = nullptr;
  };
  const Compiled* compiled(Form form, Diagnostics& diagnostics) const;
  const Compiled* keep(Form form, Compiled compiled) const;
  std::string recall();
  std::atomic<const Compiled*>& ready(Form form) const {
    return ready_[form.wide ? 1 : 0][static_cast<int>(form.arithmetic)];
  }
  void report(const KernelError& error, Diagnostics& diagnostics) const;

  KernelProgram program_;
  Writer write_;
  mutable std::vector<std::string> order_;
  bool from_memory_ = false;
  // isl knows no threads, so all that needs it takes turns: compiling, finding structure. A call of what is compiled
  // does not; it looks up its steps, which are found once for each set of sizes.
  mutable std::mutex isl_;
  mutable std::map<Form, Compiled> forms_;
  mutable std::atomic<const Compiled*> ready_[2][3] = {}; // the same, once they are there
  mutable std::shared_mutex steps_mutex_;
  mutable std::map<std::pair<std::string, std::map<std::string, std::int64_t>>, Steps> steps_;
  mutable std::atomic<bool> from_cache_ = false;
};

// What the compiled function takes.
struct Kernel::BoundCall {
  const Compiled* compiled = nullptr;
  bool wide = false;
  std::vector<std::int64_t> numbers;
  std::vector<void*> arrays;
};

} // namespace cyclotron::backend::c
