// SPDX-License-Identifier: MIT
#include "fuzz/mapped_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cyclotron::fuzz {

namespace {

class MappedProgram {
public:
  explicit MappedProgram(std::uint64_t seed) : draw_(seed) {
    if (chance(50)) make_sum();
    else make_recurrences();
    make_schedule();
  }

  std::string text() const {
    return fmt::format("assume 1 <= m\nassume 1 <= n\nassume 1 <= r\n{}\n{}\nschedule random {{\n  {}\n}}\n",
                       fmt::join(tensors_, "\n"), fmt::join(equations_, "\n"), fmt::join(schedule_, "\n  "));
  }

private:
  bool chance(unsigned percent) { return draw_() % 100 < percent; }
  int from(int least, int most) { return least + static_cast<int>(draw_() % static_cast<unsigned>(most - least + 1)); }
  std::string pick(const std::vector<std::string>& list) { return list[draw_() % list.size()]; }

  void add_index(const std::string& name, const std::string& size) {
    indices_.push_back(name);
    sizes_.push_back(size);
  }

  // An input that is read at sums of multiples of some indices; its dimensions are as large as these sums get.
  std::string read_of(const std::string& tensor) {
    std::vector<std::string> accesses, dims;
    for (int d = from(1, 2); d > 0; --d) {
      std::string access, dim = "1";
      for (std::size_t i = 0; i < indices_.size(); ++i) {
        const int factor = chance(45) ? from(1, 2) : 0;
        if (factor == 0) continue;
        access += fmt::format("{}{}*{}", access.empty() ? "" : " + ", factor, indices_[i]);
        dim += fmt::format(" + {}*{} - {}", factor, sizes_[i], factor);
      }
      accesses.push_back(access.empty() ? "0" : access);
      dims.push_back(dim);
    }
    inputs_.push_back(tensor);
    tensors_.push_back(fmt::format("tensor {}({})", tensor, fmt::join(dims, ", ")));
    return fmt::format("{}({})", tensor, fmt::join(accesses, ", "));
  }

  void make_sum() {
    const std::size_t outer = static_cast<std::size_t>(from(1, 2));
    add_index("c", "m");
    if (outer == 2) add_index("d", "n");
    add_index("q", chance(60) ? "r" : fmt::format("{}", from(1, 3)));
    if (chance(50)) add_index("p", fmt::format("{}", from(1, 3)));
    const std::vector<std::string> around(indices_.begin(), indices_.begin() + static_cast<std::ptrdiff_t>(outer));
    const std::vector<std::string> own(indices_.begin() + static_cast<std::ptrdiff_t>(outer), indices_.end());
    tensors_.push_back(fmt::format(
        "tensor z({})", fmt::join(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(outer), ", ")));
    const std::string body = read_of("x") + " * " + read_of("w");
    // A variable that no access has by itself needs bounds.
    std::vector<std::string> bounds;
    for (std::size_t i = outer; i < indices_.size(); ++i)
      bounds.push_back(fmt::format("0 <= {} < {}", indices_[i], sizes_[i]));
    const char* reducer = chance(80) ? "sum" : "max";
    std::string sum = own.size() > 1 && chance(40)
                          ? fmt::format("{0}[{1}]({0}[{2}]({3}))", reducer, own[0], own[1], body)
                          : fmt::format("{}[{}]({})", reducer, fmt::join(own, ","), body);
    if (chance(20)) sum = "1 + " + sum;
    equations_.push_back(fmt::format("z({}) = {} : {}", fmt::join(around, ","), sum, fmt::join(bounds, ", ")));
  }

