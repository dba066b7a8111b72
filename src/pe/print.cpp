// SPDX-License-Identifier: MIT
// Prints programs as the parser reads them. A position in square brackets is that of a PE, written from where this PE
// stands: `[i-1,k]_B` is the B of the PE before it.
#include "pe/ir.hpp"

#include "frontend/lex.hpp"
#include "pe/file.hpp"
#include "support/quote.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::pe {

using namespace recurrence;

namespace {

// --- indices and conditions ---

// How tightly an index binds; one that binds less tightly than its place needs gets brackets.
enum Precedence { sum_place, product_place, atom_place };

std::string text_at(const Index& index, Precedence place);

std::string text_of(const Operation& o) {
  switch (o.op) {
  case IndexOp::add: return text_at(o.lhs, sum_place) + "+" + text_at(o.rhs, product_place);
  case IndexOp::sub: return text_at(o.lhs, sum_place) + "-" + text_at(o.rhs, product_place);
  case IndexOp::mul: return text_at(o.lhs, product_place) + "*" + text_at(o.rhs, atom_place);
  case IndexOp::floor_div:
    return fmt::format("floor({}/{})", text_at(o.lhs, product_place), text_at(o.rhs, atom_place));
  case IndexOp::mod: return fmt::format("mod({}, {})", print(o.lhs), print(o.rhs));
  case IndexOp::min: return fmt::format("min({}, {})", print(o.lhs), print(o.rhs));
  case IndexOp::max: return fmt::format("max({}, {})", print(o.lhs), print(o.rhs));
  }
  bug("unknown operation");
}

Precedence precedence_of(const Index& index) {
  if (const Whole* w = as<Whole>(index)) return w->value < 0 ? sum_place : atom_place;
  const Operation* o = as<Operation>(index);
  if (!o) return atom_place;
  if (o->op == IndexOp::add || o->op == IndexOp::sub) return sum_place;
  return o->op == IndexOp::mul ? product_place : atom_place;
}

std::string text_at(const Index& index, Precedence place) {
  const std::string text = print(index);
  return precedence_of(index) < place ? "(" + text + ")" : text;
}

bool rises(Relation r) { return r == Relation::less || r == Relation::less_equal; }
bool falls(Relation r) { return r == Relation::greater || r == Relation::greater_equal; }

// `1 <= i <= 2, k == 0`: neighbours that share an operand are chained where they point the same way.
std::string text_of(const Tests& tests, const char* between) {
  if (tests.empty()) return "true";
  std::string out;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const Test& t = tests[i];
    const Relation before = i == 0 ? t.relation : tests[i - 1].relation;
    const bool chained = i > 0 && tests[i - 1].rhs == t.lhs &&
                         ((rises(before) && rises(t.relation)) || (falls(before) && falls(t.relation)));
    if (!chained) out += (i == 0 ? "" : between) + print(t.lhs);
    out += fmt::format(" {} {}", name_of(t.relation), print(t.rhs));
  }
  return out;
}

std::string text_of(const std::vector<Tests>& any) {
  if (any.empty()) return "false";
  std::string out;
  for (const Tests& all : any) out += (out.empty() ? "" : " or ") + text_of(all, any.size() == 1 ? ", " : " and ");
  return out;
}

// --- names and lists ---

bool is_word(const std::string& name) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || name.size() > 100 || name == "and" || name == "or" || name == "not") return false;
  if (digit(name[0])) return name.size() < 18 && std::all_of(name.begin(), name.end(), digit);
  return frontend::is_identifier(name);
}

// Names of roles and spaces are free; those that are neither a name nor a number stand in quotes.
std::string word(const std::string& name) { return is_word(name) ? name : quote(name); }

std::string list(const std::vector<std::int64_t>& numbers) { return fmt::format("({})", fmt::join(numbers, ",")); }

std::string text_of(const std::vector<Affine>& point) {
  static const recurrence::Program no_sizes;
  std::string out;
  for (const Affine& a : point) out += (out.empty() ? "(" : ",") + print_index(expression_of(a, no_sizes));
  return out.empty() ? "" : out + ")";
}

