// SPDX-License-Identifier: MIT
#include "backend/c/emitter.hpp"

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

// --- names ---

void Emitter::name_everything() {
  function_ = names_.function(identifier(options_.name));
  for (const Binder& s : program_.sizes) {
    c_names_[s.name] = names_.fresh(s.name);
    arguments_.push_back({Argument::Kind::size, s.name, 0, -1, c_names_[s.name], false});
  }
  for (const LetDecl& l : program_.lets) c_names_[l.name.name] = names_.fresh(l.name.name);
  for (const Placed& p : plan_.statements)
    for (const Loop* l : p.loops)
      if (!c_names_.count(l->variable)) c_names_[l->variable] = names_.fresh(l->variable);
  std::vector<const TensorDecl*> ordered = program_.inputs();
  for (const TensorDecl* t : program_.outputs()) ordered.push_back(t);
  for (const TensorDecl* decl : ordered) {
    const std::string& own = decl->name.name;
    TensorNames& t = tensors_[own];
    t.decl = decl;
    if (options_.all_steps.count(own)) { // all steps of a tensor are dense, whatever its format
      mask_decls_.push_back(std::make_unique<TensorDecl>(*decl));
      mask_decls_.back()->format = tensor::dense_format(static_cast<int>(decl->dims.size()));
      t.decl = mask_decls_.back().get();
    }
    if (const auto fold = plan_.folds.find(own); fold != plan_.folds.end()) {
      t.fold = &fold->second;
      mask_decls_.push_back(std::make_unique<TensorDecl>(*decl));
      mask_decls_.back()->dims.clear();
      for (std::size_t d : t.fold->kept) mask_decls_.back()->dims.push_back(decl->dims[d]);
      mask_decls_.back()->format = tensor::dense_format(static_cast<int>(t.fold->kept.size()));
      t.decl = mask_decls_.back().get();
    }
    t.output = program_.is_output(own);
    t.name = names_.fresh(own);
    t.values = names_.fresh(t.name + "_vals");
    t.count = names_.fresh(t.name + "_count");
    t.stepped = t.output && program_.is_stepped(own);
    if (t.stepped) {
      t.first = names_.fresh(t.name + "_first");
      t.last = names_.fresh(t.name + "_last");
      t.steps = names_.fresh(t.name + "_steps");
      arguments_.push_back({Argument::Kind::first_step, own, 0, -1, t.first, false});
      arguments_.push_back({Argument::Kind::last_step, own, 0, -1, t.last, false});
    }
    name_levels(t, -1);
    if (t.fold && t.fold->drift != 0)
      t.sizes.back() = fmt::format("({} + {})", text(accepted_affine(t.decl->dims.back(), program_)),
                                   drift_text(*t.fold, t.fold->last));
    for (std::size_t m = 0; m < options_.masks.size(); ++m) {
      if (options_.masks[m].tensor != own || t.decl != decl) continue;
      mask_decls_.push_back(std::make_unique<TensorDecl>(*decl));
      mask_decls_.back()->format = options_.masks[m].format;
      TensorNames mask = t;
      mask.decl = mask_decls_.back().get();
      mask.name = names_.fresh(t.name + "_mask");
      mask.sizes.clear();
      name_levels(mask, static_cast<int>(m));
      mask.entries = names_.fresh(mask.name + "_entry");
      arguments_.push_back({Argument::Kind::entries, own, 0, static_cast<int>(m), mask.entries, false});
      masks_[own].push_back(std::move(mask));
    }
    if (!options_.internal.count(own)) arguments_.push_back({Argument::Kind::values, own, 0, -1, t.values, t.output});
  }
  for (const loops::Temporary& t : nest_.temporaries) {
    const Access& target = program_.equations[static_cast<std::size_t>(t.equation)].access();
    const std::string stem = identifier(t.name + (target.indices.empty() ? "" : "_"));
    std::string letters;
    for (const Expr& e : target.indices) letters += identifier(print_index(e));
    temporaries_[{t.name, t.equation}] = names_.fresh(stem + letters);
  }
}