  // Each tensor needs itself at one distance, and those before it at the same point or at another distance.
  void make_recurrences() {
    add_index("i", "m");
    add_index("j", "n");
    if (chance(30)) add_index("k", fmt::format("{}", from(2, 3)));
    const std::string at = fmt::format("{}", fmt::join(indices_, ","));
    std::vector<std::string> names;
    for (int t = from(1, 2); t > 0; --t) {
      const std::string name = fmt::format("Z{}", names.size());
      tensors_.push_back(fmt::format("tensor {}({})", name, fmt::join(sizes_, ", ")));
      std::string value = fmt::format("select({}, {}, {})", "EDGE", read_of("a" + name), "BACK");
      std::vector<std::string> edge, back;
      for (std::size_t i = 0; i < indices_.size(); ++i) {
        const int distance = i == 0 ? from(0, 2) : from(-1, 2);
        back.push_back(distance == 0
                           ? indices_[i]
                           : fmt::format("{}{}{}", indices_[i], distance > 0 ? "-" : "+", std::abs(distance)));
        if (distance > 0) edge.push_back(fmt::format("{} < {}", indices_[i], distance));
        if (distance < 0) edge.push_back(fmt::format("{} >= {} - {}", indices_[i], sizes_[i], -distance));
      }
      if (edge.empty()) value = read_of("a" + name + "b");
      else {
        value.replace(value.find("EDGE"), 4, fmt::format("{}", fmt::join(edge, " or ")));
        value.replace(value.find("BACK"), 4, fmt::format("{}({})", name, fmt::join(back, ",")));
      }
      if (!names.empty()) value += fmt::format(" + {}({})", names.back(), at);
      if (chance(50)) value += " * " + read_of("b" + name);
      equations_.push_back(fmt::format("{}({}) = {}", name, at, value));
      names.push_back(name);
    }
  }

  // One loop inside another, counted by one number: `q + r*c`.
  std::string folded_row(const std::vector<std::string>& columns) {
    std::vector<std::string> entries(columns.size(), "0");
    const auto of = std::find(indices_.begin(), indices_.end(), columns.back());
    entries.front() = of == indices_.end() ? "2" : sizes_[static_cast<std::size_t>(of - indices_.begin())];
    entries.back() = "1";
    return fmt::format("{}", fmt::join(entries, " "));
  }

  // Small entries; mostly as many rows as columns or less. What is left out counts steps outside.
  void make_schedule() {
    std::vector<std::string> columns = indices_;
    std::shuffle(columns.begin(), columns.end(), draw_);
    if (columns.size() > 1 && chance(25)) columns.pop_back();
    if (chance(20)) {
      schedule_.push_back(fmt::format("tile {0} by 2 -> {0}_outer, {0}_inner", columns[0]));
      columns[0] += "_inner";
    }
    const std::size_t rows = columns.size() > 1 && chance(80) ? 2 : static_cast<std::size_t>(from(1, 3));
    std::vector<std::string> names, lines;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool last = row + 1 == rows;
      names.push_back(last ? "t" : fmt::format("s{}", row));
      std::vector<int> entries;
      for (std::size_t c = 0; c < columns.size(); ++c)
        entries.push_back(chance(55) ? from(last ? -1 : -2, last ? 3 : 2) : last);
      lines.push_back(fmt::format("{}", fmt::join(entries, " ")));
    }
    if (columns.size() > 1 && chance(15)) lines.back() = folded_row(columns);
    schedule_.push_back(fmt::format("spacetime ({}) -> ({}) = [{}]", fmt::join(columns, ", "), fmt::join(names, ", "),
                                    fmt::join(lines, "; ")));
    if (rows > 2 && chance(50)) schedule_.push_back(fmt::format("time {}, t", names[rows - 2]));
    std::vector<std::string> along = columns;
    along.insert(along.end(), names.begin(), names.end());
    for (const std::string& input : inputs_)
      if (chance(25))
        schedule_.push_back(
            fmt::format("{} {} along {}", pick({"stream", "stream", "broadcast", "prefetch"}), input, pick(along)));
  }

  std::mt19937_64 draw_;
  std::vector<std::string> indices_, sizes_, inputs_, tensors_, equations_, schedule_;
};

} // namespace

std::string mapped_program(std::uint64_t seed) { return MappedProgram(seed).text(); }

} // namespace cyclotron::fuzz
