// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <random>

namespace cyclotron::backend::cuda {

code::Kernel kernel_of(std::string text, std::int64_t lanes) {
  const std::string word = "$lanes";
  for (std::size_t at = 0; (at = text.find(word)) != text.npos;) text.replace(at, word.size(), std::to_string(lanes));
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto kernel = code::parse(sources.add("kernel", text), diagnostics);
  EXPECT_FALSE(diagnostics.failed()) << diagnostics.render(false) << text;
  if (!kernel) throw std::runtime_error("no kernel");
  EXPECT_EQ(code::problem_of(*kernel), "") << text;
  return *kernel;
}

KernelOptions emulated() {
  KernelOptions options;
  options.machine.emulate = true;
  return options;
}

int run(const std::vector<code::Kernel>& kernels, const Sizes& sizes, const std::map<std::string, HostMemory>& memories,
        const KernelOptions& options) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto kernel = Kernel::make(kernels, options, diagnostics);
  const auto answer = kernel ? kernel->call(sizes, memories, diagnostics) : std::nullopt;
  EXPECT_TRUE(answer) << diagnostics.render(false) << print_cuda(kernels, options.print);
  return answer.value_or(-1);
}

std::string trouble(const std::vector<code::Kernel>& kernels, const Sizes& sizes,
                    const std::map<std::string, HostMemory>& memories, const KernelOptions& options) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto kernel = Kernel::make(kernels, options, diagnostics);
  const auto answer = kernel ? kernel->call(sizes, memories, diagnostics) : std::nullopt;
  EXPECT_FALSE(answer);
  return diagnostics.render(false);
}

std::vector<float> some_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> list(static_cast<std::size_t>(count));
  for (float& v : list) v = static_cast<float>(static_cast<int>(random() % 64) - 32) / 4;
  return list;
}

} // namespace cyclotron::backend::cuda
