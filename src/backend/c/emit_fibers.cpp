// SPDX-License-Identifier: MIT
// Fibers of sparse tensors spread out in dense workspaces.
//
// In the innermost loop of a sparse Cholesky factorisation, `tL(i,j) += L(i,k) * L(j,k)`, row j of L is walked and
// row i is looked up. Row i stays the same for all j. So at the start of iteration i it is spread out in an array
// with a place for every coordinate, and a lookup is one load instead of a search.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

// The fiber that the first levels of an access choose: `L i` for row i.
std::string Emitter::fiber_of(const AccessInfo& info, std::size_t levels) const {
  std::string id = info.tensor->name;
  if (info.step) id += "^" + text(*info.step);
  if (info.last_step) id += "^last";
  for (std::size_t l = 0; l < levels; ++l) id += ";" + text(info.coordinates[l]);
  return id;
}

// How many of the loops in scope fix the first levels of an access.
std::size_t Emitter::depth_of(const AccessInfo& info, std::size_t levels) const {
  std::size_t depth = 0;
  const auto look = [&](const Affine& a) {
    for (std::size_t l = 0; l < scope_.size(); ++l)
      if (a.coefficient(scope_[l]->variable) != 0) depth = std::max(depth, l + 1);
  };
  for (std::size_t l = 0; l < levels; ++l) look(info.coordinates[l]);
  if (info.step) look(*info.step);
  return depth;
}

// Called where a fiber is looked up along a loop. Worth spreading where loops between its choice and this one would
// walk it again and again.
void Emitter::want_fiber(const AccessInfo& info, const Resolved& at) {
  if (at.levels + 1 != info.coordinates.size()) return;
  const std::size_t depth = depth_of(info, at.levels);
  if (depth >= scope_.size()) return;
  const Loop* around = depth == 0 ? nullptr : scope_[depth - 1];
  const std::string id = fiber_of(info, at.levels);
  if (written_unseen(info, at.levels, around)) return;
  std::vector<Fiber>& list = fibers_[around];
  if (std::none_of(list.begin(), list.end(), [&](const Fiber& f) { return f.id == id; }))
    list.push_back({id, info.key, "", "", ""});
}

// Whether a statement inside `around` may write this fiber by another name: `Q(i,j)` where j = k, and column k is
// spread out. Such a write would not show in the workspace.
bool Emitter::written_unseen(const AccessInfo& info, std::size_t levels, const Loop* around) {
  bool found = false;
  loops::each_statement(nest_.body, [&](const Statement& s, const std::vector<const Loop*>& loops) {
    if (found || s.reducer || (around && std::find(loops.begin(), loops.end(), around) == loops.end())) return;
    const StatementInfo& writer = statements_.at(&s);
    if (writer.target.empty()) return;
    const AccessInfo& written = accesses_.at(writer.target);
    const TensorDecl &own = *info.tensor->decl, &other = *written.tensor->decl;
    if (own.name.name != other.name.name) return;
    if (written.tensor == info.tensor && fiber_of(written, levels) == fiber_of(info, levels)) return;
    lower::Scope scope;
    for (const Loop* l : loops) scope.push_back({l->variable, l->ranges});
    const auto always_differ = [&](const Affine& a, const Affine& b) {
      return bounds_.guard_of({{a - b, Condition::Kind::nonzero}}, scope).empty();
    };
    bool apart = info.step && written.step && always_differ(*info.step, *written.step);
    for (std::size_t l = 0; l < levels && !apart; ++l) { // a mask has its levels in another order
      const auto at = std::find(other.format.order.begin(), other.format.order.end(), own.format.order[l]);
      const auto level = static_cast<std::size_t>(at - other.format.order.begin());
      apart = always_differ(info.coordinates[l], written.coordinates[level]);
    }
    found = !apart;
  });
  return found;
}

