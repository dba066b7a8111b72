// SPDX-License-Identifier: MIT
#include "lower/pe/ast_to_statements.hpp"

#include <isl/ast_build.h>
#include <isl/val.h>

#include <map>

namespace cyclotron::lower {

using namespace pe;

namespace {

class Translator {
public:
  explicit Translator(const MakeStatement& make) : make_(make) {}

  // Takes the node.
  void translate(isl_ast_node* node, std::vector<Statement>& to) {
    switch (isl_ast_node_get_type(node)) {
    case isl_ast_node_for: translate_for(node, to); break;
    case isl_ast_node_if: translate_if(node, to); break;
    case isl_ast_node_block: {
      isl_ast_node_list* list = isl_ast_node_block_get_children(node);
      for (int i = 0; i < isl_ast_node_list_n_ast_node(list); ++i)
        translate(isl_ast_node_list_get_ast_node(list, i), to);
      isl_ast_node_list_free(list);
      break;
    }
    case isl_ast_node_user: to.push_back(user(isl_ast_node_user_get_expr(node))); break;
    case isl_ast_node_mark: translate(isl_ast_node_mark_get_node(node), to); break;
    case isl_ast_node_error: bug("isl made no loops");
    }
    isl_ast_node_free(node);
  }

  // One of the lists holds; takes the expression.
  std::vector<Tests> alternatives(isl_ast_expr* expr) {
    std::vector<Tests> result;
    const isl_ast_expr_op_type op =
        isl_ast_expr_get_type(expr) == isl_ast_expr_op ? isl_ast_expr_get_op_type(expr) : isl_ast_expr_op_error;
    if (op == isl_ast_expr_op_or || op == isl_ast_expr_op_or_else) {
      for (Tests& t : alternatives(argument(expr, 0))) result.push_back(std::move(t));
      for (Tests& t : alternatives(argument(expr, 1))) result.push_back(std::move(t));
    } else if (op == isl_ast_expr_op_and || op == isl_ast_expr_op_and_then) {
      const std::vector<Tests> second = alternatives(argument(expr, 1));
      for (const Tests& a : alternatives(argument(expr, 0)))
        for (const Tests& b : second) {
          result.push_back(a);
          result.back().insert(result.back().end(), b.begin(), b.end());
        }
    } else if (op != isl_ast_expr_op_error && relation_of(op)) {
      result.push_back({{index(argument(expr, 0)), *relation_of(op), index(argument(expr, 1))}});
    } else { // the number 1 or 0
      const Index value = index(isl_ast_expr_copy(expr));
      if (ir::as<Whole>(value) && ir::as<Whole>(value)->value != 0) result.emplace_back();
    }
    isl_ast_expr_free(expr);
    return result;
  }

private:
  static isl_ast_expr* argument(isl_ast_expr* expr, int at) { return isl_ast_expr_get_op_arg(expr, at); }

  static std::optional<recurrence::Relation> relation_of(isl_ast_expr_op_type op) {
    using recurrence::Relation;
    switch (op) {
    case isl_ast_expr_op_eq: return Relation::equal;
    case isl_ast_expr_op_le: return Relation::less_equal;
    case isl_ast_expr_op_lt: return Relation::less;
    case isl_ast_expr_op_ge: return Relation::greater_equal;
    case isl_ast_expr_op_gt: return Relation::greater;
    default: return std::nullopt;
    }
  }

  static Index whole(std::int64_t value) { return Index(Whole{value}); }

