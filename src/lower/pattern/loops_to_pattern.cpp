// SPDX-License-Identifier: MIT
#include "lower/pattern/nest_to_pattern.hpp"

#include "recurrence/identity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

namespace build = pattern::build;
using pattern::Expr;

namespace {

constexpr std::int64_t lanes_of_a_unit = 16; // what the innermost loops do at once, where nothing is said

const char* const other_targets = "`--target=c` compiles such programs";

std::string id_of(const loops::Temporary& temporary) {
  return fmt::format("{} {}", temporary.name, temporary.equation);
}

bool has_loops(const loops::Loop& loop) {
  return std::ranges::any_of(loop.body,
                             [](const loops::Node& n) { return std::holds_alternative<loops::Loop>(n.kind); });
}

// An access to it in a statement; null where there is none.
const recurrence::Access* mention_of(const loops::Statement& statement, const loops::Temporary& temporary) {
  if (statement.equation != temporary.equation) return nullptr;
  const recurrence::Access* found = statement.access().tensor == temporary.name ? &statement.access() : nullptr;
  ir::walk<recurrence::ExprNode>(statement.value, [&](const recurrence::Expr& e) {
    const auto* a = recurrence::as<recurrence::Access>(e);
    if (a && a->tensor == temporary.name) found = a;
  });
  return found;
}

Expr identity_of(const loops::Temporary& temporary) {
  const tensor::Word word = recurrence::identity_of(temporary.reducer, temporary.type);
  return tensor::is_float(temporary.type) ? build::constant(temporary.type, word.real, 0)
                                          : build::constant(temporary.type, 0, word.whole);
}

} // namespace

NestToPattern::NestToPattern(const std::string& name, const frontend::Checked& checked, const loops::Nest& nest,
                             Diagnostics& diagnostics)
    : name_(name), checked_(checked), program_(checked.program()), nest_(nest), diagnostics_(diagnostics) {}

std::optional<LoweredPattern> NestToPattern::run() {
  if (!accepts()) return std::nullopt;
  find_results();
  find_operands();
  if (diagnostics_.failed()) return std::nullopt;
  result_.program.name = name_;
  for (const recurrence::Binder& size : program_.sizes) result_.program.sizes.push_back(size.name);
  for (const std::string& size : result_.program.sizes) names_.insert(size);
  declare_drams();
  const std::string parallel = fresh("ip");
  parallel_ = build::variable(parallel);
  result_.program.environment.push_back({parallel, lanes_of_a_unit});
  Body& to = result_.program.body;
  open_results(to);
  body(nest_.body, {}, to);
  close_results(to);
  if (diagnostics_.failed()) return std::nullopt;
  return std::move(result_);
}

// Loops whose iterations need each other are no patterns, nor are steps and tiles.
bool NestToPattern::accepts() {
  for (const loops::Temporary& t : nest_.temporaries)
    if (!t.shape.empty())
      diagnostics_
          .unsupported(program_.equations[static_cast<std::size_t>(t.equation)].span,
                       "patterns hold numbers, and this equation computes with tiles")
          .with_hint(other_targets);
  loops::each_statement(nest_.body, [&](const loops::Statement& s, const std::vector<const loops::Loop*>& around) {
    if (diagnostics_.failed()) return;
    const Span span = program_.equations[static_cast<std::size_t>(s.equation)].span;
    if (program_.is_stepped(s.access().tensor))
      diagnostics_
          .unsupported(span, fmt::format("`{}` is computed step by step, which patterns are not", s.access().tensor))
          .with_hint(other_targets);
    for (const loops::Loop* loop : around) {
      if (diagnostics_.failed()) return;
      if (!loop->forall)
        diagnostics_
            .unsupported(span, fmt::format("the iterations of `{}` need each other, and those of a pattern do not",
                                           loop->variable))
            .with_hint(other_targets);
      for (const loops::Range& range : loop->ranges)
        for (const auto& bounds : {range.lower, range.upper})
          if (std::ranges::any_of(bounds, [](const loops::Bound& b) { return b.divisor != 1; }) &&
              !diagnostics_.failed())
            diagnostics_.unsupported(span, fmt::format("the ends of the loop over `{}` are quotients", loop->variable))
                .with_hint("leave `tile` out, or write constraints without factors");
    }
  });
  return !diagnostics_.failed();
}

