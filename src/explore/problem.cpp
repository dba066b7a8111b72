// SPDX-License-Identifier: MIT
#include "explore/problem.hpp"

#include "lower/dataflow/array_equations.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::explore {

using namespace lower;

namespace {

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// An input and the indices that some read of it lacks: along these it can flow.
struct Operand {
  std::string tensor;
  std::vector<std::string> lacks;
};

std::vector<Operand> operands_of(const ArrayEquations& equations) {
  std::vector<Operand> operands;
  const auto take = [&](const recurrence::Access& a, const ArrayEquation& e, const std::vector<std::string>& scope) {
    if (equations.is_computed(a.tensor)) return;
    auto at = std::find_if(operands.begin(), operands.end(), [&](const Operand& o) { return o.tensor == a.tensor; });
    if (at == operands.end()) at = operands.insert(at, {a.tensor, {}});
    const recurrence::Point element = equations.element_of(a, e);
    for (const std::string& name : scope) {
      const bool has =
          std::any_of(element.begin(), element.end(), [&](const Affine& x) { return x.coefficient(name) != 0; });
      if (!has && !contains(at->lacks, name)) at->lacks.push_back(name);
    }
  };
  for (const ArrayEquation& e : equations.equations) {
    if (e.constant) continue;
    const std::function<void(const Expr&, const std::vector<std::string>&)> visit =
        [&](const Expr& x, const std::vector<std::string>& scope) {
          if (const auto* a = ir::as<recurrence::Access>(x)) take(*a, e, scope);
          std::vector<std::string> inner = scope;
          if (ir::as<recurrence::Reduce>(x)) {
            const ArrayEquation::Sum& sum = e.sum(x);
            inner.insert(inner.end(), sum.own.begin(), sum.own.end());
          }
          ir::each_child<recurrence::ExprNode>(x, [&](const Expr& child) { visit(child, inner); });
        };
    visit(e.source->value, e.variables);
  }
  return operands;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 4;
  return b != 0 && a > most / b ? most : a * b;
}

} // namespace

class Enumeration {
public:
  Enumeration(const recurrence::Program& program, const ArrayEquations& equations, const ProblemOptions& options)
      : options_(options), variables_(variables_of(equations)), operands_(operands_of(equations)) {
    taken_.insert(variables_.begin(), variables_.end());
    for (const recurrence::Binder& s : program.sizes) taken_.insert(s.name);
    for (const recurrence::TensorDecl& t : program.tensors) taken_.insert(t.name.name);
  }

  Problem run() {
    for (const std::int64_t tile : options_.tiles)
      for (const auto& space : spaces()) {
        if (options_.grids.empty()) add(space, {}, tile);
        for (const auto& grid : options_.grids) {
          if (!grid.empty() && grid.size() != space.size()) continue;
          add(space, grid, tile);
          const bool symmetric = std::all_of(grid.begin(), grid.end(), [&](std::int64_t g) { return g == grid[0]; });
          if (!symmetric && options_.spaces.empty()) add({space[1], space[0]}, grid, tile);
        }
      }
    return std::move(problem_);
  }

private:
  std::vector<std::vector<std::string>> spaces() const {
    if (!options_.spaces.empty()) return options_.spaces;
    std::vector<std::vector<std::string>> all;
    for (std::size_t a = 0; a < variables_.size(); ++a)
      for (std::size_t b = a + 1; b < variables_.size(); ++b) all.push_back({variables_[a], variables_[b]});
    for (const std::string& v : variables_) all.push_back({v});
    return all;
  }

  // A grid is reached by passes over the array, or by PEs that do the work of several.
  void add(const std::vector<std::string>& space, const std::vector<std::int64_t>& grid, std::int64_t tile) {
    Choice base;
    base.grid = grid.empty() ? "whole" : fmt::format("{}", fmt::join(grid, "x"));
    base.tile = tile;
    base.mapping.space_given = base.mapping.time_given = true;
    if (tile > 1) {
      base.mapping.lift = Lift{};
      for (const std::string& v : variables_) base.mapping.lift->extents[v] = tile;
    }
    base.mapping.space = space;
    if (grid.empty()) return add_orders(base, {});
    for (const bool cyclic : {false, true}) {
      Choice folded = base;
      for (std::size_t a = 0; a < space.size(); ++a) folded.mapping.folds.push_back({space[a], cyclic, grid[a], 1, {}});
      add_orders(folded, {});
    }
    std::map<std::string, std::string> inner;
    for (std::size_t a = 0; a < space.size(); ++a) {
      const SplitIndex split{space[a], fresh(space[a] + "o"), fresh(space[a] + "i"), grid[a], {}};
      base.mapping.splits.push_back(split);
      base.mapping.time.push_back(split.outer);
      base.mapping.space[a] = inner[space[a]] = split.inner;
    }
    add_orders(base, inner);
  }