// The arrays of a tensor's levels, or of a mask's.
void Emitter::name_levels(TensorNames& t, int mask) {
  const TensorDecl& decl = *t.decl;
  const std::string& own = decl.name.name;
  const std::size_t rank = decl.format.levels.size();
  t.positions.assign(rank, "");
  t.coordinates.assign(rank, "");
  t.bits.assign(rank, "");
  for (std::size_t l = 0; l < rank; ++l) {
    t.sizes.push_back(text(accepted_affine(decl.dims[static_cast<std::size_t>(decl.format.order[l])], program_)));
    if (t.sizes.back().find(' ') != std::string::npos) t.sizes.back() = "(" + t.sizes.back() + ")";
    const LevelKind kind = decl.format.levels[l];
    const std::string stem = fmt::format("{}{}", t.name, l + 1);
    const int level = static_cast<int>(l);
    if (kind == LevelKind::compressed || kind == LevelKind::bitvector) {
      t.positions[l] = names_.fresh(stem + "_pos");
      arguments_.push_back({Argument::Kind::positions, own, level, mask, t.positions[l], false});
    }
    if (kind == LevelKind::compressed || kind == LevelKind::singleton) {
      t.coordinates[l] = names_.fresh(stem + "_crd");
      arguments_.push_back({Argument::Kind::coordinates, own, level, mask, t.coordinates[l], false});
    }
    if (kind == LevelKind::bitvector) {
      t.bits[l] = names_.fresh(stem + "_bits");
      arguments_.push_back({Argument::Kind::bits, own, level, mask, t.bits[l], false});
    }
  }
}

// Of a tensor with masks, the form that these loops can walk: each sparse level is fixed by a loop further in than
// those of the levels above it.
void Emitter::choose_view(const Access& access, const std::vector<const Loop*>& around) {
  const auto masks = masks_.find(access.tensor);
  if (masks == masks_.end() || accesses_.count(print(Expr(access)))) return;
  const auto fits = [&](const TensorNames& t) {
    int deepest = -1;
    for (std::size_t l = 0; l < t.decl->format.levels.size(); ++l) {
      const Affine c = accepted_affine(access.indices.at(static_cast<std::size_t>(t.decl->format.order[l])), program_);
      int depth = -1;
      for (std::size_t i = 0; i < around.size(); ++i)
        if (c.coefficient(around[i]->variable) != 0) depth = static_cast<int>(i);
      if (t.decl->format.levels[l] != LevelKind::dense && depth <= deepest) return false;
      deepest = std::max(deepest, depth);
    }
    return true;
  };
  if (fits(tensors_.at(access.tensor))) return;
  for (const TensorNames& mask : masks->second)
    if (fits(mask)) {
      AccessInfo info = access_info(access);
      info.tensor = &mask;
      info.coordinates.clear();
      for (int dim : mask.decl->format.order)
        info.coordinates.push_back(accepted_affine(access.indices.at(static_cast<std::size_t>(dim)), program_));
      accesses_.at(info.key) = info;
      return;
    }
}

std::string Emitter::value_position(const AccessInfo& info, const std::string& position) const {
  return info.tensor->entries.empty() ? position : fmt::format("{}[{}]", info.tensor->entries, position);
}

const AccessInfo& Emitter::access_info(const Access& access) {
  const std::string key = print(Expr(access));
  const auto [at, is_new] = accesses_.try_emplace(key);
  if (!is_new) return at->second;
  AccessInfo& info = at->second;
  info.key = key;
  info.tensor = &tensors_.at(access.tensor);
  if (const Fold* fold = info.tensor->fold) {
    for (std::size_t d : fold->kept) info.coordinates.push_back(accepted_affine(access.indices[d], program_));
    if (fold->loop) info.step = fold->steps.at(key);
    return info;
  }
  const bool tile = access.indices.size() < info.tensor->decl->dims.size(); // its place is worked out where it is used
  for (int dim : tile ? std::vector<int>{} : info.tensor->decl->format.order)
    info.coordinates.push_back(accepted_affine(access.indices.at(static_cast<std::size_t>(dim)), program_));
  if (access.step) info.step = accepted_affine(*access.step, program_);
  info.last_step = info.tensor->stepped && !access.step;
  return info;
}