std::string tile_text(const std::vector<std::int64_t>& tile) { return tile.empty() ? "" : " by " + list(tile); }

std::string type_text(ValueType type) { return ": " + std::string(tensor::name_of(type)); }

// --- statements ---

class Printer {
public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string declarations() {
    line(0, "program " + quote(program_.name));
    for (const auto& [name, value] : program_.sizes) line(0, fmt::format("size {} = {}", name, value));
    if (!program_.closed_form.empty()) line(0, "closed form " + quote(program_.closed_form));
    if (program_.predicted_cycles) line(0, fmt::format("cycles {}", *program_.predicted_cycles));
    for (std::size_t a = 0; a < program_.axes.size(); ++a) {
      const Axis& axis = program_.axes[a];
      line(0, fmt::format("axis {} = {} .. {}{}", axis.name, axis.first, axis.last, program_.torus[a] ? " torus" : ""));
    }
    for (const Memory& m : program_.tensors) declare(m);
    for (const Register& r : program_.registers) declare(r);
    for (const Channel& c : program_.channels)
      line(0, fmt::format("channel {}{}{} {}_{} -> {}_{}", c.name, tile_text(c.tile), type_text(c.type),
                          position({}, 0), c.value, position(c.offset, 1), c.value));
    return std::move(out_);
  }

  std::string host() {
    if (program_.host.empty()) return "";
    in_host_ = true;
    line(0, "host");
    body(program_.host, 1);
    in_host_ = false;
    return std::move(out_);
  }

  std::string role(const Role& r) {
    const bool everywhere = r.where == std::vector<Tests>{{}};
    line(0, fmt::format("role {} {}", word(r.name), everywhere ? "everywhere" : "at " + text_of(r.where)));
    body(r.body, 1);
    return std::move(out_);
  }

private:
  void line(int depth, const std::string& text) { out_ += fmt::format("{:{}}{}\n", "", 2 * depth, text); }

  // --- declarations ---

  void declare(const Memory& m) {
    const bool in_tiles = std::any_of(m.block.begin(), m.block.end(), [](std::int64_t b) { return b != 0; });
    std::string owners;
    if (m.distribution)
      owners =
          fmt::format(" {}({})", m.distribution->cyclic ? "cyclic" : "block", fmt::join(m.distribution->dims, ","));
    line(0,
         fmt::format("tensor {}{}{}{} {}{}", m.name, m.dims.empty() ? "" : list(m.dims),
                     in_tiles ? tile_text(m.block) : "", type_text(m.type), m.is_output ? "output" : "input", owners));
  }

  void declare(const Register& r) {
    std::string table;
    for (const Register::Extent& e : r.table)
      table += fmt::format("{}{} .. {}{}", table.empty() ? "(" : ", ", e.first, e.first + e.count - 1,
                           e.ring ? " ring" : "");
    if (!table.empty()) table += ")";
    line(0, fmt::format("register {}{}{}{}", r.name, table, tile_text(r.tile), type_text(r.type)));
  }

  // --- statements ---

  void body(const std::vector<Statement>& statements, int depth) {
    for (const Statement& s : statements)
      std::visit(ir::overload{[&](const Loop& loop) {
                                const std::string step = loop.step == 1 ? "" : fmt::format(" step {}", loop.step);
                                line(depth, fmt::format("for {} = {} .. {}{}", loop.variable, print(loop.first),
                                                        print(loop.last), step));
                                body(loop.body, depth + 1);
                              },
                              [&](const If& branch) {
                                line(depth, "if " + text_of(branch.any));
                                body(branch.body, depth + 1);
                              },
                              [&](const Pass& pass) { line(depth, text(pass)); },
                              [&](const Step& step) {
                                line(depth, heading(step));
                                for (const Action& a : step.actions)
                                  line(depth + 1, std::visit([&](const auto& action) { return text(action); }, a));
                              }},
                 s.kind);
  }

