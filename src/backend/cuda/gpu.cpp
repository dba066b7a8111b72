// SPDX-License-Identifier: MIT
// A GPU: one context and one stream, in which everything happens in order.
#include "backend/cuda/machine.hpp"

#include "backend/cuda/image_cache.hpp"
#include "backend/cuda/runtime_compiler.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <map>
#include <mutex>

namespace cyclotron::backend::cuda {

namespace {

// Attributes of devices and functions, as cuda.h numbers them.
constexpr int multiprocessor_count = 16, capability_major = 75, capability_minor = 76, most_shared_bytes = 97;
constexpr int function_shared_bytes = 8; // beyond what every function may have
constexpr int memory_type = 2;           // of a pointer

// What the caller's thread has as its context, put back at the end: contexts belong to threads.
class KeptContext {
public:
  explicit KeptContext(const Driver& driver) : driver_(driver), before_(of_thread(driver)) {}
  ~KeptContext() { driver_.use_context(before_); }
  KeptContext(const KeptContext&) = delete;
  KeptContext& operator=(const KeptContext&) = delete;

  static Handle of_thread(const Driver& driver) {
    Handle context = nullptr;
    return driver.current_context(&context) == cuda_success ? context : nullptr;
  }

private:
  const Driver& driver_;
  const Handle before_;
};

class GpuModule : public Module {
public:
  GpuModule(const Driver& driver, Handle context, Handle module)
      : driver_(driver), context_(context), module_(module) {}
  ~GpuModule() override {
    const KeptContext kept(driver_);
    driver_.use_context(context_);
    driver_.unload_module(module_);
  }

  Handle function(const std::string& name) {
    const auto found = functions_.find(name);
    if (found != functions_.end()) return found->second;
    Handle function = nullptr;
    if (driver_.find_function(&function, module_, name.c_str()) != cuda_success) return nullptr;
    return functions_[name] = function;
  }

private:
  const Driver& driver_;
  const Handle context_, module_;
  std::map<std::string, Handle> functions_;
};

class Gpu : public Machine {
public:
  Gpu(const Driver& driver, MachineOptions options) : driver_(driver), options_(std::move(options)) {}
  ~Gpu() override {
    const KeptContext kept(driver_);
    if (context_) driver_.use_context(context_);
    for (const Handle event : events_) driver_.destroy_event(event);
    if (stream_) driver_.destroy_stream(stream_);
    if (context_) driver_.release_context(device_);
  }

  bool open(Diagnostics& diagnostics) {
    const KeptContext kept(driver_);
    int count = 0;
    CudaResult result = driver_.device_count(&count);
    if (result == cuda_success && (options_.number < 0 || options_.number >= count)) {
      diagnostics.error(
          count == 0 ? "there is no GPU that the CUDA driver can use"
                     : fmt::format("there is no GPU {}: they are numbered from 0 to {}", options_.number, count - 1));
      return false;
    }
    if (result == cuda_success) result = driver_.device(&device_, options_.number);
    if (result == cuda_success) result = read_properties();
    if (result == cuda_success) result = driver_.retain_context(&context_, device_);
    if (result == cuda_success) result = driver_.use_context(context_);
    if (result == cuda_success) result = driver_.create_stream(&stream_, 1); // waits for no other stream
    if (result == cuda_success) return true;
    diagnostics.error("the GPU cannot be used: " + driver_.describe(result)).with_hint(without_gpu_hint);
    return false;
  }

  const Properties& properties() const override { return properties_; }

  bool is_usable(Diagnostics& diagnostics) override {
    if (!current()) report("the GPU cannot be used", broken_, diagnostics);
    return broken_ == cuda_success;
  }

  std::unique_ptr<Module> load(const std::string& text, const std::vector<std::string>& functions,
                               const c::BuildOptions& build, Diagnostics& diagnostics) override;