void NestToPattern::find_operands() {
  loops::each_statement(nest_.body, [&](const loops::Statement& s, const std::vector<const loops::Loop*>& around) {
    std::vector<std::string> path;
    for (const loops::Loop* loop : around) {
      path.push_back(loop->variable);
      names_.insert(loop->variable);
    }
    const auto note_extents = [&](const Operand& operand) {
      for (std::size_t l = 0; l < operand.rank(); ++l)
        if (operand.index[l].terms.size() == 1 && operand.index[l].constant == 0 &&
            operand.index[l].terms.begin()->second == 1)
          extents_.try_emplace({s.equation, operand.index[l].terms.begin()->first}, operand.extent[l]);
    };
    const auto see = [&](const recurrence::Expr& e) {
      const auto* a = recurrence::as<recurrence::Access>(e);
      const recurrence::TensorDecl* tensor = a ? program_.tensor(a->tensor) : nullptr;
      if (!tensor) return;
      Operand operand = operand_of(e, stored_format(tensor->format), program_, path);
      operand.equation = s.equation;
      note_extents(operand);
      if (results_.count(a->tensor)) return;
      if (!(operand.format == tensor->format)) result_.stored[a->tensor] = operand.format;
      operands_.try_emplace(operand.key, std::move(operand));
    };
    see(s.target);
    ir::walk<recurrence::ExprNode>(s.value, see);
  });
}

void NestToPattern::declare_drams() {
  std::set<std::string> done;
  const auto declare = [&](const Operand& operand, bool out) {
    if (!done.insert(operand.tensor).second) return;
    const auto add = [&](const std::string& name, ValueType type, Expr extent, pattern::ArrayKind kind,
                         std::size_t level) {
      names_.insert(name);
      result_.program.drams.push_back(
          {name, type, out, std::move(extent), operand.tensor, kind, static_cast<int>(level)});
    };
    for (std::size_t l = 0; l < operand.rank(); ++l) {
      if (!operand.compressed(l)) continue;
      const std::string of = fmt::format("{}{}", operand.tensor, l + 1);
      const bool known = operand.first_dense(l) == 0;
      add(of + "_pos_d", ValueType::i64, known ? build::add(extent_of(operand, 0, l), build::number(1)) : Expr(),
          pattern::ArrayKind::positions, l + 1);
      add(of + "_crd_d", ValueType::i64, {}, pattern::ArrayKind::coordinates, l + 1);
    }
    const bool known = operand.first_dense(operand.rank()) == 0;
    add(operand.tensor + "_vals_d", operand.type, known ? extent_of(operand, 0, operand.rank()) : Expr(),
        pattern::ArrayKind::values, 0);
  };
  for (const auto& [key, operand] : operands_) declare(operand, false);
  for (const auto& [tensor, result] : results_) declare(result.operand, true);
}

std::string NestToPattern::fresh(const std::string& wish) {
  std::string name = wish;
  for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", wish, n);
  return name;
}

std::vector<const loops::Statement*> NestToPattern::statements_in(const loops::Loop& loop) const {
  std::vector<const loops::Statement*> result;
  loops::each_statement(loop.body, [&](const loops::Statement& s, const auto&) { result.push_back(&s); });
  return result;
}

std::vector<const Operand*> NestToPattern::inputs_in(const Nodes& nodes) const {
  std::vector<const Operand*> result;
  loops::each_statement(nodes, [&](const loops::Statement& s, const auto&) {
    ir::walk<recurrence::ExprNode>(s.value, [&](const recurrence::Expr& e) {
      if (!recurrence::as<recurrence::Access>(e)) return;
      const auto at = operands_.find(recurrence::print(e));
      if (at != operands_.end() && std::find(result.begin(), result.end(), &at->second) == result.end())
        result.push_back(&at->second);
    });
  });
  return result;
}

Expr NestToPattern::formula(const Affine& affine) const {
  Expr sum = build::number(0);
  for (const auto& [name, c] : affine.terms)
    if (c > 0) sum = build::add(sum, build::mul(build::number(c), build::variable(name)));
  for (const auto& [name, c] : affine.terms)
    if (c < 0) sum = build::sub(sum, build::mul(build::number(-c), build::variable(name)));
  return build::add(sum, build::number(affine.constant));
}

