// SPDX-License-Identifier: MIT
// Random kernels, run on the CPU in place of a GPU, against the interpreter of the code IR: every element of what they
// store, and their answer. Many more with CYCLOTRON_NIGHTLY=1, from another seed every time.
#include "code/interpret.hpp"
#include "run.hpp"
#include "unit/code/random_kernel.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace cyclotron::backend::cuda {

namespace {

using code::Bytes, code::Memory, code::Role, code::Scalar;

bool by_night() { return std::getenv("CYCLOTRON_NIGHTLY") != nullptr; }

std::uint64_t first_seed() {
  if (const char* text = std::getenv("CYCLOTRON_SEED")) return std::strtoull(text, nullptr, 10);
  return by_night() ? static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) : 1;
}

bool is_given(const Memory& m) { return m.role == Role::in || m.role == Role::out; }

// Small numbers, and where `any` all sorts of them.
template <class T> void fill(Bytes& bytes, bool any, std::mt19937_64& random) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value = static_cast<T>(static_cast<std::int64_t>(random() % 17) - 8);
    if (any && std::is_integral_v<T> && random() % 4 == 0) value = static_cast<T>(random());
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T special[] = {T(NAN), T(INFINITY), -T(INFINITY), T(0.1), T(-2.5e30)};
      if (any && random() % 4 == 0) value = special[random() % 5];
    }
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

Bytes filled(Scalar scalar, std::int64_t elements, bool any, std::mt19937_64& random) {
  Bytes bytes(static_cast<std::size_t>(elements * code::bytes_of(scalar)));
  switch (scalar) {
  case Scalar::boolean:
    for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 1);
    break;
  case Scalar::i16: fill<std::int16_t>(bytes, any, random); break;
  case Scalar::i32: fill<std::int32_t>(bytes, any, random); break;
  case Scalar::i64: fill<std::int64_t>(bytes, any, random); break;
  case Scalar::f32: fill<float>(bytes, any, random); break;
  case Scalar::f64: fill<double>(bytes, any, random); break;
  }
  return bytes;
}

template <class Real> bool same_real(const std::byte* a, const std::byte* b) {
  Real x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y || (std::isnan(x) && std::isnan(y));
}

// The first element that differs, or -1. NaN is NaN, whatever its bits.
std::int64_t difference(const Bytes& a, const Bytes& b, Scalar scalar) {
  const auto each = static_cast<std::size_t>(code::bytes_of(scalar));
  for (std::size_t at = 0; at < a.size(); at += each) {
    const bool same = scalar == Scalar::f32   ? same_real<float>(&a[at], &b[at])
                      : scalar == Scalar::f64 ? same_real<double>(&a[at], &b[at])
                                              : std::memcmp(&a[at], &b[at], each) == 0;
    if (!same) return static_cast<std::int64_t>(at / each);
  }
  return -1;
}

// Kernels of one text, each launched alone.
class Loaded {
public:
  explicit Loaded(const std::vector<code::Kernel>& kernels) : diagnostics_(sources_) {
    MachineOptions options;
    options.emulate = true;
    options.build.flags = {"-ffp-contract=off"}; // so that both compute the same numbers
    machine_ = open_machine(options, diagnostics_);
    std::vector<std::string> functions;
    for (const code::Kernel& k : kernels) functions.push_back(function_name(k));
    module_ = machine_->load(print_cuda(kernels), functions, options.build, diagnostics_);
  }

