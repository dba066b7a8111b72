// SPDX-License-Identifier: MIT
#include "backend/simd/kernel.hpp"

#include "backend/simd/print_c.hpp"
#include "backend/simd/registers.hpp"
#include "support/memory.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace cyclotron::backend::simd {

namespace {

CFile file_of(const std::vector<code::Kernel>& kernels, const KernelOptions& options) {
  const TimedPass printing("print-c");
  return print_c(kernels,
                 {options.register_bytes > 0 ? options.register_bytes : register_bytes(), options.threads != 1});
}

// Memory for the scratch of all threads; null where there is not as much.
std::shared_ptr<void> take_room(std::int64_t bytes_each, int threads) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(bytes_each, std::int64_t{threads}, &bytes)) return nullptr;
  constexpr std::int64_t much = std::int64_t{1} << 26; // asking how much there is takes longer than a small kernel
  if (bytes > much && bytes > available_memory()) return nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  void* memory = std::aligned_alloc(code::scratch_alignment, size);
  if (!memory) return nullptr;
  prefer_large_pages(memory, size);
  return {memory, std::free};
}

void report_no_room(std::int64_t bytes, int threads, Diagnostics& diagnostics) {
  diagnostics
      .error(fmt::format("there is not enough memory for the kernel's workspaces: {} for each of {} thread{}",
                         bytes == std::numeric_limits<std::int64_t>::max() ? "more than fits any machine"
                                                                           : describe_bytes(static_cast<double>(bytes)),
                         threads, threads == 1 ? "" : "s"))
      .with_hint(threads == 1 ? "run it with smaller sizes" : "run it with smaller sizes or fewer threads");
}

template <class T> T given(const std::map<std::string, T>& list, const std::string& name) {
  const auto found = list.find(name);
  if (found == list.end()) bug(fmt::format("a kernel is called without `{}`", name));
  return found->second;
}

} // namespace

std::string source_of(const std::vector<code::Kernel>& kernels, const KernelOptions& options) {
  return file_of(kernels, options).text;
}

std::shared_ptr<const Kernel> Kernel::make(std::vector<code::Kernel> kernels, KernelOptions options,
                                           Diagnostics& diagnostics) {
  for (const code::Kernel& kernel : kernels)
    if (const std::string problem = problem_of(kernel); !problem.empty())
      bug(fmt::format("kernel `{}`: {}", kernel.name, problem));
  const std::shared_ptr<Kernel> made(new Kernel);
  CFile file = file_of(kernels, options);
  made->kernels_ = std::move(kernels);
  made->options_ = std::move(options);
  made->source_ = std::move(file.text);
  const TimedPass compiling("compile-c");
  c::BuildOptions build = made->options_.build;
  // Vectors are written out already: what -O3 does beyond -O2 takes five times as long. Who calls our vector functions
  // is compiled with them, so that it does not matter how vectors are passed.
  build.flags.insert(build.flags.end(), {"-O2", "-fwrapv", "-Wno-psabi"});
  if (made->options_.threads != 1) build.flags.push_back("-fopenmp");
  made->library_ = c::build(made->source_, build, diagnostics);
  if (!made->library_) return nullptr;
  for (const std::string& name : file.functions) {
    made->functions_.push_back(reinterpret_cast<Function>(made->library_->symbol(name)));
    if (!made->functions_.back()) bug("a kernel has no entry");
  }
  return made;
}

int Kernel::threads() const {
  if (options_.threads == 1) return 1;
  if (options_.threads > 1) return static_cast<int>(std::min<std::int64_t>(options_.threads, 4096));
  return std::max(1, reinterpret_cast<int (*)()>(library_->symbol("cyclotron_threads"))());
}

std::optional<std::int64_t> Kernel::call(const std::map<std::string, std::int64_t>& sizes,
                                         const std::map<std::string, void*>& memories, Diagnostics& diagnostics) const {
  const auto bound = bind(sizes, memories, diagnostics);
  return bound ? std::optional(bound->run()) : std::nullopt;
}

std::optional<Kernel::BoundCall> Kernel::bind(const std::map<std::string, std::int64_t>& sizes,
                                              const std::map<std::string, void*>& memories,
                                              Diagnostics& diagnostics) const {
  BoundCall bound;
  bound.threads_ = threads();
  std::int64_t most = 0;
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const code::Kernel& kernel = kernels_[k];
    BoundCall::One& one = bound.kernels_.emplace_back();
    one.function = functions_[k];
    for (const std::string& size : kernel.sizes) one.numbers.push_back(given(sizes, size));
    for (const code::Memory& m : kernel.memories)
      if (m.role == code::Role::in || m.role == code::Role::out) one.arrays.push_back(given(memories, m.name));
    one.room_bytes = code::scratch_bytes(kernel, one.numbers, true);
    most = std::max(most, one.room_bytes);
  }
  if (most > 0 && !(bound.room_ = take_room(most, bound.threads_))) {
    report_no_room(most, bound.threads_, diagnostics);
    return std::nullopt;
  }
  return bound;
}

std::int64_t Kernel::BoundCall::run() const {
  std::int64_t failure = 0;
  for (const One& k : kernels_) {
    const std::int64_t answer = k.function(k.numbers.data(), k.arrays.data(), room_.get(), k.room_bytes, threads_);
    if (answer != 0) failure = failure == 0 ? answer : std::min(failure, answer);
  }
  return failure;
}

} // namespace cyclotron::backend::simd
