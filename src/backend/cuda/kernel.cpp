// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace cyclotron::backend::cuda {

using code::Role;

namespace {

constexpr int nothing_failed = std::numeric_limits<int>::max();

// The caller's arrays on the machine, and the copies there and back.
struct Copies {
  Machine& machine;
  std::map<std::string, DeviceMemory> owned;
  std::map<std::string, DeviceArray> arrays;

  bool bring_in(const std::map<std::string, HostMemory>& memories, Figures& figures, Diagnostics& diagnostics) {
    for (const auto& [name, memory] : memories) {
      const auto address = machine.allocate(memory.bytes, diagnostics);
      if (!address) return false;
      owned.emplace(name, DeviceMemory(machine, *address));
      arrays[name] = {*address, memory.bytes};
    }
    if (!machine.mark(0, diagnostics)) return false;
    for (const auto& [name, memory] : memories) {
      const Address to = arrays[name].address;
      const bool fresh = memory.zero || !memory.data;
      if (memory.bytes == 0) continue;
      if (!(fresh ? machine.fill(to, 0, memory.bytes, diagnostics)
                  : machine.copy_in(to, memory.data, memory.bytes, diagnostics)))
        return false;
      figures.in_bytes += fresh ? 0 : memory.bytes;
    }
    if (!machine.mark(1, diagnostics) || !machine.wait("copying data", diagnostics)) return false;
    figures.in_seconds = machine.seconds_between(0, 1);
    return true;
  }

  template <class Wanted>
  bool bring_out(const std::map<std::string, HostMemory>& memories, Wanted wanted, Figures& figures,
                 Diagnostics& diagnostics) {
    if (!machine.mark(0, diagnostics)) return false;
    for (const auto& [name, memory] : memories) {
      if (!memory.data || memory.bytes == 0 || !wanted(name)) continue;
      if (!machine.copy_out(memory.data, arrays[name].address, memory.bytes, diagnostics)) return false;
      figures.out_bytes += memory.bytes;
    }
    if (!machine.mark(1, diagnostics) || !machine.wait("copying data", diagnostics)) return false;
    figures.out_seconds = machine.seconds_between(0, 1);
    return true;
  }
};

} // namespace

struct Kernel::Planned {
  const code::Kernel* kernel;
  std::vector<std::int64_t> sizes;
  Launch launch;
  std::int64_t scratch_each = 0; // bytes of a group

  // The largest number where it is more than fits.
  std::int64_t scratch_bytes() const {
    const std::int64_t groups = launch.blocks * (launch.threads / kernel->lanes);
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(groups, scratch_each, &bytes) ? std::numeric_limits<std::int64_t>::max() : bytes;
  }
};

std::unique_ptr<Kernel> Kernel::make(std::vector<code::Kernel> kernels, const KernelOptions& options,
                                     Diagnostics& diagnostics) {
  if (!check_printable(kernels, diagnostics)) return nullptr;
  auto machine = open_machine(options.machine, diagnostics);
  if (!machine) return nullptr;
  std::unique_ptr<Kernel> made(new Kernel(std::move(kernels), options, std::move(machine)));
  std::vector<std::string> functions;
  for (const code::Kernel& k : made->kernels_) {
    functions.push_back(function_name(k));
    const std::int64_t most = made->machine_->properties().shared_bytes;
    if (shared_bytes(k) <= most) continue;
    diagnostics.unsupported({}, fmt::format("kernel `{}` shares {} in a block, and a block of `{}` has at most {}",
                                            k.name, bytes_text(shared_bytes(k)), made->machine_->properties().name,
                                            bytes_text(most)));
    return nullptr;
  }
  made->text_ = print_cuda(made->kernels_, options.print);
  made->module_ = made->machine_->load(made->text_, functions, options.machine.build, diagnostics);
  return made->module_ ? std::move(made) : nullptr;
}

