// SPDX-License-Identifier: MIT
#include "unit/backend/simd/agreement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>

#include <sys/mman.h>
#include <unistd.h>

namespace cyclotron::backend::simd {

using namespace code;

namespace {

// Bytes of a kernel's memory, and a page behind or before them that nobody may touch.
class Guarded {
public:
  Guarded(const Bytes& bytes, bool at_end) : size_(bytes.size()) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inside = (size_ + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    base_ = static_cast<std::byte*>(::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) bug("no memory for a test");
    if (inside > 0 && ::mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0) bug("no memory for a test");
    data_ = base_ + page + (at_end ? inside - size_ : 0);
    if (size_ > 0) std::memcpy(data_, bytes.data(), size_);
  }
  ~Guarded() { ::munmap(base_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  void* data() const { return data_; }
  Bytes bytes() const { return Bytes(data_, data_ + size_); }

private:
  std::size_t size_, mapped_ = 0;
  std::byte *base_ = nullptr, *data_ = nullptr;
};

template <class T> void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at * sizeof(T), &value, sizeof(T));
}

// Not too many different ones, so that comparisons are of equal numbers now and then.
template <class Real> Real any_real(std::mt19937_64& random) {
  constexpr Real special[] = {Real(0), -Real(0), Real(NAN), Real(INFINITY), -Real(INFINITY), Real(0.1), Real(-2.5e30)};
  const auto choice = random() % 16;
  return choice < 7 ? special[choice] : static_cast<Real>(static_cast<double>(random() % 2000) / 16 - 60);
}

Bytes filled(Scalar scalar, std::int64_t elements, Contents contents, std::mt19937_64& random) {
  const auto count = static_cast<std::size_t>(elements);
  Bytes bytes(count * static_cast<std::size_t>(code::bytes_of(scalar)));
  const bool small = contents == Contents::small;
  for (std::size_t e = 0; e < count; ++e) {
    const std::uint64_t bits = random();
    const auto little = static_cast<std::int64_t>(bits % 17) - 8;
    const std::int64_t whole = small || bits % 4 != 0 ? little : static_cast<std::int64_t>(random());
    switch (scalar) {
    case Scalar::boolean: put(bytes, e, static_cast<std::uint8_t>(bits >> 20 & 1)); break;
    case Scalar::i16: put(bytes, e, static_cast<std::int16_t>(whole)); break;
    case Scalar::i32: put(bytes, e, static_cast<std::int32_t>(whole)); break;
    case Scalar::i64: put(bytes, e, whole); break;
    case Scalar::f32: put(bytes, e, small ? static_cast<float>(little) : any_real<float>(random)); break;
    case Scalar::f64: put(bytes, e, small ? static_cast<double>(little) : any_real<double>(random)); break;
    }
  }
  return bytes;
}

// NaN is NaN, whatever its bits.
std::string element_text(const Bytes& bytes, Scalar scalar, std::size_t e) {
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data() + e * sizeof value, sizeof value);
    return value;
  };
  switch (scalar) {
  case Scalar::boolean: return fmt::format("{}", as(std::uint8_t{}));
  case Scalar::i16: return fmt::format("{}", as(std::int16_t{}));
  case Scalar::i32: return fmt::format("{}", as(std::int32_t{}));
  case Scalar::i64: return fmt::format("{}", as(std::int64_t{}));
  case Scalar::f32: return std::isnan(as(0.0f)) ? "nan" : fmt::format("{}", as(0.0f));
  case Scalar::f64: return std::isnan(as(0.0)) ? "nan" : fmt::format("{}", as(0.0));
  }
  bug("unknown type");
}

// The first element that differs, or "".
std::string difference(const Bytes& is, const Bytes& should_be, Scalar scalar) {
  for (std::size_t e = 0; e < is.size() / static_cast<std::size_t>(code::bytes_of(scalar)); ++e)
    if (const std::string a = element_text(is, scalar, e), b = element_text(should_be, scalar, e); a != b)
      return fmt::format("element {} is {}, and should be {}", e, a, b);
  return "";
}

bool is_given(const Memory& m) { return m.role == Role::in || m.role == Role::out; }

std::string describe(const code::Kernel& kernel, const Case& c) {
  std::string text = print(kernel);
  for (const auto& [name, value] : c.sizes) text += fmt::format("{} = {}\n", name, value);
  return text + fmt::format("seed {}\n", c.seed);
}

