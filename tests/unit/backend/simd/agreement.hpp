// SPDX-License-Identifier: MIT
// Compiled kernels against the interpreter of the code IR: every byte of what they store, and their answer.
#pragma once

#include "backend/c/build.hpp"
#include "backend/simd/print_c.hpp"
#include "code/interpret.hpp"

#include <gtest/gtest.h>

namespace cyclotron::backend::simd {

// A kernel that keeps the invariants, from its text.
code::Kernel kernel_of(const std::string& text);

// Numbers to compute with: small ones, so that sums are exact, or any bits.
enum class Contents { small, any };

struct Case {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::int64_t> elements; // of the memories
  Contents contents = Contents::small;
  std::uint64_t seed = 1;
};

using Trials = std::vector<std::pair<code::Kernel, std::vector<Case>>>;

// Prints and compiles all kernels as one file, once for each kind of registers, and runs every kernel on its cases.
// Products and sums are not fused, so that both compute the same numbers. Memories lie against a page that must not be
// touched, behind their end or before their beginning, so that an access to an element that there is none of is a
// crash.
struct Manner {
  int threads = 1;
  bool may_warn = false; // the compiler about what a person would not write
};
void expect_agreement(const Trials& trials, Manner manner = {});
void expect_agreement(const std::string& kernel, const std::vector<Case>& cases);

} // namespace cyclotron::backend::simd
