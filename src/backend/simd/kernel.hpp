// SPDX-License-Identifier: MIT
// Kernels of the code IR as compiled functions: made once, called many times, from several threads.
//
//   auto kernel = Kernel::make({convolution}, options, diagnostics);
//   auto answer = kernel->call({{"m", 1000}, {"r", 5}}, {{"x", x}, {"w", w}, {"z", z}}, diagnostics);
#pragma once

#include "backend/c/build.hpp"
#include "code/ir.hpp"

#include <map>
#include <memory>
#include <optional>

namespace cyclotron::backend::simd {

struct KernelOptions {
  std::int64_t threads = 1;        // for loops whose iterations run at once; 0: as many as OpenMP likes
  std::int64_t register_bytes = 0; // 0: those of this machine
  c::BuildOptions build;
};

// The C of the kernels, one file.
std::string source_of(const std::vector<code::Kernel>& kernels, const KernelOptions& options);

class Kernel {
public:
  // Null where an error was reported. The kernels keep their invariants.
  static std::shared_ptr<const Kernel> make(std::vector<code::Kernel> kernels, KernelOptions options,
                                            Diagnostics& diagnostics);

  // Runs the kernels one after the other: 0, or the smallest number of a failure in any of them. Nothing where an error
  // was reported: there is not enough memory for scratch. Sizes and memories, those that are `in` or `out`, are found
  // by the names that the kernels have for them; there may be more.
  std::optional<std::int64_t> call(const std::map<std::string, std::int64_t>& sizes,
                                   const std::map<std::string, void*>& memories, Diagnostics& diagnostics) const;

  // The same for many calls: arguments and room are found once. One thread at a time may run it.
  class BoundCall;
  std::optional<BoundCall> bind(const std::map<std::string, std::int64_t>& sizes,
                                const std::map<std::string, void*>& memories, Diagnostics& diagnostics) const;

  const std::string& source() const { return source_; }
  bool from_cache() const { return library_->from_cache(); }

private:
  using Function = std::int64_t (*)(const std::int64_t* sizes, void* const* memories, void* room,
                                    std::int64_t room_bytes, int threads);
  Kernel() = default;

  int threads() const;

  std::vector<code::Kernel> kernels_;
  KernelOptions options_;
  std::string source_;
  std::shared_ptr<const c::Library> library_;
  std::vector<Function> functions_; // one of each kernel
};

// Lives no longer than the kernel and the memories.
class Kernel::BoundCall {
public:
  std::int64_t run() const; // the answer of `call`

private:
  friend class Kernel;
  struct One { // kernel of the list
    Function function;
    std::vector<std::int64_t> numbers;
    std::vector<void*> arrays;
    std::int64_t room_bytes; // of each thread
  };
  std::vector<One> kernels_;
  std::shared_ptr<void> room_; // they take turns with it
  int threads_ = 1;
};

} // namespace cyclotron::backend::simd
