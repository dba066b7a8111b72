// SPDX-License-Identifier: MIT
#include "pe/cluster_time.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace cyclotron::pe {

namespace {

class Clock {
public:
  Clock(const Trace& trace, const Placement& placement, const Ownership& ownership, const ClusterModel& model)
      : trace_(trace), placement_(placement), ownership_(ownership), model_(model),
        ranks_(static_cast<std::size_t>(placement.ranks)), next_(trace.elements.size()),
        missing_(trace.elements.size()), users_(trace.values.size()), there_(trace.values.size()) {
    for (const StepKind& k : trace.kinds) seconds_.push_back(model.step_seconds(k));
  }

  ClusterTime run() {
    find_users();
    result_.ranks.resize(ranks_.size());
    result_.critical_path = critical_path();
    for (std::size_t v = 0; v < trace_.values.size(); ++v)
      if (trace_.values[v].element < 0) make(static_cast<int>(v), 0);
    for (std::size_t e = 0; e < trace_.elements.size(); ++e) await(static_cast<int>(e), 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.value >= 0) arrive(event.value, event.rank, event.time);
      else finish(event.rank, event.time);
    }
    for (const RankTime& r : result_.ranks) result_.seconds = std::max(result_.seconds, r.end);
    return std::move(result_);
  }

private:
  struct Event {
    double time = 0;
    int rank = 0;
    int value = -1; // that arrives; -1: a step ends
    bool operator<(const Event& other) const {
      return std::tie(time, rank, value) > std::tie(other.time, other.rank, other.value);
    }
  };
  struct Ready {
    double level = 0;
    int element = 0;
    bool operator<(const Ready& other) const { return std::tie(level, other.element) < std::tie(other.level, element); }
  };
  struct Rank {
    std::priority_queue<Ready> ready;
    int running = -1; // element
    double link_free = 0;
  };

  const TracedElement& element(int e) const { return trace_.elements[static_cast<std::size_t>(e)]; }
  int rank_of(int e) const { return placement_.rank_of[static_cast<std::size_t>(e)]; }
  int home_of(const Value& v) const {
    if (v.element >= 0) return rank_of(v.element);
    return ownership_.owners[static_cast<std::size_t>(v.tensor)][static_cast<std::size_t>(v.part)];
  }
  static int first(const TracedElement& e, std::size_t step, int TracedStep::*what) {
    return step == 0 ? 0 : e.steps[step - 1].*what;
  }

  void find_users() {
    for (std::size_t e = 0; e < trace_.elements.size(); ++e)
      for (int v : trace_.elements[e].needs) {
        if (v < 0) continue;
        auto& list = users_[static_cast<std::size_t>(v)];
        const int rank = placement_.rank_of[e];
        if (std::find(list.begin(), list.end(), rank) == list.end()) list.push_back(rank);
      }
  }

