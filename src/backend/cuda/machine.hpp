// SPDX-License-Identifier: MIT
// What runs CUDA kernels: a GPU (gpu.cpp), or this CPU in its place (emulated.cpp). Where a call reports an error it
// returns false or nothing.
#pragma once

#include "backend/c/build.hpp"
#include "backend/cuda/driver.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::backend::cuda {

struct Properties {
  std::string name;
  int capability = 0; // 90 for 9.0
  std::int64_t multiprocessors = 1;
  std::int64_t memory_bytes = 0;
  std::int64_t shared_bytes = 0; // of a block, the most
  std::string driver;            // "driver 13.0"
};

// Text that was compiled and is loaded.
class Module {
public:
  virtual ~Module() = default;
  double compile_seconds = 0;
  bool from_cache = false;
};

struct Launch {
  std::string function;
  std::int64_t blocks = 1, threads = 1, shared_bytes = 0;
  std::vector<void*> arguments;               // where each value is
  std::map<Address, std::string> names;       // of memories, for reports
  std::map<Address, std::int64_t> bytes = {}; // of those that the machine may not have allocated itself
};

class Machine {
public:
  virtual ~Machine() = default;
  virtual const Properties& properties() const = 0;

  // Held by whoever copies, launches and measures, which belong together. A thread that works on GPUs itself has its
  // own context again at the end.
  class Turn {
  public:
    explicit Turn(Machine& machine) : machine_(machine), lock_(machine.turn_), before_(machine.enter()) {}
    ~Turn() { machine_.leave(before_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Machine& machine_;
    const std::lock_guard<std::mutex> lock_;
    const Handle before_;
  };

  // Whether it still works: a GPU is of no more use to a process in which a kernel has failed.
  virtual bool is_usable(Diagnostics& diagnostics) = 0;

  // `functions`: the kernels in the text.
  virtual std::unique_ptr<Module> load(const std::string& text, const std::vector<std::string>& functions,
                                       const c::BuildOptions& build, Diagnostics& diagnostics) = 0;

  // Whether kernels can work on what lies at this address, which somebody else allocated.
  virtual bool is_memory(Address address) = 0;

  virtual std::int64_t free_bytes() = 0;
  virtual std::optional<Address> allocate(std::int64_t bytes, Diagnostics& diagnostics) = 0;
  virtual void release(Address memory) = 0;
  virtual bool copy_in(Address to, const void* from, std::int64_t bytes, Diagnostics& diagnostics) = 0;
  virtual bool copy_out(void* to, Address from, std::int64_t bytes, Diagnostics& diagnostics) = 0;
  virtual bool copy_within(Address to, Address from, std::int64_t bytes, Diagnostics& diagnostics) = 0;
  virtual bool fill(Address memory, unsigned char value, std::int64_t bytes, Diagnostics& diagnostics) = 0;

  // How many blocks of so many threads a multiprocessor holds at once; 0 where one is too large for it.
  virtual std::int64_t resident_blocks(Module& module, const Launch& launch) = 0;
  // Begins, and does not wait.
  virtual bool launch(Module& module, const Launch& launch, Diagnostics& diagnostics) = 0;
  // Until all that was begun has ended. `doing` says what that was, for an error.
  virtual bool wait(const std::string& doing, Diagnostics& diagnostics) = 0;

  // Points in time on the machine's own clock, in the order of what is begun; asked for after `wait`.
  virtual bool mark(std::size_t point, Diagnostics& diagnostics) = 0;
  virtual double seconds_between(std::size_t first, std::size_t second) = 0;

  // Bytes read and written a second by a plain copy of much memory: the most that a kernel can reach. 0: not known.
  virtual double copy_rate() = 0;

private:
  virtual Handle enter() { return nullptr; }
  virtual void leave(Handle) {}

  std::mutex turn_;
};

// Memory that goes with its owner.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(Machine& machine, Address address) : machine_(&machine), address_(address) {}
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceMemory() {
    if (machine_) machine_->release(address_);
  }
  Address address() const { return address_; }

private:
  void swap(DeviceMemory& other) {
    std::swap(machine_, other.machine_);
    std::swap(address_, other.address_);
  }
  Machine* machine_ = nullptr;
  Address address_ = 0;
};

struct MachineOptions {
  bool emulate = false;         // on this CPU, compiled by its C++ compiler
  int number = 0;               // of the GPU
  std::string driver_library;   // "": see load_driver
  std::string compiler_library; // "": see RuntimeCompiler::load
  c::BuildOptions build;        // the cache of what was compiled; the compiler of the emulation
};

// The same machine as long as somebody has it, so that what kernels leave in its memory is there for others. Null where
// an error was reported.
std::shared_ptr<Machine> open_gpu(const MachineOptions& options, Diagnostics& diagnostics);
std::shared_ptr<Machine> open_emulated();
std::shared_ptr<Machine> open_machine(const MachineOptions& options, Diagnostics& diagnostics);

// "12.5 GB", "640 bytes"
std::string bytes_text(std::int64_t bytes);

} // namespace cyclotron::backend::cuda
