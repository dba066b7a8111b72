// SPDX-License-Identifier: MIT
#include "lower/code/isl_to_code.hpp"

#include "code/build.hpp"
#include "support/diagnostics.hpp"

#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/val.h>

namespace cyclotron::lower {

namespace build = code::build;
using code::BinaryOp;
using code::Expr;

namespace {

std::string name_and_free(isl_id* id) {
  std::string name = isl_id_get_name(id);
  isl_id_free(id);
  return name;
}

Expr folded(BinaryOp op, const Expr& a, const Expr& b) {
  switch (op) {
  case BinaryOp::add: return build::add(a, b);
  case BinaryOp::sub: return build::sub(a, b);
  case BinaryOp::mul: return build::mul(a, b);
  case BinaryOp::floor_div: return build::floor_div(a, b);
  case BinaryOp::mod: return build::mod(a, b);
  case BinaryOp::min: return build::min(a, b);
  case BinaryOp::max: return build::max(a, b);
  case BinaryOp::logical_and: return build::logical_and(a, b);
  case BinaryOp::logical_or: return build::logical_or(a, b);
  default: return build::binary(op, a, b);
  }
}

// isl writes the numbers 1 and 0 where nothing is to be tested.
code::Expr as_truth(const code::Expr& expr) {
  if (const code::Spread* s = ir::as<code::Spread>(expr)) return build::spread(as_truth(s->operand));
  const code::Number* n = ir::as<code::Number>(expr);
  return n && n->scalar != code::Scalar::boolean ? build::truth(n->whole != 0) : expr;
}

class IslReader {
public:
  IslReader(const Meanings& meanings, FreshNames& names, const Visited& visited)
      : meanings_(meanings), names_(names), visited_(visited) {}

  // Takes the node.
  void loops(isl_ast_node* node, code::Body& to) {
    switch (isl_ast_node_get_type(node)) {
    case isl_ast_node_for: loop(node, to); break;
    case isl_ast_node_if: condition(node, to); break;
    case isl_ast_node_block: {
      isl_ast_node_list* list = isl_ast_node_block_get_children(node);
      for (int i = 0; i < isl_ast_node_list_n_ast_node(list); ++i) loops(isl_ast_node_list_get_ast_node(list, i), to);
      isl_ast_node_list_free(list);
      break;
    }
    case isl_ast_node_user: visit(isl_ast_node_user_get_expr(node), to); break;
    case isl_ast_node_mark: loops(isl_ast_node_mark_get_node(node), to); break;
    case isl_ast_node_error: bug("isl made no loops");
    }
    isl_ast_node_free(node);
  }

  // Takes the expression.
  Meaning value(isl_ast_expr* expr) {
    Meaning result;
    switch (isl_ast_expr_get_type(expr)) {
    case isl_ast_expr_int: {
      isl_val* number = isl_ast_expr_get_val(expr);
      result = {build::number(isl_val_get_num_si(number)), false};
      isl_val_free(number);
      break;
    }
    case isl_ast_expr_id: {
      const std::string name = name_and_free(isl_ast_expr_get_id(expr));
      const auto known = meanings_.find(name);
      result = known != meanings_.end() ? known->second : Meaning{build::variable(name), false};
      break;
    }
    default: result = operation(expr);
    }
    isl_ast_expr_free(expr);
    return result;
  }

private:
  Meaning argument(isl_ast_expr* expr, int at) { return value(isl_ast_expr_get_op_arg(expr, at)); }

  static Meaning combine(BinaryOp op, const Meaning& a, const Meaning& b) {
    if (op == BinaryOp::logical_and || op == BinaryOp::logical_or) {
      const Expr x = as_truth(a.expr), y = as_truth(b.expr);
      if (a.lanes == b.lanes) return {folded(op, x, y), a.lanes};
      return {folded(op, a.lanes ? x : build::spread(x), b.lanes ? y : build::spread(y)), true};
    }
    const auto in_lanes = [](const Meaning& m) { return m.lanes ? m.expr : build::spread(m.expr); };
    if (a.lanes == b.lanes) return {folded(op, a.expr, b.expr), a.lanes};
    return {folded(op, in_lanes(a), in_lanes(b)), true};
  }

  Meaning all(isl_ast_expr* expr, BinaryOp op) {
    Meaning result = argument(expr, 0);
    for (int i = 1; i < isl_ast_expr_get_op_n_arg(expr); ++i) result = combine(op, result, argument(expr, i));
    return result;
  }

  Meaning chosen(isl_ast_expr* expr) {
    Meaning c = argument(expr, 0);
    c.expr = as_truth(c.expr);
    Meaning a = argument(expr, 1), b = argument(expr, 2);
    const bool lanes = c.lanes || a.lanes || b.lanes;
    for (Meaning* m : {&c, &a, &b})
      if (lanes && !m->lanes) m->expr = build::spread(m->expr);
    return {build::select(c.expr, a.expr, b.expr), lanes};
  }