  bool is_memory(Address address) override {
    const KeptContext kept(driver_);
    int kind = 0; // host or device: both where the GPU reaches it
    return current() && driver_.pointer_attribute(&kind, memory_type, address) == cuda_success;
  }

  std::int64_t free_bytes() override {
    std::size_t free = 0, total = 0;
    if (!current() || driver_.memory_info(&free, &total) != cuda_success) return 0;
    return static_cast<std::int64_t>(free);
  }

  std::optional<Address> allocate(std::int64_t bytes, Diagnostics& diagnostics) override {
    Address memory = 0;
    const CudaResult result =
        current() ? driver_.allocate(&memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))) : broken_;
    if (result == cuda_success) return memory;
    if (result == cuda_out_of_memory)
      diagnostics.error(fmt::format("the GPU has too little memory: {} more are needed, and {} of {} are free",
                                    bytes_text(bytes), bytes_text(free_bytes()), bytes_text(properties_.memory_bytes)));
    else report("there is no memory of the GPU", result, diagnostics);
    return std::nullopt;
  }

  void release(Address memory) override {
    const KeptContext kept(driver_);
    driver_.use_context(context_); // where that fails, so does the other, and the memory is gone already
    driver_.release(memory);
  }

  bool copy_in(Address to, const void* from, std::int64_t bytes, Diagnostics& diagnostics) override {
    return checked(!current() ? broken_ : driver_.copy_in(to, from, static_cast<std::size_t>(bytes), stream_),
                   "data was not copied to the GPU", diagnostics);
  }
  bool copy_out(void* to, Address from, std::int64_t bytes, Diagnostics& diagnostics) override {
    return checked(!current() ? broken_ : driver_.copy_out(to, from, static_cast<std::size_t>(bytes), stream_),
                   "data was not copied from the GPU", diagnostics);
  }
  bool copy_within(Address to, Address from, std::int64_t bytes, Diagnostics& diagnostics) override {
    return checked(!current() ? broken_ : driver_.copy(to, from, static_cast<std::size_t>(bytes), stream_),
                   "data was not copied on the GPU", diagnostics);
  }

  bool fill(Address memory, unsigned char value, std::int64_t bytes, Diagnostics& diagnostics) override {
    return checked(!current() ? broken_ : driver_.fill(memory, value, static_cast<std::size_t>(bytes), stream_),
                   "memory of the GPU was not set", diagnostics);
  }

  std::int64_t resident_blocks(Module& module, const Launch& launch) override {
    const Handle function = static_cast<GpuModule&>(module).function(launch.function);
    int blocks = 0;
    if (!function || !current()) return 0;
    allow_shared(function, launch);
    const auto shared = static_cast<std::size_t>(launch.shared_bytes);
    if (driver_.resident_blocks(&blocks, function, static_cast<int>(launch.threads), shared) != cuda_success) return 0;
    return blocks;
  }

  bool launch(Module& module, const Launch& l, Diagnostics& diagnostics) override {
    const Handle function = static_cast<GpuModule&>(module).function(l.function);
    if (!function) bug("a kernel that the module does not have");
    if (!current()) return checked(broken_, "the GPU does not answer", diagnostics);
    allow_shared(function, l);
    return checked(driver_.launch(function, static_cast<unsigned>(l.blocks), 1, 1, static_cast<unsigned>(l.threads), 1,
                                  1, static_cast<unsigned>(l.shared_bytes), stream_,
                                  const_cast<void**>(l.arguments.data()), nullptr),
                   fmt::format("kernel `{}` was not started", l.function), diagnostics);
  }

  bool wait(const std::string& doing, Diagnostics& diagnostics) override {
    return checked(!current() ? broken_ : driver_.wait_for_stream(stream_), doing + " failed on the GPU", diagnostics);
  }

  bool mark(std::size_t point, Diagnostics& diagnostics) override {
    while (events_.size() <= point) {
      Handle event = nullptr;
      if (!checked(!current() ? broken_ : driver_.create_event(&event, 0), "the GPU gives no clock", diagnostics))
        return false;
      events_.push_back(event);
    }
    return checked(!current() ? broken_ : driver_.record_event(events_[point], stream_), "the GPU gives no clock",
                   diagnostics);
  }

