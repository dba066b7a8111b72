// SPDX-License-Identifier: MIT
#include "lower/dataflow/time_order.hpp"

#include <isl/ctx.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::local_part;
using dataflow::PointFlow;
using dataflow::related;

namespace {

class TimeOrderer {
public:
  TimeOrderer(const dataflow::Program& program, const std::vector<std::string>& steps,
              const std::map<std::string, int>& signs, std::size_t across)
      : program_(program), steps_(steps), across_(across) {
    for (const dataflow::Space& s : program.spaces) {
      std::vector<std::optional<Affine>> levels;
      for (const std::string& t : steps) {
        const auto at = s.as.find(t);
        const int sign = signs.count(t) ? signs.at(t) : 1;
        levels.push_back(at == s.as.end() ? std::nullopt : std::optional(sign * at->second));
      }
      levels_.push_back(std::move(levels));
    }
    result_.times.resize(program.spaces.size());
  }

  TimeOrder run(const std::vector<PointFlow>& flows) {
    std::vector<int> all;
    for (int s = 0; s < static_cast<int>(program_.spaces.size()); ++s) all.push_back(s);
    order(0, all, flows);
    return std::move(result_);
  }

private:
  const std::optional<Affine>& level(int space, std::size_t at) const {
    return levels_[static_cast<std::size_t>(space)][at];
  }

  bool fail(const PointFlow& flow, const std::string& why, std::size_t decided) {
    result_.decided = decided;
    const std::string& reader = program_.spaces[static_cast<std::size_t>(flow.reader)].name;
    const std::string& producer = program_.spaces[static_cast<std::size_t>(flow.producer)].name;
    result_.problem = fmt::format("space {} needs `{}` of space {} {}", reader, flow.value, producer, why);
    result_.span = flow.span;
    return false;
  }

  // Where the producer's step is after the reader's.
  bool goes_back(const PointFlow& flow, std::size_t at) const {
    const isl::map back = flow.points.intersect(related(program_, flow.reader, *level(flow.reader, at), Relation::less,
                                                        flow.producer, *level(flow.producer, at)));
    if (back.is_empty()) return false;
    if (at < across_) return true;
    return !local_part(program_, {flow.reader, flow.producer, flow.value, back, flow.span, flow.hops}).is_empty();
  }

  bool order(std::size_t at, const std::vector<int>& spaces, const std::vector<PointFlow>& flows) {
    isl_ctx_reset_operations(program_.context->get().get());
    if (at == steps_.size()) return order_in_step(spaces, flows);
    std::map<int, int> group;
    for (const int s : spaces) group[s] = 0;
    std::vector<bool> apart;
    for (const PointFlow& f : flows) {
      const bool both = level(f.reader, at) && level(f.producer, at);
      const bool neither = !level(f.reader, at) && !level(f.producer, at);
      apart.push_back(both ? goes_back(f, at) : !neither);
      if (apart.back() && f.reader == f.producer)
        return fail(f, fmt::format("at a later step of `{}`", steps_[at]), at + 1);
    }
    for (std::size_t round = 0;; ++round) {
      bool changed = false;
      for (std::size_t i = 0; i < flows.size(); ++i) {
        const int least = group[flows[i].producer] + (apart[i] ? 1 : 0);
        if (group[flows[i].reader] >= least) continue;
        group[flows[i].reader] = least;
        changed = true;
        if (round > spaces.size()) return fail(flows[i], fmt::format("at a later step of `{}`", steps_[at]), at + 1);
      }
      if (!changed) break;
    }
    int last = 0;
    for (const auto& [s, g] : group) last = std::max(last, g);
    for (int g = 0; g <= last; ++g) {
      std::vector<int> members;
      for (const int s : spaces)
        if (group[s] == g) members.push_back(s);
      for (const int s : members) {
        auto& time = result_.times[static_cast<std::size_t>(s)];
        time.push_back(Affine{{}, g});
        time.push_back(level(s, at).value_or(Affine{}));
      }
      std::vector<PointFlow> inside;
      for (const PointFlow& f : flows) {
        if (group[f.reader] != g || group[f.producer] != g) continue;
        isl::map same = f.points;
        if (level(f.reader, at) && level(f.producer, at))
          same = same.intersect(
              related(program_, f.reader, *level(f.reader, at), Relation::equal, f.producer, *level(f.producer, at)));
        if (!same.is_empty()) inside.push_back({f.reader, f.producer, f.value, same, f.span, f.hops});
      }
      if (!order(at + 1, members, inside)) return false;
    }
    return true;
  }

  // Spaces that share all steps: producers first. What travels may not go both ways.
  bool order_in_step(const std::vector<int>& spaces, const std::vector<PointFlow>& flows) {
    std::map<int, int> position;
    for (const int s : spaces) position[s] = 0;
    for (const bool all : {true, false}) { // all flows, or, where these go in a circle, those that stay on a processor
      for (const int s : spaces) position[s] = 0;
      const PointFlow* circle = nullptr;
      for (std::size_t round = 0; !circle; ++round) {
        bool changed = false;
        for (const PointFlow& f : flows) {
          if (f.reader == f.producer || (!all && local_part(program_, f).is_empty())) continue;
          if (position[f.reader] > position[f.producer]) continue;
          position[f.reader] = position[f.producer] + 1;
          changed = true;
          if (round > spaces.size()) circle = &f;
        }
        if (!changed) break;
      }
      if (!circle) break;
      if (!all) return fail(*circle, "in the same step, and the other way round", steps_.size());
    }
    for (const int s : spaces) result_.times[static_cast<std::size_t>(s)].push_back(Affine{{}, position[s]});
    return true;
  }

  const dataflow::Program& program_;
  const std::vector<std::string>& steps_;
  std::size_t across_;
  std::vector<std::vector<std::optional<Affine>>> levels_;
  TimeOrder result_;
};

} // namespace

TimeOrder order_in_time(const dataflow::Program& program, const std::vector<PointFlow>& flows,
                        const std::vector<std::string>& steps, const std::map<std::string, int>& signs,
                        std::size_t across) {
  return TimeOrderer(program, steps, signs, across).run(flows);
}

} // namespace cyclotron::lower