  double critical_path() const {
    // Steps of one kind cost the same, so levels in seconds follow from those of the trace only roughly; walk again.
    std::vector<double> value_at(trace_.values.size()), element_at(trace_.elements.size());
    std::vector<std::size_t> done(trace_.elements.size());
    std::vector<bool> known(trace_.values.size());
    for (std::size_t v = 0; v < known.size(); ++v) known[v] = trace_.values[v].element < 0;
    double latest = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t e = 0; e < trace_.elements.size(); ++e)
        while (done[e] < trace_.elements[e].steps.size()) {
          const TracedElement& t = trace_.elements[e];
          double start = element_at[e];
          bool ready = true;
          for (int n = first(t, done[e], &TracedStep::needs); n < t.steps[done[e]].needs && ready; ++n)
            if (const int v = t.needs[static_cast<std::size_t>(n)]; v >= 0) {
              ready = known[static_cast<std::size_t>(v)];
              start = std::max(start, value_at[static_cast<std::size_t>(v)]);
            }
          if (!ready) break;
          element_at[e] = start + seconds_[static_cast<std::size_t>(t.steps[done[e]].kind)];
          for (int m = first(t, done[e], &TracedStep::makes); m < t.steps[done[e]].makes; ++m)
            if (const int v = t.makes[static_cast<std::size_t>(m)].value; v >= 0) {
              known[static_cast<std::size_t>(v)] = true;
              value_at[static_cast<std::size_t>(v)] = element_at[e];
            }
          latest = std::max(latest, element_at[e]);
          ++done[e];
          moved = true;
        }
    }
    return latest;
  }

  // The value is made at `time` on its home and goes to the ranks that need it.
  void make(int number, double time) {
    const auto v = static_cast<std::size_t>(number);
    const Value& value = trace_.values[v];
    const int home = home_of(value);
    for (int to : users_[v]) {
      if (to == home) {
        events_.push({time, to, number});
        continue;
      }
      const bool near = model_.ranks_per_node == 0 || home / model_.ranks_per_node == to / model_.ranks_per_node;
      const Link& link = near ? model_.within_node : model_.between_nodes;
      double arrives = time + link.latency;
      if (link.bandwidth > 0) {
        double& free = ranks_[static_cast<std::size_t>(home)].link_free;
        free = std::max(free, time) + static_cast<double>(value.bytes()) / link.bandwidth;
        arrives = free + link.latency;
      }
      events_.push({arrives, to, number});
      ++result_.messages;
      result_.bytes += static_cast<std::uint64_t>(value.bytes());
    }
  }

  void arrive(int number, int rank, double time) {
    auto& there = there_[static_cast<std::size_t>(number)];
    there.push_back(rank);
    auto& waiting = waiting_[static_cast<std::size_t>(rank)];
    const auto at = waiting.find(number);
    if (at == waiting.end()) return;
    const std::vector<int> elements = std::move(at->second);
    waiting.erase(at);
    for (int e : elements)
      if (--missing_[static_cast<std::size_t>(e)] == 0) enqueue(e, time);
  }

  // The next step of an element: waits for what is missing.
  void await(int e, double time) {
    const TracedElement& t = element(e);
    const std::size_t step = next_[static_cast<std::size_t>(e)];
    if (step == t.steps.size()) return;
    int missing = 0;
    const int rank = rank_of(e);
    for (int n = first(t, step, &TracedStep::needs); n < t.steps[step].needs; ++n) {
      const int v = t.needs[static_cast<std::size_t>(n)];
      if (v < 0) continue;
      const auto& there = there_[static_cast<std::size_t>(v)];
      if (std::find(there.begin(), there.end(), rank) != there.end()) continue;
      waiting_[static_cast<std::size_t>(rank)][v].push_back(e);
      ++missing;
    }
    missing_[static_cast<std::size_t>(e)] = missing;
    if (missing == 0) enqueue(e, time);
  }

  void enqueue(int e, double time) {
    const int rank = rank_of(e);
    ranks_[static_cast<std::size_t>(rank)].ready.push({element(e).steps[next_[static_cast<std::size_t>(e)]].level, e});
    begin(rank, time);
  }

  void begin(int number, double time) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    if (rank.running >= 0 || rank.ready.empty()) return;
    rank.running = rank.ready.top().element;
    rank.ready.pop();
    const TracedElement& t = element(rank.running);
    const std::size_t step = next_[static_cast<std::size_t>(rank.running)];
    const int messages = t.steps[step].needs - first(t, step, &TracedStep::needs) + t.steps[step].makes -
                         first(t, step, &TracedStep::makes);
    const double seconds = seconds_[static_cast<std::size_t>(t.steps[step].kind)] + messages * model_.message_seconds;
    RankTime& account = result_.ranks[static_cast<std::size_t>(number)];
    account.computing += seconds;
    account.end = time + seconds;
    events_.push({time + seconds, number, -1});
  }

  void finish(int number, double time) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    const int e = std::exchange(rank.running, -1);
    const TracedElement& t = element(e);
    const std::size_t step = next_[static_cast<std::size_t>(e)]++;
    for (int m = first(t, step, &TracedStep::makes); m < t.steps[step].makes; ++m)
      if (const int v = t.makes[static_cast<std::size_t>(m)].value; v >= 0) make(v, time);
    await(e, time);
    begin(number, time);
  }

  const Trace& trace_;
  const Placement& placement_;
  const Ownership& ownership_;
  const ClusterModel& model_;
  std::vector<double> seconds_; // per kind
  std::vector<Rank> ranks_;
  std::vector<std::size_t> next_; // step, per element
  std::vector<int> missing_;
  std::vector<std::vector<int>> users_; // ranks, per value
  std::vector<std::vector<int>> there_;
  std::vector<std::unordered_map<int, std::vector<int>>> waiting_{static_cast<std::size_t>(placement_.ranks)};
  std::priority_queue<Event> events_;
  ClusterTime result_;
};

} // namespace

ClusterTime cluster_time(const Trace& trace, const Placement& placement, const Ownership& ownership,
                         const ClusterModel& model) {
  return Clock(trace, placement, ownership, model).run();
}

} // namespace cyclotron::pe