  double seconds_between(std::size_t first, std::size_t second) override {
    float milliseconds = 0;
    if (driver_.elapsed(&milliseconds, events_.at(first), events_.at(second)) != cuda_success) return 0;
    return milliseconds / 1e3;
  }

  double copy_rate() override;

private:
  Handle enter() override { return KeptContext::of_thread(driver_); }
  void leave(Handle before) override { driver_.use_context(before); }

  CudaResult read_properties() {
    char name[256] = "";
    int values[4] = {};
    CudaResult result = driver_.device_name(name, sizeof name, device_);
    const int attributes[4] = {multiprocessor_count, capability_major, capability_minor, most_shared_bytes};
    for (int i = 0; i < 4 && result == cuda_success; ++i)
      result = driver_.device_attribute(&values[i], attributes[i], device_);
    properties_ = {
        name, 10 * values[1] + values[2], values[0], 0, values[3], "driver " + version_text(driver_.version)};
    return result;
  }

  // Ours for this thread; after a kernel has failed, it is of no more use.
  bool current() {
    if (broken_ == cuda_success) {
      const CudaResult result = driver_.use_context(context_);
      if (result != cuda_success) broken_ = result;
    }
    if (broken_ == cuda_success && properties_.memory_bytes == 0) {
      std::size_t free = 0, total = 0;
      if (driver_.memory_info(&free, &total) == cuda_success)
        properties_.memory_bytes = static_cast<std::int64_t>(total);
    }
    return broken_ == cuda_success;
  }

  void report(const std::string& what, CudaResult result, Diagnostics& diagnostics) const {
    auto& error = diagnostics.error(fmt::format("{}: {}", what, driver_.describe(result)));
    if (broken_ != cuda_success) error.note("after such an error this process cannot use the GPU any more");
  }

  // Errors from 700 up are those of a kernel that was running, and stay.
  bool checked(CudaResult result, const std::string& what, Diagnostics& diagnostics) {
    if (result == cuda_success) return true;
    if (result >= 700 && result < 800 && result != 701) broken_ = result; // 701: more registers than there are
    report(what, result, diagnostics);
    return false;
  }

  // More than 48 KiB must be asked for.
  void allow_shared(Handle function, const Launch& launch) {
    if (launch.shared_bytes > 48 * 1024)
      driver_.set_function_attribute(function, function_shared_bytes, static_cast<int>(launch.shared_bytes));
  }

  double measured_copy_rate();

  const Driver& driver_;
  const MachineOptions options_;
  DeviceNumber device_ = 0;
  Handle context_ = nullptr, stream_ = nullptr;
  std::vector<Handle> events_;
  Properties properties_;
  CudaResult broken_ = cuda_success;
  double copy_rate_ = -1; // below 0: nobody has asked
};