Expr NestToPattern::condition(const recurrence::Condition& condition) const {
  using recurrence::BinaryOp;
  const auto kind = condition.kind;
  const BinaryOp op = kind == recurrence::Condition::Kind::nonnegative ? BinaryOp::greater_equal
                      : kind == recurrence::Condition::Kind::zero      ? BinaryOp::equal
                                                                       : BinaryOp::not_equal;
  return build::compare(op, formula(condition.affine), build::number(0));
}

Expr NestToPattern::conditions(const std::vector<recurrence::Condition>& all) const {
  Expr result;
  for (const recurrence::Condition& c : all) result = build::both(result, condition(c));
  return result;
}

// ---- the walk -------------------------------------------------------------------------------------------------------

void NestToPattern::body(const Nodes& nodes, Scope scope, Body& to) {
  Body end;
  for (const Operand* operand : inputs_in(nodes)) scope.walked.try_emplace(operand->key);
  enter(nodes, scope, to);
  open_chunks(nodes, scope, to, end);
  for (std::size_t n = 0; n < nodes.size(); ++n) node(nodes, n, scope, to);
  std::move(end.begin(), end.end(), std::back_inserter(to));
}

void NestToPattern::node(const Nodes& nodes, std::size_t at, Scope& scope, Body& to) {
  declare_temporaries(nodes, at, scope, to);
  if (diagnostics_.failed()) return;
  if (const auto* s = std::get_if<loops::Statement>(&nodes[at].kind)) statement(*s, scope, to);
  else loop(std::get<loops::Loop>(nodes[at].kind), scope, to);
}

// Where several nodes use one, or a statement here does.
void NestToPattern::declare_temporaries(const Nodes& nodes, std::size_t at, Scope& scope, Body& to) {
  for (const loops::Temporary& t : nest_.temporaries) {
    if (scope.temporaries.count(id_of(t))) continue;
    const recurrence::Access* access = nullptr; // in this node
    std::size_t users = 0;
    bool here = false;
    for (std::size_t n = at; n < nodes.size(); ++n) {
      const recurrence::Access* found = nullptr;
      loops::each_statement({nodes[n]}, [&](const loops::Statement& s, const auto&) {
        if (!found) found = mention_of(s, t);
      });
      if (n == at) access = found;
      users += found ? 1 : 0;
      here |= found && std::holds_alternative<loops::Statement>(nodes[n].kind);
    }
    if (!access || (users < 2 && !here)) continue;
    const auto shape = shape_of(t, *access, scope);
    if (!shape) return;
    shapes_[id_of(t)] = *shape;
    const std::string memory = fresh(t.name);
    scope.temporaries[id_of(t)] = memory;
    if (shape->kept.empty()) {
      to.push_back(build::declare(MemoryKind::reg, memory, t.type, {}, identity_of(t)));
      continue;
    }
    Expr extent = build::number(1);
    for (const Affine& e : shape->extent) extent = build::mul(extent, formula(e));
    const std::string z = fresh("z");
    to.push_back(build::declare(MemoryKind::sparse_sram, memory, t.type, extent));
    to.push_back(build::foreach (z, build::number(0), extent,
                                 {build::write(memory, build::variable(z), identity_of(t))}, parallel_));
  }
}

// It has the dimensions of its equation's result, and one for each reduction around it.
std::optional<NestToPattern::Shape> NestToPattern::shape_of(const loops::Temporary& temporary,
                                                            const recurrence::Access& a, const Scope& scope) {
  const recurrence::Equation& equation = program_.equations[static_cast<std::size_t>(temporary.equation)];
  const std::vector<recurrence::Expr>& dims = program_.tensor(equation.access().tensor)->dims;
  Shape shape;
  for (std::size_t d = 0; d < a.indices.size(); ++d) {
    const Affine index = recurrence::accepted_affine(a.indices[d], program_);
    const std::set<std::string> indices = indices_in(index, program_);
    if (std::ranges::all_of(indices, [&](const std::string& i) { return scope.bound.count(i) > 0; })) continue;
    shape.kept.push_back(d);
    if (d < dims.size()) {
      shape.extent.push_back(recurrence::accepted_affine(dims[d], program_));
      continue;
    }
    const auto known = extents_.find({temporary.equation, *indices.begin()});
    if (known == extents_.end()) {
      diagnostics_
          .unsupported(equation.span,
                       fmt::format("how many `{}` there are is not the size of any tensor here", *indices.begin()))
          .with_hint(other_targets);
      return std::nullopt;
    }
    shape.extent.push_back(known->second);
  }
  return shape;
}

