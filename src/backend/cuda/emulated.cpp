// SPDX-License-Identifier: MIT
// This CPU in place of a GPU: the same text, behind runtime/cuda_on_cpu.hpp, compiled by the C++ compiler of this
// machine. It is slow, and checks what a GPU does not.
#include "backend/cuda/embedded.hpp"
#include "backend/cuda/machine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace cyclotron::backend::cuda {

namespace {

// As in cuda_on_cpu.hpp.
struct EmulatedMemory {
  const void* begin;
  long long bytes;
  const char* name;
};
struct EmulatedLaunch {
  unsigned blocks, threads;
  void** arguments;
  const EmulatedMemory* memories;
  int memory_count;
  char* message;
  int message_bytes;
};
using RunEmulated = int (*)(const EmulatedLaunch*);

using Clock = std::chrono::steady_clock;

struct EmulatedModule : Module {
  std::shared_ptr<const c::Library> library;
};

class EmulatedMachine : public Machine {
public:
  EmulatedMachine() { properties_ = {"a GPU emulated on the CPU", 0, 2, most_bytes, 227 * 1024, "no driver"}; }
  ~EmulatedMachine() override {
    for (const auto& [address, bytes] : allocated_) std::free(at(address));
  }

  const Properties& properties() const override { return properties_; }

  bool is_usable(Diagnostics&) override { return true; }

  // Any memory of this process.
  bool is_memory(Address) override { return true; }

  std::unique_ptr<Module> load(const std::string& text, const std::vector<std::string>& functions,
                               const c::BuildOptions& build, Diagnostics& diagnostics) override {
    std::string source = std::string(emulation_text) + "\n" + text + "\n";
    for (const std::string& f : functions) source += fmt::format("EMULATED_KERNEL({})\n", f);
    auto module = std::make_unique<EmulatedModule>();
    const auto begin = Clock::now();
    module->library = c::build(source, compiler_options(build), diagnostics);
    if (!module->library) return nullptr;
    module->from_cache = module->library->from_cache();
    module->compile_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return module;
  }

  std::int64_t free_bytes() override { return most_bytes; }

  // Every memory lies by itself, so that the sanitizers see what is written beside it. A byte of nothing has a place
  // too.
  std::optional<Address> allocate(std::int64_t bytes, Diagnostics& diagnostics) override {
    void* memory = std::malloc(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    if (!memory) {
      diagnostics.error(fmt::format("there is too little memory: {} more are needed", bytes_text(bytes)));
      return std::nullopt;
    }
    std::memset(memory, 0xa5, static_cast<std::size_t>(bytes)); // nobody may count on zeros
    const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(memory));
    const std::lock_guard lock(mutex_);
    allocated_[address] = bytes;
    return address;
  }

  void release(Address memory) override {
    const std::lock_guard lock(mutex_);
    allocated_.erase(memory);
    std::free(at(memory));
  }

  bool copy_in(Address to, const void* from, std::int64_t bytes, Diagnostics&) override {
    if (bytes > 0) std::memcpy(at(to), from, static_cast<std::size_t>(bytes));
    return true;
  }
  bool copy_out(void* to, Address from, std::int64_t bytes, Diagnostics&) override {
    if (bytes > 0) std::memcpy(to, at(from), static_cast<std::size_t>(bytes));
    return true;
  }
  bool copy_within(Address to, Address from, std::int64_t bytes, Diagnostics&) override {
    if (bytes > 0) std::memcpy(at(to), at(from), static_cast<std::size_t>(bytes));
    return true;
  }
  bool fill(Address memory, unsigned char value, std::int64_t bytes, Diagnostics&) override {
    if (bytes > 0) std::memset(at(memory), value, static_cast<std::size_t>(bytes));
    return true;
  }

  std::int64_t resident_blocks(Module&, const Launch&) override { return 2; }

  bool launch(Module& module, const Launch& l, Diagnostics& diagnostics) override {
    auto& loaded = static_cast<EmulatedModule&>(module);
    const auto run = reinterpret_cast<RunEmulated>(loaded.library->symbol(l.function + "_emulated"));
    if (!run) bug("a kernel that the module does not have");
    std::vector<EmulatedMemory> memories;
    {
      const auto add = [&](Address address, std::int64_t bytes) {
        const auto name = l.names.find(address);
        memories.push_back({at(address), bytes, name == l.names.end() ? "" : name->second.c_str()});
      };
      const std::lock_guard lock(mutex_);
      for (const auto& [address, bytes] : allocated_) add(address, bytes);
      for (const auto& [address, bytes] : l.bytes) // may begin inside of what we have allocated
        if (!allocated_.count(address)) add(address, bytes);
    }
    char message[500] = "";
    const EmulatedLaunch what{static_cast<unsigned>(l.blocks),
                              static_cast<unsigned>(l.threads),
                              const_cast<void**>(l.arguments.data()),
                              memories.data(),
                              static_cast<int>(memories.size()),
                              message,
                              sizeof message};
    static std::mutex running; // one text is loaded once, and so are its fibers and its shared memory
    const std::lock_guard lock(running);
    if (run(&what) == 0) return true;
    diagnostics.error(fmt::format("{} (run on the CPU in place of a GPU)", message));
    return false;
  }

  bool wait(const std::string&, Diagnostics&) override { return true; }

  bool mark(std::size_t point, Diagnostics&) override {
    if (points_.size() <= point) points_.resize(point + 1);
    points_[point] = Clock::now();
    return true;
  }
  double seconds_between(std::size_t first, std::size_t second) override {
    return std::chrono::duration<double>(points_.at(second) - points_.at(first)).count();
  }

  double copy_rate() override { return 0; }

private:
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 36;

  static void* at(Address address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

  // The kernels are compiled as C++ whatever the file is called. -O1 as most run once, at small sizes.
  static c::BuildOptions compiler_options(c::BuildOptions build) {
    const char* variable = std::getenv("CYCLOTRON_CXX");
    if (build.compiler.empty()) build.compiler = variable && *variable ? variable : "c++";
    for (const char* flag : {"-std=c++17", "-O1", "-Wno-unknown-pragmas"}) build.flags.emplace_back(flag);
    return build;
  }

  Properties properties_;
  std::mutex mutex_;
  std::map<Address, std::int64_t> allocated_; // bytes
  std::vector<Clock::time_point> points_;
};

} // namespace

std::shared_ptr<Machine> open_emulated() {
  static std::mutex mutex;
  static std::weak_ptr<EmulatedMachine> open;
  const std::lock_guard lock(mutex);
  auto machine = open.lock();
  if (!machine) open = machine = std::make_shared<EmulatedMachine>();
  return machine;
}

} // namespace cyclotron::backend::cuda