  // What is reported, or "".
  std::string run(const code::Kernel& kernel, const Sizes& sizes, std::int64_t blocks,
                  std::map<std::string, Bytes>& memories, std::int64_t& answer) {
    if (!module_) return diagnostics_.render(false);
    std::map<std::string, DeviceMemory> owned;
    Launch launch{function_name(kernel), blocks, block_threads(kernel, {}), shared_bytes(kernel), {}, {}};
    std::vector<std::int64_t> numbers;
    for (const std::string& size : kernel.sizes) numbers.push_back(sizes.at(size));
    std::int64_t scratch_each = code::scratch_bytes(kernel, numbers, false);
    const auto take = [&](const std::string& name, std::int64_t bytes) {
      owned.emplace(name, DeviceMemory(*machine_, *machine_->allocate(bytes, diagnostics_)));
      launch.names[owned[name].address()] = name;
    };
    for (const auto& [name, bytes] : memories) {
      take(name, static_cast<std::int64_t>(bytes.size()));
      machine_->copy_in(owned[name].address(), bytes.data(), static_cast<std::int64_t>(bytes.size()), diagnostics_);
    }
    take("failed", 4);
    take("scratch", blocks * (launch.threads / kernel.lanes) * scratch_each);
    int failed = std::numeric_limits<int>::max();
    machine_->copy_in(owned["failed"].address(), &failed, 4, diagnostics_);
    std::map<std::string, Address> addresses;
    for (const auto& [name, memory] : owned) addresses[name] = memory.address();
    std::size_t size = 0;
    for (const Argument& a : arguments_of(kernel))
      launch.arguments.push_back(a.kind == Argument::Kind::size            ? static_cast<void*>(&numbers[size++])
                                 : a.kind == Argument::Kind::scratch_bytes ? static_cast<void*>(&scratch_each)
                                 : a.kind == Argument::Kind::failed        ? &addresses["failed"]
                                 : a.kind == Argument::Kind::scratch       ? &addresses["scratch"]
                                                                           : &addresses[a.name]);
    if (!machine_->launch(*module_, launch, diagnostics_)) return diagnostics_.render(false);
    for (auto& [name, bytes] : memories)
      machine_->copy_out(bytes.data(), addresses[name], static_cast<std::int64_t>(bytes.size()), diagnostics_);
    machine_->copy_out(&failed, addresses["failed"], 4, diagnostics_);
    answer = failed == std::numeric_limits<int>::max() ? 0 : failed;
    return "";
  }

private:
  Sources sources_;
  Diagnostics diagnostics_;
  std::shared_ptr<Machine> machine_;
  std::unique_ptr<Module> module_;
};

void expect_agreement(Loaded& loaded, const code::RandomKernel& made, bool any, std::mt19937_64& random) {
  const Sizes sizes = {{"n", static_cast<std::int64_t>(random() % 6)}, {"m", static_cast<std::int64_t>(random() % 6)}};
  std::map<std::string, Bytes> wanted, got;
  for (const Memory& m : made.kernel.memories)
    if (is_given(m)) wanted[m.name] = filled(m.scalar, made.elements.at(m.name), any, random);
  got = wanted;
  const std::string about = fmt::format("n = {}, m = {}\n{}\n{}", sizes.at("n"), sizes.at("m"), print(made.kernel),
                                        print_cuda(made.kernel, {}));
  const code::Outcome outcome = code::interpret(made.kernel, sizes, wanted);
  ASSERT_FALSE(outcome.problem) << outcome.problem->message << "\n" << about;
  std::int64_t answer = 0;
  ASSERT_EQ(loaded.run(made.kernel, sizes, static_cast<std::int64_t>(1 + random() % 3), got, answer), "") << about;
  EXPECT_EQ(answer, outcome.failure) << about;
  for (const Memory& m : made.kernel.memories)
    if (m.role == Role::out) {
      ASSERT_EQ(difference(got.at(m.name), wanted.at(m.name), m.scalar), -1) << "in `" << m.name << "`\n" << about;
    }
}

TEST(CudaRandom, AgreesWithTheInterpreter) {
  const std::uint64_t first = first_seed();
  for (std::uint64_t file = 0; file < (by_night() ? 60 : 1); ++file) {
    SCOPED_TRACE(fmt::format("CYCLOTRON_SEED={}", first + file));
    std::mt19937_64 random(first + file);
    std::vector<code::RandomKernel> made;
    std::vector<code::Kernel> kernels;
    while (kernels.size() < 40) {
      code::RandomKernel one = code::random_kernel(random, fmt::format("kernel_{}", kernels.size()));
      if (one.kernel.lanes > most_lanes) continue;
      kernels.push_back(one.kernel);
      made.push_back(std::move(one));
    }
    Loaded loaded(kernels);
    for (const code::RandomKernel& one : made)
      for (int c = 0; c < 4; ++c) {
        expect_agreement(loaded, one, c % 2 == 1, random);
        if (HasFailure()) return;
      }
  }
}

} // namespace

} // namespace cyclotron::backend::cuda
