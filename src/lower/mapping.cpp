// SPDX-License-Identifier: MIT
#include "lower/mapping.hpp"

#include "schedule/targets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::lower {

namespace {

using schedule::Argument;
using schedule::Command;

std::vector<std::int64_t> numbers_in(const Command& command, std::string_view role) {
  const Argument* a = command.find(role);
  return a ? std::get<std::vector<std::int64_t>>(a->value) : std::vector<std::int64_t>{};
}

std::optional<Travel> travel_named(std::string_view name) {
  if (name == "stream") return Travel::stream;
  if (name == "broadcast") return Travel::broadcast;
  if (name == "prefetch") return Travel::prefetch;
  return std::nullopt;
}

std::string_view name_of(Travel travel) {
  return travel == Travel::stream ? "stream" : travel == Travel::broadcast ? "broadcast" : "prefetch";
}

class MappingReader {
public:
  explicit MappingReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void take(const Command& c) {
    if (c.name == "space") take_names(c, result_.space, result_.space_given, result_.space_span);
    else if (c.name == "time") take_names(c, result_.time, result_.time_given, result_.time_span);
    else if (const auto travel = travel_named(c.name))
      result_.ways.push_back({c.names("tensor").at(0), *travel, c.names("index").at(0), c.span});
    else if (c.name == "tile") take_tile(c);
    else if (c.name == "fold") take_fold(c);
    else if (c.name == "distribute") take_owners(c);
    else if (c.name == "spacetime") take_spacetime(c);
    else bug(fmt::format("the table says that arrays take `{}`, but nothing reads it", c.name));
  }

  Mapping result_;

private:
  void take_names(const Command& c, std::vector<std::string>& to, bool& given, Span& span) {
    if (given) {
      diagnostics_.error(c.span, fmt::format("`{}` is given twice", c.name))
          .with_hint("name all indices in one command");
      return;
    }
    to = c.names("indices");
    given = true;
    span = c.span;
  }

  void take_tile(const Command& c) {
    const std::vector<std::string> indices = c.names("indices"), parts = c.names("parts");
    const std::vector<std::int64_t> sizes = numbers_in(c, "sizes");
    if (parts.empty()) {
      if (sizes.size() != 1 && sizes.size() != indices.size()) {
        diagnostics_.error(c.span, "one size for all indices, or one for each").with_hint("`tile i, j, k by 4`");
        return;
      }
      if (!result_.lift) result_.lift = Lift{{}, c.span};
      for (std::size_t i = 0; i < indices.size(); ++i)
        result_.lift->extents[indices[i]] = sizes[sizes.size() == 1 ? 0 : i];
      return;
    }
    // `tile i by 4, 16 -> io, im, ii` splits more than once.
    if (indices.size() != 1 || parts.size() != sizes.size() + 1) {
      diagnostics_.error(c.span, "one index is split into one part more than there are sizes")
          .with_hint("`tile i by 4 -> io, ii`");
      return;
    }
    std::string rest = indices[0];
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::int64_t size = 1;
      for (std::size_t s = i; s < sizes.size(); ++s) size *= sizes[s];
      const bool last = i + 1 == sizes.size();
      const std::string inner = last ? parts.back() : rest + "'" + parts[i];
      result_.splits.push_back({rest, parts[i], inner, size, c.span});
      rest = inner;
    }
  }

  void take_owners(const Command& c) {
    const Argument* how = c.find("how");
    const bool cyclic = how && std::get<std::vector<recurrence::Binder>>(how->value).at(0).name == "cyclic";
    const std::string tensor = c.names("tensor").at(0);
    for (const Owners& o : result_.owners)
      if (o.tensor == tensor)
        diagnostics_.error(c.span, fmt::format("`{}` is distributed twice", tensor)).note(o.span, "first here");
    result_.owners.push_back({tensor, cyclic, c.names("indices"), c.span});
  }

  void take_fold(const Command& c) {
    Fold fold;
    fold.axis = c.names("index").at(0);
    const Argument* how = c.find("how");
    fold.cyclic = how && std::get<std::vector<recurrence::Binder>>(how->value).at(0).name == "cyclic";
    const std::vector<std::int64_t> counts = numbers_in(c, "count");
    fold.count = counts.at(0);
    if (counts.size() > 1) fold.block = counts[1];
    fold.span = c.span;
    result_.folds.push_back(fold);
  }

  void take_spacetime(const Command& c) {
    if (result_.spacetime) {
      diagnostics_.error(c.span, "`spacetime` is given twice");
      return;
    }
    result_.spacetime =
        SpaceTime{c.names("indices"), c.names("axes"), std::get<schedule::Matrix>(c.find("matrix")->value), c.span};
  }

  Diagnostics& diagnostics_;
};

} // namespace

std::optional<Mapping> mapping_of(const schedule::Schedule* schedule, std::string_view target,
                                  Diagnostics& diagnostics) {
  MappingReader reader(diagnostics);
  if (!schedule::check_target(schedule, target, diagnostics)) return std::nullopt;
  if (schedule)
    for (const Command& c : schedule->commands)
      if (schedule::takes("array", *schedule::command_named(c.name))) reader.take(c);
  if (diagnostics.failed()) return std::nullopt;
  return std::move(reader.result_);
}

std::size_t passes_of(const Mapping& m) {
  std::size_t count = 0;
  for (const std::string& t : m.time) {
    const bool tiles_axis = std::any_of(m.splits.begin(), m.splits.end(), [&](const SplitIndex& s) {
      return s.outer == t && std::find(m.space.begin(), m.space.end(), s.inner) != m.space.end();
    });
    if (!tiles_axis) break;
    ++count;
  }
  return count;
}

std::string print(const SpaceTime& m) {
  return fmt::format("spacetime ({}) -> ({}) = {}", fmt::join(m.indices, ", "), fmt::join(m.axes, ", "),
                     schedule::print(m.matrix));
}

std::string print(const Mapping& m) {
  std::string out;
  if (m.lift)
    for (const auto& [index, extent] : m.lift->extents) out += fmt::format("tile {} by {}\n", index, extent);
  for (const SplitIndex& s : m.splits)
    out += fmt::format("tile {} by {} -> {}, {}\n", s.index, s.size, s.outer, s.inner);
  if (m.spacetime) out += print(*m.spacetime) + "\n";
  else if (!m.space.empty()) out += fmt::format("space {}\n", fmt::join(m.space, ", "));
  // The last row of a matrix is the step anyway.
  const bool says_more = !m.spacetime || m.time != std::vector<std::string>{m.spacetime->axes.back()};
  if (!m.time.empty() && says_more) out += fmt::format("time {}\n", fmt::join(m.time, ", "));
  for (const Way& w : m.ways) out += fmt::format("{} {} along {}\n", name_of(w.travel), w.tensor, w.along);
  for (const Owners& o : m.owners)
    out += fmt::format("distribute {} {}({})\n", o.tensor, o.cyclic ? "cyclic" : "block", fmt::join(o.indices, ", "));
  for (const Fold& f : m.folds)
    out += fmt::format("fold {} {} {}{}\n", f.axis, f.cyclic ? "cyclic" : "block", f.count,
                       f.block > 1 ? fmt::format(", {}", f.block) : "");
  return out;
}

} // namespace cyclotron::lower
