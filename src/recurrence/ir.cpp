// SPDX-License-Identifier: MIT
// Look-ups in a program, and the names of operators: one table per kind, read both ways.
#include "recurrence/ir.hpp"

#include <algorithm>
#include <array>

namespace cyclotron::recurrence {

namespace {

template <class Enum> struct Row {
  Enum value;
  std::string_view name;
};

constexpr std::array relations{
    Row<Relation>{Relation::less, "<"},    Row<Relation>{Relation::less_equal, "<="},
    Row<Relation>{Relation::greater, ">"}, Row<Relation>{Relation::greater_equal, ">="},
    Row<Relation>{Relation::equal, "=="},  Row<Relation>{Relation::not_equal, "!="},
};

constexpr std::array binary_ops{
    Row<BinaryOp>{BinaryOp::add, "+"},           Row<BinaryOp>{BinaryOp::sub, "-"},
    Row<BinaryOp>{BinaryOp::mul, "*"},           Row<BinaryOp>{BinaryOp::div, "/"},
    Row<BinaryOp>{BinaryOp::less, "<"},          Row<BinaryOp>{BinaryOp::less_equal, "<="},
    Row<BinaryOp>{BinaryOp::greater, ">"},       Row<BinaryOp>{BinaryOp::greater_equal, ">="},
    Row<BinaryOp>{BinaryOp::equal, "=="},        Row<BinaryOp>{BinaryOp::not_equal, "!="},
    Row<BinaryOp>{BinaryOp::logical_and, "and"}, Row<BinaryOp>{BinaryOp::logical_or, "or"},
};

constexpr std::array functions{
    Row<Function>{Function::min, "min"}, Row<Function>{Function::max, "max"}, Row<Function>{Function::sqrt, "sqrt"},
    Row<Function>{Function::abs, "abs"}, Row<Function>{Function::exp, "exp"}, Row<Function>{Function::log, "log"},
    Row<Function>{Function::pow, "pow"},
};

constexpr std::array reducers{
    Row<Reducer>{Reducer::sum, "sum"}, Row<Reducer>{Reducer::prod, "prod"}, Row<Reducer>{Reducer::min, "min"},
    Row<Reducer>{Reducer::max, "max"}, Row<Reducer>{Reducer::any, "any"},   Row<Reducer>{Reducer::all, "all"},
};

template <class Table, class Enum> std::string_view find_name(const Table& table, Enum value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  bug("an operator is missing in its table");
}

template <class Enum, class Table> std::optional<Enum> find_value(const Table& table, std::string_view name) {
  for (const auto& row : table)
    if (row.name == name) return row.value;
  return std::nullopt;
}

template <class List> auto find_declared(const List& list, std::string_view name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& d) { return d.name.name == name; });
  return at == list.end() ? nullptr : &*at;
}

} // namespace

std::string_view name_of(Relation relation) { return find_name(relations, relation); }
std::string_view name_of(UnaryOp op) { return op == UnaryOp::negate ? "-" : "not"; }
std::string_view name_of(BinaryOp op) { return find_name(binary_ops, op); }
std::string_view name_of(Function function) { return find_name(functions, function); }
std::string_view name_of(Reducer reducer) { return find_name(reducers, reducer); }
std::optional<Function> function_named(std::string_view name) { return find_value<Function>(functions, name); }
std::optional<Reducer> reducer_named(std::string_view name) { return find_value<Reducer>(reducers, name); }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::less && op <= BinaryOp::not_equal; }
bool is_logical(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or; }

Relation relation_of(BinaryOp comparison) {
  const auto relation = find_value<Relation>(relations, name_of(comparison));
  if (!relation) bug("not a comparison");
  return *relation;
}

bool DefaultDecl::operator==(const DefaultDecl& o) const {
  if (!(name == o.name) || value.index() != o.value.index()) return false;
  if (const auto* recipe = std::get_if<tensor::Recipe>(&value))
    return tensor::to_string(*recipe) == tensor::to_string(std::get<tensor::Recipe>(o.value));
  if (const auto* path = std::get_if<std::string>(&value)) return *path == std::get<std::string>(o.value);
  return std::get<WrittenOut>(value) == std::get<WrittenOut>(o.value);
}

const TensorDecl* Program::tensor(std::string_view name) const { return find_declared(tensors, name); }
const LetDecl* Program::let(std::string_view name) const { return find_declared(lets, name); }

bool Program::is_output(std::string_view name) const {
  return std::any_of(equations.begin(), equations.end(), [&](const Equation& e) { return e.access().tensor == name; });
}

bool Program::is_stepped(std::string_view name) const {
  return std::any_of(equations.begin(), equations.end(),
                     [&](const Equation& e) { return e.access().tensor == name && e.access().step; });
}

bool Program::is_size(std::string_view name) const {
  return std::any_of(sizes.begin(), sizes.end(), [&](const Binder& b) { return b.name == name; });
}

std::vector<const TensorDecl*> Program::inputs() const {
  std::vector<const TensorDecl*> list;
  for (const TensorDecl& t : tensors)
    if (!is_output(t.name.name)) list.push_back(&t);
  return list;
}

std::vector<const TensorDecl*> Program::outputs() const {
  std::vector<const TensorDecl*> list;
  for (const TensorDecl& t : tensors)
    if (is_output(t.name.name)) list.push_back(&t);
  return list;
}

} // namespace cyclotron::recurrence
