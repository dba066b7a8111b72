// SPDX-License-Identifier: MIT
#include "lower/loops/cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace cyclotron::lower {

using namespace recurrence;
using tensor::LevelKind;

namespace {

// Loops are taken to run this often over dense data, and this often over what a sparse fiber stores.
constexpr double dense_trips = 1000, sparse_trips = 20;
constexpr double invariant = 0, contiguous = 1, strided = 6, search = 30, nothing = 0.2;

bool mentions(const Expr& e, const std::string& name, const Program& program) {
  return accepted_affine(e, program).coefficient(name) != 0;
}

bool is_sparse(const tensor::Format& f) { return !tensor::is_dense(f); }

// How deep in the nest each level of an access becomes known; -1 where it depends on no loop.
std::vector<int> depths_of(const Access& a, const tensor::Format& format, const std::vector<const loops::Loop*>& around,
                           const Program& program) {
  std::vector<int> depths;
  for (int dim : format.order) {
    int depth = -1;
    if (static_cast<std::size_t>(dim) < a.indices.size())
      for (std::size_t l = 0; l < around.size(); ++l)
        if (mentions(a.indices[static_cast<std::size_t>(dim)], around[l]->variable, program))
          depth = static_cast<int>(l);
    depths.push_back(depth);
  }
  return depths;
}

// A sparse level is walked by a loop where its coordinate is known last, behind the levels above it.
bool walked(const std::vector<int>& depths, std::size_t level) {
  for (std::size_t l = 0; l < level; ++l)
    if (depths[l] >= depths[level]) return false;
  return depths[level] >= 0;
}

} // namespace

double cost_of(const loops::Nest& nest, const Program& program) {
  using Around = std::vector<const loops::Loop*>;
  std::multimap<int, Around> stored; // of each equation: the loops around what stores its elements
  loops::each_statement(nest.body, [&](const loops::Statement& s, const Around& around) {
    if (!s.reducer) stored.emplace(s.equation, around);
  });
  // A sum that is used in the iteration that makes it, of a loop along one of its own indices, is gathered in a
  // workspace; others where the result stands.
  const auto has_workspace = [&](const loops::Statement& s, const Around& around) {
    const auto own = [&](const loops::Loop* l) {
      return std::find(around.begin(), around.end(), l) != around.end() &&
             std::any_of(s.access().indices.begin(), s.access().indices.end(),
                         [&](const Expr& index) { return mentions(index, l->variable, program); });
    };
    const auto [first, last] = stored.equal_range(s.equation);
    return std::all_of(first, last, [&](const auto& use) { return std::ranges::any_of(use.second, own); });
  };
  double total = 0;
  loops::each_statement(nest.body, [&](const loops::Statement& s, const std::vector<const loops::Loop*>& around) {
    std::vector<double> trips(around.size(), dense_trips);
    double per_visit = nothing;
    const Access& lhs = program.equations[static_cast<std::size_t>(s.equation)].access();
    const TensorDecl* target = program.tensor(lhs.tensor);
    const auto look = [&](const Access& a, const TensorDecl& decl) {
      const std::vector<int> depths = depths_of(a, decl.format, around, program);
      for (std::size_t l = 0; l < depths.size(); ++l) {
        if (is_full(decl.format.levels[l])) continue;
        if (walked(depths, l)) trips[static_cast<std::size_t>(depths[l])] = sparse_trips;
        else per_visit += search;
      }
      if (around.empty()) return;
      const int innermost = static_cast<int>(around.size()) - 1;
      const bool used = std::find(depths.begin(), depths.end(), innermost) != depths.end();
      if (!used) per_visit += invariant;
      else per_visit += depths.back() == innermost ? contiguous : strided;
    };
    const auto look_at = [&](const Expr& root) {
      ir::walk<ExprNode>(root, [&](const Expr& e) {
        if (const Access* a = as<Access>(e))
          if (const TensorDecl* decl = program.tensor(a->tensor)) look(*a, *decl);
      });
    };
    look_at(s.value);
    if (!s.reducer) look_at(s.target);
    else if (is_sparse(target->format)) { // the result's structure says which elements are wanted
      Access wanted = s.access();
      wanted.indices.resize(std::min(wanted.indices.size(), target->dims.size()));
      const double before = per_visit;
      look(wanted, *target);
      // A sum that the innermost loop makes is stored once, behind it.
      if (around.empty() || around.back()->reduces || has_workspace(s, around))
        per_visit = std::min(per_visit, before + contiguous);
    }
    // A value gathered across outer loops is stored and loaded again.
    if (s.reducer && !around.empty() && !around.back()->reduces) per_visit += contiguous;
    double visits = 1;
    for (double t : trips) visits *= t;
    total += visits * per_visit;
  });
  return total;
}

bool share_structure(const Parts& parts, const Program& program, const std::map<std::size_t, std::string>& a,
                     const std::map<std::size_t, std::string>& b) {
  // Whether a part has an access that stores only some coordinates along its variable.
  const auto walks = [&](std::size_t p, const std::string& variable) {
    bool found = false;
    const auto look = [&](const Access& x) {
      const TensorDecl* decl = program.tensor(x.tensor);
      if (!decl) return;
      for (std::size_t l = 0; l < decl->format.levels.size(); ++l) {
        const auto d = static_cast<std::size_t>(decl->format.order[l]);
        if (!is_full(decl->format.levels[l]) && d < x.indices.size())
          found |= mentions(x.indices[d], variable, program);
      }
    };
    look(program.equations[static_cast<std::size_t>(parts.parts[p].equation)].access());
    ir::walk<ExprNode>(parts.parts[p].value, [&](const Expr& e) {
      if (const Access* x = as<Access>(e)) look(*x);
    });
    return found;
  };
  // Parts that write the same tensor walk it together.
  for (const auto& [p, x] : a)
    for (const auto& [q, y] : b)
      if (program.equations[static_cast<std::size_t>(parts.parts[p].equation)].access().tensor ==
          program.equations[static_cast<std::size_t>(parts.parts[q].equation)].access().tensor)
        return true;
  const auto any = [&](const std::map<std::size_t, std::string>& group) {
    return std::any_of(group.begin(), group.end(), [&](const auto& m) { return walks(m.first, m.second); });
  };
  return any(a) == any(b);
}

} // namespace cyclotron::lower