// What each statement touches, and where it has something to do.
void Emitter::collect() {
  const auto is_sparse = [&](const Access& a) {
    const auto t = tensors_.find(a.tensor);
    return t != tensors_.end() && t->second.sparse();
  };
  for (const Placed& p : plan_.statements) {
    const Statement& s = *p.statement;
    StatementInfo& info = statements_[&s];
    info.statement = &s;
    const auto add = [&](const Access& a) {
      choose_view(a, p.loops);
      const std::string& key = access_info(a).key;
      if (std::find(info.accesses.begin(), info.accesses.end(), key) == info.accesses.end())
        info.accesses.push_back(key);
      return key;
    };
    ir::walk<ExprNode>(s.value, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a) return;
      if (program_.tensor(a->tensor)) {
        info.reads.insert(add(*a));
        return;
      }
      if (plan_.temporaries.at({a->tensor, s.equation}).kind != TemporaryPlan::Kind::in_place) return;
      Access own = *a;
      own.tensor = program_.equations[static_cast<std::size_t>(s.equation)].access().tensor;
      add(own);
    });
    const Access& lhs = program_.equations[static_cast<std::size_t>(s.equation)].access();
    Access target = s.access();
    target.tensor = lhs.tensor;
    target.indices.resize(lhs.indices.size());
    const TensorNames& t = tensors_.at(lhs.tensor);
    const bool own_place =
        !s.reducer || plan_.temporaries.at({s.access().tensor, s.equation}).kind == TemporaryPlan::Kind::in_place;
    if (own_place) info.target = add(target);
    else if (t.sparse()) {
      choose_view(target, p.loops);
      info.wanted = access_info(target).key;
    }
  }
  // Temporaries first need to know which points they leave out, so accumulations come before assignments.
  for (const bool accumulations : {true, false})
    for (const Placed& p : plan_.statements) {
      const Statement& s = *p.statement;
      if (s.reducer.has_value() != accumulations) continue;
      StatementInfo& info = statements_.at(&s);
      const TensorNames& t = tensors_.at(program_.equations[static_cast<std::size_t>(s.equation)].access().tensor);
      const auto temporary = [&](const Access& a) {
        const TemporaryPlan& plan = plan_.temporaries.at({a.tensor, s.equation});
        const loops::Temporary& own = *nest_.temporary(a.tensor, s.equation);
        if (plan.kind != TemporaryPlan::Kind::scalar) return Presence::always();
        if (own.reducer != Reducer::sum && own.reducer != Reducer::any) return Presence::always();
        for (const Placed& other : plan_.statements)
          if (other.statement->reducer && other.statement->equation == s.equation &&
              other.statement->access().tensor == a.tensor)
            return statements_.at(other.statement).presence;
        return Presence::always();
      };
      const auto dense_access = [&](const Access& a) {
        return program_.tensor(a.tensor) ? Presence::always() : temporary(a);
      };
      const Presence some = nonzero(s.value, is_sparse, dense_access);
      if (!s.reducer) {
        // Memory used in turn holds old values: all elements must be written anew.
        const bool reused = t.fold || (t.stepped && !plan_.steps.at(t.decl->name.name).all);
        info.presence = reused ? Presence::always() : some;
      } else if (*s.reducer == Reducer::sum || *s.reducer == Reducer::any) {
        info.presence = some;
      } else {
        TemporaryPlan& plan = plan_.temporaries.at({s.access().tensor, s.equation});
        info.presence = not_identity(s.value, *s.reducer, is_sparse);
        const bool one_loop = p.loops.size() == plan.shared_depth + 1 && p.loops.back()->ranges.size() == 1 &&
                              p.loops.back()->guard.empty() && s.guard.empty();
        if (info.presence.is_always() && !some.is_always() && one_loop && plan.kind == TemporaryPlan::Kind::scalar) {
          plan.counted = true;
          info.presence = some;
        }
      }
      // What takes a value out of a workspace, or out of the element's own memory, must not leave it there. Where
      // something else can make the element zero, a sparse result lacks some that the workspace has.
      bool more_than_stored = false;
      ir::walk<ExprNode>(s.value, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        if (!a || program_.tensor(a->tensor)) return;
        const TemporaryPlan::Kind kind = plan_.temporaries.at({a->tensor, s.equation}).kind;
        if (kind == TemporaryPlan::Kind::scalar) return;
        more_than_stored |= kind == TemporaryPlan::Kind::array && (s.reducer.has_value() || !some.is_always());
        info.presence = Presence::always();
        if (s.reducer) plan_.temporaries.at({s.access().tensor, s.equation}).counted = false;
      });
      if (t.sparse() && !more_than_stored)
        info.presence = both(info.presence, Presence::of(info.target.empty() ? info.wanted : info.target));
    }
}