struct Expected {
  std::map<std::string, Bytes> before, after;
  std::int64_t failure = 0;
};

Expected interpreted(const code::Kernel& kernel, const Case& c) {
  std::mt19937_64 random(c.seed);
  Expected expected;
  for (const Memory& m : kernel.memories)
    if (is_given(m)) expected.before[m.name] = filled(m.scalar, c.elements.at(m.name), c.contents, random);
  expected.after = expected.before;
  auto other = expected.before;
  const Outcome outcome = interpret(kernel, c.sizes, expected.after, {false, 3});
  EXPECT_FALSE(outcome.problem) << outcome.problem->message << "\n" << describe(kernel, c);
  interpret(kernel, c.sizes, other, {true, 5});
  for (const Memory& m : kernel.memories) // what a kernel may not depend on, this test may not either
    if (m.role == Role::out) {
      EXPECT_EQ(difference(other.at(m.name), expected.after.at(m.name), m.scalar), "") << describe(kernel, c);
    }
  expected.failure = outcome.failure;
  return expected;
}

using Function = std::int64_t (*)(const std::int64_t*, void* const*, void*, std::int64_t, int);

void expect_same(Function function, const code::Kernel& kernel, const Case& c, const Expected& expected, bool at_end,
                 int threads) {
  std::map<std::string, std::unique_ptr<Guarded>> guarded;
  std::vector<void*> memories;
  std::vector<std::int64_t> sizes;
  for (const std::string& size : kernel.sizes) sizes.push_back(c.sizes.at(size));
  for (const Memory& m : kernel.memories) {
    if (!is_given(m)) continue;
    guarded[m.name] = std::make_unique<Guarded>(expected.before.at(m.name), at_end);
    memories.push_back(guarded[m.name]->data());
  }
  const std::int64_t bytes = scratch_bytes(kernel, sizes, true);
  const Guarded room(Bytes(static_cast<std::size_t>(bytes * threads), std::byte{0x5a}), at_end);
  EXPECT_EQ(function(sizes.data(), memories.data(), room.data(), bytes, threads), expected.failure)
      << describe(kernel, c);
  for (const Memory& m : kernel.memories)
    if (m.role == Role::out) {
      ASSERT_EQ(difference(guarded.at(m.name)->bytes(), expected.after.at(m.name), m.scalar), "")
          << "`" << m.name << "`\n"
          << describe(kernel, c);
    }
}

} // namespace

code::Kernel kernel_of(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto kernel = parse(sources.add("x.code", text), diagnostics);
  EXPECT_TRUE(kernel) << diagnostics.render(false);
  return kernel ? *kernel : code::Kernel{};
}

void expect_agreement(const Trials& trials, Manner manner) {
  std::vector<code::Kernel> kernels;
  for (const auto& [kernel, cases] : trials) kernels.push_back(kernel);
  c::BuildOptions build;
  build.flags = {"-fwrapv", "-Wno-psabi", "-ffp-contract=off"};
  if (!manner.may_warn) build.flags.insert(build.flags.end(), {"-Wall", "-Wextra", "-Werror"});
  const int threads = manner.threads;
  if (threads > 1) build.flags.push_back("-fopenmp");
  for (const std::int64_t bytes : {16, 32, 64}) {
    Sources sources;
    Diagnostics diagnostics(sources);
    const CFile file = print_c(kernels, {bytes, threads > 1});
    const auto library = c::build(file.text, build, diagnostics);
    ASSERT_TRUE(library) << diagnostics.render(false);
    for (std::size_t k = 0; k < trials.size(); ++k)
      for (const Case& c : trials[k].second) {
        const Expected expected = interpreted(trials[k].first, c);
        const auto function = reinterpret_cast<Function>(library->symbol(file.functions[k]));
        for (const bool at_end : {true, false}) expect_same(function, trials[k].first, c, expected, at_end, threads);
        if (::testing::Test::HasFailure())
          FAIL() << "with registers of " << bytes << " bytes\n"
                 << print_c({trials[k].first}, {bytes, threads > 1}).text;
      }
  }
}

void expect_agreement(const std::string& kernel, const std::vector<Case>& cases) {
  expect_agreement(Trials{{kernel_of(kernel), cases}});
}

} // namespace cyclotron::backend::simd
