// SPDX-License-Identifier: MIT
#include "explore/lane_maps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace cyclotron::explore {

namespace {

struct Square {
  int a, b; // the place
  int c, d; // the step
  int size() const { return std::abs(a) + std::abs(b) + std::abs(c) + std::abs(d); }
};

// A place that falls is one that rises, seen from the other end.
std::vector<Square> small_squares() {
  std::vector<Square> list;
  for (const auto& [a, b] : {std::pair{1, 0}, std::pair{0, 1}, std::pair{1, 1}, std::pair{1, -1}})
    for (int c = -1; c <= 2; ++c)
      for (int d = -1; d <= 2; ++d)
        if (a * d != b * c) list.push_back({a, b, c, d});
  return list;
}

class Maps {
public:
  Maps(const std::vector<std::string>& indices, const std::vector<std::string>& taken) : indices_(indices) {
    for (std::string* name : {&result_.axis, &result_.step})
      while (std::count(taken.begin(), taken.end(), *name)) *name += *name;
  }

  LaneMaps run() {
    if (indices_.size() == 1) {
      result_.axis = indices_[0];
      result_.step.clear();
      result_.commands = {fmt::format("space {}\n", indices_[0])};
      return std::move(result_);
    }
    for (std::size_t i = 0; i < indices_.size(); ++i)
      for (std::size_t j = i + 1; j < indices_.size(); ++j) add_pair(indices_[i], indices_[j]);
    std::stable_sort(found_.begin(), found_.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (auto& [size, text] : found_) result_.commands.push_back(std::move(text));
    return std::move(result_);
  }

private:
  void add_pair(const std::string& first, const std::string& second) {
    std::vector<std::string> others;
    for (const std::string& index : indices_)
      if (index != first && index != second) others.push_back(index);
    std::sort(others.begin(), others.end());
    do
      for (std::size_t inside = 0; inside <= others.size(); ++inside) add_with(first, second, others, inside);
    while (std::next_permutation(others.begin(), others.end()));
  }

  // The last so many of the others are steps inside of the map's.
  void add_with(const std::string& first, const std::string& second, std::vector<std::string> time,
                std::size_t inside) {
    time.insert(time.end() - static_cast<std::ptrdiff_t>(inside), result_.step);
    const std::string steps = time.size() > 1 ? fmt::format("time {}\n", fmt::join(time, ", ")) : "";
    for (const Square& s : small_squares())
      found_.emplace_back(s.size(), fmt::format("spacetime ({}, {}) -> ({}, {}) = [{} {}; {} {}]\n{}", first, second,
                                                result_.axis, result_.step, s.a, s.b, s.c, s.d, steps));
  }

  const std::vector<std::string>& indices_;
  std::vector<std::pair<int, std::string>> found_;
  LaneMaps result_;
};

} // namespace

LaneMaps lane_maps(const std::vector<std::string>& indices, const std::vector<std::string>& taken) {
  return Maps(indices, taken).run();
}

} // namespace cyclotron::explore
