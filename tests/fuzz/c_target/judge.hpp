// SPDX-License-Identifier: MIT
// Runs trials in processes of their own and counts what becomes of them.
#pragma once

#include "contest.hpp"
#include "random_run.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_SANITIZED 1
#endif
#endif

namespace cyclotron::fuzz {

// Whether the tests have sanitizers, and so may load kernels that have them.
#ifdef FUZZ_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
const std::vector<std::string>& sanitizers(); // as flags of the C compiler

// The same for kernels that any build of the tests may load; warnings are errors.
const std::vector<std::string>& undefined_behaviour();

// A program text with everything that decides how it is run.
struct Trial {
  std::string text;
  std::map<std::string, Content> contents; // of inputs that must be of some kind
  std::uint64_t seed = 0;
  int rounds = 3; // of sizes and inputs
  bool all_steps = false;
  bool last_only = false;
  std::vector<std::string> flags{"-O1"};
};

// The first verdict that is no agreement; a difference comes with all that is needed to see it again.
Verdict judge(const Trial& trial);
Verdict judge_isolated(const Trial& trial, int seconds = 20);

// A verdict found in a process of its own; a crash or a hang there is a difference.
Verdict isolated(const std::function<Verdict()>& find, int seconds);

class Tally {
public:
  // Returns the text of a difference, else "".
  std::string add(const Verdict& verdict);
  int of(Verdict::Kind kind) const;
  int all() const;
  std::string report() const; // counts, and the reasons met most often

private:
  std::map<Verdict::Kind, int> counts_;
  std::map<std::string, int> reasons_;
};

} // namespace cyclotron::fuzz
