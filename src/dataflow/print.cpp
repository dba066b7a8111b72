// SPDX-License-Identifier: MIT
// The text form, as the paper writes it: `(i, j-1, k)_A <- ...`, with the space above where it is another one.
#include "dataflow/domain_text.hpp"
#include "dataflow/ir.hpp"
#include "dataflow/timing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

class Printer {
public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() {
    print_declarations();
    if (!program_.axes.empty()) out_ += fmt::format("axes {}\n", fmt::join(program_.axes, ", "));
    if (program_.passes != 0) out_ += fmt::format("passes {}\n", program_.passes);
    if (program_.timing) out_ += fmt::format("timing {}\n", dataflow::print(*program_.timing));
    for (std::size_t s = 0; s < program_.spaces.size(); ++s) print_space(static_cast<int>(s));
    if (!program_.constants.empty()) out_ += "\nconstants\n";
    for (const Constant& c : program_.constants)
      lines(
          c.domain, known_sizes(c.names), c.names,
          [&](const Known& known) { return tensor_text(c.tensor, c.indices, known); },
          [&](const Known& known) { return text(c.expr, known); });
    return out_;
  }

private:
  using Known = std::map<std::string, Affine>; // coordinates that have one value in the rule at hand

  void print_declarations() {
    recurrence::Program declarations;
    declarations.lets = program_.source->lets;
    declarations.tensors = program_.source->tensors;
    declarations.assumptions = program_.source->assumptions;
    out_ += recurrence::print(declarations);
    // A size that stands in no declaration must still be known as one.
    for (const Binder& size : program_.source->sizes)
      if (!is_declared(size.name)) out_ += fmt::format("assume 0 <= {}\n", size.name);
  }

  bool is_declared(const std::string& size) const {
    bool found = false;
    const auto look = [&](const Expr& expr) {
      ir::walk<ExprNode>(expr, [&](const Expr& e) {
        const Name* n = as<Name>(e);
        found |= n && n->id == size;
      });
    };
    for (const TensorDecl& t : program_.source->tensors)
      for (const Expr& d : t.dims) look(d);
    for (const LetDecl& l : program_.source->lets) look(l.value);
    for (const Assumption& a : program_.source->assumptions)
      for (const Expr& e : a.constraint.operands) look(e);
    return found;
  }

  isl::set known_sizes(const std::vector<std::string>& names) const {
    return set_where(*program_.context, *program_.source, names, {});
  }

  void print_space(int s) {
    const Space& space = program_.spaces[static_cast<std::size_t>(s)];
    space_ = s;
    const std::string where =
        text_of(space.domain, known_sizes(space.coordinates), space.coordinates, *program_.source);
    out_ += fmt::format("\nspace {}({}){}{}\n", space.name, fmt::join(space.coordinates, ", "),
                        where.empty() ? "" : " : ", where);
    if (!space.place.empty()) out_ += fmt::format("  place ({})\n", points(space.place, {}));
    if (!space.time.empty()) out_ += fmt::format("  time ({})\n", points(space.time, {}));
    if (program_.timing) print_step(space, program_.timing->steps[static_cast<std::size_t>(s)]);
    for (const Value& v : program_.values)
      if (v.space == s) print_value(v);
    for (const Rule& r : program_.rules)
      if (r.space == s)
        lines(
            r.domain, space.domain, space.coordinates,
            [&](const Known& known) { return value_text(s, r.value, own_point(space), known); },
            [&](const Known& known) { return supply_text(r) + text(r.expr, known); });
    for (const Export& e : program_.exports)
      if (e.space == s)
        lines(
            e.domain, space.domain, space.coordinates,
            [&](const Known& known) { return tensor_text(e.tensor, e.indices, known); },
            [&](const Known& known) { return value_text(s, e.value, own_point(space), known); });
  }

  // What the formula of the timing says anyway, as its names are coordinates, needs no line.
  void print_step(const Space& space, const std::optional<Affine>& step) {
    if (step && step == step_by_names(*program_.timing, space, *program_.source)) return;
    out_ += fmt::format("  step {}\n", step ? points({*step}, {}) : "none");
  }

