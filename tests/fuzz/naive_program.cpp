// SPDX-License-Identifier: MIT
// Which elements are defined, found by trying all index values of a box.
#include "naive_program.hpp"

#include <algorithm>
#include <cstdlib>

namespace cyclotron::fuzz {

using namespace recurrence;

namespace {

void add_indices(const Expr& expr, std::vector<std::string>& names) {
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    const Name* n = as<Name>(e);
    if (n && n->kind == NameKind::index && std::find(names.begin(), names.end(), n->id) == names.end())
      names.push_back(n->id);
  });
}

bool mentions(const Expr& expr, const std::string& name) {
  std::vector<std::string> names;
  add_indices(expr, names);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_name(const Expr& expr, const std::string& name) {
  const Name* n = as<Name>(expr);
  return n && n->id == name;
}

} // namespace

NaiveProgram::NaiveProgram(const Program& program, const std::map<std::string, std::int64_t>& sizes,
                           const std::map<std::string, tensor::Tensor>& inputs)
    : program_(program), sizes_(sizes), inputs_(inputs), types_(program, [this](const Expr& e) { return integer(e); }) {
  std::int64_t largest = 8;
  for (const auto& [name, value] : sizes) largest = std::max(largest, value);
  for (const TensorDecl& t : program.tensors)
    for (std::int64_t extent : extents(t)) largest = std::max(largest, extent);
  box_ = largest + 4;
  for (const Equation& e : program.equations) define(e);
}

NaiveProgram::Point NaiveProgram::extents(const TensorDecl& decl) const {
  Point dims;
  for (const Expr& d : decl.dims) dims.push_back(integer(d));
  return dims;
}

std::int64_t NaiveProgram::integer(const Expr& expr) const {
  if (const Number* n = as<Number>(expr)) return *n->integer;
  if (const Name* n = as<Name>(expr)) {
    if (n->kind == NameKind::constant) return integer(program_.let(n->id)->value);
    return n->kind == NameKind::size ? sizes_.at(n->id) : indices_.at(n->id);
  }
  if (const Unary* u = as<Unary>(expr)) return -integer(u->operand);
  const Binary& b = *as<Binary>(expr);
  const std::int64_t x = integer(b.lhs), y = integer(b.rhs);
  return b.op == BinaryOp::add ? x + y : b.op == BinaryOp::sub ? x - y : x * y;
}

bool NaiveProgram::holds(const Constraint& constraint) const {
  for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
    const std::int64_t x = integer(constraint.operands[i]), y = integer(constraint.operands[i + 1]);
    switch (constraint.relations[i]) {
    case Relation::less:
      if (!(x < y)) return false;
      break;
    case Relation::less_equal:
      if (!(x <= y)) return false;
      break;
    case Relation::greater:
      if (!(x > y)) return false;
      break;
    case Relation::greater_equal:
      if (!(x >= y)) return false;
      break;
    case Relation::equal:
      if (x != y) return false;
      break;
    case Relation::not_equal:
      if (x == y) return false;
      break;
    }
  }
  return true;
}

const std::set<std::string>& NaiveProgram::indices_in(const Constraint& constraint) {
  const auto [at, fresh] = used_in_.try_emplace(&constraint);
  if (!fresh) return at->second;
  std::vector<std::string> names;
  for (const Expr& operand : constraint.operands) add_indices(operand, names);
  at->second = {names.begin(), names.end()};
  return at->second;
}

// A variable ranges over the dimensions that it indexes by itself, if it does; over the whole box where they differ.
std::pair<std::int64_t, std::int64_t> NaiveProgram::range_by_uses(const std::string& name, const Expr& body) const {
  std::set<std::int64_t> found;
  ir::walk<ExprNode>(body, [&](const Expr& e) {
    if (const Access* a = as<Access>(e))
      for (std::size_t d = 0; d < a->indices.size(); ++d)
        if (is_name(a->indices[d], name)) found.insert(integer(program_.tensor(a->tensor)->dims[d]));
  });
  if (found.empty()) return {-box_, 2 * box_};
  return {0, found.size() == 1 ? *found.begin() - 1 : 2 * box_};
}

