// SPDX-License-Identifier: MIT
#include "judge.hpp"

#include "fuzz/isolated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::fuzz {

namespace {

constexpr Verdict::Kind all_kinds[] = {Verdict::Kind::agrees,      Verdict::Kind::unseen,   Verdict::Kind::refused,
                                       Verdict::Kind::unsupported, Verdict::Kind::rejected, Verdict::Kind::differs};

} // namespace

const std::vector<std::string>& sanitizers() {
  static const std::vector<std::string> flags{"-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"};
  return flags;
}

const std::vector<std::string>& undefined_behaviour() {
  static const std::vector<std::string> flags{
      "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all"};
  return flags;
}

Verdict judge(const Trial& trial) {
  Contest contest(trial.text, trial.flags, trial.all_steps, trial.last_only);
  Verdict verdict = contest.start();
  if (verdict.kind == Verdict::Kind::differs || verdict.kind == Verdict::Kind::rejected)
    verdict.what = trial.text + verdict.what;
  if (verdict.kind != Verdict::Kind::agrees) return verdict;
  Verdict worst;
  for (int round = 0; round < trial.rounds; ++round) {
    const SizeValues sizes = some_sizes(contest.program(), trial.seed, round);
    const Tensors inputs =
        some_inputs(contest.program(), sizes, trial.contents, trial.seed + static_cast<std::uint64_t>(round));
    verdict = contest.run(sizes, inputs);
    if (verdict.kind == Verdict::Kind::differs) {
      verdict.what = with_inputs(trial.text, sizes, inputs) + "\n" + verdict.what;
      return verdict;
    }
    if (verdict.kind != Verdict::Kind::agrees) worst = verdict;
  }
  return worst;
}

Verdict judge_isolated(const Trial& trial, int seconds) {
  Verdict verdict = isolated([&] { return judge(trial); }, seconds);
  if (verdict.crashed) verdict.what = fmt::format("{}\nseed {}\n{}", trial.text, trial.seed, verdict.what);
  return verdict;
}

Verdict isolated(const std::function<Verdict()>& find, int seconds) {
  kernel_folder(); // made here, so that the children share it and we remove it
  // One character for the kind, then the words.
  const Fate fate = run_isolated(
      [&] {
        const Verdict verdict = find();
        return std::string(1, static_cast<char>('0' + static_cast<int>(verdict.kind))) + verdict.what;
      },
      seconds);
  if (!fate.problem.empty()) return {Verdict::Kind::differs, fate.problem, true};
  return {static_cast<Verdict::Kind>(fate.result[0] - '0'), fate.result.substr(1)};
}

std::string Tally::add(const Verdict& verdict) {
  ++counts_[verdict.kind];
  if (verdict.kind == Verdict::Kind::differs) return verdict.what;
  if (verdict.kind == Verdict::Kind::agrees) return "";
  // The first line without its place and its names.
  std::string line = verdict.what.substr(0, verdict.what.find('\n'));
  if (const std::size_t at = line.find(": "); at != std::string::npos && line.starts_with("program.cyc"))
    line = line.substr(at + 2);
  if (const std::size_t at = line.find(" in the order "); at != std::string::npos) line.resize(at + 13);
  ++reasons_[fmt::format("{}: {}", name_of(verdict.kind), line)];
  return "";
}

int Tally::of(Verdict::Kind kind) const {
  const auto at = counts_.find(kind);
  return at == counts_.end() ? 0 : at->second;
}

int Tally::all() const {
  return std::accumulate(counts_.begin(), counts_.end(), 0, [](int sum, const auto& c) { return sum + c.second; });
}

std::string Tally::report() const {
  std::string out;
  for (Verdict::Kind kind : all_kinds)
    if (of(kind) > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", of(kind), name_of(kind));
  std::vector<std::pair<int, std::string>> most;
  for (const auto& [reason, count] : reasons_) most.emplace_back(count, reason);
  std::sort(most.rbegin(), most.rend());
  if (most.size() > 8) most.resize(8);
  for (const auto& [count, reason] : most) out += fmt::format("\n{:>6}  {}", count, reason);
  return out + "\n";
}

} // namespace cyclotron::fuzz
