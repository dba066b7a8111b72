// SPDX-License-Identifier: MIT
// Kernels of the code IR as something to call: printed, compiled and loaded once, called many times.
//
// The kernels run one after the other. Memories of one name are one memory, so what one kernel writes the next one
// reads, and it stays on the GPU in between.
#pragma once

#include "backend/cuda/launch_shape.hpp"
#include "backend/cuda/machine.hpp"

#include <map>

namespace cyclotron::backend::cuda {

struct KernelOptions {
  MachineOptions machine;
  PrintOptions print;
  std::int64_t blocks = 0; // of every launch; 0: as launch_shape.hpp says
};

// An array of the caller. It is copied to the GPU before the call unless it is known to be zero, and back after it
// where some kernel writes it. `data` may be null: then the array is made on the GPU, holds zeros at first, and stays
// there.
struct HostMemory {
  void* data = nullptr;
  std::int64_t bytes = 0;
  bool zero = false;
};

struct DeviceArray {
  Address address = 0;
  std::int64_t bytes = 0;
};

struct Figures {
  double kernel_seconds = 0;                // on the machine's clock, from the first launch to the end of the last
  std::vector<double> seconds_each;         // of each kernel
  double in_seconds = 0, out_seconds = 0;   // of copying
  std::int64_t in_bytes = 0, out_bytes = 0; // copied to the GPU and back
  std::int64_t touched_bytes = 0; // of all memories, inputs once and outputs once: what kernels must move at least
  double copy_fraction = 0;       // of what a plain copy reaches: touched_bytes a second; 0 where not known
  double compile_seconds = 0;
  bool from_cache = false;
};

using Sizes = std::map<std::string, std::int64_t>;

// Calls may come from several threads, and take turns on the machine.
class Kernel {
public:
  // Null where an error was reported.
  static std::unique_ptr<Kernel> make(std::vector<code::Kernel> kernels, const KernelOptions& options,
                                      Diagnostics& diagnostics);

  // What the kernels answer: 0, or the smallest number of a `fail`. Nothing where an error was reported.
  std::optional<int> call(const Sizes& sizes, const std::map<std::string, HostMemory>& memories,
                          Diagnostics& diagnostics, Figures* figures = nullptr);

  // The same on memories that are on the machine already; nothing is copied.
  std::optional<int> call_on_device(const Sizes& sizes, const std::map<std::string, DeviceArray>& memories,
                                    Diagnostics& diagnostics, Figures* figures = nullptr);

  Machine& machine() { return *machine_; }
  const std::string& text() const { return text_; }
  const std::vector<code::Kernel>& kernels() const { return kernels_; }

private:
  Kernel(std::vector<code::Kernel> kernels, const KernelOptions& options, std::shared_ptr<Machine> machine)
      : kernels_(std::move(kernels)), options_(options), machine_(std::move(machine)) {}

  struct Planned; // of one kernel: how it is launched
  std::optional<std::vector<Planned>> plan(const Sizes& sizes, Diagnostics& diagnostics);
  bool launch_all(std::vector<Planned>& plan, const std::map<std::string, DeviceArray>& memories,
                  const DeviceMemory& failed, const DeviceMemory& scratch, Diagnostics& diagnostics);
  bool launch_one(Planned& planned, const std::map<std::string, DeviceArray>& memories, Address failed, Address scratch,
                  Diagnostics& diagnostics);
  std::optional<int> run(std::vector<Planned>& plan, const std::map<std::string, DeviceArray>& memories,
                         Diagnostics& diagnostics, Figures* figures);
  bool has_room(const std::vector<Planned>& plan, const std::map<std::string, HostMemory>& memories,
                Diagnostics& diagnostics);
  bool is_written(const std::string& memory) const;
  void fill_in(Figures& figures, const std::map<std::string, DeviceArray>& memories);

  const std::vector<code::Kernel> kernels_;
  const KernelOptions options_;
  std::shared_ptr<Machine> machine_; // outlives the module
  std::unique_ptr<Module> module_;
  std::string text_;
};

} // namespace cyclotron::backend::cuda
