// SPDX-License-Identifier: MIT
// All statements but loops.
#include "backend/simd/kernel_printer.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::simd {

using namespace code;

bool is_anywhere(const Expr& expr, const std::function<bool(const Expr&)>& is) {
  bool found = false;
  if (expr) ir::walk<ExprNode>(expr, [&](const Expr& e) { found |= is(e); });
  return found;
}

namespace {

bool names_variable(const Expr& e, const std::string& name) {
  const Variable* v = ir::as<Variable>(e);
  return v && v->name == name;
}

// Whether a lane of the value depends on other lanes of the variable than itself.
bool mixes_lanes_of(const Expr& value, const std::string& name) {
  return is_anywhere(value, [&](const Expr& e) {
    const bool crosses = ir::as<Shift>(e) || ir::as<Extract>(e) || ir::as<AnyLane>(e);
    return crosses && is_anywhere(e, [&](const Expr& inside) { return names_variable(inside, name); });
  });
}

} // namespace

void KernelPrinter::body(const Body& list) {
  const std::size_t mark = visible_.size();
  scope_.open();
  names_.open();
  for (const Statement& s : list) std::visit([&](const auto& kind) { statement(kind); }, s.kind);
  names_.close();
  scope_.close();
  visible_.resize(mark);
}

void KernelPrinter::inside(const std::string& header, const Body& list) {
  line(header + " {");
  ++depth_;
  body(list);
  --depth_;
  line("}");
}

void KernelPrinter::statement(const Declare& d) {
  const Expr value = d.value ? flat(d.value) : d.value;
  variable(d.name, d.name, d.type, value, !assigned_.count(d.name));
}

// A variable of the kernel, or one of ours, whose name in the kernel has a blank in it, as no other has.
void KernelPrinter::variable(const std::string& name, const std::string& c_name, Type type, const Expr& value,
                             bool constant) {
  const std::int64_t parts = type.lanes ? expressions_.parts(type.scalar) : 1;
  const Vector v = expressions_.held(type.scalar);
  const std::string c_type = type.lanes ? functions_.type(v) : std::string(simd::c_type(type.scalar));
  std::vector<std::string> values;
  for (std::int64_t p = 0; p < parts; ++p)
    values.push_back(!value       ? (type.lanes ? "{0}" : "0")
                     : type.lanes ? expressions_.part(value, p * v.lanes).text
                                  : expressions_.whole(value));
  scope_.declare(name, type);
  for (std::int64_t p = 0; p < parts; ++p) {
    const std::string& own = parts == 1
                                 ? names_.declare(name, c_name)
                                 : names_.declare(fmt::format("{} {}", name, p), fmt::format("{}_{}", c_name, p));
    line(fmt::format("{}{} {} = {};", constant ? "const " : "", c_type, own, values[static_cast<std::size_t>(p)]));
    visible_.push_back({c_type, own});
  }
}

// --- what would be printed again for every part ---

// In a variable of its own, before the statement, unless it is short.
Expr KernelPrinter::aside(const Expr& e) {
  const Spread* s = ir::as<Spread>(e);
  const Expr& inner = s ? s->operand : e;
  if (ir::as<Variable>(inner) || ir::as<Number>(inner) || ir::as<Lane>(inner)) return e;
  const std::string name = fmt::format("aside {}", asides_++);
  variable(name, "aside", expressions_.type(e), e, true);
  return Expr(Variable{name});
}

bool KernelPrinter::has_parts(const Expr& e) const {
  return is_anywhere(e, [&](const Expr& inside) {
    const Type type = expressions_.type(inside);
    return type.lanes && expressions_.parts(type.scalar) > 1;
  });
}

// What a shift takes lanes from is printed twice for each part, and a number made of lanes for every part that uses
// it.
Expr KernelPrinter::flat(const Expr& e) { return e && has_parts(e) ? flattened(e) : e; }

