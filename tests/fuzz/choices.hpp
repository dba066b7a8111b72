// SPDX-License-Identifier: MIT
// Decisions read one by one from a list of numbers that rapidcheck draws. The smallest number is always the simplest
// decision and a list that has run out gives only those, so shrinking the list simplifies what is made from it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cyclotron::fuzz {

class Choices {
public:
  static constexpr int range = 1024; // numbers are 0 .. range - 1

  explicit Choices(std::vector<int> numbers) : numbers_(std::move(numbers)) {}

  // 0 .. count - 1.
  int below(int count) { return next() * count / range; }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return next() >= range - range * percent / 100; }

  template <class T> T pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  std::string pick(std::initializer_list<const char*> list) {
    return pick(std::vector<std::string>(list.begin(), list.end()));
  }

private:
  int next() { return at_ < numbers_.size() ? numbers_[at_++] : 0; }

  std::vector<int> numbers_;
  std::size_t at_ = 0;
};

} // namespace cyclotron::fuzz
