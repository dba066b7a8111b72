// SPDX-License-Identifier: MIT
// The invariants of a nest that its structure shows. Whether it computes in the right order is another question:
// lower/order_problem.hpp.
#include "loops/ir.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cyclotron::loops {

using namespace recurrence;

namespace {

class Verifier {
public:
  Verifier(const Nest& nest, const Program& program) : nest_(nest), program_(program) {}

  std::string run() {
    find_writes();
    visit(nest_.body);
    check_complete();
    return problem_;
  }

private:
  struct Place {
    std::size_t position;
    std::vector<const Loop*> around;
  };
  using Key = std::pair<std::string, int>; // a temporary: its name and equation

  // Only the first problem is kept: the others often follow from it.
  void report(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  void find_writes() {
    std::size_t position = 0;
    each_statement(nest_.body, [&](const Statement& s, const std::vector<const Loop*>& around) {
      if (s.reducer) accumulated_[{s.access().tensor, s.equation}].push_back({position, around});
      else ++assigned_[s.equation];
      ++position;
    });
  }

  void visit(const std::vector<Node>& body) {
    for (const Node& node : body)
      if (const Loop* loop = std::get_if<Loop>(&node.kind)) check_loop(*loop);
      else check_statement(std::get<Statement>(node.kind));
  }

  // --- loops ---

  void check_loop(const Loop& loop) {
    const std::string& v = loop.variable;
    if (in_scope(v)) report(fmt::format("`{}` is the variable of two loops one inside the other", v));
    if (program_.is_size(v) || program_.let(v) || program_.tensor(v))
      report(fmt::format("the variable `{}` of a loop is a name of the program", v));
    check_guard(loop.guard, fmt::format("the loop over `{}`", v));
    if (loop.ranges.empty()) report(fmt::format("the loop over `{}` has no range", v));
    for (const Range& r : loop.ranges) {
      if (r.lower.empty() || r.upper.empty()) report(fmt::format("the loop over `{}` has no bound on one side", v));
      for (const auto& list : {r.lower, r.upper})
        for (const Bound& b : list) {
          if (b.divisor < 1) report(fmt::format("a bound of `{}` is divided by {}", v, b.divisor));
          check_affine(b.value, fmt::format("a bound of `{}`", v));
        }
    }
    if (loop.body.empty()) report(fmt::format("the loop over `{}` is empty", v));
    if (loop.parallel && (!loop.forall || loop.reduces))
      report(fmt::format("the loop over `{}` is parallel, but its iterations depend on each other", v));
    if (loop.vector_width != 0 && !loop.forall)
      report(fmt::format("the loop over `{}` has vectors, but its iterations depend on each other", v));
    if (loop.vector_width < -1 || loop.unroll < 0) report(fmt::format("the loop over `{}` has a width below 0", v));
    around_.push_back(&loop);
    visit(loop.body);
    around_.pop_back();
  }

  bool in_scope(const std::string& name) const {
    return std::any_of(around_.begin(), around_.end(), [&](const Loop* l) { return l->variable == name; });
  }

  void check_guard(const std::vector<Condition>& guard, const std::string& where) {
    for (const Condition& c : guard) check_affine(c.affine, "the guard of " + where);
  }

  void check_affine(const Affine& affine, const std::string& where) {
    for (const auto& [name, c] : affine.terms)
      if (!in_scope(name) && !program_.is_size(name)) report(fmt::format("`{}` in {} is not in scope", name, where));
  }

  // --- statements ---

  void check_statement(const Statement& s) {
    if (!s.target || !as<Access>(s.target) || !s.value) return report("a statement assigns to no access");
    const std::string text = "`" + print(s) + "`";
    if (s.equation < 0 || static_cast<std::size_t>(s.equation) >= program_.equations.size())
      return report(text + " belongs to no equation");
    check_guard(s.guard, text);
    check_target(s, text);
    check_expr(s.target, s, text);
    check_expr(s.value, s, text);
    ir::walk<ExprNode>(s.value, [&](const Expr& e) {
      if (const Access* a = as<Access>(e); a && !program_.tensor(a->tensor)) check_temporary_read(*a, s, text);
    });
    ++position_;
  }

  void check_target(const Statement& s, const std::string& text) {
    const std::string& name = s.access().tensor;
    const Temporary* temporary = nest_.temporary(name, s.equation);
    if (s.reducer) {
      if (!temporary) return report(text + " accumulates what is no temporary");
      if (temporary->reducer != *s.reducer) report(text + " accumulates in another way than its temporary is for");
      return;
    }
    if (temporary) return report(text + " assigns to a temporary");
    if (!program_.is_output(name)) return report(text + " writes what is no output");
    if (program_.equations[static_cast<std::size_t>(s.equation)].access().tensor != name)
      report(text + " writes another tensor than its equation");
  }

  void check_expr(const Expr& root, const Statement& s, const std::string& text) {
    ir::walk<ExprNode>(root, [&](const Expr& e) {
      if (as<Reduce>(e)) report(text + " has a reduction");
      if (const Name* n = as<Name>(e)) {
        const bool known = n->kind == NameKind::index      ? in_scope(n->id)
                           : n->kind == NameKind::size     ? program_.is_size(n->id)
                           : n->kind == NameKind::constant ? program_.let(n->id) != nullptr
                                                           : false;
        if (!known) report(fmt::format("`{}` in {} is not in scope", n->id, text));
      }
      if (const Access* a = as<Access>(e))
        if (!program_.tensor(a->tensor) && !nest_.temporary(a->tensor, s.equation))
          report(fmt::format("`{}` in {} is neither a tensor nor a temporary of its equation", a->tensor, text));
    });
  }

  // Behind what accumulates it: further down, or in a later iteration of a loop around both.
  void check_temporary_read(const Access& a, const Statement& s, const std::string& text) {
    if (s.reducer && a.tensor == s.access().tensor) return report(text + " reads the temporary that it accumulates");
    const auto at = accumulated_.find(Key{a.tensor, s.equation});
    if (at == accumulated_.end())
      return report(fmt::format("{} reads `{}`, which nothing accumulates", text, a.tensor));
    for (const Place& place : at->second) {
      bool later = place.position < position_;
      for (std::size_t d = 0; d < around_.size() && d < place.around.size() && around_[d] == place.around[d]; ++d)
        later |= !around_[d]->forall;
      if (!later) report(fmt::format("{} reads `{}` before it is accumulated", text, a.tensor));
    }
  }

  // --- the whole ---

  void check_complete() {
    for (std::size_t e = 0; e < program_.equations.size(); ++e)
      if (const int times = assigned_[static_cast<int>(e)]; times != 1)
        report(fmt::format("the equation of `{}` is assigned {}", print(program_.equations[e].target),
                           times == 0 ? "nowhere" : fmt::format("{} times", times)));
    for (const Temporary& t : nest_.temporaries) {
      const auto at = accumulated_.find(Key{t.name, t.equation});
      if (at == accumulated_.end() || at->second.size() != 1)
        report(fmt::format("the temporary `{}` is accumulated {}", t.name,
                           at == accumulated_.end() ? "nowhere" : fmt::format("{} times", at->second.size())));
    }
  }

  const Nest& nest_;
  const Program& program_;
  std::map<Key, std::vector<Place>> accumulated_;
  std::map<int, int> assigned_; // equation -> times
  std::vector<const Loop*> around_;
  std::size_t position_ = 0;
  std::string problem_;
};

} // namespace

std::string problem_of(const Nest& nest, const Program& program) { return Verifier(nest, program).run(); }

} // namespace cyclotron::loops
