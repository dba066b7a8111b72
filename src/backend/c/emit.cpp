// SPDX-License-Identifier: MIT
#include "backend/c/emitter.hpp"

#include "backend/c/prelude.hpp"
#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cyclotron::backend::c {

using namespace recurrence;

Emitter::Emitter(const Program& program, const Domains& domains, const loops::Nest& nest, const EmitOptions& options,
                 Diagnostics& diagnostics)
    : program_(program), domains_(domains), nest_(nest), options_(options), diagnostics_(diagnostics),
      plan_(make_plan(nest, program, domains, options.all_steps)), bounds_(*domains.context, program) {}

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

std::string Emitter::lower_text(const Loop& loop) {
  std::vector<std::string> alternatives;
  for (const loops::Range& r : loop.ranges) {
    std::vector<std::string> bounds;
    for (const loops::Bound& b : r.lower)
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
  if (loop.ranges.size() == 1 && loop.ranges[0].upper.size() == 1 && loop.ranges[0].upper[0].divisor == 1)
    return text(loop.ranges[0].upper[0].value + Affine{{}, 1});
  return upper_text(loop) + " + 1";
}

std::string Emitter::upper_text(const Loop& loop) {
  std::vector<std::string> alternatives;
  for (const loops::Range& r : loop.ranges) {
    std::vector<std::string> bounds;
    for (const loops::Bound& b : r.upper)
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
  function_ = names_.fresh(identifier(options_.name));
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
    for (std::size_t m = 0; m < options_.masks.size(); ++m) {
      if (options_.masks[m].tensor != own) continue;
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
    arguments_.push_back({Argument::Kind::values, own, 0, -1, t.values, t.output});
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
  for (int dim : info.tensor->decl->format.order)
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
    const bool own_place = !s.reducer || plan_.temporaries.at({s.access().tensor, s.equation}).kind ==
                                             TemporaryPlan::Kind::in_place;
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
        // Steps used in turn hold old values: all elements must be written anew.
        const bool reused = t.stepped && !plan_.steps.at(t.decl->name.name).all;
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
      if (t.sparse()) info.presence = both(info.presence, Presence::of(info.target.empty() ? info.wanted : info.target));
    }
}

// --- the file ---

std::string Emitter::assemble() {
  // Elements that are not written are zero.
  std::string start, finish;
  const auto add = [](std::string& out, const std::string& text) { out += "  " + text + "\n"; };
  bool frees = false, allocates = false;
  std::string allocations;
  const auto allocate = [&](const std::string& type, const std::string& name, const std::string& count, bool zero) {
    add(start, fmt::format("{} *{} = NULL;", type, name));
    if (zero) add(allocations, fmt::format("{} = calloc((size_t)({}) + 1, sizeof *{});", name, count, name));
    else add(allocations, fmt::format("{} = malloc(((size_t)({}) + 1) * sizeof *{});", name, count, name));
    add(allocations, fmt::format("if (!{}) {{", name));
    add(allocations, "  error->kind = CYC_OUT_OF_MEMORY;");
    add(allocations, "  goto finish;");
    add(allocations, "}");
    add(finish, fmt::format("free({});", name));
    frees = allocates = true;
  };
  std::string zeroing, copies;
  for (const TensorDecl* decl : program_.outputs()) {
    const TensorNames& t = tensors_.at(decl->name.name);
    const std::string type = c_type(decl->type);
    std::string count = "1";
    for (std::size_t l = 0; l < decl->format.levels.size(); ++l) {
      const LevelKind kind = decl->format.levels[l];
      if (kind == LevelKind::dense) count = count == "1" ? t.sizes[l] : fmt::format("{} * {}", count, t.sizes[l]);
      else if (kind != LevelKind::singleton) count = fmt::format("{}[{}]", t.positions[l], count);
    }
    const bool every_step = options_.all_steps.count(decl->name.name) > 0;
    const std::string steps = t.stepped ? fmt::format("({1} < {0} ? 1 : {1} - {0} + 1)", t.first, t.last) : "";
    const auto plan = plan_.steps.find(decl->name.name);
    add(start, fmt::format("const int64_t {} = {};", t.count, count));
    if (t.stepped && every_step) {
      add(start, fmt::format("{} *const {} = {};", type, t.steps, t.values));
      add(zeroing, fmt::format("memset({}, 0, (size_t)({} < {} ? 0 : {} * {}) * sizeof *{});", t.values, t.last, t.first,
                               steps, t.count, t.values));
    } else if (t.stepped && !plan->second.all && plan->second.kept == 1) {
      add(start, fmt::format("{} *const {} = {};", type, t.steps, t.values));
      add(zeroing, fmt::format("memset({0}, 0, (size_t){1} * sizeof *{0});", t.values, t.count));
    } else if (t.stepped) {
      const std::string kept = plan->second.all ? steps : std::to_string(plan->second.kept);
      allocate(type, t.steps, fmt::format("{} * {}", kept, t.count), true);
      const std::string slot = fmt::format("({} - {}){}", t.last, t.first,
                                           plan->second.all ? "" : fmt::format(" % {}", plan->second.kept));
      add(copies, fmt::format("if ({} < {}) memset({}, 0, (size_t){} * sizeof *{});", t.last, t.first, t.values, t.count,
                              t.values));
      add(copies, fmt::format("else memcpy({0}, {1} + {2} * {3}, (size_t){3} * sizeof *{0});", t.values, t.steps, slot,
                              t.count));
    } else {
      bool zero = left_out_.count(decl->name.name) > 0;
      for (const auto& [key, p] : plan_.temporaries)
        zero |= p.kind == TemporaryPlan::Kind::in_place &&
                program_.equations[static_cast<std::size_t>(key.second)].access().tensor == decl->name.name;
      if (!zero) zero = !defined_everywhere(*decl);
      if (zero) add(zeroing, fmt::format("memset({0}, 0, (size_t){1} * sizeof *{0});", t.values, t.count));
      else if (body_.find(t.count) == std::string::npos && zeroing.find(t.count) == std::string::npos)
        start.erase(start.rfind("  const int64_t " + t.count)); // not needed
    }
  }
  std::string per_thread;
  for (const loops::Temporary& t : nest_.temporaries) {
    const TemporaryPlan& plan = plan_.temporaries.at({t.name, t.equation});
    if (plan.kind != TemporaryPlan::Kind::array) continue;
    const std::string& name = temporaries_.at({t.name, t.equation});
    const std::string identity = identity_text(t.reducer, t.type);
    std::string size = array_sizes_.at({t.name, t.equation});
    if (private_.count({t.name, t.equation})) size += " * omp_get_max_threads()";
    allocate(c_type(t.type), name, size, identity == "0");
    if (identity != "0")
      add(allocations, fmt::format("for (int64_t cyc_i = 0; cyc_i < {}; cyc_i++) {}[cyc_i] = {};", size, name, identity));
  }
  for (const Workspace& w : workspaces_) allocate(w.type, w.name, w.size, true);
  for (const auto& [place, name] : pointers_) {
    const std::size_t at = place.find('/');
    const TensorNames& t = tensors_.at(place.substr(0, at));
    const auto level = static_cast<std::size_t>(std::stoi(place.substr(at + 1)));
    std::string count = "1";
    for (std::size_t l = 0; l < level; ++l) {
      if (t.decl->format.levels[l] == LevelKind::dense) count = count == "1" ? t.sizes[l] : count + " * " + t.sizes[l];
      else count = fmt::format("{}[{}]", t.positions[l], count);
    }
    allocate("index_t", name, count, false);
    add(allocations, fmt::format("memcpy({0}, {1}, (size_t)({2}) * sizeof *{0});", name, t.positions[level], count));
  }
  std::string lets;
  for (const LetDecl& l : program_.lets) {
    if (body_.find(c_names_.at(l.name.name)) == std::string::npos) continue;
    failing_ = false;
    equation_ = -1;
    std::string value = expression(l.value, type_of(l.value));
    // A constant that is not a number shows where it is used.
    if (failing_) {
      if (lets.find("let_failed") == std::string::npos) lets += "  int let_failed = 0;\n  (void)let_failed;\n";
      for (std::size_t at = 0; (at = value.find("&failed", at)) != std::string::npos;) value.replace(at, 7, "&let_failed");
    }
    lets += fmt::format("  const {} {} = {};\n", c_type(type_of(l.value)), c_names_.at(l.name.name), value);
  }

  std::string out = fmt::format("// {}: made by Cyclotron.\n//\n", options_.title.empty() ? function_ : options_.title);
  for (const Equation& e : program_.equations) out += "//   " + print(e) + "\n";
  out += "//\n// Returns 0, or the kind of failure, which `error` then describes.\n";
  for (const Argument& a : arguments_) {
    std::string what;
    const TensorDecl* decl = program_.tensor(a.name);
    switch (a.kind) {
    case Argument::Kind::size: what = "size"; break;
    case Argument::Kind::first_step: what = fmt::format("first step of {}", a.name); break;
    case Argument::Kind::last_step: what = fmt::format("last step of {}", a.name); break;
    case Argument::Kind::positions: what = fmt::format("{}: where the entries of level {} begin", a.name, a.level + 1); break;
    case Argument::Kind::coordinates: what = fmt::format("{}: coordinates of level {}", a.name, a.level + 1); break;
    case Argument::Kind::bits: what = fmt::format("{}: bits of level {}", a.name, a.level + 1); break;
    case Argument::Kind::entries: what = fmt::format("{}: where the entries of its mask stand in the values", a.name); break;
    case Argument::Kind::values:
      what = fmt::format("{}: values, {}", a.written ? "result" : "input", recurrence::print(*decl).substr(7));
      break;
    }
    out += fmt::format("//   {:<12} {}\n", a.c_name, what);
  }
  if (uses_openmp_) out += "#include <omp.h>\n";
  out += "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
  out += fmt::format("typedef {} index_t; // of positions and coordinates\n\n", options_.wide ? "int64_t" : "int32_t");
  out += "typedef struct {\n  int kind;      // one of the CYC_ constants\n  int equation;  // of the program, from 0\n"
         "  int64_t at[8]; // the element\n} cyclotron_error;\n\n";
  out += "enum { CYC_DIVIDES_BY_ZERO = 1, CYC_ROOT_OF_NEGATIVE, CYC_LOG_OF_NEGATIVE, CYC_OVERFLOWS, CYC_OUT_OF_MEMORY "
         "};\n\n";
  if (body_.find("CYC_INDEPENDENT") != std::string::npos)
    out += "// The iterations of the loop that follows do not depend on each other.\n#if defined(__clang__)\n"
           "#define CYC_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n#elif defined(__GNUC__)\n"
           "#define CYC_INDEPENDENT _Pragma(\"GCC ivdep\")\n#else\n#define CYC_INDEPENDENT\n#endif\n\n";
  out += prelude(prelude_);
  std::string parameters;
  for (const Argument& a : arguments_) {
    std::string type;
    switch (a.kind) {
    case Argument::Kind::size:
    case Argument::Kind::first_step:
    case Argument::Kind::last_step: type = "const int64_t "; break;
    case Argument::Kind::positions:
    case Argument::Kind::entries:
    case Argument::Kind::coordinates: type = "const index_t *restrict "; break;
    case Argument::Kind::bits: type = "const uint64_t *restrict "; break;
    case Argument::Kind::values:
      type = fmt::format("{}{} *restrict ", a.written ? "" : "const ", c_type(program_.tensor(a.name)->type));
      break;
    }
    parameters += type + a.c_name + ", ";
  }
  prototype_ = fmt::format("int {}({}cyclotron_error *restrict error)", function_, parameters);
  out += prototype_ + " {\n";
  for (int e : overflows_) out += e < 0 ? "  int32_t overflow = 0;\n" : fmt::format("  int32_t overflow_{} = 0;\n", e);
  out += "  error->kind = 0;\n" + lets + start + allocations + zeroing + body_;
  if (!copies.empty()) out += "\n" + copies;
  for (int e : overflows_) {
    if (e < 0) out += "  if (overflow && error->kind == 0) error->kind = CYC_OVERFLOWS, error->equation = -1;\n";
    else
      out += fmt::format("  if (overflow_{0} && error->kind == 0) error->kind = CYC_OVERFLOWS, error->equation = {0};\n", e);
  }
  const bool jumps = body_.find("goto finish") != std::string::npos || allocates;
  if (jumps) out += "finish:\n";
  out += finish + "  return error->kind;\n}\n\n";
  // One entry for all kernels: arguments as arrays.
  out += "// The same with its arguments in arrays, for callers that learn them at run time.\n";
  out += fmt::format("int cyclotron_call(const int64_t *numbers, void *const *arrays, cyclotron_error *error) {{\n");
  std::string list;
  int numbers = 0, arrays = 0;
  for (const Argument& a : arguments_)
    if (a.kind == Argument::Kind::size || a.kind == Argument::Kind::first_step || a.kind == Argument::Kind::last_step)
      list += fmt::format("numbers[{}], ", numbers++);
    else list += fmt::format("arrays[{}], ", arrays++);
  if (numbers == 0) out += "  (void)numbers;\n";
  if (arrays == 0) out += "  (void)arrays;\n";
  out += fmt::format("  return {}({}error);\n}}\n", function_, list);
  return out;
}

// Declarations that turned out not to be needed: positions that nobody reads, coordinates that stand for themselves.
void Emitter::remove_dead_declarations() {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (bool again = true; again;) {
    again = false;
    std::map<std::string, int> uses;
    for (std::size_t i = 0; i < body_.size();) {
      if (!is_letter(body_[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < body_.size() && is_letter(body_[end])) ++end;
      ++uses[body_.substr(i, end - i)];
      i = end;
    }
    std::string kept;
    for (std::size_t at = 0; at < body_.size();) {
      const std::size_t end = body_.find('\n', at) + 1;
      const std::string line = body_.substr(at, end - at);
      at = end;
      const std::size_t text = line.find_first_not_of(' ');
      const std::size_t equals = line.find(" = ");
      bool dead = false;
      for (const char* head : {"const int64_t ", "int64_t ", "const int "})
        if (text != std::string::npos && equals != std::string::npos && line.compare(text, std::string(head).size(), head) == 0) {
          const std::size_t name = text + std::string(head).size();
          dead |= name < equals && uses[line.substr(name, equals - name)] == 1;
        }
      // A position that only moves, and is never read, is dead, too.
      if (dead) again = true;
      else kept += line;
    }
    body_ = std::move(kept);
  }
}

bool Emitter::defined_everywhere(const TensorDecl& decl) const {
  std::vector<std::string> variables, texts;
  for (std::size_t d = 0; d < decl.dims.size(); ++d) {
    variables.push_back("d" + std::to_string(d) + "'");
    texts.push_back("0 <= " + variables.back() + " < " + isl_text(accepted_affine(decl.dims[d], program_)));
  }
  isl::set box = make_set(*domains_.context, program_, variables, texts);
  box = isl::manage(isl_set_set_tuple_name(box.release(), isl_name(decl.name.name).c_str()));
  for (const EquationDomain& e : domains_.equations)
    if (e.equation->access().tensor == decl.name.name) box = box.subtract(e.defines.range());
  return box.is_empty();
}

std::optional<Emitted> Emitter::run() {
  for (const Equation& e : program_.equations) {
    const bool tile = e.access().indices.size() < program_.tensor(e.access().tensor)->dims.size();
    if (!tile) continue;
    diagnostics_.unsupported(e.span, "the C target does not compute with tiles yet")
        .with_hint("`--target=interpret` does");
    return std::nullopt;
  }
  name_everything();
  collect();
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
      else if (dim < tensor.decl->dims.size()) {
        own = text(accepted_affine(tensor.decl->dims[dim], program_));
        if (own.find(' ') != std::string::npos) own = "(" + own + ")";
      } else {
        own = nested_size(t, t.variables[domains_.equations[static_cast<std::size_t>(t.equation)].indices.size() + dim -
                                         tensor.decl->dims.size()]);
        array_sizes_[{t.name + "/" + std::to_string(d), t.equation}] = own;
      }
      size = size.empty() ? own : fmt::format("{} * {}", size, own);
    }
    array_sizes_[{t.name, t.equation}] = size;
  }
  // The first run finds out which fibers are looked up again and again; the second spreads them out.
  const NameTable names = names_;
  const auto keys = keys_of(inside(nest_.body)), wanted = wanted_of(inside(nest_.body));
  for (const bool final_run : {false, true}) {
    if (final_run && fibers_.empty()) break;
    names_ = names;
    body_.clear();
    resolved_.clear();
    left_out_.clear();
    prelude_.clear();
    private_.clear();
    overflows_.clear();
    pointers_.clear();
    advance(keys, wanted);
    load_fibers(nullptr, keys);
    emit_body(nest_.body, nullptr);
    clear_fibers(nullptr);
  }
  for (const Marching& m : options_.marching)
    if (std::none_of(pointers_.begin(), pointers_.end(),
                     [&](const auto& p) { return p.first.substr(0, p.first.find('/')) == m.tensor; })) {
      diagnostics_.error(m.span, fmt::format("nothing in `{}` is looked up along `{}`", m.tensor, m.variable))
          .with_hint(fmt::format("marching pointers help where `{}` is the outermost loop, rising, and `{}` is stored "
                                 "sparse across it",
                                 m.variable, m.tensor));
      return std::nullopt;
    }
  remove_dead_declarations();
  for (std::size_t at; (at = body_.find('@')) != std::string::npos;) {
    const std::size_t end = body_.find('\n', at);
    std::string clause;
    for (int e : overflows_)
      if (const std::string mark = fmt::format("@{}@", e); (body_.substr(at, end - at) + "@").find(mark) != std::string::npos)
        clause += fmt::format("{}overflow_{}", clause.empty() ? " reduction(| : " : ", ", e);
    body_.replace(at, end - at, clause.empty() ? "" : clause + ")");
  }
  Emitted result;
  result.text = assemble();
  result.function = function_;
  result.prototype = prototype_;
  result.arguments = arguments_;
  result.uses_openmp = uses_openmp_;
  return result;
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