std::optional<std::vector<Kernel::Planned>> Kernel::plan(const Sizes& sizes, Diagnostics& diagnostics) {
  if (!machine_->is_usable(diagnostics)) return std::nullopt;
  std::vector<Planned> result;
  for (const code::Kernel& k : kernels_) {
    Planned planned{&k, {}, {}, 0};
    for (const std::string& size : k.sizes) {
      const auto found = sizes.find(size);
      if (found == sizes.end()) bug(fmt::format("no value for the size `{}` of kernel `{}`", size, k.name));
      planned.sizes.push_back(found->second);
    }
    planned.launch.function = function_name(k);
    planned.launch.threads = block_threads(k, options_.print);
    planned.launch.shared_bytes = shared_bytes(k);
    const std::int64_t resident = machine_->resident_blocks(*module_, planned.launch);
    if (resident < 1) {
      diagnostics.unsupported({}, fmt::format("a block of kernel `{}`, with {} threads and {} of shared memory, does "
                                              "not fit a multiprocessor of `{}`",
                                              k.name, planned.launch.threads, bytes_text(planned.launch.shared_bytes),
                                              machine_->properties().name));
      return std::nullopt;
    }
    const LaunchShape shape =
        launch_shape(k, planned.sizes, planned.launch.threads, {machine_->properties().multiprocessors, resident});
    planned.launch.threads = shape.threads;
    planned.launch.blocks = options_.blocks > 0 ? options_.blocks : shape.blocks;
    planned.scratch_each = code::scratch_bytes(k, planned.sizes, false);
    result.push_back(std::move(planned));
  }
  return result;
}

bool Kernel::launch_one(Planned& planned, const std::map<std::string, DeviceArray>& memories, Address failed,
                        Address scratch, Diagnostics& diagnostics) {
  const code::Kernel& k = *planned.kernel;
  std::vector<Address> addresses(k.memories.size() + 2);
  planned.launch.arguments.clear();
  planned.launch.names.clear();
  planned.launch.bytes.clear();
  std::size_t sizes = 0, used = 0;
  const auto give = [&](Address address) {
    addresses[used] = address;
    planned.launch.arguments.push_back(&addresses[used++]);
  };
  for (const Argument& a : arguments_of(k)) {
    switch (a.kind) {
    case Argument::Kind::size: planned.launch.arguments.push_back(&planned.sizes[sizes++]); break;
    case Argument::Kind::memory: {
      const auto found = memories.find(a.name);
      if (found == memories.end()) bug(fmt::format("no memory `{}` for kernel `{}`", a.name, k.name));
      give(found->second.address);
      planned.launch.names[found->second.address] = a.name;
      planned.launch.bytes[found->second.address] = found->second.bytes;
      break;
    }
    case Argument::Kind::failed: give(failed); break;
    case Argument::Kind::scratch: give(scratch); break;
    case Argument::Kind::scratch_bytes: planned.launch.arguments.push_back(&planned.scratch_each); break;
    }
  }
  return machine_->launch(*module_, planned.launch, diagnostics);
}

bool Kernel::launch_all(std::vector<Planned>& plan, const std::map<std::string, DeviceArray>& memories,
                        const DeviceMemory& failed, const DeviceMemory& scratch, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    names.push_back(plan[i].kernel->name);
    if (!machine_->mark(i, diagnostics)) return false;
    if (!launch_one(plan[i], memories, failed.address(), scratch.address(), diagnostics)) return false;
  }
  if (!machine_->mark(plan.size(), diagnostics)) return false;
  return machine_->wait(fmt::format("kernel{} `{}`", plan.size() == 1 ? "" : "s", fmt::join(names, "`, `")),
                        diagnostics);
}

std::optional<int> Kernel::run(std::vector<Planned>& plan, const std::map<std::string, DeviceArray>& memories,
                               Diagnostics& diagnostics, Figures* figures) {
  std::int64_t scratch_bytes = 0; // one arena for all: they run one after the other
  for (const Planned& p : plan) scratch_bytes = std::max(scratch_bytes, p.scratch_bytes());
  DeviceMemory failed, scratch;
  const auto answer_at = machine_->allocate(sizeof(int), diagnostics);
  if (!answer_at) return std::nullopt;
  failed = DeviceMemory(*machine_, *answer_at);
  if (scratch_bytes > 0) {
    const auto at = machine_->allocate(scratch_bytes, diagnostics);
    if (!at) return std::nullopt;
    scratch = DeviceMemory(*machine_, *at);
  }
  int answer = nothing_failed;
  if (!machine_->copy_in(*answer_at, &answer, sizeof answer, diagnostics) ||
      !launch_all(plan, memories, failed, scratch, diagnostics) ||
      !machine_->copy_out(&answer, *answer_at, sizeof answer, diagnostics) ||
      !machine_->wait("copying data", diagnostics))
    return std::nullopt;
  if (figures) fill_in(*figures, memories);
  return answer == nothing_failed ? 0 : answer;
}

