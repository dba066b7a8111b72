// SPDX-License-Identifier: MIT
#include "backend/c/emitter.hpp"
#include "backend/c/index_text.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cyclotron::backend::c {

using namespace recurrence;

Emitter::Emitter(const Program& program, const Domains& domains, const loops::Nest& nest, const EmitOptions& options,
                 Diagnostics& diagnostics)
    : program_(program), domains_(domains), nest_(nest), options_(options), diagnostics_(diagnostics),
      plan_(make_plan(nest, program, domains, options.all_steps, options.internal)),
      bounds_(*domains.context, program) {}

// --- text ---

void Emitter::line(const std::string& text) {
  body_ += fmt::format("{:{}}{}\n", "", text[0] == '#' ? 0 : 2 * indent_, text);
}

void Emitter::open(const std::string& head) {
  line(head.empty() ? "{" : head + " {");
  ++indent_;
}

void Emitter::otherwise() {
  --indent_;
  open("} else");
}

void Emitter::close() {
  --indent_;
  line("}");
}

const std::string& Emitter::use(const char* function) { return *prelude_.insert(function).first; }

std::string Emitter::text(const Affine& a) const {
  std::string out;
  const auto term = [&](std::int64_t c, const std::string& name) {
    const std::int64_t size = c < 0 ? -c : c;
    out += out.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    out += name.empty() ? std::to_string(size) : size == 1 ? name : fmt::format("{} * {}", size, name);
  };
  for (const bool positive : {true, false})
    for (const auto& [name, c] : a.terms)
      if ((c > 0) == positive) term(c, c_names_.at(name));
  if (a.constant != 0 || out.empty()) term(a.constant, "");
  return out;
}

std::string Emitter::condition(const Condition& c) const {
  Affine left, right;
  for (const auto& [name, k] : c.affine.terms) (k > 0 ? left : right).terms[name] = k > 0 ? k : -k;
  (c.affine.constant > 0 ? left : right).constant = c.affine.constant > 0 ? c.affine.constant : -c.affine.constant;
  const char* relation = c.kind == Condition::Kind::nonnegative ? ">=" : c.kind == Condition::Kind::zero ? "==" : "!=";
  return fmt::format("{} {} {}", text(left), relation, text(right));
}

std::string Emitter::conditions(const std::vector<Condition>& list) const {
  std::string out;
  for (const Condition& c : list) out += (out.empty() ? "" : " && ") + condition(c);
  return out;
}

namespace {

std::string folded(const std::vector<std::string>& items, const char* function) {
  std::string out = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) out = fmt::format("{}({}, {})", function, out, items[i]);
  return out;
}

} // namespace

