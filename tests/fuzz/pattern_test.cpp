// SPDX-License-Identifier: MIT
// Parallel patterns beside the interpreter of equations: random programs, and the kernels of the Stardust paper over
// formats and sizes. Patterns run in their own interpreter, which stops where a memory is misused.
#include "driver/compare.hpp"
#include "driver/compile_pattern.hpp"
#include "fuzz/array_agreement.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"

#include <fmt/format.h>

namespace cyclotron::fuzz {
namespace {

// `agrees`, `refused`, or what is wrong.
std::string try_sizes(const OnArray& program, const schedule::Schedule* schedule, const SizeValues& sizes,
                      std::uint64_t seed) {
  Diagnostics diagnostics(program.sources());
  const recurrence::Bindings bindings{sizes, program.inputs(sizes, seed)};
  const auto made = driver::compile_pattern({&program.checked(), schedule, "it", {}}, diagnostics);
  if (!made) return "refused";
  auto arrays = driver::pattern_arrays(made->lowered, program.program(), bindings, diagnostics);
  const auto stopped = pattern::interpret(made->lowered.program, *arrays);
  Diagnostics unheard(program.sources());
  const auto expected =
      interpret(program.program(), program.checked().types, program.checked().domains, bindings, {}, unheard);
  std::string at = "at";
  for (const auto& [name, value] : sizes) at += fmt::format(" {}={}", name, value);
  const std::string text = pattern::print(made->lowered.program);
  if (stopped && (stopped->mistake || expected)) return fmt::format("{}: {}\n{}", at, stopped->message, text);
  if (!expected) return "agrees"; // numbers that are not defined: patterns may find them, too
  const auto results =
      driver::pattern_results(made->lowered, program.program(), bindings, std::move(*arrays), diagnostics);
  if (!results) return at + diagnostics.render(false);
  const std::string difference = driver::compare(with_their_precision(*results, program.program()),
                                                 with_their_precision(*expected, program.program()))
                                     .problem;
  return difference.empty() ? "agrees" : fmt::format("{}: {}\n{}", at, difference, text);
}

TEST(Patterns, AreRefusedOrAgreeWithTheInterpreter) {
  int agree = 0, refused = 0;
  check_property(100, [&](const RandomProgram& random) {
    const Fate fate = run_isolated(
        [&]() -> std::string {
          const OnArray program(random.text);
          if (!program.accepted()) return "refused";
          for (int round = 0; round < 3; ++round) {
            const std::string result =
                try_sizes(program, nullptr, random_sizes(program.program(), random, round), random.seed);
            if (result != "agrees") return result;
          }
          return "agrees";
        },
        60);
    if (!fate.problem.empty()) RC_FAIL(random.text + fmt::format("seed {}: ", random.seed) + fate.problem);
    agree += fate.result == "agrees";
    refused += fate.result == "refused";
    if (fate.result != "agrees" && fate.result != "refused") RC_FAIL(random.text + fate.result);
  });
  if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) std::printf("%d agree, %d refused\n", agree, refused);
  EXPECT_GT(agree, 10);
}

// The ten of table 4. Formats of matrices stand for `%`, of tensors with three dimensions for `@`.
const std::vector<std::string> kernels = {
    "tensor A(m, n): %\ntensor x(n)\ntensor y(m)\ny(i) = A(i,j) * x(j)\n",
    "tensor B(m, n): %\ntensor C(m, n): %\ntensor D(m, n): csr\ntensor A(m, n): %\nA(i,j) = B(i,j) + C(i,j) + D(i,j)\n",
    "tensor B(m, n): %\ntensor C(m, q)\ntensor D(n, q)\ntensor A(m, n): %\nA(i,j) = B(i,j) * C(i,k) * D(j,k)\n",
    "tensor A(n, m): %\ntensor x(n)\ntensor z(m)\ntensor y(m)\ny(i) = 2 * A(j,i) * x(j) + 3 * z(i)\n",
    "tensor A(m, n): %\ntensor x(n)\ntensor b(m)\ntensor y(m)\ny(i) = b(i) - A(i,j) * x(j)\n",
    "tensor B(m, n, q): @\ntensor c(q)\ntensor A(m, n): %\nA(i,j) = B(i,j,k) * c(k)\n",
    "tensor B(m, n, q): @\ntensor C(p, q)\ntensor A(m, n, p): @\nA(i,j,k) = B(i,j,l) * C(k,l)\n",
    "tensor B(m, n, q): @\ntensor C(p, n)\ntensor D(p, q)\ntensor A(m, p): %\nA(i,j) = B(i,k,l) * C(j,k) * D(j,l)\n",
    "tensor B(m, n, q): @\ntensor C(m, n, q): @\ntensor a\na = B(i,j,k) * C(i,j,k)\n",
    "tensor B(m, n, q): @\ntensor C(m, n, q): @\ntensor A(m, n, q): @\nA(i,j,k) = B(i,j,k) + C(i,j,k)\n",
};

std::string with_formats(const std::string& text, const std::string& matrix, const std::string& tensor) {
  std::string result;
  for (const char c : text) result += c == '%' ? matrix : c == '@' ? tensor : std::string(1, c);
  return result;
}

TEST(Patterns, ComputeTheKernelsOfThePaperOverFormatsAndSizes) {
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"csr", "csf"},
      {"dense", "{dense, compressed, compressed}"},
      {"csc", "{compressed, dense, dense}"},
      {"dcsr", "{dense, dense, compressed}"},
      {"{compressed, compressed} order (1,0)", "{compressed, compressed, dense}"},
      {"coo", "csf"}};
  for (const std::string& kernel : kernels)
    for (const auto& [matrix, tensor] : formats) {
      const OnArray program(with_formats(kernel, matrix, tensor));
      ASSERT_TRUE(program.accepted()) << program.messages();
      for (const std::int64_t base : {0, 1, 2, 7, 13}) {
        SizeValues sizes;
        for (const recurrence::Binder& size : program.program().sizes)
          sizes[size.name] = base + (base > 1 ? static_cast<std::int64_t>(sizes.size()) : 0);
        EXPECT_EQ(try_sizes(program, nullptr, sizes, 11), "agrees") << with_formats(kernel, matrix, tensor);
      }
    }
}

// Orders that no format asks for: places in a fiber are then found by a table.
TEST(Patterns, TakeAnyOrderOfLoops) {
  for (const std::string order : {"i, j, k", "k, j, i", "j, k, i", "k, i, j"})
    for (const std::string format : {"csr", "csc", "dcsr"}) {
      const OnArray program(with_formats("tensor B(m, l): %\ntensor C(l, n): %\ntensor A(m, n): %\n"
                                         "A(i,j) = B(i,k) * C(k,j)\nschedule it { order " +
                                             order + " }\n",
                                         format, ""));
      ASSERT_TRUE(program.accepted());
      for (const std::int64_t base : {0, 1, 5, 11})
        EXPECT_EQ(try_sizes(program, &program.schedules()[0], {{"m", base}, {"n", base + 1}, {"l", base + 2}}, 3),
                  "agrees")
            << format << ", " << order;
    }
}

} // namespace
} // namespace cyclotron::fuzz