// Of a stepped tensor, its first step.
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
        .note("it is not always used in the iteration that computes it")
        .with_hint(fmt::format("give an order that has the loops {} in this order", order));
    return false;
  }
  return true;
}

std::optional<Emitted> Emitter::run() {
  if (!check_tiles() || !check_workspaces()) return std::nullopt;
  name_everything();
  choose_narrow();
  collect();
  lanes_ = find_lanes(plan_, nest_, program_, options_.internal);
  name_lanes();
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
        own = text(accepted_affine(program_.tensor(target.tensor)->dims[dim], program_));
        if (own.find(' ') != std::string::npos) own = "(" + own + ")";
      } else {
        own = nested_size(t, t.variables[domains_.equations[static_cast<std::size_t>(t.equation)].indices.size() + dim -
                                         target.indices.size()]);
        array_sizes_[{t.name + "/" + std::to_string(d), t.equation}] = own;
      }
      size = size.empty() ? own : fmt::format("{} * {}", size, own);
    }
    array_sizes_[{t.name, t.equation}] = t.shape.empty() ? size : size + " * " + tile_size(t.shape);
  }
  // The first run finds out which fibers are looked up again and again; the second spreads them out.
  const NameTable names = names_;
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
    prelude_.clear();
    private_.clear();
    shared_out_.clear();
    overflows_.clear();
    searches_.clear();
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
  return assemble();
}

// One past the largest value of a reduction's variable, in sizes.
std::string Emitter::nested_size(const loops::Temporary& t, const std::string& variable) {
  for (const ReductionDomain& r : domains_.equations[static_cast<std::size_t>(t.equation)].reductions) {
    if (std::find(r.variables.begin(), r.variables.end(), variable) == r.variables.end()) continue;
    std::vector<Condition> all = domains_.equations[static_cast<std::size_t>(t.equation)].conditions;
    for (const ReductionDomain& other : domains_.equations[static_cast<std::size_t>(t.equation)].reductions)
      all.insert(all.end(), other.conditions.begin(), other.conditions.end());
    const loops::Range range = bounds_.range_of(all, variable, {});
    Loop loop;
    loop.ranges = {range};
    return fmt::format("({} + 1)", upper_text(loop));
  }
  bug("a workspace has no size");
}

std::optional<Emitted> emit(const Program& program, const Domains& domains, const loops::Nest& nest,
                            const EmitOptions& options, Diagnostics& diagnostics) {
  return Emitter(program, domains, nest, options, diagnostics).run();
}

} // namespace cyclotron::backend::c
