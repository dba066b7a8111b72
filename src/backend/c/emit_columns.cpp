// SPDX-License-Identifier: MIT
// Rows of sums in registers.
//
// In `X(i,k) += B(i,j) * C(j,k)`, with k innermost, each entry of row i of B adds to all of row i of X: as many loads
// and stores of X as there are products. Instead, 32 columns at a time are summed up over all of the row in variables
// that the C compiler keeps in registers, and stored once. Sums over j and columns do not depend on each other, so that
// the loop over blocks of columns may stand outside.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

bool is_plain(const Loop& loop) {
  return loop.forall && loop.rising && loop.guard.empty() && !loop.parallel && loop.vector_width == 0 &&
         loop.unroll == 0;
}

} // namespace

// The loops from `outer` inwards: reductions around one loop over columns, which has one statement.
std::optional<Emitter::Columns> Emitter::columns_of(const Loop& outer) {
  std::vector<const Loop*> sums;
  const Loop* at = &outer;
  for (; is_plain(*at) && at->body.size() == 1; at = std::get_if<Loop>(&at->body[0].kind)) {
    if (std::holds_alternative<Statement>(at->body[0].kind)) break;
    if (!at->reduces || is_single(*at)) return std::nullopt;
    sums.push_back(at);
  }
  if (sums.empty() || !is_plain(*at) || at->body.size() != 1 || at->ranges.size() != 1 || is_single(*at))
    return std::nullopt;
  const auto* s = std::get_if<Statement>(&at->body[0].kind);
  if (!s || s->reducer != Reducer::sum || !s->guard.empty() || writes_tile(*s) || !is_sum_of_products(s->value))
    return std::nullopt;
  const std::pair key{s->access().tensor, s->equation};
  const TemporaryPlan& plan = plan_.temporaries.at(key);
  const loops::Temporary& t = *nest_.temporary(key.first, key.second);
  if (plan.kind == TemporaryPlan::Kind::scalar || plan.counted || !tensor::is_float(t.type) || !t.shape.empty() ||
      !stores_in_a_row(*at))
    return std::nullopt;
  const auto touches = [&](const Affine& a) {
    return std::any_of(sums.begin(), sums.end(), [&](const Loop* l) { return a.coefficient(l->variable) != 0; });
  };
  const std::vector<Affine> written = coordinates_of(s->access(), program_);
  if (std::any_of(written.begin(), written.end(), touches)) return std::nullopt;
  const auto known = [&](const loops::Bound& b) { return in_scope(b.value); };
  const loops::Range& range = at->ranges[0];
  if (!std::all_of(range.lower.begin(), range.lower.end(), known) ||
      !std::all_of(range.upper.begin(), range.upper.end(), known))
    return std::nullopt;
  // Worth it where the sums go over what is stored; columns must all be there.
  bool sparse = false;
  std::vector<std::string> all = statements_.at(s).accesses;
  if (const std::string& wanted = statements_.at(s).wanted; !wanted.empty()) all.push_back(wanted);
  for (const std::string& key_of_access : all) {
    const AccessInfo& info = accesses_.at(key_of_access);
    for (std::size_t l = 0; l < info.coordinates.size(); ++l) {
      if (is_full(info.tensor->decl->format.levels[l])) continue;
      if (info.coordinates[l].coefficient(at->variable) != 0) return std::nullopt;
      sparse |= touches(info.coordinates[l]);
    }
  }
  if (!sparse) return std::nullopt;
  return Columns{at, key, "", "", "", false};
}

// Whether the loops around visit every element of the result once, so that its sum is complete here.
bool Emitter::sums_up_whole_rows(const Columns& columns, const StatementInfo& info) {
  if (plan_.temporaries.at(columns.key).kind != TemporaryPlan::Kind::in_place) return false;
  const AccessInfo& target = accesses_.at(info.target);
  for (const Loop* l : scope_) {
    const bool chooses = std::any_of(target.coordinates.begin(), target.coordinates.end(),
                                     [&](const Affine& c) { return c.coefficient(l->variable) != 0; });
    if (!chooses || partial_.count(l) || !l->guard.empty()) return false;
  }
  return lower_text(*columns.loop) == "0" && end_text(*columns.loop) == target.tensor->sizes.back();
}

// Names that are known beyond the block in which they come up.
std::size_t Emitter::kept_names() const { return workspaces_.size() + pointers_.size() + same_levels_.size(); }

bool Emitter::emit_columns(const Loop& outer) {
  if (columns_.loop) return false;
  auto found = columns_of(outer);
  if (!found) return false;
  columns_ = *found;
  const Loop& loop = *columns_.loop;
  const auto& statement = std::get<Statement>(loop.body[0].kind);
  const StatementInfo& info = statements_.at(&statement);
  const std::string& v = c_names_.at(loop.variable);
  const std::string end = end_text(loop), type = c_type(nest_.temporary(columns_.key.first, columns_.key.second)->type);
  columns_.first = names_.fresh(v + "_first");
  columns_.index = names_.fresh(v + "_in");
  columns_.name = names_.fresh(temporaries_.at(columns_.key) + "_part");
  const bool whole_rows = sums_up_whole_rows(columns_, info);
  if (whole_rows) assigned_.insert(columns_.key);
  // `set` with the columns of the result one by one, inside the loop that is open.
  const auto set = [&](const char* how, const std::string& value) {
    const std::map<std::string, Resolved> saved = resolved_;
    scope_.push_back(&loop);
    if (!info.target.empty()) advance({info.target}, {});
    line(fmt::format("{} {} {};", temporary_place(statement.access(), statement.equation), how, value));
    scope_.pop_back();
    resolved_ = saved;
  };
  line(fmt::format("int64_t {} = {};", columns_.first, lower_text(loop)));
  open(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", columns_.first, Columns::block, end));
  line(fmt::format("{} {}[{}] = {{0}}; // in registers", type, columns_.name, Columns::block));
  const NameTable names = names_;
  const std::size_t before = kept_names();
  columns_.whole = true;
  emit_loop_inside(outer);
  columns_.whole = false;
  if (kept_names() == before) names_ = names; // for the rest, in a block of its own
  open(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0}++)", columns_.index, Columns::block));
  line(fmt::format("const int64_t {} = {} + {};", v, columns_.first, columns_.index));
  set(whole_rows ? "=" : "+=", fmt::format("{}[{}]", columns_.name, columns_.index));
  close();
  close();
  open(fmt::format("if ({} < {})", columns_.first, end));
  if (whole_rows) {
    open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", v, columns_.first, end));
    set("=", "0");
    close();
  }
  emit_loop_inside(outer);
  close();
  columns_ = {};
  return true;
}

} // namespace cyclotron::backend::c