std::pair<std::int64_t, std::int64_t> NaiveProgram::range_on_left(const std::string& name,
                                                                  const Equation& equation) const {
  const Access& target = equation.access();
  bool inside = false;
  for (std::size_t d = 0; d < target.indices.size(); ++d) {
    if (is_name(target.indices[d], name)) return {0, integer(program_.tensor(target.tensor)->dims[d]) - 1};
    inside |= mentions(target.indices[d], name);
  }
  if (inside) return {-box_, 2 * box_};
  return range_by_uses(name, equation.value); // it stands only in the superscript
}

void NaiveProgram::enumerate(const std::vector<std::string>& names,
                             const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges,
                             const std::vector<const Constraint*>& constraints, const std::function<void()>& visit,
                             std::size_t depth) {
  // A constraint is checked as soon as all its variables have values.
  std::vector<const Constraint*> later;
  for (const Constraint* c : constraints) {
    const std::set<std::string>& used = indices_in(*c);
    const bool known =
        std::all_of(used.begin(), used.end(), [&](const std::string& n) { return indices_.count(n) > 0; });
    if (!known) later.push_back(c);
    else if (!holds(*c)) return;
  }
  if (depth == names.size()) return visit();
  for (std::int64_t v = ranges[depth].first; v <= ranges[depth].second; ++v) {
    indices_[names[depth]] = v;
    enumerate(names, ranges, later, visit, depth + 1);
  }
  indices_.erase(names[depth]);
}

void NaiveProgram::define(const Equation& equation) {
  std::vector<std::string> names;
  add_indices(equation.target, names);
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (const std::string& name : names) ranges.push_back(range_on_left(name, equation));
  std::vector<const Constraint*> constraints;
  for (const Constraint& c : equation.constraints) {
    const std::set<std::string>& used = indices_in(c);
    if (std::all_of(used.begin(), used.end(), [&](const std::string& n) { return mentions(equation.target, n); }))
      constraints.push_back(&c);
  }
  enumerate(names, ranges, constraints, [&] { define_point(equation); });
}

// One instance of an equation defines one element, or all those of a tile.
void NaiveProgram::define_point(const Equation& equation) {
  const Access& target = equation.access();
  const Point dims = extents(*program_.tensor(target.tensor));
  Point at = point_of(target);
  const std::size_t skip = target.step ? 1 : 0;
  for (std::size_t d = 0; d < target.indices.size(); ++d)
    if (at[d + skip] < 0 || at[d + skip] >= dims[d]) return;
  if (target.step) {
    const auto [last, fresh] = last_step_.emplace(target.tensor, at[0]);
    if (!fresh) last->second = std::max(last->second, at[0]);
  }
  instances_.push_back({&equation, indices_});
  at.resize(dims.size() + skip, 0);
  const std::function<void(std::size_t)> fill = [&](std::size_t d) {
    if (d == dims.size()) {
      if (!owner_[target.tensor].emplace(at, instances_.size() - 1).second) throw NaiveFailure{"defined twice"};
      return;
    }
    for (at[d + skip] = 0; at[d + skip] < dims[d]; ++at[d + skip]) fill(d + 1);
  };
  fill(target.indices.size());
}

NaiveProgram::Point NaiveProgram::point_of(const Access& access) const {
  Point at;
  if (access.step) at.push_back(integer(*access.step));
  for (const Expr& i : access.indices) at.push_back(integer(i));
  return at;
}

NaiveTensor NaiveProgram::output(const TensorDecl& decl) {
  NaiveTensor result{decl.type, extents(decl), {}};
  for (Instance& instance : instances_)
    if (instance.state == State::waiting) compute(instance);
  Point at;
  if (program_.is_stepped(decl.name.name))
    at.push_back(last_step_.count(decl.name.name) ? last_step_.at(decl.name.name) : 0);
  const std::size_t skip = at.size();
  at.resize(skip + result.dims.size(), 0);
  const std::function<void(std::size_t)> visit = [&](std::size_t d) {
    if (d == result.dims.size()) return result.values.push_back(element(decl.name.name, at));
    for (at[d + skip] = 0; at[d + skip] < result.dims[d]; ++at[d + skip]) visit(d + 1);
  };
  visit(0);
  return result;
}

} // namespace cyclotron::fuzz