// Of the ranges of a loop, those whose end is not always inside another's.
std::vector<const loops::Range*> Emitter::outermost(const Loop& loop, bool lower) {
  const auto end = [&](const loops::Range& r) { return lower ? r.lower : r.upper; };
  const auto simple = [&](const loops::Range& r) { return end(r).size() == 1 && end(r)[0].divisor == 1; };
  std::vector<const loops::Range*> list;
  for (const loops::Range& r : loop.ranges) list.push_back(&r);
  for (std::size_t i = list.size(); i-- > 0 && list.size() > 1;) {
    const bool needless =
        simple(*list[i]) && std::any_of(list.begin(), list.end(), [&](const loops::Range* other) {
          if (other == list[i] || !simple(*other)) return false;
          const Affine own = end(*list[i])[0].value, wider = end(*other)[0].value;
          lower::Scope scope;
          for (const Loop* l : scope_) scope.push_back({l->variable, l->ranges});
          return bounds_.guard_of({condition_of(lower ? wider : own, Relation::less_equal, lower ? own : wider)}, scope)
              .empty();
        });
    if (needless) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return list;
}

std::string Emitter::lower_text(const Loop& loop) {
  std::vector<std::string> alternatives;
  for (const loops::Range* r : outermost(loop, true)) {
    std::vector<std::string> bounds;
    for (const loops::Bound& b : r->lower)
      bounds.push_back(b.divisor == 1 ? text(b.value)
                                      : fmt::format("{}({}, {})", use("cyc_ceil_div"), text(b.value), b.divisor));
    if (bounds.size() > 1) use("cyc_max_i64");
    alternatives.push_back(folded(bounds, "cyc_max_i64"));
  }
  if (alternatives.size() > 1) use("cyc_min_i64");
  return folded(alternatives, "cyc_min_i64");
}

// One past the last value.
std::string Emitter::end_text(const Loop& loop) {
  if (const auto ranges = outermost(loop, false);
      ranges.size() == 1 && ranges[0]->upper.size() == 1 && ranges[0]->upper[0].divisor == 1)
    return text(ranges[0]->upper[0].value + Affine{{}, 1});
  return upper_text(loop) + " + 1";
}

std::string Emitter::upper_text(const Loop& loop) {
  std::vector<std::string> alternatives;
  for (const loops::Range* r : outermost(loop, false)) {
    std::vector<std::string> bounds;
    for (const loops::Bound& b : r->upper)
      bounds.push_back(b.divisor == 1 ? text(b.value)
                                      : fmt::format("{}({}, {})", use("cyc_floor_div"), text(b.value), b.divisor));
    if (bounds.size() > 1) use("cyc_min_i64");
    alternatives.push_back(folded(bounds, "cyc_min_i64"));
  }
  if (alternatives.size() > 1) use("cyc_max_i64");
  return folded(alternatives, "cyc_max_i64");
}

// Whether every element has an equation; of a stepped tensor, in its first step.
bool Emitter::defined_everywhere(const TensorDecl& decl) const {
  const std::string& name = decl.name.name;
  const bool stepped = program_.is_stepped(name);
  std::vector<std::string> variables;
  std::vector<Condition> inside;
  if (stepped) variables.push_back("s'"); // a prime: no name of the program is like this
  for (std::size_t d = 0; d < decl.dims.size(); ++d) {
    variables.push_back("d" + std::to_string(d) + "'");
    add_index_inside(variables.back(), accepted_affine(decl.dims[d], program_), inside);
  }
  isl::set box = set_where(*domains_.context, program_, variables, inside);
  if (stepped) {
    isl_set* first = isl_set_lexmin(isl_set_reset_tuple_id(domains_.steps.at(name).copy()));
    first = isl_set_add_dims(first, isl_dim_set, static_cast<unsigned>(decl.dims.size()));
    box = box.intersect(isl::manage(first));
  }
  box = isl::manage(isl_set_set_tuple_name(box.release(), isl_name(name).c_str()));
  for (const EquationDomain& e : domains_.equations)
    if (e.equation->access().tensor == name) box = box.subtract(e.defines.range());
  return box.is_empty();
}

// Whether some of a workspace is used in an iteration that computes only a part of it: it needs itself.
bool Emitter::is_used_early(const lower::Workspace& w) const {
  const auto is_over = [&](std::size_t d) {
    return std::find(w.over.begin(), w.over.end(), w.variables[d]) != w.over.end();
  };
  for (const Placed& writer : plan_.statements) {
    if (writer.statement->access().tensor != w.name) continue;
    const std::vector<Affine> coordinates = coordinates_of(writer.statement->access(), program_);
    for (const Placed& reader : plan_.statements) {
      bool reads = false;
      ir::walk<ExprNode>(reader.statement->value, [&](const Expr& e) {
        if (const Access* a = as<Access>(e)) reads |= a->tensor == w.name;
      });
      for (std::size_t l = 0; reads && l < writer.loops.size() && l < reader.loops.size(); ++l) {
        if (writer.loops[l] != reader.loops[l]) break;
        for (std::size_t d = 0; d < coordinates.size(); ++d)
          if (is_over(d) && coordinates[d].coefficient(writer.loops[l]->variable) != 0) return true;
      }
    }
  }
  return false;
}

// A workspace is over its own variables only: the loops over the others are around all that has to do with it.
bool Emitter::check_workspaces() {
  for (const lower::Workspace& w : options_.workspaces) {
    const std::vector<std::string> others = w.others();
    if (is_used_early(w)) {
      diagnostics_
          .error(w.span, fmt::format("not all of `{}` over {} can be computed before it is used", w.name,
                                     fmt::join(w.over, ", ")))
          .note("some of it needs what is computed from the rest, or the order has other loops inside")
          .with_hint("compute it over fewer variables, or leave `precompute` out");
      return false;
    }
    std::vector<std::string> kept = w.variables;
    if (const auto fold = plan_.folds.find(w.name); fold != plan_.folds.end()) {
      kept.clear();
      for (std::size_t d : fold->second.kept) kept.push_back(w.variables[d]);
      if (fold->second.loop) kept.push_back(fold->second.loop->variable);
    }
    if (std::none_of(others.begin(), others.end(),
                     [&](const std::string& v) { return std::find(kept.begin(), kept.end(), v) != kept.end(); }))
      continue;
    const std::string order = fmt::format("{}, {}", fmt::join(others, ", "), fmt::join(w.over, ", "));
    diagnostics_
        .error(w.span,
               fmt::format("`{}` would have to hold more than all of {} at a time", w.name, fmt::join(w.over, ", ")))
        .note(fmt::format("the loops have it computed in one nest and used in another, not both within {}",
                          fmt::join(others, ", ")))
        .with_hint(fmt::format("give an order that begins with {}, not in tiles, or leave `precompute` out", order));
    return false;
  }
  return true;
}

std::optional<Emitted> Emitter::run() {
  if (!check_tiles() || !check_workspaces()) return std::nullopt;
  name_everything();
  choose_narrow();
  collect();
  vectors_ = find_vectors(plan_, nest_, program_, options_.internal);
  name_vectors();
  find_starts();
  // How large workspaces are.
  for (const loops::Temporary& t : nest_.temporaries) {
    const TemporaryPlan& plan = plan_.temporaries.at({t.name, t.equation});
    if (plan.kind != TemporaryPlan::Kind::array) continue;
    const Access& target = program_.equations[static_cast<std::size_t>(t.equation)].access();
    const TensorNames& tensor = tensors_.at(target.tensor);
    std::string size;
    for (std::size_t d : plan.kept) {
      const std::size_t dim = d - (target.step ? 1 : 0);
      std::string own;
      if (target.step && d == 0) own = fmt::format("({} - {} + 1)", tensor.last, tensor.first);
      else if (dim < target.indices.size()) {
        own = in_brackets(text(accepted_affine(program_.tensor(target.tensor)->dims[dim], program_)));
      } else {
        const std::size_t outer = domains_.equations[static_cast<std::size_t>(t.equation)].indices.size();
        NestedRange range = nested_range(t, t.variables[outer + dim - target.indices.size()]);
        own = in_brackets(range.size);
        nested_ranges_[{t.name, t.equation, d}] = std::move(range);
      }
      size = size.empty() ? own : fmt::format("{} * {}", size, own);
    }
    array_sizes_[{t.name, t.equation}] = t.shape.empty() ? size : size + " * " + tile_size(t.shape);
  }
  // The first run finds out which fibers are looked up again and again; the second spreads them out.
  const NameTable names = names_;
  const auto prelude = prelude_; // what sizes need
  const auto keys = keys_of(inside(nest_.body)), wanted = wanted_of(inside(nest_.body));
  for (const bool final_run : {false, true}) {
    if (final_run && fibers_.empty() && marches_.empty() && diagonal_uses_.empty()) break;
    if (final_run) decide_passing();
    if (final_run) decide_diagonals();
    names_ = names;
    body_.clear();
    resolved_.clear();
    left_out_.clear();
    partial_.clear();
    same_levels_.clear();
    assigned_.clear();
    prelude_ = prelude;
    private_.clear();
    shared_out_.clear();
    overflows_.clear();
    searches_.clear();
    heeded_.clear();
    unheeded_.clear();
    sizes_noted_.clear();
    safe_.clear();
    pointers_.clear();
    diagonals_.clear();
    positions_.clear();
    tile_buffers_.clear();
    advance(keys, wanted);
    load_fibers(nullptr, keys);
    emit_body(nest_.body, nullptr);
    clear_fibers(nullptr);
  }
  for (const Marching& m : options_.marching)
    if (std::none_of(pointers_.begin(), pointers_.end(), [&](const auto& p) { return p.first.tensor == m.tensor; })) {
      diagnostics_.error(m.span, fmt::format("nothing in `{}` is looked up along `{}`", m.tensor, m.variable))
          .with_hint(fmt::format("marching pointers help where `{}` is the outermost loop, rising, and `{}` is stored "
                                 "sparse across it",
                                 m.variable, m.tensor));
      return std::nullopt;
    }
  if (!check_masks()) return std::nullopt;
  return assemble();
}

bool Emitter::check_masks() {
  bool all_used = true;
  for (const Mask& m : options_.masks) {
    const auto own = masks_.find(m.tensor);
    if (own == masks_.end()) continue; // its steps are in memory in another way
    const bool used = std::any_of(accesses_.begin(), accesses_.end(), [&](const auto& access) {
      const TensorNames* t = access.second.tensor;
      return t->decl->format.levels == m.format.levels && t->decl->format.order == m.format.order &&
             std::any_of(own->second.begin(), own->second.end(), [&](const TensorNames& mask) { return &mask == t; });
    });
    if (used) continue;
    all_used = false;
    diagnostics_.error(m.span, fmt::format("these loops follow `{}` as it is stored, and not this mask", m.tensor))
        .with_hint("leave it out, or give an order of loops that crosses the format");
  }
  return all_used;
}

// All values of a reduction's variable, in sizes: they need not begin at 0, nor be any.
Emitter::NestedRange Emitter::nested_range(const loops::Temporary& t, const std::string& variable) {
  const EquationDomain& equation = domains_.equations[static_cast<std::size_t>(t.equation)];
  std::vector<Condition> all = equation.conditions;
  for (const ReductionDomain& r : equation.reductions) all.insert(all.end(), r.conditions.begin(), r.conditions.end());
  Loop loop;
  loop.ranges = {bounds_.range_of(all, variable, {})};
  const auto name = [&](const char* what) { return names_.fresh(fmt::format("{}_{}_{}", t.name, variable, what)); };
  NestedRange range;
  if (const std::string first = lower_text(loop); first != "0") {
    range.first = name("first");
    nested_constants_ += fmt::format("  const int64_t {} = {};\n", range.first, first);
  }
  const std::vector<loops::Bound>& upper = loop.ranges[0].upper;
  const bool one = range.first.empty() && upper.size() == 1 && upper[0].divisor == 1;
  const Affine end = one ? upper[0].value + Affine{{}, 1} : Affine{};
  if (one && bounds_.guard_of({condition_of(Affine{}, Relation::less_equal, end)}, {}).empty()) {
    range.size = text(end);
    return range;
  }
  range.size = name("count"); // none where there are fewer
  nested_constants_ += fmt::format("  const int64_t {} = {}({}{}, 0);\n", range.size, use("cyc_max_i64"),
                                   end_text(loop), range.first.empty() ? "" : " - " + range.first);
  return range;
}

std::optional<Emitted> emit(const Program& program, const Domains& domains, const loops::Nest& nest,
                            const EmitOptions& options, Diagnostics& diagnostics) {
  return Emitter(program, domains, nest, options, diagnostics).run();
}

} // namespace cyclotron::backend::c
