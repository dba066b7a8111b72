// SPDX-License-Identifier: MIT
// Statements and expressions as C.
#include "backend/c/emitter.hpp"
#include "backend/c/index_text.hpp"
#include "recurrence/failures.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::backend::c {

using namespace recurrence;

std::string c_type(ValueType type) {
  switch (type) {
  case ValueType::f64: return "double";
  case ValueType::f32: return "float";
  case ValueType::i32: return "int32_t";
  case ValueType::i64: return "int64_t";
  case ValueType::boolean: return "uint8_t";
  }
  bug("unknown type");
}

std::string_view suffix_of(ValueType type) { return type == ValueType::boolean ? "i32" : tensor::name_of(type); }

std::string identity_text(Reducer reducer, ValueType type) {
  const bool floating = tensor::is_float(type);
  const std::string limit = type == ValueType::i64 ? "INT64_" : "INT32_";
  switch (reducer) {
  case Reducer::sum:
  case Reducer::any: return "0";
  case Reducer::prod:
  case Reducer::all: return "1";
  case Reducer::min: return floating ? "INFINITY" : limit + "MAX";
  case Reducer::max: return floating ? "-INFINITY" : limit + "MIN";
  }
  bug("unknown reducer");
}

const loops::Temporary* Emitter::temporary_of(const Access& access) const {
  if (program_.tensor(access.tensor)) return nullptr;
  return nest_.temporary(access.tensor, equation_);
}

// --- values ---

std::string Emitter::number(const Number& n, ValueType type) const {
  if (tensor::is_float(type)) {
    const char* f = type == ValueType::f32 ? "f" : "";
    if (std::isinf(n.value)) return n.value < 0 ? "-INFINITY" : "INFINITY";
    std::string digits = fmt::format("{}", n.value);
    if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
    return n.value < 0 ? fmt::format("({}{})", digits, f) : digits + f;
  }
  const std::int64_t value = n.integer.value_or(0);
  if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
    return fmt::format("INT64_C({})", value);
  return value < 0 ? fmt::format("({})", value) : std::to_string(value);
}

// Each equation notes its overflows apart, so that the message can name it.
std::string Emitter::overflow() {
  overflows_.insert(equation_);
  return equation_ < 0 ? "&overflow" : fmt::format("&overflow_{}", equation_);
}

std::string Emitter::convert(const std::string& text, ValueType from, ValueType to) {
  if (from == to) return text;
  if (to == ValueType::i32 && from == ValueType::i64 && !safe_now_) {
    return fmt::format("{}({}, {})", use("cyc_to_i32"), text, overflow());
  }
  return fmt::format("({}){}", c_type(to),
                     text.find_first_of(" +-*/<>=&|?") == std::string::npos ? text : "(" + text + ")");
}

