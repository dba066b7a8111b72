// SPDX-License-Identifier: MIT
// What is said about PEs that wait for ever, and the depth of channels that spares them that.
#include "pe/place.hpp"
#include "pe/rehearse.hpp"

#include <fmt/format.h>

namespace cyclotron::pe {

std::string describe(const Rehearsal& rehearsal, const Program& program, std::int64_t depth) {
  constexpr std::size_t most_lines = 20;
  if (rehearsal.stuck == 0) return "";
  const Grid grid(program);
  const auto name = [&](int element) { return element < 0 ? "outside the grid" : "PE " + grid.name(element); };
  std::string text = fmt::format("{} PE{} cannot go on:", rehearsal.stuck, rehearsal.stuck == 1 ? "" : "s");
  for (std::size_t i = 0; i < rehearsal.chain.size(); ++i) {
    const Stuck& s = rehearsal.chain[i];
    if (i == most_lines) return text + fmt::format("\n  … and {} more", rehearsal.chain.size() - most_lines);
    const std::string channel = s.channel < 0 ? "" : program.channels[static_cast<std::size_t>(s.channel)].name;
    if (s.on == Stuck::On::receive)
      text += fmt::format("\n  {} waits for an element of `{}` from {}", name(s.element), channel, name(s.other));
    else if (s.on == Stuck::On::send)
      text += fmt::format("\n  {} waits for room in `{}` to {}, which is full ({} of {})", name(s.element), channel,
                          name(s.other), depth, depth);
    else text += fmt::format("\n  {} waits at a pass for {}", name(s.element), name(s.other));
    if (i + 1 < rehearsal.chain.size()) continue;
    if (rehearsal.circle) text += "; that closes the circle";
    else if (s.other >= 0) text += fmt::format("; {} has ended", name(s.other));
  }
  return text;
}

std::optional<std::int64_t> smallest_depth(const Program& program, std::int64_t most_work) {
  constexpr std::int64_t deepest = std::int64_t{1} << 40;
  const auto suffices = [&](std::int64_t depth) -> std::optional<bool> {
    RehearsalOptions options;
    options.depth = depth;
    options.most_work = most_work;
    const auto rehearsal = rehearse(program, options);
    if (!rehearsal) return std::nullopt;
    return rehearsal->stuck == 0;
  };
  const auto ever = suffices(0);
  if (!ever) return std::nullopt;
  if (!*ever) return 0;
  std::int64_t enough = 1, little = 0; // the last that is known to suffice, and not to
  for (; enough < deepest; enough *= 2) {
    const auto result = suffices(enough);
    if (!result) return std::nullopt;
    if (*result) break;
    little = enough;
  }
  while (enough - little > 1) {
    const std::int64_t middle = little + (enough - little) / 2;
    const auto result = suffices(middle);
    if (!result) return std::nullopt;
    (*result ? enough : little) = middle;
  }
  return enough;
}

std::optional<DepthCheck> check_depth(const Program& program, std::int64_t depth, std::int64_t most_work) {
  RehearsalOptions options;
  options.depth = depth;
  options.most_work = most_work;
  const auto rehearsal = rehearse(program, options);
  if (!rehearsal) return std::nullopt;
  if (rehearsal->stuck == 0) return DepthCheck{};
  DepthCheck check{describe(*rehearsal, program, depth), "no depth of the channels suffices"};
  const auto enough = depth == 0 ? std::optional<std::int64_t>(0) : smallest_depth(program, most_work);
  if (!enough) check.advice = "channels need to be deeper";
  else if (*enough > 0) check.advice = fmt::format("channels of depth {} suffice", *enough);
  return check;
}

} // namespace cyclotron::pe
