// SPDX-License-Identifier: MIT
// Random programs with random schedules on arrays: each is refused with an error, or agrees with the interpreter.
#include "fuzz/array_agreement.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/mapped_program.hpp"
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

namespace cyclotron::fuzz {
namespace {

class RandomSchedule {
public:
  RandomSchedule(std::vector<std::string> indices, const recurrence::Program& program, std::uint64_t seed)
      : time_(std::move(indices)), draw_(seed) {
    std::shuffle(time_.begin(), time_.end(), draw_);
    const std::vector<std::string> all = time_;
    if (all.empty()) return;
    for (std::size_t axes = draw_() % 3; axes > 0 && !time_.empty(); --axes) {
      space_.push_back(time_.back());
      time_.pop_back();
    }
    if (!space_.empty() && chance(20)) split_an_axis();
    else if (chance(10)) lines_.push_back(fmt::format("tile {} by {}", fmt::join(all, ", "), 1 + draw_() % 3));
    if (!space_.empty()) lines_.push_back(fmt::format("space {}", fmt::join(space_, ", ")));
    if (!time_.empty() && chance(70)) lines_.push_back(fmt::format("time {}", fmt::join(time_, ", ")));
    for (const recurrence::TensorDecl* t : program.inputs())
      if (chance(30))
        lines_.push_back(
            fmt::format("{} {} along {}", pick({"stream", "broadcast", "prefetch"}), t->name.name, pick(all)));
    if (!space_.empty() && chance(20))
      lines_.push_back(fmt::format("fold {} {} {}", pick(space_), pick({"cyclic", "block"}), 1 + draw_() % 3));
  }

  std::string text() const { return fmt::format("\nschedule random {{\n  {}\n}}\n", fmt::join(lines_, "\n  ")); }

private:
  bool chance(unsigned percent) { return draw_() % 100 < percent; }
  std::string pick(const std::vector<std::string>& list) { return list[draw_() % list.size()]; }

  void split_an_axis() {
    std::string& axis = space_[draw_() % space_.size()];
    const std::string outer = axis + "_outer", inner = axis + "_inner";
    lines_.push_back(fmt::format("tile {} by {} -> {}, {}", axis, 1 + draw_() % 3, outer, inner));
    axis = inner;
    time_.insert(time_.begin(), outer);
  }

  std::vector<std::string> space_, time_, lines_;
  std::mt19937_64 draw_;
};

// `agrees`, `refused` or what is wrong.
std::string try_on_array(const RandomProgram& random) {
  const OnArray alone(random.text);
  if (!alone.accepted()) return "refused";
  const std::string text = random.text + RandomSchedule(alone.indices(), alone.program(), random.seed).text();
  OnArray on_array(text);
  if (!on_array.accepted()) return "refused";
  bool refused = false;
  for (int round = 0; round < 2; ++round) {
    const SizeValues sizes = random_sizes(on_array.program(), random, round);
    const ArrayOutcome outcome = on_array.run(on_array.schedules().at(0), sizes, random.seed);
    refused |= outcome.kind == ArrayOutcome::Kind::refused;
    if (std::getenv("CYCLOTRON_SHOW_REFUSED") && refused) return text + outcome.text;
    if (outcome.kind != ArrayOutcome::Kind::differs) continue;
    std::string at;
    for (const auto& [name, value] : sizes) at += fmt::format(" {}={}", name, value);
    return fmt::format("{}at{}, seed {}: {}", text, at, random.seed, outcome.text);
  }
  return refused ? "refused" : "agrees";
}

TEST(RandomArrays, AreRefusedOrAgreeWithTheInterpreter) {
  int agree = 0, refused = 0;
  check_property(60, [&](const RandomProgram& random) {
    const Fate fate = run_isolated([&] { return try_on_array(random); }, 60);
    if (!fate.problem.empty()) {
      const OnArray alone(random.text);
      RC_FAIL(random.text + RandomSchedule(alone.indices(), alone.program(), random.seed).text() + fate.problem);
    }
    agree += fate.result == "agrees";
    refused += fate.result == "refused";
    if (fate.result != "agrees" && fate.result != "refused") RC_FAIL(fate.result);
  });
  RecordProperty("agree", agree);
  RecordProperty("refused", refused);
  EXPECT_GT(agree, 0);
  if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) std::printf("%d agree, %d refused\n", agree, refused);
}

// What is wrong with one of them.
std::string try_mapped(std::uint64_t seed, bool& agrees) {
  const std::string text = mapped_program(seed);
  OnArray on_array(text);
  if (!on_array.accepted()) return text + on_array.messages();
  for (const std::vector<std::int64_t>& numbers : {std::vector<std::int64_t>{4, 5, 3}, {1, 2, 1}, {3, 1, 2}}) {
    SizeValues sizes;
    for (std::size_t s = 0; s < on_array.program().sizes.size(); ++s)
      sizes[on_array.program().sizes[s].name] = numbers[s];
    const ArrayOutcome outcome = on_array.run(on_array.schedules().at(0), sizes, seed);
    if (outcome.kind == ArrayOutcome::Kind::refused)
      return std::getenv("CYCLOTRON_SHOW_REFUSED") ? text + outcome.text : "";
    if (outcome.kind == ArrayOutcome::Kind::differs) return fmt::format("{}seed {}: {}", text, seed, outcome.text);
  }
  agrees = true;
  return "";
}

TEST(RandomMaps, AreRefusedOrAgreeWithTheInterpreter) {
  const std::uint64_t first = nightly() ? std::random_device{}() : 1;
  const int count = cases(60);
  int agree = 0;
  for (int i = 0; i < count; ++i) {
    const Fate fate = run_isolated(
        [&] {
          bool agrees = false;
          const std::string problem = try_mapped(first + static_cast<std::uint64_t>(i), agrees);
          return problem.empty() ? std::string(agrees ? "agrees" : "refused") : problem;
        },
        60);
    agree += fate.result == "agrees";
    if (!fate.problem.empty()) ADD_FAILURE() << mapped_program(first + static_cast<std::uint64_t>(i)) << fate.problem;
    else if (fate.result != "agrees" && fate.result != "refused") ADD_FAILURE() << fate.result;
  }
  EXPECT_GT(agree, count / 10);
  if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) std::printf("%d of %d agree\n", agree, count);
}

} // namespace
} // namespace cyclotron::fuzz