  Meaning operation(isl_ast_expr* expr) {
    if (!expr) throw isl::exception(); // past a limit, isl copies nothing
    const auto binary = [&](BinaryOp op) { return combine(op, argument(expr, 0), argument(expr, 1)); };
    const auto swapped = [&](BinaryOp op) { return combine(op, argument(expr, 1), argument(expr, 0)); };
    switch (isl_ast_expr_get_op_type(expr)) {
    case isl_ast_expr_op_add: return binary(BinaryOp::add);
    case isl_ast_expr_op_sub: return binary(BinaryOp::sub);
    case isl_ast_expr_op_mul: return binary(BinaryOp::mul);
    case isl_ast_expr_op_minus: return combine(BinaryOp::sub, {build::number(0), false}, argument(expr, 0));
    case isl_ast_expr_op_min: return all(expr, BinaryOp::min);
    case isl_ast_expr_op_max: return all(expr, BinaryOp::max);
    case isl_ast_expr_op_div:
    case isl_ast_expr_op_fdiv_q:
    case isl_ast_expr_op_pdiv_q: return binary(BinaryOp::floor_div);
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r: return binary(BinaryOp::mod);
    case isl_ast_expr_op_and:
    case isl_ast_expr_op_and_then: return binary(BinaryOp::logical_and);
    case isl_ast_expr_op_or:
    case isl_ast_expr_op_or_else: return binary(BinaryOp::logical_or);
    case isl_ast_expr_op_eq: return binary(BinaryOp::equal);
    case isl_ast_expr_op_le: return binary(BinaryOp::less_equal);
    case isl_ast_expr_op_lt: return binary(BinaryOp::less);
    case isl_ast_expr_op_ge: return swapped(BinaryOp::less_equal);
    case isl_ast_expr_op_gt: return swapped(BinaryOp::less);
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select: return chosen(expr);
    default: bug("a formula of isl that code does not know");
    }
  }

  void loop(isl_ast_node* node, code::Body& to) {
    isl_ast_expr* iterator = isl_ast_node_for_get_iterator(node);
    const std::string name = name_and_free(isl_ast_expr_get_id(iterator));
    isl_ast_expr_free(iterator);
    const code::Expr first = value(isl_ast_node_for_get_init(node)).expr;
    if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
      meanings_[name] = {first, false};
      loops(isl_ast_node_for_get_body(node), to);
      meanings_.erase(name);
      return;
    }
    isl_ast_expr* increment = isl_ast_node_for_get_inc(node);
    isl_val* step = isl_ast_expr_get_val(increment);
    isl_ast_expr_free(increment);
    isl_ast_expr* condition = isl_ast_node_for_get_cond(node); // iterator < or <= end
    const bool strict = isl_ast_expr_get_op_type(condition) == isl_ast_expr_op_lt;
    const code::Expr last = argument(condition, 1).expr;
    isl_ast_expr_free(condition);
    code::For made{names_("t"), first, strict ? last : build::add(last, build::number(1)), 1, code::Run::serial, 0, {}};
    meanings_[name] = {build::variable(made.variable), false};
    made.step = isl_val_get_num_si(step);
    isl_val_free(step);
    loops(isl_ast_node_for_get_body(node), made.body);
    meanings_.erase(name);
    to.push_back({std::move(made)});
  }

  void condition(isl_ast_node* node, code::Body& to) {
    code::If test{as_truth(value(isl_ast_node_if_get_cond(node)).expr), {}};
    loops(isl_ast_node_if_get_then_node(node), test.body);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true) bug("isl made an else branch");
    to.push_back({std::move(test)});
  }

  // Takes the call.
  void visit(isl_ast_expr* call, code::Body& to) {
    isl_ast_expr* callee = isl_ast_expr_get_op_arg(call, 0);
    const std::string name = name_and_free(isl_ast_expr_get_id(callee));
    isl_ast_expr_free(callee);
    std::vector<code::Expr> coordinates;
    for (int i = 1; i < isl_ast_expr_get_op_n_arg(call); ++i) coordinates.push_back(argument(call, i).expr);
    isl_ast_expr_free(call);
    visited_(name, coordinates, to);
  }

  Meanings meanings_;
  FreshNames& names_;
  const Visited& visited_;
};

} // namespace

void add_loops(isl_ast_node* node, const Meanings& meanings, FreshNames& names, const Visited& visited,
               code::Body& to) {
  IslReader(meanings, names, visited).loops(node, to);
}

Meaning test_of(const isl::set& parameters, const Meanings& meanings) {
  isl_ast_build* build = isl_ast_build_alloc(parameters.ctx().get());
  isl_ast_expr* expr = isl_ast_build_expr_from_set(build, parameters.copy());
  isl_ast_build_free(build);
  if (!expr) throw isl::exception();
  const Visited none;
  FreshNames no_names;
  Meaning result = IslReader(meanings, no_names, none).value(expr);
  if (!result.lanes) result.expr = as_truth(result.expr);
  return result;
}

code::Expr value_of(isl_pw_aff* formula, const Meanings& meanings) {
  isl_ast_build* build = isl_ast_build_alloc(isl_pw_aff_get_ctx(formula));
  isl_ast_expr* expr = isl_ast_build_expr_from_pw_aff(build, formula);
  isl_ast_build_free(build);
  if (!expr) throw isl::exception();
  const Visited none;
  FreshNames no_names;
  return IslReader(meanings, no_names, none).value(expr).expr;
}

} // namespace cyclotron::lower
