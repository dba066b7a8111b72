// SPDX-License-Identifier: MIT
// Random trees of every node kind print to a text that parses to the same tree.
#include "frontend/parse.hpp"
#include "fuzz/property.hpp"
#include "recurrence/kernels.hpp"

#include <limits>

namespace cyclotron::frontend {
namespace {

using namespace recurrence;
using fuzz::check_property;

template <class T> T among(const std::vector<T>& list) {
  return list[*rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, list.size()))];
}

std::string random_name() {
  return among<std::string>({"i", "j", "k", "n", "alpha", "x", "A", "_", "e1", "order", "by", "inf_", "notable", "f64",
                             "csr", "sum", "min", "prod", "map"});
}

Expr random_leaf() {
  switch (*rc::gen::inRange(0, 5)) {
  case 0: return Expr(Name{random_name(), NameKind::unresolved});
  case 1: {
    const auto whole = among<std::int64_t>({0, 1, 2, 17, 1000000007, std::numeric_limits<std::int64_t>::max()});
    return Expr(Number{static_cast<double>(whole), whole});
  }
  case 2:
    return Expr(Number{among<double>({0.0, 0.5, 0.1, 1e100, 1e-300, 5e-324, 1.7976931348623157e308, 1e16,
                                      123456789012345678.0, std::numeric_limits<double>::infinity()}),
                       {}});
  case 3:
    return Expr(Number{
        *rc::gen::map(rc::gen::arbitrary<double>(), [](double d) { return std::isfinite(d) ? std::fabs(d) : 1.0; }),
        {}});
  default: return Expr(Boolean{*rc::gen::arbitrary<bool>()});
  }
}

Expr random_expr(int depth);

std::vector<Expr> random_list(std::size_t least, std::size_t most, int depth) {
  std::vector<Expr> list(*rc::gen::resize(100, rc::gen::inRange(least, most + 1)));
  for (Expr& e : list) e = random_expr(depth);
  return list;
}

Expr random_access(int depth) {
  Access access{among<std::string>({"A", "x", "D", "L1", "order"}), {}, {}};
  if (*rc::gen::inRange(0, 3) == 2) access.step = random_expr(depth);
  access.indices = random_list(access.step ? 0 : 1, 3, depth);
  return Expr(access);
}

Expr random_expr(int depth) {
  if (depth <= 0) return random_leaf();
  const int next = depth - 1;
  switch (*rc::gen::resize(100, rc::gen::inRange(0, 9))) {
  case 0: return random_leaf();
  case 1: return random_access(next);
  case 2: return Expr(Unary{among<UnaryOp>({UnaryOp::negate, UnaryOp::logical_not}), random_expr(next)});
  case 3:
  case 4:
    return Expr(Binary{static_cast<BinaryOp>(*rc::gen::resize(100, rc::gen::inRange(0, 12))), random_expr(next),
                       random_expr(next)});
  case 5: {
    const auto f = static_cast<Function>(*rc::gen::resize(100, rc::gen::inRange(0, 7)));
    const bool many = f == Function::min || f == Function::max;
    return Expr(Call{f, many ? random_list(2, 4, next)
                             : random_list(f == Function::pow ? 2 : 1, f == Function::pow ? 2 : 1, next)});
  }
  case 6: return Expr(Select{random_expr(next), random_expr(next), random_expr(next)});
  case 7: {
    std::vector<Binder> variables(*rc::gen::inRange<std::size_t>(1, 4));
    for (Binder& b : variables) b.name = random_name();
    return Expr(
        Reduce{static_cast<Reducer>(*rc::gen::resize(100, rc::gen::inRange(0, 6))), variables, random_expr(next)});
  }
  default: {
    const Kernel& kernel =
        kernel_table()[*rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, kernel_table().size()))];
    return Expr(
        KernelCall{std::string(kernel.name), random_list(kernel.arguments.size(), kernel.arguments.size(), next)});
  }
  }
}

struct Reparsed {
  std::string text;
  std::string messages;
  Unit unit;
};

Reparsed reparse(const Unit& unit) {
  Reparsed result{print(unit), "", {}};
  Sources sources;
  Diagnostics diagnostics(sources);
  result.unit = parse(sources.add("a.cyc", result.text), diagnostics);
  result.messages = diagnostics.render(false);
  return result;
}

void assert_round_trip(const Unit& unit) {
  const Reparsed back = reparse(unit);
  RC_LOG() << back.text;
  RC_ASSERT(back.messages == "");
  RC_ASSERT(back.unit == unit);
  RC_ASSERT(print(back.unit) == back.text);
}

TEST(ExpressionRoundTrip, Values) {
  check_property(300, [] {
    Unit unit;
    unit.program.equations.push_back({Expr(Access{"y", {}, {Expr(Name{"i"})}}), random_expr(4), {}, {}});
    assert_round_trip(unit);
  });
}

TEST(ExpressionRoundTrip, TargetsAndConstraints) {
  check_property(200, [] {
    Unit unit;
    Equation e{random_access(2), random_expr(2), {}, {}};
    for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
      Constraint c{{random_expr(2)}, {}, {}};
      for (int more = *rc::gen::inRange(1, 4); more > 0; --more) {
        c.relations.push_back(static_cast<Relation>(*rc::gen::resize(100, rc::gen::inRange(0, 6))));
        c.operands.push_back(random_expr(2));
      }
      e.constraints.push_back(c);
    }
    if (std::get<Access>(e.target->kind).tensor == "order") return; // fine, but so is every other name
    unit.program.equations.push_back(e);
    assert_round_trip(unit);
  });
}

TEST(ExpressionRoundTrip, ConstantsAndDimensions) {
  check_property(100, [] {
    Unit unit;
    unit.program.lets.push_back({{"c", {}}, random_expr(3), {}});
    TensorDecl decl{{"T", {}}, random_list(0, 3, 2), tensor::ValueType::f64, {}, {}};
    decl.type = among<tensor::ValueType>({tensor::ValueType::f64, tensor::ValueType::f32, tensor::ValueType::i32,
                                          tensor::ValueType::i64, tensor::ValueType::boolean});
    decl.format = tensor::dense_format(static_cast<int>(decl.dims.size()));
    for (auto& level : decl.format.levels)
      level = among<tensor::LevelKind>(
          {tensor::LevelKind::dense, tensor::LevelKind::compressed, tensor::LevelKind::bitvector});
    if (decl.dims.size() > 1 && *rc::gen::arbitrary<bool>()) std::swap(decl.format.order[0], decl.format.order[1]);
    decl.format.region =
        among<tensor::Region>({tensor::Region::unspecified, tensor::Region::onchip, tensor::Region::offchip});
    unit.program.tensors.push_back(decl);
    assert_round_trip(unit);
  });
}

} // namespace
} // namespace cyclotron::frontend
