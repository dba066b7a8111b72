// SPDX-License-Identifier: MIT
// The text form, as the paper writes it: `(i, j-1, k)_A <- ...`, with the space above where there are several.
#include "dataflow/ir.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

// `lhs <= rhs`, `i == 0`: with positive terms on both sides.
std::string text_of(const Condition& c) {
  Affine left, right; // left <= right or left == right
  for (const auto& [name, k] : c.affine.terms) (k > 0 ? right : left).terms[name] = k > 0 ? k : -k;
  std::int64_t constant = c.affine.constant;
  if (constant >= 0) right.constant = constant;
  else left.constant = -constant;
  const bool equal = c.kind == Condition::Kind::zero;
  // `i < n` rather than `1 + i <= n`.
  if (!equal && !left.terms.empty() && left.constant == 1) {
    left.constant = 0;
    return fmt::format("{} < {}", print(left), print(right));
  }
  return fmt::format("{} {} {}", print(left), equal ? "==" : "<=", print(right));
}

class Printer {
public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() {
    for (std::size_t s = 0; s < program_.spaces.size(); ++s) print_space(static_cast<int>(s));
    if (!program_.constants.empty()) out_ += "\nconstants\n";
    for (const Constant& c : program_.constants)
      lines(
          c.domain, c.names, [&](const auto& known) { return tensor_text(c.tensor, c.indices, known); },
          [&](const auto& known) { return text(c.expr, known); });
    return out_;
  }

private:
  using Known = std::map<std::string, Affine>; // coordinates that have one value in the rule at hand

  void print_space(int s) {
    const Space& space = program_.spaces[static_cast<std::size_t>(s)];
    out_ += fmt::format("{}space {}({})\n", s > 0 ? "\n" : "", space.name, fmt::join(space.coordinates, ", "));
    if (!space.place.empty()) out_ += fmt::format("  place ({})\n", points(space.place, {}));
    if (!space.time.empty()) out_ += fmt::format("  time ({})\n", points(space.time, {}));
    for (const Rule& r : program_.rules)
      if (r.space == s) {
        const std::string supply = r.supply == Supply::broadcast ? "broadcast " : "";
        lines(
            r.domain.gist(space.domain), space.coordinates,
            [&](const Known& known) { return value_text(s, r.value, own_point(space), known); },
            [&](const Known& known) { return supply + text(r.expr, known); });
      }
    for (const Export& e : program_.exports)
      if (e.space == s)
        lines(
            e.domain.gist(space.domain), space.coordinates,
            [&](const Known& known) { return tensor_text(e.tensor, e.indices, known); },
            [&](const Known& known) { return value_text(s, e.value, own_point(space), known); });
  }

  // One line per alternative. What every point has anyway (the space's own bounds) is left out.
  template <class Left, class Right>
  void lines(const isl::set& domain, const std::vector<std::string>& names, const Left& left, const Right& right) {
    const auto alternatives = alternatives_of(domain, names, *program_.source);
    if (!alternatives) {
      out_ += fmt::format("  {} <- {} : {}\n", left(Known{}), right(Known{}), to_string(domain));
      return;
    }
    for (const std::vector<Condition>& all : *alternatives) {
      Known known;
      std::vector<std::string> rest;
      for (const Condition& c : all)
        if (const auto fixed = fixed_by(c, names, known)) known[fixed->first] = fixed->second;
      for (const Condition& c : all) {
        Condition left_over{substitute(c.affine, known), c.kind};
        if (is_about(left_over, names)) rest.push_back(text_of(left_over));
      }
      out_ +=
          fmt::format("  {} <- {}{}{}\n", left(known), right(known), rest.empty() ? "" : " : ", fmt::join(rest, ", "));
    }
  }

  // `k == p - 1` gives k a value, unless it already has one.
  std::optional<std::pair<std::string, Affine>> fixed_by(const Condition& c, const std::vector<std::string>& names,
                                                         const Known& known) const {
    if (c.kind != Condition::Kind::zero) return std::nullopt;
    const Affine affine = substitute(c.affine, known);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      const std::int64_t k = affine.coefficient(*name);
      if (k != 1 && k != -1) continue;
      Affine rest = affine;
      rest.terms.erase(*name);
      return std::pair{*name, -k * rest};
    }
    return std::nullopt;
  }

  static bool is_about(const Condition& c, const std::vector<std::string>& names) {
    return std::any_of(c.affine.terms.begin(), c.affine.terms.end(), [&](const auto& term) {
      return std::find(names.begin(), names.end(), term.first) != names.end();
    });
  }

  std::string points(const Point& point, const Known& known) const {
    std::vector<std::string> parts;
    for (const Affine& a : point) parts.push_back(print_index(expression_of(substitute(a, known), *program_.source)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::string value_text(int space, const std::string& value, const Point& point, const Known& known) const {
    const std::string above =
        program_.spaces.size() > 1 ? "^" + program_.spaces[static_cast<std::size_t>(space)].name : "";
    return fmt::format("({})_{}{}", points(point, known), value, above);
  }

  std::string tensor_text(const std::string& tensor, const Point& indices, const Known& known) const {
    return fmt::format("{}({})", tensor, points(indices, known));
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
  std::string out_;
};

} // namespace

std::string print(const Program& program) { return Printer(program).run(); }

} // namespace cyclotron::dataflow