  // A number of type f64 needs no declaration.
  void print_value(const Value& v) {
    if (v.type == ValueType::f64 && v.tile.empty()) return;
    out_ += fmt::format("  value {}: {}", v.name, tensor::name_of(v.type));
    if (!v.tile.empty()) out_ += fmt::format("({})", points(v.tile, {}));
    out_ += "\n";
  }

  static std::string supply_text(const Rule& r) {
    if (r.supply == Supply::broadcast) return "broadcast ";
    return r.supply == Supply::boundary ? "boundary " : "";
  }

  // One line per alternative. What every point has anyway (the space's own bounds) is left out.
  template <class Left, class Right>
  void lines(const isl::set& domain, const isl::set& everywhere, const std::vector<std::string>& names,
             const Left& left, const Right& right) {
    for (const std::vector<Condition>& all : conditions_of(domain, everywhere, names, *program_.source)) {
      Known known;
      for (const Condition& c : all)
        if (const auto fixed = fixed_by(c, names, known)) {
          for (auto& [name, value] : known) value = substitute(value, {*fixed});
          known.insert(*fixed);
        }
      std::vector<Condition> rest;
      for (const Condition& c : all) rest.push_back(divides(c) ? c : Condition{substitute(c.affine, known), c.kind});
      const std::string where = text_of(rest, names);
      out_ += fmt::format("  {} <- {}{}{}\n", left(known), right(known), where.empty() ? "" : " : ", where);
    }
  }

  // `k == p - 1` gives k a value, unless it already has one.
  static std::optional<std::pair<const std::string, Affine>>
  fixed_by(const Condition& c, const std::vector<std::string>& names, const Known& known) {
    if (c.kind != Condition::Kind::zero || divides(c)) return std::nullopt;
    const Affine affine = substitute(c.affine, known);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      const std::int64_t k = affine.coefficient(*name);
      if (k != 1 && k != -1) continue;
      Affine rest = affine;
      rest.terms.erase(*name);
      return std::pair<const std::string, Affine>{*name, -k * rest};
    }
    return std::nullopt;
  }

  std::string points(const Point& point, const Known& known) const {
    std::vector<std::string> parts;
    for (const Affine& a : point) parts.push_back(print_index(expression_of(substitute(a, known), *program_.source)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::string value_text(int space, const std::string& value, const Point& point, const Known& known) const {
    const std::string above = space != space_ ? "^" + program_.spaces[static_cast<std::size_t>(space)].name : "";
    return fmt::format("({})_{}{}", points(point, known), value, above);
  }

  std::string tensor_text(const std::string& tensor, const Point& indices, const Known& known) const {
    if (indices.empty()) return tensor;
    std::vector<std::string> parts;
    for (const Affine& a : indices) parts.push_back(print_index(expression_of(substitute(a, known), *program_.source)));
    return fmt::format("{}({})", tensor, fmt::join(parts, ","));
  }

  // An expression with its values in the paper's notation: each is printed under a name of its own first.
  std::string text(const Expr& expr, const Known& known) const {
    std::vector<std::string> texts;
    const std::function<Expr(const Expr&)> rename = [&](const Expr& e) -> Expr {
      if (const Access* a = as<Access>(e)) {
        if (const auto ref = reference_of(*a, program_)) {
          texts.push_back(value_text(ref->space, ref->value, ref->point, known));
          return Expr(Name{fmt::format("\x01{}\x02", texts.size() - 1), NameKind::index}, e->span);
        }
        Access copy = *a;
        for (Expr& i : copy.indices)
          i = expression_of(substitute(accepted_affine(i, *program_.source), known), *program_.source);
        return Expr(std::move(copy), e->span);
      }
      if (const Name* n = as<Name>(e); n && known.count(n->id)) return expression_of(known.at(n->id), *program_.source);
      return ir::map_children<ExprNode>(e, rename);
    };
    std::string out = recurrence::print(rename(expr));
    for (std::size_t t = 0; t < texts.size(); ++t) {
      const std::string mark = fmt::format("\x01{}\x02", t);
      for (std::size_t at; (at = out.find(mark)) != std::string::npos;) out.replace(at, mark.size(), texts[t]);
    }
    return out;
  }

  const Program& program_;
  int space_ = -1; // whose block is printed
  std::string out_;
};

} // namespace

std::string print(const Program& program) { return Printer(program).run(); }

} // namespace cyclotron::dataflow