void Kernel::fill_in(Figures& figures, const std::map<std::string, DeviceArray>& memories) {
  for (std::size_t i = 0; i < kernels_.size(); ++i) figures.seconds_each.push_back(machine_->seconds_between(i, i + 1));
  figures.kernel_seconds = machine_->seconds_between(0, kernels_.size());
  for (const code::Kernel& k : kernels_)
    for (const code::Memory& m : k.memories)
      if (m.role == Role::in || m.role == Role::out) figures.touched_bytes += memories.at(m.name).bytes;
  figures.compile_seconds = module_->compile_seconds;
  figures.from_cache = module_->from_cache;
  const double rate = machine_->copy_rate();
  if (rate > 0 && figures.kernel_seconds > 0)
    figures.copy_fraction = static_cast<double>(figures.touched_bytes) / figures.kernel_seconds / rate;
}

bool Kernel::is_written(const std::string& memory) const {
  return std::any_of(kernels_.begin(), kernels_.end(), [&](const code::Kernel& k) {
    return std::any_of(k.memories.begin(), k.memories.end(),
                       [&](const code::Memory& m) { return m.name == memory && m.role == Role::out; });
  });
}

// Said before anything is copied.
bool Kernel::has_room(const std::vector<Planned>& plan, const std::map<std::string, HostMemory>& memories,
                      Diagnostics& diagnostics) {
  std::int64_t needed = 0, scratch = 0;
  for (const auto& [name, memory] : memories) needed += memory.bytes;
  for (const Planned& p : plan) scratch = std::max(scratch, p.scratch_bytes());
  const std::int64_t free = machine_->free_bytes();
  if (__builtin_add_overflow(needed, scratch, &needed)) needed = std::numeric_limits<std::int64_t>::max();
  if (needed <= free) return true;
  auto& error = diagnostics.error(fmt::format("the GPU has too little memory: {} are needed, and {} of `{}` are free",
                                              bytes_text(needed), bytes_text(free), machine_->properties().name));
  if (scratch > 0) error.note(fmt::format("{} of it are scratch of the workers", bytes_text(scratch)));
  error.with_hint(without_gpu_hint);
  return false;
}

std::optional<int> Kernel::call(const Sizes& sizes, const std::map<std::string, HostMemory>& memories,
                                Diagnostics& diagnostics, Figures* figures) {
  const Machine::Turn turn(*machine_);
  Figures own;
  Figures& all = figures ? *figures : own;
  all = {};
  auto planned = plan(sizes, diagnostics);
  if (!planned || !has_room(*planned, memories, diagnostics)) return std::nullopt;
  Copies copies{*machine_, {}, {}};
  if (!copies.bring_in(memories, all, diagnostics)) return std::nullopt;
  const auto answer = run(*planned, copies.arrays, diagnostics, figures);
  if (!answer) return std::nullopt;
  const auto written = [&](const std::string& name) { return is_written(name); };
  if (!copies.bring_out(memories, written, all, diagnostics)) return std::nullopt;
  return answer;
}

std::optional<int> Kernel::call_on_device(const Sizes& sizes, const std::map<std::string, DeviceArray>& memories,
                                          Diagnostics& diagnostics, Figures* figures) {
  const Machine::Turn turn(*machine_);
  if (figures) *figures = {};
  auto planned = plan(sizes, diagnostics);
  if (!planned) return std::nullopt;
  return run(*planned, memories, diagnostics, figures);
}

} // namespace cyclotron::backend::cuda
