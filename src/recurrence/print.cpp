// SPDX-License-Identifier: MIT
// Prints recurrences as the parser reads them: only the brackets that precedence needs, one statement a line.
#include "recurrence/ir.hpp"

#include "support/quote.hpp"
#include "tensor/generate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cyclotron::recurrence {

namespace {

// How tightly an expression binds; operands that bind less tightly than their place needs get brackets.
enum Precedence {
  any_place,
  or_place,
  and_place,
  not_place,
  compare_place,
  sum_place,
  product_place,
  unary_place,
  atom_place
};

Precedence precedence_of(BinaryOp op) {
  if (op == BinaryOp::logical_or) return or_place;
  if (op == BinaryOp::logical_and) return and_place;
  if (is_comparison(op)) return compare_place;
  return op == BinaryOp::add || op == BinaryOp::sub ? sum_place : product_place;
}

std::string print_number(const Number& number) {
  if (number.integer) return std::to_string(*number.integer);
  if (std::isinf(number.value)) return number.value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number.value);
  // A floating-point literal must not come back as a whole one.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Index expressions are written without blanks.
enum class Blanks { yes, no };

std::string print_at(const Expr& expr, Precedence place, Blanks blanks = Blanks::yes);

std::string print_list(const std::vector<Expr>& list, Blanks blanks = Blanks::yes) {
  std::string out;
  for (const Expr& e : list)
    out += (out.empty() ? "" : blanks == Blanks::yes ? ", " : ",") + print_at(e, any_place, blanks);
  return out;
}

std::string print_access(const Access& access) {
  std::string out = access.tensor;
  if (access.step) {
    const Name* name = as<Name>(*access.step);
    const Number* number = as<Number>(*access.step);
    const bool simple = name || (number && number->integer && *number->integer >= 0);
    out += simple ? "^" + print(*access.step) : "^(" + print_index(*access.step) + ")";
  }
  if (!access.indices.empty()) out += "(" + print_list(access.indices, Blanks::no) + ")";
  return out;
}

std::string print_binary(const Binary& binary, Blanks blanks) {
  const Precedence own = precedence_of(binary.op);
  // Sums and products associate to the left; comparisons do not associate.
  const auto left = is_comparison(binary.op) ? static_cast<Precedence>(own + 1) : own;
  const char* blank = blanks == Blanks::yes || is_logical(binary.op) ? " " : "";
  return fmt::format("{}{}{}{}{}", print_at(binary.lhs, left, blanks), blank, name_of(binary.op), blank,
                     print_at(binary.rhs, static_cast<Precedence>(own + 1), blanks));
}

std::string print_reduce(const Reduce& reduce) {
  std::string names;
  for (const Binder& b : reduce.variables) names += (names.empty() ? "" : ", ") + b.name;
  return fmt::format("{}[{}]({})", name_of(reduce.reducer), names, print(reduce.body));
}

struct Printed {
  std::string text;
  Precedence binds;
};

Printed print_kind(const Expr& expr, Blanks blanks) {
  return match(
      expr,
      [](const Number& n) -> Printed {
        return {print_number(n), n.value < 0 || (n.integer && *n.integer < 0) ? unary_place : atom_place};
      },
      [](const Boolean& b) -> Printed {
        return {b.value ? "true" : "false", atom_place};
      },
      [](const Name& n) -> Printed {
        return {n.id, atom_place};
      },
      [](const Access& a) -> Printed {
        return {print_access(a), atom_place};
      },
      [&](const Unary& u) -> Printed {
        if (u.op == UnaryOp::logical_not) return {"not " + print_at(u.operand, not_place, blanks), not_place};
        return {"-" + print_at(u.operand, unary_place, blanks), unary_place};
      },
      [&](const Binary& b) -> Printed {
        return {print_binary(b, blanks), precedence_of(b.op)};
      },
      [](const Call& c) -> Printed {
        return {fmt::format("{}({})", name_of(c.function), print_list(c.arguments)), atom_place};
      },
      [](const Select& s) -> Printed {
        return {fmt::format("select({}, {}, {})", print(s.condition), print(s.then_value), print(s.else_value)),
                atom_place};
      },
      [](const Reduce& r) -> Printed {
        return {print_reduce(r), atom_place};
      },
      [](const KernelCall& k) -> Printed {
        return {fmt::format("{}({})", k.kernel, print_list(k.arguments)), atom_place};
      });
}

std::string print_at(const Expr& expr, Precedence place, Blanks blanks) {
  const Printed printed = print_kind(expr, blanks);
  return printed.binds < place ? "(" + printed.text + ")" : printed.text;
}

std::string print_written_out(const WrittenOut& list, std::size_t dim, std::size_t& next) {
  if (dim == list.dims.size()) {
    return print_number(list.values[next++]);
  }
  std::string out;
  for (std::int64_t i = 0; i < list.dims[dim]; ++i)
    out += (i == 0 ? "" : ", ") + print_written_out(list, dim + 1, next);
  return "[" + out + "]";
}

std::string print_default(const DefaultDecl& decl) {
  const std::string value = std::visit(ir::overload{[](const tensor::Recipe& r) { return tensor::to_string(r); },
                                                    [](const std::string& path) { return quote(path); },
                                                    [](const WrittenOut& list) {
                                                      std::size_t next = 0;
                                                      return print_written_out(list, 0, next);
                                                    }},
                                       decl.value);
  return fmt::format("default {} = {}", decl.name.name, value);
}

} // namespace

std::string print(const Expr& expr) { return print_at(expr, any_place); }
std::string print_index(const Expr& expr) { return print_at(expr, any_place, Blanks::no); }

std::string print(const Constraint& constraint) {
  std::string out = print_at(constraint.operands[0], sum_place);
  for (std::size_t i = 0; i < constraint.relations.size(); ++i)
    out += fmt::format(" {} {}", name_of(constraint.relations[i]), print_at(constraint.operands[i + 1], sum_place));
  return out;
}

std::string print(const Equation& equation) {
  std::string out = print(equation.target) + " = " + print(equation.value);
  for (std::size_t i = 0; i < equation.constraints.size(); ++i)
    out += (i == 0 ? " : " : ", ") + print(equation.constraints[i]);
  return out;
}

std::string print(const TensorDecl& decl) {
  std::string out = "tensor " + decl.name.name;
  if (!decl.dims.empty()) out += "(" + print_list(decl.dims, Blanks::no) + ")";
  std::string traits;
  if (decl.type != tensor::ValueType::f64) traits += " " + std::string(tensor::name_of(decl.type));
  tensor::Format format = decl.format;
  format.region = tensor::Region::unspecified;
  if (format != tensor::dense_format(format.rank())) traits += " " + tensor::to_string(format);
  if (decl.format.region != tensor::Region::unspecified)
    traits += decl.format.region == tensor::Region::onchip ? " onchip" : " offchip";
  return traits.empty() ? out : out + ":" + traits;
}

std::string print(const Program& program) {
  std::string out;
  for (const LetDecl& l : program.lets) out += fmt::format("let {} = {}\n", l.name.name, print(l.value));
  for (const TensorDecl& t : program.tensors) out += print(t) + "\n";
  for (const Assumption& a : program.assumptions) out += "assume " + print(a.constraint) + "\n";
  for (const DefaultDecl& d : program.defaults) out += print_default(d) + "\n";
  if (!out.empty() && !program.equations.empty()) out += "\n";
  for (const Equation& e : program.equations) out += print(e) + "\n";
  return out;
}

} // namespace cyclotron::recurrence