  static Index combine(IndexOp op, const Index& a, const Index& b) {
    const Whole* x = ir::as<Whole>(a);
    const Whole* y = ir::as<Whole>(b);
    if (op == IndexOp::add && x && x->value == 0) return b;
    if ((op == IndexOp::add || op == IndexOp::sub) && y && y->value == 0) return a;
    if (op == IndexOp::add && x && y) return whole(x->value + y->value);
    if (op == IndexOp::sub && x && y) return whole(x->value - y->value);
    const Operation* o = ir::as<Operation>(a);
    const Whole* last = o && (o->op == IndexOp::add || o->op == IndexOp::sub) ? ir::as<Whole>(o->rhs) : nullptr;
    if ((op == IndexOp::add || op == IndexOp::sub) && last && y) { // `i - 1 - 1`
      const std::int64_t sum =
          (o->op == IndexOp::add ? last->value : -last->value) + (op == IndexOp::add ? y->value : -y->value);
      return combine(sum < 0 ? IndexOp::sub : IndexOp::add, o->lhs, whole(sum < 0 ? -sum : sum));
    }
    const Whole* first = o && o->op == IndexOp::sub ? ir::as<Whole>(o->lhs) : nullptr;
    if (op == IndexOp::add && first && first->value == 0) return combine(IndexOp::sub, b, o->rhs); // `-i + j`
    return Index(Operation{op, a, b});
  }

  // Takes the expression.
  Index index(isl_ast_expr* expr) {
    Index result;
    switch (isl_ast_expr_get_type(expr)) {
    case isl_ast_expr_int: {
      isl_val* value = isl_ast_expr_get_val(expr);
      result = whole(isl_val_get_num_si(value));
      isl_val_free(value);
      break;
    }
    case isl_ast_expr_id: {
      isl_id* id = isl_ast_expr_get_id(expr);
      const std::string name = isl_id_get_name(id);
      isl_id_free(id);
      const auto known = values_.find(name);
      result = known != values_.end() ? known->second : Index(Variable{name});
      break;
    }
    default: result = operation(expr);
    }
    isl_ast_expr_free(expr);
    return result;
  }

  Index operation(isl_ast_expr* expr) {
    const auto arg = [&](int at) { return index(argument(expr, at)); };
    const auto all = [&](IndexOp op) {
      Index result = arg(0);
      for (int i = 1; i < isl_ast_expr_get_op_n_arg(expr); ++i) result = combine(op, result, arg(i));
      return result;
    };
    switch (isl_ast_expr_get_op_type(expr)) {
    case isl_ast_expr_op_add: return combine(IndexOp::add, arg(0), arg(1));
    case isl_ast_expr_op_sub: return combine(IndexOp::sub, arg(0), arg(1));
    case isl_ast_expr_op_mul: return combine(IndexOp::mul, arg(0), arg(1));
    case isl_ast_expr_op_minus: return combine(IndexOp::sub, whole(0), arg(0));
    case isl_ast_expr_op_min: return all(IndexOp::min);
    case isl_ast_expr_op_max: return all(IndexOp::max);
    case isl_ast_expr_op_div:
    case isl_ast_expr_op_fdiv_q:
    case isl_ast_expr_op_pdiv_q: return combine(IndexOp::floor_div, arg(0), arg(1));
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r: return combine(IndexOp::mod, arg(0), arg(1));
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select: // b + (1 or 0) * (a - b)
      return combine(IndexOp::add, arg(2),
                     combine(IndexOp::mul, truth(argument(expr, 0)), combine(IndexOp::sub, arg(1), arg(2))));
    default: return truth(isl_ast_expr_copy(expr));
    }
  }

