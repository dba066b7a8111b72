// SPDX-License-Identifier: MIT
// Statements and their values: accesses become reads of what is on the chip.
#include "lower/pattern/nest_to_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

namespace build = pattern::build;
using namespace recurrence;
using pattern::Expr;

const loops::Temporary* NestToPattern::temporary_of(const Access& access, int equation) const {
  return program_.tensor(access.tensor) ? nullptr : nest_.temporary(access.tensor, equation);
}

void NestToPattern::statement(const loops::Statement& statement, Scope& scope, Body& to) {
  equation_ = statement.equation;
  const loops::Temporary* temporary = temporary_of(statement.access(), statement.equation);
  Body own;
  if (temporary) {
    const std::string memory = scope.temporaries.at(fmt::format("{} {}", temporary->name, temporary->equation));
    const Expr element = temporary_element(*temporary, statement.access(), scope);
    const auto* read = ir::as<pattern::Read>(element);
    own.push_back(build::write(memory, read ? read->index : Expr(), value(statement.value, temporary->type, scope),
                               statement.reducer));
  } else {
    const TensorDecl& target = *program_.tensor(statement.access().tensor);
    store(statement, value(statement.value, target.type, scope), scope, own);
  }
  const Expr guard = conditions(statement.guard);
  if (guard) to.push_back(build::when(guard, std::move(own)));
  else std::move(own.begin(), own.end(), std::back_inserter(to));
}

Expr NestToPattern::value(const recurrence::Expr& expr, ValueType wanted, const Scope& scope) const {
  if (const Number* n = as<Number>(expr))
    return build::constant(wanted, n->value, n->integer.value_or(static_cast<std::int64_t>(n->value)));
  if (const Name* n = as<Name>(expr)) {
    if (n->kind == NameKind::constant) return value(program_.let(n->id)->value, wanted, scope);
    return build::convert(build::variable(n->id), ValueType::i64, wanted);
  }
  const ExprType& type = checked_.types.find(expr) ? checked_.types.of(expr) : nest_.types.of(expr);
  const ValueType own = type.literal ? wanted : type.type;
  return build::convert(own_value(expr, own, scope), own, wanted);
}

// In the type in which it computes.
Expr NestToPattern::own_value(const recurrence::Expr& expr, ValueType own, const Scope& scope) const {
  const auto type_of = [&](const recurrence::Expr& e) {
    return nest_.types.find(e) ? nest_.types.of(e) : checked_.types.of(e);
  };
  return match(
      expr, [](const Number&) -> Expr { bug("a number has no type of its own"); },
      [](const Boolean& b) { return build::constant(ValueType::boolean, 0, b.value ? 1 : 0); },
      [](const Name&) -> Expr { bug("a name has no type of its own"); },
      [&](const Access&) { return access(expr, scope); },
      [&](const Unary& u) -> Expr {
        return pattern::Unary{u.op, value(u.operand, own, scope)};
      },
      [&](const Binary& b) -> Expr {
        ValueType operands = own;
        if (is_logical(b.op)) operands = ValueType::boolean;
        else if (is_comparison(b.op)) operands = promote(type_of(b.lhs), type_of(b.rhs)).type;
        return pattern::Binary{b.op, value(b.lhs, operands, scope), value(b.rhs, operands, scope)};
      },
      [&](const Call& c) -> Expr {
        std::vector<Expr> arguments;
        for (const recurrence::Expr& e : c.arguments) arguments.push_back(value(e, own, scope));
        return pattern::Call{c.function, std::move(arguments)};
      },
      [&](const Select& s) -> Expr {
        return pattern::Select{value(s.condition, ValueType::boolean, scope), value(s.then_value, own, scope),
                               value(s.else_value, own, scope)};
      },
      [](const Reduce&) -> Expr { bug("loops have no reductions"); },
      [](const KernelCall&) -> Expr { bug("patterns have no tiles"); });
}

Expr NestToPattern::access(const recurrence::Expr& expr, const Scope& scope) const {
  const Access& a = *as<Access>(expr);
  if (const loops::Temporary* t = temporary_of(a, equation_)) return temporary_element(*t, a, scope);
  const std::string key = print(expr);
  if (const auto result = results_.find(a.tensor); result != results_.end()) {
    const Operand own = operand_of(expr, result->second.operand.format, program_, {});
    Expr index = build::number(0);
    for (std::size_t l = 0; l < own.rank(); ++l)
      index = build::add(build::mul(index, formula(own.extent[l])), formula(own.index[l]));
    return build::read(scope.held.at("= " + a.tensor).memory, index);
  }
  if (const auto read = scope.read.find(key); read != scope.read.end()) return build::variable(read->second);
  const Operand& operand = operands_.at(key);
  return build::choose(scope.walked.at(key).present, element(operand, "_vals", operand.rank(), scope),
                       build::zero(operand.type));
}

// The element of this access: in the dimensions that the loops around its declaration do not give.
Expr NestToPattern::temporary_element(const loops::Temporary& temporary, const Access& a, const Scope& scope) const {
  const std::string id = fmt::format("{} {}", temporary.name, temporary.equation);
  const Shape& shape = shapes_.at(id);
  if (shape.kept.empty()) return build::variable(scope.temporaries.at(id));
  Expr index = build::number(0);
  for (std::size_t d = 0; d < shape.kept.size(); ++d)
    index = build::add(build::mul(index, formula(shape.extent[d])),
                       formula(accepted_affine(a.indices.at(shape.kept[d]), program_)));
  return build::read(scope.temporaries.at(id), index);
}

} // namespace cyclotron::lower
