// SPDX-License-Identifier: MIT
#include "code/scope.hpp"

#include <algorithm>

namespace cyclotron::code {

Scope::Scope(const Kernel& kernel) : kernel_(kernel) {
  for (const std::string& size : kernel.sizes) declare(size, {Scalar::i64, false});
}

void Scope::close() {
  declared_.resize(marks_.back());
  marks_.pop_back();
}

const Type* Scope::variable(const std::string& name) const {
  const auto found =
      std::find_if(declared_.rbegin(), declared_.rend(), [&](const Declared& d) { return d.name == name; });
  return found == declared_.rend() ? nullptr : &found->type;
}

const Memory* Scope::memory(const std::string& name) const {
  const auto found =
      std::find_if(kernel_.memories.begin(), kernel_.memories.end(), [&](const Memory& m) { return m.name == name; });
  return found == kernel_.memories.end() ? nullptr : &*found;
}

Type type_of(const Expr& expr, const Scope& scope) {
  const auto of = [&](const Expr& e) { return type_of(e, scope); };
  return ir::match(
      expr, //
      [](const Number& n) -> Type {
        return {n.scalar, false};
      },
      [&](const Variable& v) { return *scope.variable(v.name); },
      [](const Lane&) -> Type {
        return {Scalar::i32, true};
      },
      [&](const Load& l) -> Type {
        return {scope.memory(l.memory)->scalar, l.stride || of(l.index).lanes};
      },
      [&](const Unary& u) { return of(u.operand); },
      [&](const Binary& b) -> Type {
        const bool compares = b.op >= BinaryOp::less && b.op <= BinaryOp::not_equal;
        const Type type = of(b.lhs);
        return {compares ? Scalar::boolean : type.scalar, type.lanes};
      },
      [&](const Select& s) { return of(s.then_value); },
      [&](const Convert& c) -> Type {
        return {c.to, of(c.operand).lanes};
      },
      [&](const Spread& s) -> Type {
        return {of(s.operand).scalar, true};
      },
      [&](const Shift& s) { return of(s.operand); },
      [&](const Extract& e) -> Type {
        return {of(e.operand).scalar, false};
      },
      [](const AnyLane&) -> Type {
        return {Scalar::boolean, false};
      });
}

bool any_statement(const Body& body, const std::function<bool(const Statement&)>& is) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    const For* loop = std::get_if<For>(&s.kind);
    const If* condition = std::get_if<If>(&s.kind);
    return is(s) || (loop && any_statement(loop->body, is)) || (condition && any_statement(condition->body, is));
  });
}

void each_statement(const Body& body, const std::function<void(const Statement&)>& f) {
  any_statement(body, [&](const Statement& s) {
    f(s);
    return false;
  });
}

std::set<std::string> loaded_memories(const Body& body) {
  std::set<std::string> loaded;
  each_statement(body, [&](const Statement& s) {
    each_expression(s, [&](const Expr& whole) {
      ir::walk<ExprNode>(whole, [&](const Expr& e) {
        if (const Load* l = ir::as<Load>(e)) loaded.insert(l->memory);
      });
    });
  });
  return loaded;
}

void each_expression(const Statement& statement, const std::function<void(const Expr&)>& f) {
  const auto each = [&](std::initializer_list<Expr> list) {
    for (const Expr& e : list)
      if (e) f(e);
  };
  std::visit(ir::overload{
                 [&](const Declare& d) { each({d.value}); },
                 [&](const Assign& a) { each({a.value}); },
                 [&](const Store& s) {
                   each({s.index, s.stride, s.value, s.mask});
                 },
                 [&](const For& l) {
                   each({l.first, l.end});
                 },
                 [&](const If& i) { each({i.condition}); },
                 [](const Barrier&) {},
                 [&](const Fail& x) { each({x.condition}); },
             },
             statement.kind);
}

} // namespace cyclotron::code
