// SPDX-License-Identifier: MIT
// Kernels that are remembered: made again without loops and C, and what must not be remembered.
#include "kernels.hpp"

#include "driver/compile_kernel.hpp"
#include "driver/pipelines.hpp"
#include "support/build_id.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {
namespace {

namespace fs = std::filesystem;

constexpr const char* product = "tensor A(m, n): csr\ntensor x(n)\ntensor y(m)\n\ny(i) = sum[j](A(i,j) * x(j))\n";
constexpr const char* squares = "tensor a(n): i64\ntensor s: i64\n\ns = sum[i](a(i) * a(i))\n";

// A program and its kernel.
struct Made {
  Report report;
  driver::FrontEndResult front_end;
  std::shared_ptr<const Kernel> kernel;

  bool from_memory() const { return kernel && kernel->from_memory(); }
};

class Memory : public Build {
protected:
  std::unique_ptr<Made> make(const std::string& text, const KernelOptions& given = {}) const {
    auto made = std::make_unique<Made>();
    Diagnostics& diagnostics = made->report.diagnostics;
    made->front_end = driver::run_front_end(made->report.sources.add("program.cyc", text), {}, diagnostics);
    if (!made->front_end.checked) return made;
    const auto& schedules = made->front_end.checked->unit->schedules;
    KernelOptions own = given;
    own.build = options;
    made->kernel =
        driver::make_kernel({&*made->front_end.checked, schedules.empty() ? nullptr : &schedules[0], own}, diagnostics);
    EXPECT_TRUE(made->kernel) << made->report.text();
    return made;
  }

  // The sum of squares of these numbers, or what there is to say; the kernel, and whether it was remembered.
  std::string square_sum(const std::vector<std::int64_t>& numbers, bool from_memory) const {
    const auto made = make(squares);
    EXPECT_EQ(made->from_memory(), from_memory);
    return square_sum(*made, numbers);
  }

  static std::string square_sum(Made& made, const std::vector<std::int64_t>& numbers) {
    Diagnostics& diagnostics = made.report.diagnostics;
    if (!made.kernel) return made.report.text();
    recurrence::Bindings bindings;
    const auto n = static_cast<std::int64_t>(numbers.size());
    bindings.sizes["n"] = n;
    auto a = tensor::zeros({n}, tensor::ValueType::i64, "a", diagnostics);
    a->values = numbers;
    bindings.tensors.emplace("a", std::move(*a));
    auto outputs = made.kernel->analyse(bindings, diagnostics);
    if (!outputs || !made.kernel->compute(bindings, *outputs, diagnostics)) return made.report.text();
    return std::to_string(std::get<std::vector<std::int64_t>>(outputs->at("s").values)[0]);
  }

  // Remembers, damages the one file with this ending, and expects the same kernel in the long way; then it is
  // remembered again. In a process of its own, which has not loaded it.
  template <typename Harm> void expect_repair(const std::string& ending, int compiled_again, Harm harm) {
    ASSERT_TRUE(in_child([&] { return square_sum({3, 4}, false) == "25"; }));
    ASSERT_EQ(cached(ending).size(), 1u);
    const std::string file = cached(ending)[0];
    harm(file);
    const int before = compiled();
    EXPECT_TRUE(in_child([&] { return !make(squares)->from_memory() && square_sum({3, 4}, true) == "25"; }));
    EXPECT_EQ(compiled(), before + compiled_again);
    EXPECT_TRUE(in_child([&] { return make(squares)->from_memory(); }));
    EXPECT_EQ(temporaries(), 0);
    fs::remove_all(path("cache"));
  }

