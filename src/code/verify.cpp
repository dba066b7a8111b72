// SPDX-License-Identifier: MIT
// The invariants: names, types, and where statements may stand.
#include "code/check_expression.hpp"
#include "code/operators.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace cyclotron::code {

namespace {

// What a memory is used for, by the outermost loop whose iterations run at once; 0 where there is none around.
struct Uses {
  std::set<int> stores, loads;
};

class Verifier {
public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), scope_(kernel) {}

  void run() {
    check_head();
    body(kernel_.body, "the kernel");
    check_waiting();
  }

private:
  struct Variable {
    std::string name;
    std::size_t depth; // of loops whose iterations run at once
  };

  [[noreturn]] void fail(std::string message) { throw Broken{{span_, std::move(message)}}; }

  // --- the head ---

  void check_head() {
    new_name(kernel_.name, "the kernel");
    const std::int64_t n = kernel_.lanes;
    if (n < 1 || n > 64 || (n & (n - 1)) != 0) fail(fmt::format("{} lanes: expected 1, 2, 4, 8, 16, 32 or 64", n));
    std::set<std::string> taken;
    for (const std::string& size : kernel_.sizes) {
      new_name(size, "a size");
      if (!taken.insert(size).second) fail(fmt::format("there are two names `{}`", size));
    }
    for (const Memory& m : kernel_.memories) {
      new_name(m.name, "a memory");
      if (!taken.insert(m.name).second) fail(fmt::format("there are two names `{}`", m.name));
      check_elements(m);
    }
  }

  void new_name(const std::string& name, std::string_view what) {
    if (!is_name(name)) fail(fmt::format("`{}` cannot be the name of {}", name, what));
  }

  void check_elements(const Memory& m) {
    const bool own = m.role == Role::scratch || m.role == Role::shared;
    if (m.once && m.role != Role::out) fail(fmt::format("`{}` is stored to once, and it is no result", m.name));
    if (own != bool(m.elements))
      fail(fmt::format("memory `{}` {}", m.name,
                       own ? "has no number of elements" : "has a number of elements of its own"));
    if (!own) return;
    const Type type = checked_type(m.elements, scope_, kernel_, {});
    if (type != code::Type{Scalar::i64, false})
      fail(fmt::format("the number of elements of `{}` is {}", m.name, name_of(type)));
    const Number* number = ir::as<Number>(m.elements);
    if (m.role == Role::shared && (!number || number->whole < 1))
      fail(fmt::format("the number of elements of `{}`, which is shared, is no number from 1 up", m.name));
    ir::walk<ExprNode>(m.elements, [&](const Expr& e) { check_arithmetic(m, e); });
  }

  // What can be computed for any sizes, before the kernel runs.
  void check_arithmetic(const Memory& m, const Expr& e) {
    const Binary* b = ir::as<Binary>(e);
    if (!ir::as<Number>(e) && !ir::as<code::Variable>(e) && !(b && b->op <= BinaryOp::max))
      fail(fmt::format("the number of elements of `{}` is more than arithmetic in the sizes", m.name));
    if (!b || (b->op != BinaryOp::div && b->op != BinaryOp::floor_div && b->op != BinaryOp::mod)) return;
    const Number* divisor = ir::as<Number>(b->rhs);
    if (!divisor || divisor->whole < 1)
      fail(fmt::format("the number of elements of `{}` is divided by what is no number from 1 up", m.name));
  }

  // --- statements ---

  void body(const Body& list, const std::string& of) {
    if (list.empty()) fail(fmt::format("{} has no body", of));
    scope_.open();
    const std::size_t mark = variables_.size();
    for (const Statement& s : list) {
      span_ = s.span;
      each_expression(s, [&](const Expr& e) { note_loads(e); });
      try {
        std::visit([&](const auto& kind) { statement(kind); }, s.kind);
      } catch (Broken& broken) {
        if (!broken.problem.span.known()) broken.problem.span = s.span;
        throw;
      }
    }
    variables_.resize(mark);
    scope_.close();
  }

  code::Type type(const Expr& e) { return checked_type(e, scope_, kernel_, around_); }

  void want(const Expr& e, code::Type wanted, const std::string& what) {
    const code::Type found = type(e);
    if (found == wanted) return;
    if (e->span.known()) span_ = e->span;
    fail(fmt::format("{} is {}, and `{}` is {}", what, name_of(wanted), print(e), name_of(found)));
  }

  void declare(const std::string& name, code::Type type) {
    new_name(name, "a variable");
    if (scope_.variable(name) || scope_.memory(name)) fail(fmt::format("`{}` is declared twice", name));
    scope_.declare(name, type);
  }

  void statement(const Declare& d) {
    if (d.value) want(d.value, d.type, fmt::format("the value of `{}`", d.name));
    declare(d.name, d.type);
    variables_.push_back({d.name, parallel_});
  }