// A number that is known now: a literal, one with a minus, or a name for such.
std::optional<Number> Emitter::constant(const Expr& expr) const {
  if (const Number* n = as<Number>(expr)) return *n;
  if (const Name* n = as<Name>(expr); n && n->kind == NameKind::constant) return constant(program_.let(n->id)->value);
  const Unary* u = as<Unary>(expr);
  if (!u || u->op != UnaryOp::negate) return std::nullopt;
  auto n = constant(u->operand);
  if (!n || (n->integer && *n->integer == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  n->value = -n->value;
  if (n->integer) n->integer = -*n->integer;
  return n;
}

std::string Emitter::expression(const Expr& expr, ValueType type) {
  if (const auto n = constant(expr))
    if (tensor::is_float(type) || (n->integer && type != ValueType::boolean)) return number(*n, type);
  if (const Select* s = as<Select>(expr))
    return fmt::format("({} ? {} : {})", expression(s->condition, ValueType::boolean), expression(s->then_value, type),
                       expression(s->else_value, type));
  return convert(raw(expr), type_of(expr), type);
}

std::string Emitter::raw(const Expr& expr) {
  const ValueType own = type_of(expr);
  return match(
      expr, [&](const Number& n) { return number(n, own); },
      [](const Boolean& b) { return std::string(b.value ? "1" : "0"); },
      [&](const Name& n) {
        if (n.kind == NameKind::constant) return c_names_.at(n.id);
        // Indices and sizes are 64 bits wide, whatever they are combined with.
        const std::string text = c_names_.at(n.id);
        return own == ValueType::i64 ? text : convert(text, ValueType::i64, own);
      },
      [&](const Access& a) { return read(a); },
      [&](const Unary& u) {
        if (u.op == UnaryOp::logical_not) return fmt::format("!{}", expression(u.operand, own));
        const std::string x = expression(u.operand, own);
        if (tensor::is_float(own) || safe_now_) return fmt::format("(-{})", x);
        return fmt::format("{}(0, {}, {})", use(own == ValueType::i64 ? "cyc_sub_i64" : "cyc_sub_i32"), x, overflow());
      },
      [&](const Binary& b) { return binary(b, own); }, [&](const Call& c) { return call(c, own); },
      [&](const Select& s) {
        return fmt::format("({} ? {} : {})", expression(s.condition, ValueType::boolean), expression(s.then_value, own),
                           expression(s.else_value, own));
      },
      [](const Reduce&) -> std::string { bug("a reduction was left in a statement"); },
      [](const KernelCall&) -> std::string { bug("a kernel makes no number"); });
}

// A sum whose terms include the value that the iteration before computed: that one comes last, so that the next
// iteration waits for one addition only. Empty where there is no such term, or no other.
std::string Emitter::sum_of_carried(const Binary& sum, ValueType own) {
  std::vector<std::string> terms;
  std::string last;
  const std::function<void(const Expr&)> add = [&](const Expr& e) {
    const Binary* inner = as<Binary>(e);
    if (inner && inner->op == BinaryOp::add && type_of(e) == own) {
      add(inner->lhs);
      add(inner->rhs);
      return;
    }
    const Access* a = as<Access>(e);
    const bool own_value = a && program_.tensor(a->tensor) && type_of(e) == own;
    const std::string value = own_value ? resolved_.at(access_info(*a).key).value : "";
    const bool carried =
        std::any_of(carried_.begin(), carried_.end(), [&](const auto& c) { return c.second == value; });
    if (carried && last.empty()) last = value;
    else terms.push_back(expression(e, own));
  };
  add(sum.lhs);
  add(sum.rhs);
  if (last.empty() || terms.size() < 2) return "";
  return fmt::format("({} + {})", fmt::join(terms, " + "), last);
}

// A sum that started out as what it is taken from or added to: that is all of it. Else empty.
std::string Emitter::started_sum(const Binary& b) {
  const Access *from = as<Access>(b.lhs), *sum = as<Access>(b.rhs);
  const Start* start = from && sum && temporary_of(*sum) ? start_of(sum->tensor, equation_) : nullptr;
  return start && from->tensor == start->input ? temporary_place(*sum, equation_) : "";
}

namespace {

// `(a + b) + c` needs no brackets inside; compilers also have a limit to how deep these go.
std::string infix(const std::string& x, const Binary& b, const std::string& y) {
  const Binary* left = as<Binary>(b.lhs);
  const auto is_sum = [](BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::sub; };
  const bool alike = left && (is_sum(b.op) ? is_sum(left->op) : left->op == b.op && b.op == BinaryOp::mul);
  int depth = 0;
  std::size_t first_end = 0; // where the bracket that opens the text is closed
  if (alike && x.starts_with('('))
    for (std::size_t i = 0; i < x.size() && first_end == 0; ++i) {
      depth += x[i] == '(' ? 1 : x[i] == ')' ? -1 : 0;
      if (depth == 0) first_end = i;
    }
  const bool whole = first_end > 0 && first_end + 1 == x.size();
  return fmt::format("({} {} {})", whole ? x.substr(1, x.size() - 2) : x, name_of(b.op), y);
}

} // namespace

std::string Emitter::binary(const Binary& b, ValueType own) {
  if (is_logical(b.op))
    return fmt::format("({} {} {})", expression(b.lhs, own), b.op == BinaryOp::logical_and ? "&&" : "||",
                       expression(b.rhs, own));
  if (is_comparison(b.op)) {
    const ExprType &l = nest_.types.of(b.lhs), &r = nest_.types.of(b.rhs);
    const ValueType type =
        l.type == ValueType::boolean && r.type == ValueType::boolean ? ValueType::boolean : promote(l, r).type;
    return fmt::format("({} {} {})", expression(b.lhs, type), name_of(b.op), expression(b.rhs, type));
  }
  if (const std::string sum = started_sum(b); !sum.empty()) return sum;
  if (b.op == BinaryOp::add && tensor::is_float(own) && !carried_.empty())
    if (const std::string text = sum_of_carried(b, own); !text.empty()) return text;
  const std::string x = expression(b.lhs, own), y = expression(b.rhs, own);
  if (tensor::is_float(own)) {
    if (b.op == BinaryOp::div) {
      if (const auto divisor = constant(b.rhs); divisor && is_safe_divisor(*divisor))
        return fmt::format("({} / {})", x, y);
      failing_ = true;
      // In a sparse result 0 / 0 is 0, because elements that are zero by structure are not computed (decision 6).
      const Equation* around = equation_ < 0 ? nullptr : &program_.equations[static_cast<std::size_t>(equation_)];
      const bool sparse = around && !tensor::is_dense(program_.tensor(around->access().tensor)->format);
      const std::string f = fmt::format("cyc_{}_{}", sparse ? "div_sparse" : "div", suffix_of(own));
      return fmt::format("{}({}, {}, &failed)", use(f.c_str()), x, y);
    }
    return infix(x, b, y);
  }
  if (safe_now_) return infix(x, b, y);
  const char* op = b.op == BinaryOp::add ? "add" : b.op == BinaryOp::sub ? "sub" : "mul";
  return fmt::format("{}({}, {}, {})", use(fmt::format("cyc_{}_{}", op, suffix_of(own)).c_str()), x, y, overflow());
}

std::string Emitter::call(const Call& c, ValueType own) {
  std::vector<std::string> x;
  for (const Expr& e : c.arguments) x.push_back(expression(e, own));
  const bool floating = tensor::is_float(own), narrow = own == ValueType::f32;
  switch (c.function) {
  case Function::min:
  case Function::max: return extreme(c.function, own, x);
  case Function::abs:
    if (floating) return fmt::format("{}({})", narrow ? "fabsf" : "fabs", x[0]);
    if (safe_now_) return fmt::format("({0} < 0 ? -{0} : {0})", x[0]);
    return fmt::format("{}({}, {})", use(own == ValueType::i64 ? "cyc_abs_i64" : "cyc_abs_i32"), x[0], overflow());
  case Function::sqrt:
    failing_ = true;
    return fmt::format("{}({}, &failed)", use(narrow ? "cyc_sqrt_f32" : "cyc_sqrt_f64"), x[0]);
  case Function::exp: return narrow ? fmt::format("(float)exp({})", x[0]) : fmt::format("exp({})", x[0]);
  case Function::log:
    failing_ = true;
    return fmt::format("{}{}({}, &failed)", narrow ? "(float)" : "", use("cyc_log_f64"), x[0]);
  case Function::pow:
    return narrow ? fmt::format("(float)pow({}, {})", x[0], x[1]) : fmt::format("pow({}, {})", x[0], x[1]);
  }
  bug("unknown function");
}

// The least or the greatest of values.
std::string Emitter::extreme(Function function, ValueType type, const std::vector<std::string>& values) {
  const std::string f = fmt::format("cyc_{}_{}", name_of(function), suffix_of(type));
  std::string best = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) best = fmt::format("{}({}, {})", use(f.c_str()), values[i], best);
  return best;
}

std::string Emitter::combine(const loops::Temporary& t, const std::string& a, const std::string& b) {
  if (is_exact(t)) return exact_sum(t, a, b);
  const ValueType type = t.type;
  switch (t.reducer) {
  case Reducer::sum:
  case Reducer::prod: {
    const bool sum = t.reducer == Reducer::sum;
    if (tensor::is_float(type) || safe_now_) return fmt::format("{} {} {}", a, sum ? "+" : "*", b);
    return fmt::format("{}({}, {}, {})", use(fmt::format("cyc_{}_{}", sum ? "add" : "mul", suffix_of(type)).c_str()), a,
                       b, overflow());
  }
  case Reducer::min:
  case Reducer::max:
    return fmt::format("{}({}, {})", use(fmt::format("cyc_{}_{}", name_of(t.reducer), suffix_of(type)).c_str()), b, a);
  case Reducer::any: return fmt::format("({} | {}) != 0", a, b);
  case Reducer::all: return fmt::format("({} & {}) != 0", a, b);
  }
  bug("unknown reducer");
}

// --- places ---

bool Emitter::is_spread(const Resolved& at) const {
  return std::any_of(spread_.begin(), spread_.end(), [&](const auto& s) { return s.second == at.base; });
}

// Where an element stands behind its base.
std::string Emitter::offset(const std::string& key) const {
  const Resolved& at = resolved_.at(key);
  if (is_spread(at)) return at.position;
  return at.entry.empty() ? value_position(accesses_.at(key), at.position) : at.entry;
}

std::string Emitter::element(const std::string& key) const {
  const Resolved& at = resolved_.at(key);
  const bool marked = is_spread(at) || at.entry.empty();
  return fmt::format("{}[{}]{}", at.base, offset(key), marked ? accesses_.at(key).tensor->mark : "");
}

std::string Emitter::read(const Access& access) {
  if (const loops::Temporary* t = temporary_of(access)) {
    const std::string place = temporary_place(access, equation_);
    if (!is_exact(*t)) return place;
    return fmt::format("{}({}, {})", use(t->type == ValueType::i64 ? "cyc_to_i64" : "cyc_to_i32"), place, overflow());
  }
  const AccessInfo& info = access_info(access);
  const Resolved& at = resolved_.at(info.key);
  if (!at.value.empty()) return at.value;
  const std::string value = element(info.key);
  return at.present.empty() ? value : fmt::format("({} ? {} : 0)", at.present, value);
}

// The variable, workspace element or tensor element that a temporary is.
std::string Emitter::temporary_place(const Access& access, int equation) {
  const TemporaryPlan& plan = plan_.temporaries.at({access.tensor, equation});
  const std::string& name = temporaries_.at({access.tensor, equation});
  if (plan.kind == TemporaryPlan::Kind::scalar) return name;
  if (columns_.whole && columns_.key == std::pair(access.tensor, equation))
    return fmt::format("{}[{}]", columns_.name, columns_.index);
  if (plan.kind == TemporaryPlan::Kind::in_place) {
    Access target = access;
    target.tensor = program_.equations[static_cast<std::size_t>(equation)].access().tensor;
    const std::string& key = access_info(target).key;
    return is_exact(*nest_.temporary(access.tensor, equation)) ? fmt::format("{}[{}]", name, offset(key))
                                                               : element(key);
  }
  return fmt::format("{}[{}]", name, temporary_index(access, equation));
}

std::string Emitter::temporary_index(const Access& access, int equation) {
  const TemporaryPlan& plan = plan_.temporaries.at({access.tensor, equation});
  const std::vector<Affine> coordinates = coordinates_of(access, program_);
  const Access& target = program_.equations[static_cast<std::size_t>(equation)].access();
  const TensorNames& t = tensors_.at(target.tensor);
  std::string index;
  for (std::size_t d : plan.kept) {
    std::string own = text(coordinates[d]), size;
    const std::size_t dim = d - (access.step ? 1 : 0);
    if (access.step && d == 0) {
      own = fmt::format("{} - {}", own, t.first);
      size = fmt::format("{} - {} + 1", t.last, t.first);
    } else if (dim < target.indices.size()) {
      size = text(accepted_affine(program_.tensor(target.tensor)->dims[dim], program_));
    } else {
      const NestedRange& range = nested_ranges_.at({access.tensor, equation, d});
      if (!range.first.empty()) own = fmt::format("{} - {}", own, range.first);
      size = range.size;
    }
    index = in_row(index, size, own);
  }
  return index;
}

// --- statements ---

bool Emitter::is_copy_in_place(const StatementInfo& info) const {
  const Statement& s = *info.statement;
  const Access* a = as<Access>(s.value);
  if (s.reducer || !a) return false;
  if (program_.tensor(a->tensor)) {
    // A step that stays as it was, where both have the same memory.
    const auto steps = plan_.steps.find(a->tensor);
    if (steps == plan_.steps.end() || steps->second.all || s.access().tensor != a->tensor || !a->step) return false;
    std::vector<Affine> to = coordinates_of(s.access(), program_), from = coordinates_of(*a, program_);
    const Affine apart = to[0] - from[0];
    to[0] = from[0] = {};
    return to == from && apart.is_constant() && apart.constant % steps->second.kept == 0;
  }
  const auto plan = plan_.temporaries.find({a->tensor, s.equation});
  return plan != plan_.temporaries.end() && plan->second.kind == TemporaryPlan::Kind::in_place &&
         !is_exact(*nest_.temporary(a->tensor, s.equation));
}

void Emitter::start_failing(bool needs_block) {
  if (!failing_) return;
  if (needs_block) open("");
  line("int failed = 0;");
}

// A workspace is left as it was found by the last that reads it.
void Emitter::clear_workspaces(const Statement& s) {
  ir::walk<ExprNode>(s.value, [&](const Expr& e) {
    const Access* a = as<Access>(e);
    const loops::Temporary* t = a ? temporary_of(*a) : nullptr;
    if (!t) return;
    const TemporaryPlan& plan = plan_.temporaries.at({t->name, t->equation});
    if (plan.kind != TemporaryPlan::Kind::array || plan.last_use != &s) return;
    if (!t->shape.empty()) clear_tile(tile_place(*a), tile_size(t->shape));
    else line(fmt::format("{} = {};", temporary_place(*a, s.equation), identity_text(t->reducer, t->type)));
  });
}

void Emitter::emit_failure(const Statement& s, const std::string& condition, const std::string& kind) {
  const Equation& equation = program_.equations[static_cast<std::size_t>(s.equation)];
  Access target = s.access();
  if (s.reducer) {
    target.indices.resize(equation.access().indices.size());
    target.tensor = equation.access().tensor;
  }
  std::string at;
  for (const Affine& a : coordinates_of(target, program_)) at += (at.empty() ? "" : ", ") + text(a);
  const std::size_t rank = coordinates_of(target, program_).size();
  use("cyc_fail");
  open(fmt::format("if ({})", condition));
  line(fmt::format("cyc_fail(error, {}, {}, {}, (const int64_t[]){{{}}});", kind, s.equation, rank,
                   at.empty() ? "0" : at));
  if (!parallel_ && !in_vectors_) line("goto finish;");
  close();
}

// What is `read_later` in this iteration stays in a variable besides.
void Emitter::emit_statement(const StatementInfo& info, bool read_later) {
  const Statement& s = *info.statement;
  equation_ = s.equation;
  const Equation& equation = program_.equations[static_cast<std::size_t>(s.equation)];
  const ValueType stored = program_.tensor(equation.access().tensor)->type;
  std::vector<std::string> asked;
  if (!s.guard.empty()) asked.push_back(conditions(s.guard));
  // What must be stored for the statement to matter, as far as that is not known yet.
  std::set<std::string> uncertain;
  for (const std::string& key : info.accesses)
    if (const Resolved& at = resolved_.at(key);
        !at.present.empty() && (key == info.target || key == info.wanted || needs(info.presence, key)) &&
        uncertain.insert(at.present).second)
      asked.push_back(at.present);
  const bool tile = writes_tile(s);
  const AccessInfo* written = info.target.empty() || s.reducer || tile ? nullptr : &accesses_.at(info.target);
  // A fiber that is spread out shows the new value, too.
  const std::string* row = nullptr;
  if (written && !written->coordinates.empty())
    if (const auto found = spread_.find(fiber_of(*written, written->coordinates.size() - 1)); found != spread_.end())
      row = &found->second;
  std::string kept;
  const auto carried = carried_.find(info.target);
  if (written && carried != carried_.end()) kept = carried->second;
  else if (written && s.guard.empty() && (read_later || (row && asked.empty()))) {
    kept = names_.fresh(identifier(info.target));
    if (!asked.empty()) line(fmt::format("{} {} = 0;", c_type(stored), kept)); // what is not there is zero
  }
  if (!asked.empty()) {
    if (!uncertain.empty() && !s.reducer) left_out_.insert(equation.access().tensor);
    open(fmt::format("if ({})", fmt::join(asked, " && ")));
    // Inside, they are there.
  }
  const std::map<std::string, Resolved> saved = resolved_;
  for (const std::string& key : info.accesses)
    if (uncertain.count(resolved_.at(key).present)) resolved_.at(key).present.clear();

  failing_ = false;
  safe_now_ = is_safe(s);
  if (safe_now_) safe_.insert(&s);
  if (tile) {
    emit_tile_statement(info, asked.empty());
  } else if (s.reducer) {
    const loops::Temporary& t = *nest_.temporary(s.access().tensor, s.equation);
    const std::string value = expression(s.value, t.type), place = temporary_place(s.access(), s.equation);
    const Start* start = start_of(t.name, t.equation);
    start_failing(asked.empty());
    const bool wide = is_exact(t) && t.type == ValueType::i64;
    if (*s.reducer == Reducer::sum && (tensor::is_float(t.type) || safe_now_ || wide))
      line(fmt::format("{} {} {};", place, start && start->minus ? "-=" : "+=", value));
    else line(fmt::format("{} = {};", place, combine(t, place, value)));
    if (*s.reducer == Reducer::sum || *s.reducer == Reducer::prod) note_size(place, t.type);
    if (plan_.temporaries.at({t.name, t.equation}).counted && !counted_at_once_.count({t.name, t.equation}))
      line(fmt::format("{}_count++;", temporaries_.at({t.name, t.equation})));
  } else {
    const std::string value = expression(s.value, stored),
                      place = through_vector(accesses_.at(info.target), element(info.target));
    const bool declared = !asked.empty() || carried != carried_.end();
    if (!kept.empty() && !declared && failing_) line(fmt::format("{} {};", c_type(stored), kept)); // outlives the block
    start_failing(asked.empty());
    if (kept.empty()) line(fmt::format("{} = {};", place, value));
    else {
      line(
          fmt::format("{}{} = {};", declared || failing_ ? "" : fmt::format("const {} ", c_type(stored)), kept, value));
      line(fmt::format("{} = {};", place, kept));
    }
    note_size(kept.empty() ? place : kept, stored);
    if (row) line(fmt::format("{}[{}] = {};", *row, text(written->coordinates.back()), kept.empty() ? place : kept));
  }
  safe_now_ = false;
  // Also where nothing takes a value out of a workspace, because its element is not stored, none must stay there.
  const bool empties = std::any_of(plan_.temporaries.begin(), plan_.temporaries.end(), [&](const auto& t) {
    return t.first.second == s.equation && t.second.kind == TemporaryPlan::Kind::array;
  });
  const bool empties_always = empties && !tile && !uncertain.empty();
  if (!tile && !empties_always) clear_workspaces(s);
  if (failing_ && !tile) {
    emit_failure(s, "failed", "failed");
    if (asked.empty()) close();
  }
  resolved_ = saved;
  if (!asked.empty()) close();
  if (!asked.empty() && written && carried != carried_.end())
    line(fmt::format("else {} = 0;", kept)); // nor is it there
  if (empties_always) {
    if (!s.guard.empty()) open(fmt::format("if ({})", conditions(s.guard)));
    clear_workspaces(s);
    if (!s.guard.empty()) close();
  }
  if (!kept.empty() && carried == carried_.end()) resolved_.at(info.target).value = kept;
}

} // namespace cyclotron::backend::c
