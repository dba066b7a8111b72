// SPDX-License-Identifier: MIT
// A program as a compiled function: made once, called many times, from several threads.
//
// Two phases. `analyse` finds the structure of sparse results by running the recurrence over structure only; `compute`
// fills in the values, for any values of inputs with that structure.
#pragma once

#include "backend/c/build.hpp"
#include "backend/c/emit.hpp"
#include "frontend/check.hpp"
#include "lower/loops/recurrence_to_loops.hpp"
#include "recurrence/interpret.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace cyclotron::backend::c {

struct KernelOptions {
  std::string name = "kernel"; // of the C function
  std::string title;           // for the comment on top of the C file
  std::set<std::string> all_steps;
  std::set<std::string> unwanted; // outputs that the caller does not want: computed as far as others need them
  std::shared_ptr<const lower::LoweredLoops> loops{}; // of a `.loops` file; null: they are placed
  bool wide = false; // `compute` uses the 64-bit positions and coordinates of its tensors, not copies in 32 bits
  BuildOptions build;
};

using Outputs = std::map<std::string, tensor::Tensor>;

// The arrays of one tensor, borrowed. Positions and coordinates are all 32 or all 64 bits wide.
struct View {
  std::vector<const void*> positions, coordinates;
  std::vector<const std::uint64_t*> bits;
  void* values = nullptr;
  const void* entries = nullptr; // of a mask
  std::map<int, View> masks;     // by number in the kernel's list
};

class Kernel {
public:
  // `checked` must outlive the kernel. Null where an error was reported.
  static std::shared_ptr<const Kernel> make(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                            const KernelOptions& options, Diagnostics& diagnostics);

  // The same, nothing built: for those that only want its C.
  static std::shared_ptr<Kernel> prepare(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                         const KernelOptions& options, Diagnostics& diagnostics);
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
  const std::vector<Mask>& masks() const { return masks_; }
  // A tensor's structure in the format of a mask; the values say where each entry stands in the tensor's own.
  std::optional<tensor::Tensor> make_mask(const tensor::Tensor& tensor, const tensor::Format& format,
                                          Diagnostics& diagnostics) const;

  // The first and the last step of a stepped output at these sizes; nothing where there is none.
  using Steps = std::optional<std::pair<std::int64_t, std::int64_t>>;
  Steps steps_of(const std::string& tensor, const std::map<std::string, std::int64_t>& sizes) const;

  // Its C, nothing built.
  std::optional<Emitted> emitted(bool wide, bool careful, Diagnostics& diagnostics) const;

  // Outputs that the kernel keeps to itself: unwanted ones, where they are dense. They are no arguments, and `analyse`
  // makes none of them; other unwanted ones it does.
  const std::set<std::string>& internal() const { return internal_; }

  bool from_cache() const { return from_cache_; }
  bool from_memory() const { return from_memory_; } // then neither loops were placed nor C was written for it

private:
  Kernel(const frontend::Checked& checked, const schedule::Schedule* schedule, lower::Precomputed precomputed,
         KernelOptions options, std::set<std::string> internal)
      : written_(checked), schedule_(schedule ? std::optional(*schedule) : std::nullopt),
        precomputed_(std::move(precomputed)), checked_(precomputed_.checked ? *precomputed_.checked : written_),
        options_(std::move(options)), internal_(std::move(internal)) {}

  struct Compiled {
    std::shared_ptr<const Library> library;
    std::vector<Argument> arguments;
    bool narrows = false;
    int (*function)(const std::int64_t*, void* const*, KernelError*) = nullptr;
  };
  // Each is right where the one before finds a number too large for it.
  enum class Form { quick, plain, careful };
  const Compiled* compiled(bool wide, Form form, Diagnostics& diagnostics) const;
  const Compiled* keep(bool wide, Form form, Compiled compiled) const;
  bool read_schedule(Diagnostics& diagnostics);
  bool recall_from(const std::string& key);
  const lower::LoweredLoops* loops(Diagnostics& diagnostics) const;
  std::optional<Emitted> emit_form(bool wide, Form form, Diagnostics& diagnostics) const;
  void warn_of_idle_commands(const Emitted& made, Diagnostics& diagnostics) const;
  EmitOptions emit_options(bool wide, Form form) const;
  void report(const KernelError& error, Diagnostics& diagnostics) const;

  const frontend::Checked& written_; // as the user has it
  std::optional<schedule::Schedule> schedule_;
  lower::Precomputed precomputed_;
  const frontend::Checked& checked_; // with the workspaces that the schedule asks for
  KernelOptions options_;
  std::set<std::string> internal_;
  std::vector<Mask> masks_;
  std::vector<Marching> marching_;
  std::vector<std::string> order_;
  bool from_memory_ = false;
  // isl knows no threads, so all that needs it takes turns: compiling, finding structure. A call of what is compiled
  // does not; it looks up its steps, which are found once for each set of sizes.
  mutable std::mutex isl_;
  mutable bool warned_ = false;
  mutable std::optional<lower::LoweredLoops> loops_;        // once somebody needs them
  mutable std::map<std::pair<bool, Form>, Compiled> forms_; // by whether it is wide
  mutable std::atomic<const Compiled*> ready_[2][3] = {};   // the same, once they are there
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

// Of the unwanted outputs of a program, those that a kernel keeps to itself.
std::set<std::string> internal_of(const recurrence::Program& program, const std::set<std::string>& unwanted);

// The C text alone, nothing built; empty where an error was reported.
std::string source_of(const frontend::Checked& checked, const schedule::Schedule* schedule,
                      const KernelOptions& options, Diagnostics& diagnostics);

} // namespace cyclotron::backend::c
