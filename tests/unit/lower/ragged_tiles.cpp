// SPDX-License-Identifier: MIT
#include "unit/lower/ragged_tiles.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

std::size_t count_of(const std::vector<std::int64_t>& dims) {
  std::size_t count = 1;
  for (std::int64_t d : dims) count *= static_cast<std::size_t>(d);
  return count;
}

Tile number(double value) { return {{}, {value}}; }

} // namespace

RaggedTiles::RaggedTiles(const Lifted& lifted, const Program& original, std::map<std::string, std::int64_t> sizes,
                         std::map<std::string, DenseTensor> inputs)
    : lifted_(lifted), sizes_(std::move(sizes)), inputs_(std::move(inputs)) {
  const auto size = [&](const std::string& name) { return sizes_.at(name); };
  for (const TensorDecl& t : original.tensors)
    for (const Expr& d : t.dims) dims_[t.name.name].push_back(accepted_affine(d, original).evaluate(size));
  for (const auto& [name, count] : lifted_.counts)
    sizes_[name] = (count.size.evaluate(size) + count.extent - 1) / count.extent;
}

DenseTensor RaggedTiles::tensor(const std::string& name) {
  const std::vector<std::int64_t>& blocks = lifted_.blocks.at(name);
  DenseTensor result{dims_[name], std::vector<double>(count_of(dims_[name]))};
  for (std::int64_t step = 0; step <= 10; ++step) {
    Place place{step};
    const std::function<void(std::size_t)> visit = [&](std::size_t d) {
      if (d < blocks.size()) {
        const std::int64_t extent = std::max<std::int64_t>(blocks[d], 1);
        for (std::int64_t i = 0; i * extent < dims_[name][d]; ++i) {
          place.push_back(i);
          visit(d + 1);
          place.pop_back();
        }
        return;
      }
      if (const auto t = computed(name, place))
        each_element(name, place, [&](std::size_t from, std::size_t to) { result.values[to] = t->values[from]; });
    };
    visit(0);
    if (!lifted_.program.is_stepped(name)) break;
  }
  return result;
}

Tile RaggedTiles::empty_tile(const std::string& name, const Place& place) const {
  const std::vector<std::int64_t>& blocks = lifted_.blocks.at(name);
  Tile result;
  for (std::size_t d = 0; d < blocks.size(); ++d)
    if (blocks[d] != 0) result.dims.push_back(std::min(blocks[d], dims_.at(name)[d] - place[d + 1] * blocks[d]));
  result.values.assign(count_of(result.dims), 0.0);
  return result;
}

void RaggedTiles::each_element(const std::string& name, const Place& place,
                               const std::function<void(std::size_t, std::size_t)>& f) const {
  const std::vector<std::int64_t>& blocks = lifted_.blocks.at(name);
  const Tile tile = empty_tile(name, place);
  for (std::size_t at = 0; at < tile.values.size(); ++at) {
    std::vector<std::int64_t> inside(tile.dims.size());
    std::size_t rest = at;
    for (std::size_t d = tile.dims.size(); d-- > 0; rest /= static_cast<std::size_t>(tile.dims[d]))
      inside[d] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(tile.dims[d]));
    std::int64_t position = 0;
    for (std::size_t d = 0, cut = 0; d < blocks.size(); ++d)
      position =
          position * dims_.at(name)[d] + (blocks[d] == 0 ? place[d + 1] : place[d + 1] * blocks[d] + inside[cut++]);
    f(at, static_cast<std::size_t>(position));
  }
}

Tile RaggedTiles::tile(const std::string& name, const Place& place) {
  const auto known = known_.find({name, place});
  if (known != known_.end()) return known->second;
  Tile result = empty_tile(name, place);
  if (const auto input = inputs_.find(name); input != inputs_.end())
    each_element(name, place,
                 [&](std::size_t to, std::size_t from) { result.values[to] = input->second.values[from]; });
  else if (const auto t = computed(name, place)) result = *t;
  return known_[{name, place}] = result;
}

std::optional<Tile> RaggedTiles::computed(const std::string& name, const Place& place) {
  for (const Equation& e : lifted_.program.equations) {
    Indices indices;
    if (e.access().tensor != name || !bind(e, place, indices)) continue;
    Tile result = value(e.value, indices, e);
    const Tile shape = empty_tile(name, place);
    if (result.dims.empty() && !shape.dims.empty())
      result = {shape.dims, std::vector<double>(shape.values.size(), result.values[0])};
    if (result.dims != shape.dims) bug("a tile has another shape: " + print(e));
    return result;
  }
  return std::nullopt;
}

// The values of the equation's indices where it defines this tile.
bool RaggedTiles::bind(const Equation& equation, const Place& place, Indices& indices) const {
  const Access& target = equation.access();
  const auto fits = [&](const Expr& index, std::int64_t wanted) {
    const Name* name = as<Name>(index);
    if (name && name->kind == NameKind::index) return indices.emplace(name->id, wanted).first->second == wanted;
    return whole(index, indices) == wanted;
  };
  if (target.step && !fits(*target.step, place[0])) return false;
  for (std::size_t d = 0; d < target.indices.size(); ++d)
    if (!fits(target.indices[d], place[d + 1])) return false;
  return std::all_of(equation.constraints.begin(), equation.constraints.end(),
                     [&](const Constraint& c) { return holds(c, indices); });
}