std::unique_ptr<Module> Gpu::load(const std::string& text, const std::vector<std::string>& functions,
                                  const c::BuildOptions& build, Diagnostics& diagnostics) {
  const KeptContext kept(driver_);
  const RuntimeCompiler* compiler = RuntimeCompiler::load(options_.compiler_library, diagnostics);
  if (!compiler) return nullptr;
  const int ours = driver_.version / 1000, theirs = compiler->version() / 1000;
  if (ours < theirs) {
    diagnostics
        .error(fmt::format("the CUDA driver is too old: it is for CUDA {}, and what NVRTC {} makes wants {}.0 or newer",
                           version_text(driver_.version), version_text(compiler->version()), theirs))
        .with_hint(fmt::format("install a newer driver, or NVRTC {}; CYCLOTRON_LIBNVRTC may name its file", ours));
    return nullptr;
  }
  const auto architecture = compiler->architecture_for(properties_.capability, properties_.name, diagnostics);
  if (!architecture || !is_usable(diagnostics)) return nullptr;
  std::vector<std::string> parts = RuntimeCompiler::flags(*architecture);
  parts.insert(parts.end(), {"nvrtc " + version_text(compiler->version()), text});
  const ImageCache cache(build);
  const std::string key = cache.key_of(parts);
  const auto begin = std::chrono::steady_clock::now();
  CudaResult result = cuda_success;
  for (const bool look : {true, false}) { // what is there and does not load is compiled again
    auto image = look ? cache.read(key) : compiler->compile(text, functions.at(0) + ".cu", *architecture, diagnostics);
    if (!image) {
      if (look) continue;
      return nullptr;
    }
    Handle module = nullptr;
    result = driver_.load_module(&module, image->c_str());
    if (result != cuda_success) continue;
    if (!look) cache.write(key, *image);
    auto loaded = std::make_unique<GpuModule>(driver_, context_, module);
    loaded->from_cache = look;
    loaded->compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return loaded;
  }
  checked(result, fmt::format("the GPU does not take what NVRTC {} made", version_text(compiler->version())),
          diagnostics);
  return nullptr;
}

double Gpu::copy_rate() {
  if (copy_rate_ >= 0) return copy_rate_;
  const ImageCache cache(options_.build);
  const std::string key = cache.key_of({"copy rate", properties_.name, properties_.driver,
                                        std::to_string(properties_.memory_bytes), std::to_string(options_.number)});
  if (const auto known = cache.read(key)) return copy_rate_ = std::atof(known->c_str());
  copy_rate_ = measured_copy_rate();
  if (copy_rate_ > 0) cache.write(key, fmt::format("{}", copy_rate_));
  return copy_rate_;
}

// The best of several: what disturbs makes it slower, never faster.
double Gpu::measured_copy_rate() {
  Sources sources;
  Diagnostics unheard(sources); // not knowing is no trouble
  const std::int64_t bytes = std::min<std::int64_t>(std::int64_t{1} << 30, free_bytes() / 4) / 256 * 256;
  const auto from = bytes > 0 ? allocate(bytes, unheard) : std::nullopt;
  const DeviceMemory source = from ? DeviceMemory(*this, *from) : DeviceMemory();
  const auto to = from ? allocate(bytes, unheard) : std::nullopt;
  const DeviceMemory target = to ? DeviceMemory(*this, *to) : DeviceMemory();
  if (!to || !fill(*from, 0, bytes, unheard)) return 0;
  double best = 0;
  for (int i = 0; i < 6; ++i) {
    if (!mark(0, unheard)) return 0;
    if (!copy_within(*to, *from, bytes, unheard)) return 0;
    if (!mark(1, unheard) || !wait("a copy", unheard)) return 0;
    const double seconds = seconds_between(0, 1);
    if (i > 0 && seconds > 0) best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds);
  }
  return best;
}

} // namespace

std::shared_ptr<Machine> open_gpu(const MachineOptions& options, Diagnostics& diagnostics) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, int>, std::weak_ptr<Gpu>> open; // making a context takes long
  const Driver* driver = load_driver(options.driver_library, diagnostics);
  if (!driver) return nullptr;
  const std::lock_guard lock(mutex);
  std::weak_ptr<Gpu>& known = open[{options.driver_library, options.number}];
  if (auto gpu = known.lock()) return gpu;
  auto gpu = std::make_shared<Gpu>(*driver, options);
  if (!gpu->open(diagnostics)) return nullptr;
  known = gpu;
  return gpu;
}

std::shared_ptr<Machine> open_machine(const MachineOptions& options, Diagnostics& diagnostics) {
  return options.emulate ? open_emulated() : open_gpu(options, diagnostics);
}

std::string bytes_text(std::int64_t bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int unit = 0;
  auto value = static_cast<double>(bytes);
  for (; value >= 1000 && unit < 4; ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

} // namespace cyclotron::backend::cuda