  // A condition as the number 1 or 0; takes the expression.
  Index truth(isl_ast_expr* expr) {
    const auto number = [&](int at) { return index(argument(expr, at)); };
    const auto at_least = [](const Index& a, const Index& b) { // a - b + 1, cut to 0 .. 1
      const Index more = combine(IndexOp::add, combine(IndexOp::sub, a, b), whole(1));
      return combine(IndexOp::min, whole(1), combine(IndexOp::max, whole(0), more));
    };
    Index result;
    if (isl_ast_expr_get_type(expr) != isl_ast_expr_op) result = index(isl_ast_expr_copy(expr));
    else switch (isl_ast_expr_get_op_type(expr)) {
      case isl_ast_expr_op_ge: result = at_least(number(0), number(1)); break;
      case isl_ast_expr_op_le: result = at_least(number(1), number(0)); break;
      case isl_ast_expr_op_gt: result = at_least(combine(IndexOp::sub, number(0), whole(1)), number(1)); break;
      case isl_ast_expr_op_lt: result = at_least(combine(IndexOp::sub, number(1), whole(1)), number(0)); break;
      case isl_ast_expr_op_eq:
        result = combine(IndexOp::mul, at_least(number(0), number(1)), at_least(number(1), number(0)));
        break;
      case isl_ast_expr_op_and:
      case isl_ast_expr_op_and_then:
        result = combine(IndexOp::mul, truth(argument(expr, 0)), truth(argument(expr, 1)));
        break;
      case isl_ast_expr_op_or:
      case isl_ast_expr_op_or_else:
        result = combine(IndexOp::max, truth(argument(expr, 0)), truth(argument(expr, 1)));
        break;
      default: bug("a formula of isl that a PE does not know");
      }
    isl_ast_expr_free(expr);
    return result;
  }

  void translate_for(isl_ast_node* node, std::vector<Statement>& to) {
    isl_ast_expr* iterator = isl_ast_node_for_get_iterator(node);
    isl_id* id = isl_ast_expr_get_id(iterator);
    const std::string name = isl_id_get_name(id);
    isl_id_free(id);
    isl_ast_expr_free(iterator);
    const Index first = index(isl_ast_node_for_get_init(node));
    if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
      values_[name] = first;
      translate(isl_ast_node_for_get_body(node), to);
      values_.erase(name);
      return;
    }
    Loop loop;
    loop.variable = name;
    loop.first = first;
    const Index step = index(isl_ast_node_for_get_inc(node));
    loop.step = ir::as<Whole>(step)->value;
    isl_ast_expr* condition = isl_ast_node_for_get_cond(node); // iterator < or <= end
    const bool strict = isl_ast_expr_get_op_type(condition) == isl_ast_expr_op_lt;
    loop.last = index(argument(condition, 1));
    if (strict) loop.last = combine(IndexOp::sub, loop.last, whole(1));
    isl_ast_expr_free(condition);
    translate(isl_ast_node_for_get_body(node), loop.body);
    to.push_back({std::move(loop)});
  }

  void translate_if(isl_ast_node* node, std::vector<Statement>& to) {
    If one;
    one.any = alternatives(isl_ast_node_if_get_cond(node));
    translate(isl_ast_node_if_get_then_node(node), one.body);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true) bug("isl made an else branch");
    to.push_back({std::move(one)});
  }

  // Takes the call.
  Statement user(isl_ast_expr* call) {
    isl_ast_expr* callee = argument(call, 0);
    isl_id* id = isl_ast_expr_get_id(callee);
    const std::string tuple = isl_id_get_name(id);
    isl_id_free(id);
    isl_ast_expr_free(callee);
    std::vector<Index> coordinates;
    for (int i = 1; i < isl_ast_expr_get_op_n_arg(call); ++i) coordinates.push_back(index(argument(call, i)));
    isl_ast_expr_free(call);
    return make_(tuple, coordinates);
  }

  const MakeStatement& make_;
  std::map<std::string, Index> values_; // of loops that run once
};

} // namespace

std::vector<Statement> statements_of(isl_ast_node* node, const MakeStatement& make) {
  std::vector<Statement> result;
  Translator(make).translate(node, result);
  return result;
}

std::vector<Tests> tests_of(const isl::set& parameters) {
  isl_ast_build* build = isl_ast_build_alloc(parameters.ctx().get());
  isl_ast_expr* expr = isl_ast_build_expr_from_set(build, parameters.copy());
  isl_ast_build_free(build);
  if (!expr) throw isl::exception();
  const MakeStatement none;
  return Translator(none).alternatives(expr);
}

} // namespace cyclotron::lower