  std::string fresh(std::string name) const {
    while (taken_.count(name)) name += "_";
    return name;
  }

  // All orders of the steps. `inner` are the parts that became axes.
  void add_orders(const Choice& base, const std::map<std::string, std::string>& inner) {
    std::vector<std::string> steps;
    for (const std::string& v : variables_)
      if (!contains(base.mapping.space, v) && !inner.count(v)) steps.push_back(v);
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      Problem::Layout layout{base, {}, 0, 1};
      for (const std::size_t s : order) layout.choice.mapping.time.push_back(steps[s]);
      add_ways(layout, inner);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  void add_ways(Problem::Layout& layout, const std::map<std::string, std::string>& inner) {
    const std::vector<std::string>& axes = layout.choice.mapping.space;
    for (const Operand& o : operands_) {
      std::vector<Way> ways;
      for (const std::string& index : o.lacks) {
        const auto part = inner.find(index);
        ways.push_back({o.tensor, Travel::stream, part == inner.end() ? index : part->second, {}});
      }
      if (options_.broadcasts) ways.push_back({o.tensor, Travel::broadcast, axes[0], {}});
      for (const std::string& axis : axes) ways.push_back({o.tensor, Travel::prefetch, axis, {}});
      layout.count = product(layout.count, ways.size() + 1);
      layout.ways.push_back(std::move(ways));
    }
    layout.first = problem_.count_;
    problem_.count_ += layout.count;
    problem_.layouts_.push_back(std::move(layout));
  }

  const ProblemOptions& options_;
  std::vector<std::string> variables_;
  std::vector<Operand> operands_;
  std::set<std::string> taken_;
  Problem problem_;
};

std::optional<Problem> Problem::of(const frontend::Checked& checked, const ProblemOptions& options,
                                   Diagnostics& diagnostics) {
  const auto equations = array_equations(checked, {}, diagnostics);
  if (!equations) return std::nullopt;
  const std::vector<std::string> variables = variables_of(*equations);
  for (const auto& space : options.spaces)
    for (const std::string& axis : space)
      if (!contains(variables, axis))
        diagnostics.error(fmt::format("--space: `{}` is no index of an equation that computes", axis))
            .with_hint(fmt::format("the indices are {}", fmt::join(variables, ", ")));
  if (diagnostics.failed()) return std::nullopt;
  Problem problem = Enumeration(checked.program(), *equations, options).run();
  if (problem.count() == 0) {
    diagnostics.error("there is no schedule to try")
        .with_hint(variables.empty() ? "the program computes nothing that has an index"
                                     : "a grid such as 4x4 needs two axes, one such as 16 needs one");
    return std::nullopt;
  }
  return problem;
}

Choice Problem::choice(std::uint64_t number) const {
  const auto after = std::upper_bound(layouts_.begin(), layouts_.end(), number,
                                      [](std::uint64_t n, const Layout& l) { return n < l.first; });
  const Layout& layout = *std::prev(after);
  Choice result = layout.choice;
  std::uint64_t rest = number - layout.first;
  for (const auto& ways : layout.ways) {
    const std::uint64_t way = rest % (ways.size() + 1);
    rest /= ways.size() + 1;
    if (way > 0) result.mapping.ways.push_back(ways[way - 1]);
  }
  return result;
}

std::vector<std::uint64_t> Problem::pick(std::uint64_t budget, std::uint64_t seed) const {
  std::set<std::uint64_t> picked;
  if (count_ <= budget) {
    std::vector<std::uint64_t> all(count_);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(layouts_.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (std::size_t i = 0; i < order.size() && picked.size() < budget; ++i) picked.insert(layouts_[order[i]].first);
  std::vector<std::uint64_t> left(layouts_.size());
  for (std::size_t l = 0; l < left.size(); ++l) left[l] = layouts_[l].count - 1;
  while (picked.size() < budget)
    for (std::size_t i = 0; i < order.size() && picked.size() < budget; ++i) {
      const Layout& layout = layouts_[order[i]];
      if (left[order[i]] == 0) continue;
      --left[order[i]];
      std::uint64_t number = layout.first + random() % layout.count;
      while (picked.count(number)) number = layout.first + (number - layout.first + 1) % layout.count;
      picked.insert(number);
    }
  return {picked.begin(), picked.end()};
}

} // namespace cyclotron::explore