  static void flip(const std::string& file, std::size_t at) {
    std::string bytes = slurp(file);
    bytes[at] ^= 1;
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
};

TEST_F(Memory, OurCodeHasAName) { EXPECT_GE(build_id().size(), 16u); }

TEST_F(Memory, TheSecondTime) {
  EXPECT_EQ(square_sum({3, 4}, false), "25");
  EXPECT_EQ(square_sum({3, 4}, true), "25");
  EXPECT_TRUE(in_child([&] {
    const auto made = make(squares);
    return made->from_memory() && made->kernel->from_cache() &&
           made->kernel->order() == std::vector<std::string>{"i"} && square_sum(*made, {1, 2, 3}) == "14";
  }));
  EXPECT_EQ(compiled(), 1);
}

TEST_F(Memory, StillHasItsSource) {
  const auto first = make(product), second = make(product);
  ASSERT_TRUE(!first->from_memory() && second->from_memory());
  const std::string text = first->kernel->source(false, first->report.diagnostics);
  EXPECT_NE(text, "");
  EXPECT_EQ(second->kernel->source(false, second->report.diagnostics), text);
  EXPECT_NE(second->kernel->source(true, second->report.diagnostics), text);
}

// Numbers beyond half of the range take the careful form, which no memory has.
TEST_F(Memory, StillHasItsOtherForms) {
  const std::int64_t large = std::int64_t{1} << 31;
  const std::string overflow = square_sum({large, large}, false);
  EXPECT_NE(overflow.find("an integer overflows while computing `s`"), std::string::npos);
  EXPECT_EQ(square_sum({large, large}, true), overflow);
  EXPECT_EQ(square_sum({large, 1}, true), "4611686018427387905");
}

TEST_F(Memory, WhatMakesAnotherKernel) {
  const std::string tiled = "schedule s {\n  tile i by 4\n}\n", ordered = "schedule s {\n  order j, i\n}\n";
  EXPECT_FALSE(make(product)->from_memory());
  for (const std::string& other :
       {product + tiled, product + ordered, std::string(product).insert(std::string(product).find("csr"), "d"),
        std::string(product).insert(std::string(product).find("\n\n"), ": f32"),
        std::string("tensor x(n)\n") + "tensor A(m, n): csr\ntensor y(m)\n\ny(i) = sum[j](A(i,j) * x(j))\n"}) {
    EXPECT_FALSE(make(other)->from_memory()) << other;
    EXPECT_TRUE(make(other)->from_memory()) << other;
  }
  KernelOptions named, titled, without, wide;
  named.name = "multiply";
  titled.title = "a title";
  without.unwanted = {"y"};
  wide.wide = true;
  for (const KernelOptions& other : {named, titled, without, wide}) {
    EXPECT_FALSE(make(product, other)->from_memory());
    EXPECT_TRUE(make(product, other)->from_memory());
  }
  options.flags = {"-O1"};
  EXPECT_FALSE(make(product)->from_memory());
  const Variable flags("CYCLOTRON_CFLAGS", "-O2");
  EXPECT_FALSE(make(product)->from_memory());
}

// Layout and comments are no part of a program.
TEST_F(Memory, WhatMakesTheSameKernel) {
  EXPECT_FALSE(make(product)->from_memory());
  EXPECT_TRUE(make("# a product\n" + std::string(product) + "\n")->from_memory());
}

// Of the schedule, which is read each time; so the kernel itself may be remembered.
TEST_F(Memory, WhatWasSaidOfTheScheduleIsSaidAgain) {
  const std::string text =
      "tensor B(n, n): csr\ntensor X(n, n)\n\nX^0(i,j) = B(i,j)\nX^t(i,j) = X^(t-1)(i,j) : 0 < t < 3\n"
      "schedule s {\n  mask X csc\n}\n";
  KernelOptions all;
  all.all_steps = {"X"};
  for (int round = 0; round < 3; ++round) {
    const auto made = make(text, all);
    EXPECT_EQ(made->from_memory(), round > 0);
    EXPECT_NE(made->report.text().find("the mask is not used"), std::string::npos) << made->report.text();
  }
}

// Of what became of the loops: only writing them again can say it again.
TEST_F(Memory, WhatWasSaidOfTheLoopsIsSaidAgain) {
  const std::string text = "tensor A(n): {compressed}\ntensor B(n): {compressed}\ntensor C(n)\n\nC(i) = A(i) + B(i)\n"
                           "schedule s {\n  vectorize i\n}\n";
  for (int round = 0; round < 3; ++round) {
    const auto made = make(text);
    EXPECT_FALSE(made->from_memory());
    const std::string said = made->report.text();
    EXPECT_NE(said.find("this has no effect"), std::string::npos) << said;
    EXPECT_EQ(said.find("this has no effect"), said.rfind("this has no effect")) << said;
  }
}

TEST_F(Memory, Damaged) {
  expect_repair(".memory", 0, [](const std::string& file) { flip(file, 0); });
  expect_repair(".memory", 0, [](const std::string& file) { flip(file, fs::file_size(file) - 2); });
  expect_repair(".memory", 0, [](const std::string& file) { fs::resize_file(file, 0); });
  expect_repair(".memory", 0, [](const std::string& file) { ::chmod(file.c_str(), 0622); });
  expect_repair(".memory", 0, [](const std::string& file) { fs::remove(file), fs::create_directory(file); });
}

TEST_F(Memory, OfAnotherKernel) {
  ASSERT_TRUE(in_child([&] { return !make(product)->from_memory(); }));
  const std::string other = slurp(cached(".memory").at(0));
  fs::remove_all(path("cache"));
  expect_repair(".memory", 0, [&](const std::string& file) { std::ofstream(file, std::ios::trunc) << other; });
}

TEST_F(Memory, OfAKernelThatIsGone) {
  expect_repair(".so", 1, [](const std::string& file) { fs::remove(file); });
  expect_repair(".so", 1, [](const std::string& file) { flip(file, 5000); });
}

TEST_F(Memory, NotWithoutTheCache) {
  options.use_cache = false;
  EXPECT_EQ(square_sum({3, 4}, false), "25");
  EXPECT_EQ(square_sum({3, 4}, false), "25");
  EXPECT_TRUE(cached("").empty());
  options.use_cache = true;
  EXPECT_EQ(square_sum({3, 4}, false), "25");
  options.use_cache = false;
  EXPECT_EQ(square_sum({3, 4}, false), "25");
  EXPECT_EQ(compiled(), 4);
}

TEST_F(Memory, NotOfAFolderThatCannotBeUsed) {
  put("cache", "");
  for (int round = 0; round < 2; ++round) EXPECT_FALSE(make(squares)->from_memory());
}

TEST_F(Memory, GoesWithTheOldestKernels) {
  options.limits.entries = 4;
  for (int i = 0; i < 6; ++i) {
    make(fmt::format("tensor s: i64\n\ns = {}\n", i));
    EXPECT_LE(cached(".so").size() + cached(".memory").size(), 4u);
  }
}

TEST_F(Memory, ManyAtOnce) {
  std::vector<int> children;
  for (int child = 0; child < 4; ++child)
    start_child(
        [&] {
          std::vector<std::thread> threads;
          std::vector<std::string> answers(3);
          for (std::string& answer : answers)
            threads.emplace_back([&] {
              const auto made = make(squares);
              answer = square_sum(*made, {3, 4});
            });
          for (std::thread& thread : threads) thread.join();
          return answers == std::vector<std::string>(3, "25");
        },
        children);
  EXPECT_TRUE(all_succeed(children));
  EXPECT_EQ(cached(".memory").size(), 1u);
  EXPECT_EQ(temporaries(), 0);
}

} // namespace
} // namespace cyclotron::backend::c