Expr KernelPrinter::flattened(const Expr& e) {
  const Expr inside = ir::map_children<ExprNode>(e, [&](const Expr& child) { return flattened(child); });
  if (const Shift* s = ir::as<Shift>(inside)) {
    const Expr operand = aside(s->operand);
    return Expr(Shift{operand, s->distance, s->from ? aside(s->from) : s->from}, e->span);
  }
  return ir::as<Extract>(inside) || ir::as<AnyLane>(inside) ? aside(inside) : inside;
}

void KernelPrinter::statement(const Assign& a) {
  const Type type = *scope_.variable(a.name);
  const Expr value = flat(a.value);
  if (!type.lanes) return line(fmt::format("{} = {};", names_.of(a.name), expressions_.whole(value)));
  const std::int64_t parts = expressions_.parts(type.scalar);
  // The first part must not see the next value, which the others are made of.
  const Expr next = parts > 1 && mixes_lanes_of(value, a.name) ? aside(value) : value;
  for (std::int64_t p = 0; p < parts; ++p)
    line(fmt::format("{} = {};", expressions_.part_name(a.name, type.scalar, p),
                     expressions_.part(next, p * expressions_.held(type.scalar).lanes).text));
}

void KernelPrinter::statement(const Store& s) {
  const Store flattened{s.memory, flat(s.index), flat(s.stride), flat(s.value), flat(s.mask)};
  if (expressions_.type(s.value).lanes) return store_lanes(flattened, *scope_.memory(s.memory));
  const std::string text = fmt::format("{}[{}] = {};", names_.of(s.memory), expressions_.whole(flattened.index),
                                       expressions_.whole(flattened.value));
  line(s.mask ? fmt::format("if ({}) {}", expressions_.whole(flattened.mask), text) : text);
}

void KernelPrinter::store_lanes(Store s, const Memory& m) {
  const std::int64_t count = expressions_.access_lanes(s.memory, s.index, s.stride), parts = kernel_.lanes / count;
  const Vector v{element_of(m.scalar), count};
  const auto loads = [&](const Expr& e) {
    return is_anywhere(e, [&](const Expr& inside) {
      const Load* l = ir::as<Load>(inside);
      return l && l->memory == s.memory;
    });
  };
  // What is about a later part must not see what an earlier part has stored.
  if (parts > 1)
    for (Expr* e : {&s.index, &s.stride, &s.value, &s.mask})
      if (*e && loads(*e)) *e = aside(*e);
  for (std::int64_t p = 0; p < parts; ++p) {
    const Expressions::Address to = expressions_.address(s.memory, s.index, s.stride, p * count, count);
    std::string arguments = to.arguments;
    if (!to.lane_index.empty()) arguments += ", " + to.lane_index;
    arguments += ", " + stored_value(s.value, v, p * count);
    if (s.mask) arguments += ", " + expressions_.truths(s.mask, bytes_of(v.element), p * count, count).text;
    line(fmt::format("{}({});", functions_.store(v, to.way, bool(s.mask)), arguments));
  }
}

// In memory truth values are bytes, 0 or 1.
std::string KernelPrinter::stored_value(const Expr& value, Vector v, std::int64_t first) {
  if (v.element != Element::i8) return expressions_.lanes(value, first, v.lanes).text;
  return bracketed(expressions_.truths(value, 1, first, v.lanes), c_unary) + " & 1";
}

void KernelPrinter::statement(const If& i) {
  inside(fmt::format("if ({})", expressions_.whole(flat(i.condition))), i.body);
}

void KernelPrinter::statement(const Fail& f) {
  const bool lanes = expressions_.type(f.condition).lanes;
  const CText condition = expressions_.scalar(lanes ? Expr(AnyLane{flat(f.condition)}) : flat(f.condition));
  line(fmt::format("if ({} && {} < failed) failed = {};", bracketed(condition, c_comparison), f.code, f.code));
}

} // namespace cyclotron::backend::simd