void NestToPattern::loop(const loops::Loop& loop, Scope& scope, Body& to) {
  if (diagnostics_.failed()) return;
  const Presence presence = presence_at(loop, scope);
  if (presence.kind == Presence::Kind::never) return;
  Scope around = scope; // fibers that are opened for this loop are not there behind it
  begin_level(loop, to);
  Header header = header_of(loop, presence, around, to);
  tables(loop, header, around, to);
  Scope inner = around;
  inner.bound.insert(loop.variable);
  inner.loops[loop.variable] = &loop;
  if (header.dense) inner.dense.insert(loop.variable);
  if (is_reduction(loop, scope)) reduction(loop, std::move(header), std::move(inner), to);
  else foreach_loop(loop, std::move(header), std::move(inner), to);
  end_level(loop, to);
}

void NestToPattern::foreach_loop(const loops::Loop& loop, Header header, Scope inner, Body& to) {
  const Expr par = par_of(loop), range = in_range(loop, header, inner);
  Body all = std::move(header.first), inside;
  for (const Leaf& leaf : header.leaves) step_into(leaf, inner, all);
  begin_entry(loop, inner, inside);
  body(loop.body, inner, inside);
  end_entry(loop, inside);
  const Expr guard = build::both(range, conditions(loop.guard));
  if (guard) all.push_back(build::when(guard, std::move(inside)));
  else std::move(inside.begin(), inside.end(), std::back_inserter(all));
  to.push_back({pattern::Loop{std::move(header.over), par, "", recurrence::Reducer::sum, std::move(all), {}}});
}

// Loops around a single statement that adds up to a register.
bool NestToPattern::is_reduction(const loops::Loop& loop, const Scope& scope) const {
  if (loop.body.size() != 1) return false;
  if (const auto* inner = std::get_if<loops::Loop>(&loop.body[0].kind)) return is_reduction(*inner, scope);
  const auto& s = std::get<loops::Statement>(loop.body[0].kind);
  const loops::Temporary* t = s.reducer ? temporary_of(s.access(), s.equation) : nullptr;
  return t && scope.temporaries.count(id_of(*t)) && shapes_.at(id_of(*t)).kept.empty();
}

void NestToPattern::reduction(const loops::Loop& loop, Header header, Scope inner, Body& to) {
  const loops::Statement& s = *statements_in(loop).front();
  const loops::Temporary& t = *temporary_of(s.access(), s.equation);
  const std::string reg = inner.temporaries.at(id_of(t));
  const Expr identity = identity_of(t);
  const Expr par = par_of(loop), range = in_range(loop, header, inner);
  Body all = std::move(header.first);
  for (const Leaf& leaf : header.leaves) step_into(leaf, inner, all);
  Expr guard = build::both(range, conditions(loop.guard)), yielded;
  for (const Operand* operand : inputs_in(loop.body)) inner.walked.try_emplace(operand->key);
  if (std::holds_alternative<loops::Statement>(loop.body[0].kind)) {
    enter(loop.body, inner, all);
    equation_ = s.equation;
    guard = build::both(guard, conditions(s.guard));
    yielded = build::choose(guard, value(s.value, t.type, inner), identity);
  } else {
    const std::string own = fresh(reg);
    all.push_back(build::declare(MemoryKind::reg, own, t.type, {}, identity));
    inner.temporaries[id_of(t)] = own;
    Body inside;
    body(loop.body, inner, inside);
    if (guard) all.push_back(build::when(guard, std::move(inside)));
    else std::move(inside.begin(), inside.end(), std::back_inserter(all));
    yielded = build::variable(own);
  }
  to.push_back({pattern::Loop{std::move(header.over), par, reg, t.reducer, std::move(all), yielded}});
}

// The innermost loops are vectors.
Expr NestToPattern::par_of(const loops::Loop& loop) const { return has_loops(loop) ? build::number(1) : parallel_; }

std::optional<LoweredPattern> loops_to_pattern(const std::string& name, const frontend::Checked& checked,
                                               const loops::Nest& nest, Diagnostics& diagnostics) {
  return NestToPattern(name, checked, nest, diagnostics).run();
}

} // namespace cyclotron::lower
