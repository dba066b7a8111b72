// SPDX-License-Identifier: MIT
#include "backend/c/in_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cyclotron::backend::c {

using namespace recurrence;
using loops::Loop;

namespace {

// { [loops] -> [indices] }
isl::map elements_of(const Access& access, const Placed& p, const Program& program, const Domains& domains) {
  std::vector<std::string> names;
  std::vector<Condition> conditions;
  for (const Expr& index : access.indices) {
    names.push_back(fmt::format("e{}'", names.size())); // a prime: no name of the program is like this
    conditions.push_back({Affine{{{names.back(), 1}}, 0} - accepted_affine(index, program), Condition::Kind::zero});
  }
  isl_map* map = isl_map_from_range(
      loops::domain_of(*p.statement, p.loops, *domains.context, program, conditions, names).release());
  return isl::manage(isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(p.loops.size())));
}

// Whether some pair of the relation, { [loops of the read] -> [loops of the write] }, has the write first.
bool write_first(const isl::map& pairs, const Placed& read, const Placed& write, bool write_stands_first) {
  isl_map* same = pairs.copy(); // those in the same iteration of the loops seen so far
  bool found = false;
  std::size_t d = 0;
  for (; d < read.loops.size() && d < write.loops.size() && read.loops[d] == write.loops[d]; ++d) {
    const Loop& loop = *read.loops[d];
    const int at = static_cast<int>(d);
    isl_map* later = isl_map_order_gt(isl_map_copy(same), isl_dim_in, at, isl_dim_out, at);
    isl_map* earlier = isl_map_order_lt(isl_map_copy(same), isl_dim_in, at, isl_dim_out, at);
    found |= (loop.forall || loop.rising) && isl_map_is_empty(later) != isl_bool_true;
    found |= (loop.forall || !loop.rising) && isl_map_is_empty(earlier) != isl_bool_true;
    isl_map_free(later);
    isl_map_free(earlier);
    same = isl_map_equate(same, isl_dim_in, at, isl_dim_out, at);
  }
  if (write_stands_first) found |= isl_map_is_empty(same) != isl_bool_true;
  isl_map_free(same);
  return found;
}

// `U^t(0,j) = U^(t-1)(0,j)`: with one memory for both, nothing changes.
bool stays(const Placed& p, const Program& program, const Affine& oldest) {
  const loops::Statement& s = *p.statement;
  const Access* from = as<Access>(s.value);
  if (s.reducer || !from || from->tensor != s.access().tensor || !from->step) return false;
  const std::vector<Affine> a = coordinates_of(*from, program), b = coordinates_of(s.access(), program);
  return a[0] == oldest && std::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end());
}

} // namespace

bool may_overwrite(const std::string& name, const Loop& loop, std::int64_t oldest,
                   const std::vector<Placed>& statements, const Program& program, const Domains& domains) {
  const std::size_t rank = program.tensor(name)->dims.size();
  const Affine old{{{loop.variable, 1}}, oldest};
  std::map<std::size_t, isl::map> written; // by a statement: { [indices] -> [loops] }
  const auto written_by = [&](std::size_t w) {
    if (const auto at = written.find(w); at != written.end()) return at->second;
    const Access& target = statements[w].statement->access();
    return written.emplace(w, elements_of(target, statements[w], program, domains).reverse()).first->second;
  };
  for (std::size_t r = 0; r < statements.size(); ++r) {
    const Placed& read = statements[r];
    if (read.loops.empty() || read.loops[0] != &loop || stays(read, program, old)) continue;
    bool fits = true;
    ir::walk<ExprNode>(read.statement->value, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a || a->tensor != name || !fits) return;
      fits = a->indices.size() == rank; // whole tiles are written before all of them is read
      if (!fits || accepted_affine(*a->step, program) != old) return;
      const isl::map reads = elements_of(*a, read, program, domains);
      for (std::size_t w = 0; w < statements.size() && fits; ++w) {
        const Placed& write = statements[w];
        if (write.statement->access().tensor != name || write.loops.empty() || write.loops[0] != &loop) continue;
        if (stays(write, program, old)) continue;
        isl::map pairs = reads.apply_range(written_by(w));
        pairs = isl::manage(isl_map_equate(pairs.release(), isl_dim_in, 0, isl_dim_out, 0)); // of the same step
        fits = !write_first(pairs, read, write, w < r);
      }
    });
    if (!fits) return false;
  }
  return true;
}

} // namespace cyclotron::backend::c