  void statement(const Assign& a) {
    const code::Type* type = scope_.variable(a.name);
    if (!type) fail(fmt::format("`{}` is not declared here", a.name));
    for (const Variable& v : variables_)
      if (v.name == a.name) {
        if (v.depth != parallel_)
          fail(fmt::format("`{}` is declared outside of a loop whose iterations run at once, and assigned inside",
                           a.name));
        return want(a.value, *type, fmt::format("the value of `{}`", a.name));
      }
    fail(fmt::format("`{}` is no variable that can be assigned", a.name));
  }

  void statement(const Store& s) {
    if (!around_.in_workers) fail("`store` stands outside of `workers`");
    const bool lanes = checked_place(s.memory, s.index, s.stride, span_, scope_, kernel_, around_);
    const Memory& m = *scope_.memory(s.memory);
    if (m.role == Role::in) fail(fmt::format("`{}` is read only", s.memory));
    want(s.value, {m.scalar, lanes}, fmt::format("what is stored to `{}` here", s.memory));
    if (s.mask) want(s.mask, {Scalar::boolean, lanes}, "the mask of this store");
    uses_[s.memory].stores.insert(outermost_);
  }

  void statement(const For& f) {
    const std::string what = fmt::format("the loop over `{}`", f.variable);
    want(f.first, {Scalar::i64, false}, "where a loop begins");
    want(f.end, {Scalar::i64, false}, "where a loop ends");
    if (f.step == 0) fail(what + " has a step of 0");
    if (f.unroll < 0 || (f.unroll > 0 && f.run != Run::serial)) fail(what + " cannot be unrolled so");
    if (f.run == Run::blocks && loops_ > 0) fail("`blocks` stand inside of a loop");
    if (f.run == Run::workers && (around_.in_workers || (loops_ > 0 && !around_.in_blocks)))
      fail("`workers` stand in a loop that is not `blocks`");
    const auto before = std::tuple(around_, ifs_, parallel_, loops_, outermost_);
    ++loops_;
    if (f.run != Run::serial) {
      if (parallel_ == 0) outermost_ = ++outermost_loops_;
      ++parallel_;
      (f.run == Run::blocks ? around_.in_blocks : around_.in_workers) = true;
      ifs_ = 0;
    }
    scope_.open();
    declare(f.variable, {Scalar::i64, false});
    body(f.body, what);
    scope_.close();
    std::tie(around_, ifs_, parallel_, loops_, outermost_) = before;
  }

  void statement(const If& i) {
    want(i.condition, {Scalar::boolean, false}, "a condition");
    ++ifs_;
    body(i.body, "the condition");
    --ifs_;
  }

  void statement(const Barrier&) {
    if (!around_.in_blocks || around_.in_workers || ifs_ > 0)
      fail("`barrier` stands outside of `blocks`, or inside of `workers` or `if`");
  }

  void statement(const Fail& f) {
    if (f.code < 1 || f.code > 2147483646) fail(fmt::format("the number of a failure is 1 or more, not {}", f.code));
    const code::Type found = type(f.condition);
    if (found.scalar != Scalar::boolean) fail(fmt::format("the condition of a failure is {}", name_of(found)));
  }

  // --- memories ---

  void note_loads(const Expr& expr) {
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      if (const Load* l = ir::as<Load>(e)) uses_[l->memory].loads.insert(outermost_);
    });
  }

  void check_waiting() {
    span_ = {};
    for (const auto& [memory, uses] : uses_)
      if (scope_.memory(memory)->once && !uses.loads.empty())
        fail(fmt::format("`{}` is stored to once, and loaded", memory));
    for (const auto& [memory, uses] : uses_)
      for (const int store : uses.stores)
        for (const int load : uses.loads)
          if (scope_.memory(memory)->role == Role::out && store != load)
            fail(fmt::format(
                "`{}` is stored to in one outermost loop and loaded in another place, which does not wait for it",
                memory));
  }

  const Kernel& kernel_;
  Scope scope_;
  Span span_; // of what is being checked
  Surroundings around_;
  std::vector<Variable> variables_;
  std::size_t parallel_ = 0; // loops around whose iterations run at once
  int loops_ = 0;
  int ifs_ = 0; // around, inside of the innermost loop whose iterations run at once
  int outermost_ = 0, outermost_loops_ = 0;
  std::map<std::string, Uses> uses_;
};

} // namespace

std::optional<Problem> find_problem(const Kernel& kernel) {
  try {
    Verifier(kernel).run();
    return std::nullopt;
  } catch (const Broken& broken) {
    return broken.problem;
  }
}

std::string problem_of(const Kernel& kernel) {
  const auto problem = find_problem(kernel);
  return problem ? problem->message : "";
}

} // namespace cyclotron::code
