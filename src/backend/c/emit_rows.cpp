// SPDX-License-Identifier: MIT
// Rows of terms, several at a time.
//
//   forall k
//     forall i
//       tV(j,i) max= V(j-1,k) * A(k,i)
//
// Each k goes through all of tV(j,:), to load, change and store it. Four values of k in one pass load and store it
// once. An element takes its terms in the same order as before, so that sums are rounded as before.
#include "backend/c/emitter.hpp"
#include "recurrence/failures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

// Whether the loop over terms may take several of its iterations in one pass of the only loop inside.
bool Emitter::takes_rows(const Loop& terms) {
  const auto is_plain = [](const Loop& l) {
    return l.forall && l.rising && l.guard.empty() && l.ranges.size() == 1 && !l.parallel && l.vector_width == 0;
  };
  if (!is_plain(terms) || !terms.reduces || terms.unroll == 1 || is_single(terms) || terms.body.size() != 1 ||
      clears_steps(terms) || in_vectors_ || columns_.loop)
    return false;
  const Loop* row = std::get_if<Loop>(&terms.body[0].kind);
  if (!row || !is_plain(*row) || row->reduces || row->unroll != 0 || is_single(*row) || clears_steps(*row) ||
      vectors_.loops.count(row) || !stores_in_a_row(*row))
    return false;
  const auto known = [&](const loops::Bound& b) { return in_scope(b.value); };
  const loops::Range& range = row->ranges[0];
  if (!std::all_of(range.lower.begin(), range.lower.end(), known) ||
      !std::all_of(range.upper.begin(), range.upper.end(), known))
    return false;
  const auto depends = [&](const Affine& a) { return a.coefficient(terms.variable) != 0; };
  return std::all_of(row->body.begin(), row->body.end(), [&](const Node& n) {
    const Statement* s = std::get_if<Statement>(&n.kind);
    if (!s || !s->reducer || !s->guard.empty() || may_be_undefined(s->value)) return false;
    const loops::Temporary& t = *nest_.temporary(s->access().tensor, s->equation);
    const TemporaryPlan& plan = plan_.temporaries.at({t.name, t.equation});
    if (plan.kind == TemporaryPlan::Kind::scalar || plan.counted || !tensor::is_float(t.type) || !t.shape.empty())
      return false;
    const std::vector<Affine> written = coordinates_of(s->access(), program_);
    if (std::any_of(written.begin(), written.end(), depends)) return false;
    const StatementInfo& info = statements_.at(s);
    return info.wanted.empty() && std::all_of(info.accesses.begin(), info.accesses.end(), [&](const std::string& key) {
             const AccessInfo& access = accesses_.at(key);
             return !access.tensor->sparse() && !(access.step && depends(*access.step));
           });
  });
}

bool Emitter::emit_rows(const Loop& terms) {
  if (!takes_rows(terms)) return false;
  const Loop& row = std::get<Loop>(terms.body[0].kind);
  const std::vector<const StatementInfo*> statements = inside(terms.body);
  const std::vector<std::string> keys = keys_of(statements);
  const std::int64_t count = terms.unroll > 1 ? terms.unroll : 4;
  if (terms.unroll > 1) heeded_.insert(terms.variable);
  const std::string v = c_names_.at(terms.variable), end = end_text(terms), first = names_.fresh(v + "_first");
  if (scope_.empty()) counting_ = nullptr;
  line(fmt::format("int64_t {} = {};", first, lower_text(terms)));
  open(fmt::format("for (; {0} + {1} < {2}; {0} += {3})", first, count - 1, end, count));
  const std::map<std::string, Resolved> saved = resolved_;
  const NameTable names = names_;
  const std::size_t before = kept_names();
  struct Row {
    std::string variable;
    std::map<std::string, Resolved> resolved;
  };
  std::vector<Row> rows{{first, saved}};
  const std::size_t declared = body_.size();
  for (std::int64_t u = 1; u < count; ++u) rows.push_back({names_.fresh(fmt::format("{}_{}", v, u)), saved});
  scope_.push_back(&terms);
  for (Row& r : rows) {
    c_names_.at(terms.variable) = r.variable;
    resolved_ = saved;
    advance(keys, {});
    load_ahead(row, statements, keys);
    r.resolved = resolved_;
  }
  if (const std::string pragma = pragma_of(row, true, true); !pragma.empty()) line(pragma);
  open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", c_names_.at(row.variable), lower_text(row),
                   end_text(row)));
  scope_.push_back(&row);
  for (const Row& r : rows) {
    c_names_.at(terms.variable) = r.variable;
    resolved_ = r.resolved;
    advance(keys, {});
    emit_body(row.body, &row);
  }
  close();
  std::string variables; // of terms that depend on them
  for (std::size_t u = 1; u < rows.size(); ++u)
    if (mentions(body_.substr(declared), rows[u].variable))
      variables +=
          fmt::format("{}{} = {} + {}", variables.empty() ? "const int64_t " : ", ", rows[u].variable, first, u);
  if (!variables.empty())
    body_.insert(declared, std::string(static_cast<std::size_t>(2 * indent_), ' ') + variables + ";\n");
  close();
  scope_.resize(scope_.size() - 2);
  c_names_.at(terms.variable) = v;
  resolved_ = saved;
  if (kept_names() == before) names_ = names;
  rest_ = {&terms, first};
  emit_loop_inside(terms);
  rest_ = {};
  return true;
}

} // namespace cyclotron::backend::c