  static std::string text(const Pass& pass) {
    std::string at;
    for (const Index& i : pass.at) at += (at.empty() ? "" : ", ") + print(i);
    return fmt::format("pass ({}){}", at, pass.cycles == 0 ? "" : fmt::format(" cycles {}", pass.cycles));
  }

  // `step C(i, j = 4*jo+ji, k)`: a coordinate that is the variable of its name stands alone.
  static std::string heading(const Step& step) {
    std::string at;
    for (const auto& [name, value] : step.coordinates) {
      const Variable* v = as<Variable>(value);
      at += (at.empty() ? "(" : ", ") + (v && v->name == name ? name : fmt::format("{} = {}", name, print(value)));
    }
    return fmt::format("step {}{}", word(step.space), at.empty() ? "" : at + ")");
  }

  // --- actions ---

  // The PE at `offset` times `sign` from this one.
  std::string position(const std::vector<std::int64_t>& offset, int sign) const {
    if (in_host_) return "[host]";
    std::string out;
    for (std::size_t a = 0; a < program_.axes.size(); ++a) {
      const std::int64_t distance = sign == 0 ? 0 : sign * offset[a];
      out += (a == 0 ? "" : ",") + program_.axes[a].name + (distance == 0 ? "" : fmt::format("{:+}", distance));
    }
    return "[" + out + "]";
  }

  std::string text(const Slot& slot) const {
    return fmt::format("{}_{}{}", position({}, 0), slot.name, text_of(slot.at));
  }

  std::string text(const Load& load) const {
    const char* supply = load.supply == Supply::direct     ? ""
                         : load.supply == Supply::boundary ? " boundary"
                                                           : " broadcast";
    return fmt::format("{} <- {}{}  load{}", text(load.to), load.tensor, text_of(load.indices), supply);
  }

  std::string text(const Receive& receive) const {
    return fmt::format("{} <- {}", text(receive.to), end(receive.channel, -1));
  }
  std::string text(const Send& send) const { return fmt::format("{} -> {}", text(send.from), end(send.channel, 1)); }

  // The other end of a channel. Its name is added where it is not the only one there, or leads back to this PE.
  std::string end(int index, int sign) const {
    const Channel& channel = program_.channels[static_cast<std::size_t>(index)];
    const auto same = std::count_if(program_.channels.begin(), program_.channels.end(), [&](const Channel& c) {
      return c.value == channel.value && c.offset == channel.offset;
    });
    const bool here = std::all_of(channel.offset.begin(), channel.offset.end(), [](std::int64_t o) { return o == 0; });
    return fmt::format("{}_{}{}", position(channel.offset, sign), channel.value,
                       same > 1 || here ? " via " + channel.name : "");
  }

  std::string text(const Compute& compute) const {
    return fmt::format("{} <- {}", text(compute.to), recurrence::print(in_slots(compute.value)));
  }

  std::string text(const Store& store) const {
    return fmt::format("{}{} <- {}", store.tensor, text_of(store.indices), text(store.from));
  }

  // The printer of expressions writes the name of what is accessed as it is: here, with the position before it.
  Expr in_slots(const Expr& expr) const {
    const Expr result = ir::map_children<ExprNode>(expr, [&](const Expr& e) { return in_slots(e); });
    const Access* a = as<Access>(result);
    return a ? Expr(Access{position({}, 0) + "_" + a->tensor, a->step, a->indices}, expr->span) : result;
  }

  const Program& program_;
  bool in_host_ = false;
  std::string out_;
};

} // namespace

std::string print(const Index& index) {
  return match(
      index, [](const Whole& w) { return std::to_string(w.value); }, [](const Variable& v) { return v.name; },
      [](const Operation& o) { return text_of(o); });
}

std::string print(const Role& role, const Program& program) { return Printer(program).role(role); }

std::string print(const Program& program) {
  Printer printer(program);
  std::string text = printer.declarations();
  if (const std::string host = printer.host(); !host.empty()) text += "\n" + host;
  for (const Role& role : program.roles) text += "\n" + printer.role(role);
  return sealed(text + "\n");
}

} // namespace cyclotron::pe