const std::string* Emitter::fiber_workspace(const AccessInfo& info, const Resolved& at) const {
  if (at.levels + 1 != info.coordinates.size() || depth_of(info, at.levels) >= scope_.size()) return nullptr;
  const auto found = spread_.find(fiber_of(info, at.levels));
  return found == spread_.end() ? nullptr : &found->second;
}

// The elements of these accesses stand where the loop's coordinate says.
void Emitter::enter_spread(const std::set<std::string>& keys) {
  for (const std::string& key : keys) {
    const AccessInfo& info = accesses_.at(key);
    Resolved& at = resolved_.at(key);
    at.base = *fiber_workspace(info, at);
    at.position = text(info.coordinates[at.levels++]);
    at.present.clear();
  }
}

// Whether a step that is read somewhere in the loops in scope may be none of the tensor's: then nobody reads it here.
bool Emitter::may_be_before_all(const AccessInfo& info) {
  if (!info.step || !info.tensor->stepped) return false;
  const auto plan = plan_.steps.find(info.tensor->decl->name.name);
  if (plan == plan_.steps.end() || !plan->second.initial) return true;
  lower::Scope scope;
  for (const Loop* l : scope_) scope.push_back({l->variable, l->ranges});
  const Affine since = *info.step - Affine{{}, *plan->second.initial};
  return !bounds_.guard_of({{since, Condition::Kind::nonnegative}}, scope).empty();
}

void Emitter::load_fibers(const Loop* around, const std::vector<std::string>& keys) {
  const auto list = fibers_.find(around);
  if (list == fibers_.end()) return;
  for (Fiber& f : list->second) {
    // Any access to the fiber that is resolved up to its last level will do.
    const std::string* key = nullptr;
    for (const std::string& k : keys) {
      const AccessInfo& info = accesses_.at(k);
      const Resolved& at = resolved_.at(k);
      if (at.levels + 1 == info.coordinates.size() && !at.base.empty() && fiber_of(info, at.levels) == f.id) key = &k;
    }
    if (!key) continue;
    const AccessInfo& info = accesses_.at(*key);
    const Resolved& at = resolved_.at(*key);
    const TensorNames& t = *info.tensor;
    f.workspace = names_.fresh(t.name + "_row");
    const bool own = parallel_;
    const std::string size = t.sizes[at.levels];
    workspaces_.push_back({c_type(t.decl->type), f.workspace, own ? size + " * omp_get_max_threads()" : size});
    std::string name = f.workspace;
    if (own) {
      name = names_.fresh(f.workspace + "_own");
      line(
          fmt::format("{} *const {} = {} + {} * omp_get_thread_num();", c_type(t.decl->type), name, f.workspace, size));
    }
    std::tie(f.begin, f.end) = segment(info, at);
    for (std::string* end : {&f.begin, &f.end})
      if (end->find('?') != std::string::npos) {
        const std::string limit = names_.fresh(f.workspace + (end == &f.begin ? "_begin" : "_end"));
        line(fmt::format("const int64_t {} = {};", limit, *end));
        *end = limit;
      }
    const std::string& crd = t.coordinates[at.levels];
    const bool guarded = may_be_before_all(info);
    if (guarded) line(fmt::format("if ({} >= {})", text(*info.step), t.first));
    line(fmt::format("{}for (int64_t cyc_p = {}; cyc_p < {}; cyc_p++) {}[{}[cyc_p]] = {}[{}];", guarded ? "  " : "",
                     f.begin, f.end, name, crd, at.base, value_position(info, "cyc_p")));
    f.key = fmt::format("for (int64_t cyc_p = {}; cyc_p < {}; cyc_p++) {}[{}[cyc_p]] = 0;", f.begin, f.end, name, crd);
    spread_[f.id] = name;
  }
}

void Emitter::clear_fibers(const Loop* around) {
  const auto list = fibers_.find(around);
  if (list == fibers_.end()) return;
  for (const Fiber& f : list->second) {
    if (!spread_.count(f.id)) continue;
    if (around) line(f.key); // those of the whole kernel are freed anyway
    spread_.erase(f.id);
  }
}

} // namespace cyclotron::backend::c
