// SPDX-License-Identifier: MIT
// Kernels as text, run on the CPU in place of a GPU.
#pragma once

#include "backend/cuda/kernel.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace cyclotron::backend::cuda {

// Of text that keeps the invariants; `$lanes` in it stands for the number.
code::Kernel kernel_of(std::string text, std::int64_t lanes = 32);

// Options that leave nothing in the user's cache but what later runs of the same tests find again.
KernelOptions emulated();

// Arrays of a call, by name. A test says what they are made of.
template <class T> HostMemory host(std::vector<T>& array) {
  return {array.data(), static_cast<std::int64_t>(array.size() * sizeof(T)), false};
}

// Makes, calls, and expects that nothing is reported.
int run(const std::vector<code::Kernel>& kernels, const Sizes& sizes, const std::map<std::string, HostMemory>& memories,
        const KernelOptions& options = emulated());

// What is reported instead.
std::string trouble(const std::vector<code::Kernel>& kernels, const Sizes& sizes,
                    const std::map<std::string, HostMemory>& memories, const KernelOptions& options = emulated());

// 0.5, -1.25, ... : numbers that look random, the same each time.
std::vector<float> some_numbers(std::int64_t count, unsigned seed = 1);

} // namespace cyclotron::backend::cuda
