// SPDX-License-Identifier: MIT
#include "pe/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

namespace cyclotron::pe {

namespace {

// All ways to write `ranks` as a product of one factor per axis.
void factorisations(int ranks, std::size_t axes, std::vector<int>& so_far,
                    const std::function<void(const std::vector<int>&)>& use) {
  if (axes == 1) {
    so_far.push_back(ranks);
    use(so_far);
    so_far.pop_back();
    return;
  }
  for (int factor = 1; factor <= ranks; ++factor) {
    if (ranks % factor != 0) continue;
    so_far.push_back(factor);
    factorisations(ranks / factor, axes - 1, so_far, use);
    so_far.pop_back();
  }
}

// Along an axis of that many PEs.
std::int64_t coordinate(std::int64_t at, std::int64_t extent, int ranks, Spread spread) {
  if (spread == Spread::cyclic) return at % ranks;
  const std::int64_t block = (extent + ranks - 1) / ranks;
  return at / block;
}

struct Judgement {
  double busiest = 0;      // work
  std::uint64_t bytes = 0; // between ranks
  bool operator<(const Judgement& other) const {
    if (busiest != other.busiest) return busiest < other.busiest;
    return bytes < other.bytes;
  }
};

Judgement judge(const Trace& trace, const std::vector<double>& work, const Placement& placement) {
  Judgement judgement;
  std::vector<double> per_rank(static_cast<std::size_t>(placement.ranks));
  for (std::size_t e = 0; e < work.size(); ++e) per_rank[static_cast<std::size_t>(placement.rank_of[e])] += work[e];
  judgement.busiest = *std::max_element(per_rank.begin(), per_rank.end());
  // A value that a rank has already need not come again; ranks of one value are few, so a short list will do.
  std::vector<std::vector<int>> has(trace.values.size());
  for (std::size_t e = 0; e < trace.elements.size(); ++e)
    for (int v : trace.elements[e].needs) {
      if (v < 0) continue;
      const auto value = static_cast<std::size_t>(v);
      const int rank = placement.rank_of[e], maker = trace.values[value].element;
      if (maker >= 0 && placement.rank_of[static_cast<std::size_t>(maker)] == rank) continue;
      if (std::find(has[value].begin(), has[value].end(), rank) != has[value].end()) continue;
      has[value].push_back(rank);
      // One of the ranks that use an input owns it.
      if (maker >= 0 || has[value].size() > 1)
        judgement.bytes += static_cast<std::uint64_t>(trace.values[value].bytes());
    }
  return judgement;
}

Placement over(const Executable& executable, const std::vector<int>& grid, const std::vector<Spread>& spreads) {
  Placement made;
  const Program& program = executable.program;
  for (int extent : grid) made.ranks *= extent;
  for (const Element& element : executable.grid.elements()) {
    std::int64_t rank = 0;
    for (std::size_t a = 0; a < grid.size(); ++a) {
      const Axis& axis = program.axes[a];
      const std::int64_t extent = axis.last - axis.first + 1;
      rank = rank * grid[a] + coordinate(element.at[a] - axis.first, extent, grid[a], spreads[a]);
    }
    made.rank_of.push_back(static_cast<int>(rank));
  }
  made.rank_of.push_back(0);
  std::vector<std::string> ways;
  for (std::size_t a = 0; a < grid.size(); ++a)
    ways.push_back(fmt::format("{} {} over {}", program.axes[a].name,
                               spreads[a] == Spread::cyclic ? "cyclic" : "in blocks", grid[a]));
  made.text = fmt::format("{}", fmt::join(ways, ", "));
  return made;
}

} // namespace

Placement place(const Executable& executable, const Trace& trace, int ranks, std::optional<Spread> spread) {
  const std::size_t axes = executable.program.axes.size();
  std::vector<double> work;
  for (const TracedElement& e : trace.elements) {
    work.push_back(0);
    for (const TracedStep& s : e.steps)
      work.back() += std::max(trace.kinds[static_cast<std::size_t>(s.kind)].work(), 1.0);
  }
  Placement best;
  Judgement least;
  const auto consider = [&](Placement made) {
    const Judgement judgement = judge(trace, work, made);
    if (!best.rank_of.empty() && !(judgement < least)) return;
    best = std::move(made);
    least = judgement;
  };
  if (axes == 0 || ranks == 1) {
    best.rank_of.assign(static_cast<std::size_t>(executable.elements()), 0);
    best.ranks = ranks;
    best.text = "all on one rank";
    return best;
  }
  const std::vector<Spread> ways = spread ? std::vector{*spread} : std::vector{Spread::block, Spread::cyclic};
  std::vector<int> so_far;
  factorisations(ranks, axes, so_far, [&](const std::vector<int>& grid) {
    for (std::size_t choice = 0; choice < (ways.size() == 1 ? 1U : 1U << axes); ++choice) {
      std::vector<Spread> spreads;
      for (std::size_t a = 0; a < axes; ++a) spreads.push_back(ways[ways.size() == 1 ? 0 : choice >> a & 1U]);
      consider(over(executable, grid, spreads));
    }
  });
  return best;
}

Ownership own(const Executable& executable, const Trace& trace, const Placement& placement) {
  const Program& program = executable.program;
  Ownership made;
  made.bytes.assign(static_cast<std::size_t>(placement.ranks), 0);
  std::vector<std::vector<std::set<int>>> users; // of inputs
  for (const Memory& m : program.tensors) {
    const auto parts = static_cast<std::size_t>(parts_of(m));
    made.owners.emplace_back(parts, -1);
    users.emplace_back(m.is_output ? 0 : parts);
  }
  for (const TracedStore& s : trace.stores)
    made.owners[static_cast<std::size_t>(s.tensor)][static_cast<std::size_t>(s.part)] =
        placement.rank_of[static_cast<std::size_t>(s.element)];
  for (std::size_t e = 0; e < trace.elements.size(); ++e)
    for (int v : trace.elements[e].needs) {
      if (v < 0) continue;
      const Value& value = trace.values[static_cast<std::size_t>(v)];
      if (value.element < 0)
        users[static_cast<std::size_t>(value.tensor)][static_cast<std::size_t>(value.part)].insert(
            placement.rank_of[e]);
    }
  for (std::size_t t = 0; t < program.tensors.size(); ++t) {
    const Memory& m = program.tensors[t];
    std::vector<std::int64_t> so_far(static_cast<std::size_t>(placement.ranks)); // of this tensor
    for (std::size_t p = 0; p < made.owners[t].size(); ++p) {
      int& owner = made.owners[t][p];
      const PartBox box = box_of(m, static_cast<std::int64_t>(p));
      std::int64_t bytes = tensor::size_of(m.type);
      for (std::int64_t c : box.count) bytes *= c;
      if (owner < 0) { // of an input; or of a result that nobody stores, which is zero
        const auto fewer = [&](int a, int b) {
          return so_far[static_cast<std::size_t>(a)] < so_far[static_cast<std::size_t>(b)];
        };
        if (!m.is_output && !users[t][p].empty())
          owner = *std::min_element(users[t][p].begin(), users[t][p].end(), fewer);
        else owner = static_cast<int>(std::min_element(so_far.begin(), so_far.end()) - so_far.begin());
      }
      so_far[static_cast<std::size_t>(owner)] += bytes;
      made.bytes[static_cast<std::size_t>(owner)] += bytes;
    }
  }
  return made;
}

} // namespace cyclotron::pe