// True where an index is not known yet.
bool RaggedTiles::holds(const Constraint& constraint, const Indices& indices) const {
  for (const Expr& operand : constraint.operands) {
    bool known = true;
    ir::walk<ExprNode>(operand, [&](const Expr& e) {
      if (const Name* n = as<Name>(e); n && n->kind == NameKind::index) known = known && indices.count(n->id);
    });
    if (!known) return true;
  }
  const auto related = [](std::int64_t a, Relation r, std::int64_t b) {
    switch (r) {
    case Relation::less: return a < b;
    case Relation::less_equal: return a <= b;
    case Relation::greater: return a > b;
    case Relation::greater_equal: return a >= b;
    case Relation::equal: return a == b;
    case Relation::not_equal: return a != b;
    }
    bug("unknown relation");
  };
  for (std::size_t i = 0; i < constraint.relations.size(); ++i)
    if (!related(whole(constraint.operands[i], indices), constraint.relations[i],
                 whole(constraint.operands[i + 1], indices)))
      return false;
  return true;
}

std::int64_t RaggedTiles::whole(const Expr& expr, const Indices& indices) const {
  return accepted_affine(expr, lifted_.program).evaluate([&](const std::string& name) {
    const auto at = indices.find(name);
    return at != indices.end() ? at->second : sizes_.at(name);
  });
}

Tile RaggedTiles::value(const Expr& expr, const Indices& indices, const Equation& equation) {
  const auto inner = [&](const Expr& e) { return value(e, indices, equation); };
  if (const Number* n = as<Number>(expr)) return number(n->value);
  if (const Name* n = as<Name>(expr))
    return n->kind == NameKind::constant ? inner(lifted_.program.let(n->id)->value)
                                         : number(static_cast<double>(whole(expr, indices)));
  if (const Access* a = as<Access>(expr)) {
    Place place{a->step ? whole(*a->step, indices) : 0};
    for (const Expr& i : a->indices) place.push_back(whole(i, indices));
    return tile(a->tensor, place);
  }
  if (const Unary* u = as<Unary>(expr)) return binary({BinaryOp::mul, {}, {}}, number(-1), inner(u->operand));
  if (const Binary* b = as<Binary>(expr)) return binary(*b, inner(b->lhs), inner(b->rhs));
  if (const Select* s = as<Select>(expr))
    return inner(inner(s->condition).values[0] != 0 ? s->then_value : s->else_value);
  if (const Reduce* r = as<Reduce>(expr)) {
    Tile total;
    Indices all = indices;
    add_all(*r, 0, all, equation, total);
    if (total.values.empty()) total = number(0);
    return total;
  }
  const KernelCall* k = as<KernelCall>(expr);
  if (!k) bug("not known here: " + print(expr));
  std::vector<Tile> arguments;
  for (const Expr& e : k->arguments) arguments.push_back(inner(e));
  return kernel_named(k->kernel)->compute(arguments);
}

// An empty sum has given a number, zero, which is added to a tile as if it were one of zeros.
Tile RaggedTiles::binary(const Binary& b, Tile left, Tile right) const {
  const auto apply = [&](double x, double y) {
    switch (b.op) {
    case BinaryOp::add: return x + y;
    case BinaryOp::sub: return x - y;
    case BinaryOp::mul: return x * y;
    case BinaryOp::div: return x / y;
    case BinaryOp::greater: return x > y ? 1.0 : 0.0;
    default: bug("not known here");
    }
  };
  Tile result = left.dims.empty() ? right : left;
  for (std::size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = apply(left.values[left.dims.empty() ? 0 : i], right.values[right.dims.empty() ? 0 : i]);
  return result;
}

void RaggedTiles::add_all(const Reduce& reduce, std::size_t variable, Indices& indices, const Equation& equation,
                          Tile& total) {
  if (variable == reduce.variables.size()) {
    const Tile term = value(reduce.body, indices, equation);
    if (total.values.empty()) total = {term.dims, std::vector<double>(term.values.size(), 0.0)};
    total = binary({BinaryOp::add, {}, {}}, total, term);
    return;
  }
  const std::string& name = reduce.variables[variable].name;
  std::int64_t end = -1;
  ir::walk<ExprNode>(reduce.body, [&](const Expr& e) {
    if (const Access* a = as<Access>(e))
      for (std::size_t d = 0; d < a->indices.size(); ++d)
        if (const Name* n = as<Name>(a->indices[d]); n && n->id == name)
          end = whole(lifted_.program.tensor(a->tensor)->dims[d], {});
  });
  if (end < 0) bug("no range for " + name);
  for (indices[name] = 0; indices[name] < end; ++indices[name])
    if (std::all_of(equation.constraints.begin(), equation.constraints.end(),
                    [&](const Constraint& c) { return holds(c, indices); }))
      add_all(reduce, variable + 1, indices, equation, total);
  indices.erase(name);
}

} // namespace cyclotron::lower
