// SPDX-License-Identifier: MIT
#include "loops/link.hpp"

#include "loops/origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::loops {

using namespace recurrence;
using tensor::ValueType;

namespace {

class Linker {
public:
  Linker(Nest& nest, const Written& written, const Program& program, const Types& types, Diagnostics& diagnostics)
      : nest_(nest), written_(written), program_(program), types_(types), diagnostics_(diagnostics) {}

  bool run() {
    std::vector<const Loop*> around;
    if (!find_origins(nest_.body, around)) return false;
    if (!check_temporaries()) return false;
    for (const LetDecl& let : program_.lets) ir::walk<ExprNode>(let.value, [&](const Expr& e) { note(e, e); });
    in_order_of_equations();
    find_reducing();
    return true;
  }

private:
  struct Linked {
    const Statement* statement;
    Origin origin;
  };

  bool find_origins(std::vector<Node>& body, std::vector<const Loop*>& around) {
    for (Node& node : body) {
      if (Loop* loop = std::get_if<Loop>(&node.kind)) {
        around.push_back(loop);
        const bool found = find_origins(loop->body, around);
        around.pop_back();
        if (!found) return false;
      } else if (!find_origin(std::get<Statement>(node.kind), around)) {
        return false;
      }
    }
    return true;
  }

  // Where several still fit, each gets one of the statements, in the order of the text.
  bool find_origin(Statement& s, const std::vector<const Loop*>& around) {
    const std::vector<Origin> origins = origins_of(s, around, program_);
    if (origins.empty()) {
      diagnostics_.error(place_of(s), "no equation of the program has this part")
          .with_hint("statements are the equations, with each reduction gathered in a temporary before");
      return false;
    }
    const auto is_new = [&](const Origin& o) {
      return std::none_of(linked_.begin(), linked_.end(), [&](const Linked& l) {
        return l.origin.equation == o.equation &&
               (o.reduction ? l.origin.reduction.same_as(o.reduction) : !l.origin.reduction);
      });
    };
    const auto at = std::find_if(origins.begin(), origins.end(), is_new);
    const Origin& origin = at == origins.end() ? origins[0] : *at;
    s.equation = origin.equation;
    for (const auto& [placed, own] : origin.parts) note(placed, own);
    linked_.push_back({&s, origin});
    return note_type(s, origin);
  }

  void note(const Expr& placed, const Expr& own) {
    if (const ExprType* type = types_.find(own)) nest_.types.set(placed, *type);
  }

  static Span place_of(const Statement& s) { return cover(s.target->span, s.value->span); }

  // A temporary is f64 unless the text says otherwise, as a tensor is; both must be what the equation makes of it.
  bool note_type(const Statement& s, const Origin& origin) {
    const std::optional<ValueType> said = written_.types.at(linked_.size() - 1);
    const std::string target = print(s.target);
    if (!s.reducer) {
      if (said)
        diagnostics_.error(s.target->span, fmt::format("`{}` has its type from its declaration", target))
            .with_hint("only temporaries, which are added to, have a type here: `t(i): i64 += …`");
      return !said;
    }
    const ExprType& type = types_.of(origin.reduction);
    if (said.value_or(ValueType::f64) != type.type) {
      diagnostics_
          .error(s.target->span, fmt::format("`{}` gathers {}, not {}", target, name_of(type.type),
                                             name_of(said.value_or(ValueType::f64))))
          .with_hint(fmt::format("write `{}{} …`", target,
                                 type.type == ValueType::f64 ? "" : fmt::format(": {}", name_of(type.type))));
      return false;
    }
    if (nest_.temporary(s.access().tensor, s.equation)) return true;
    nest_.temporaries.push_back(
        {s.access().tensor, *s.reducer, type.type, origin.variables, type.shape, origin.equation});
    return true;
  }

  // Each temporary must gather the reduction in whose place it is read.
  bool check_temporaries() {
    for (const Linked& reader : linked_)
      for (const auto& [placed, own] : reader.origin.parts) {
        if (!as<Reduce>(own) || placed.same_as(reader.statement->target)) continue;
        for (const Linked& writer : linked_)
          if (writer.origin.equation == reader.origin.equation && writer.origin.reduction &&
              writer.statement->access().tensor == as<Access>(placed)->tensor && !(writer.origin.reduction == own)) {
            diagnostics_
                .error(placed->span,
                       fmt::format("`{}` stands for `{}`, but gathers something else", print(placed), print(own)))
                .note(place_of(*writer.statement), fmt::format("this is `{}`", print(writer.origin.reduction)));
            return false;
          }
      }
    return true;
  }

  // As lowering makes them: equation by equation, inner reductions before those around them.
  void in_order_of_equations() {
    std::vector<std::pair<std::string, int>> order;
    for (std::size_t e = 0; e < program_.equations.size(); ++e) add_names(program_.equations[e].value, e, order);
    const auto place = [&](const Temporary& t) {
      return std::find(order.begin(), order.end(), std::pair(t.name, t.equation)) - order.begin();
    };
    std::stable_sort(nest_.temporaries.begin(), nest_.temporaries.end(),
                     [&](const Temporary& a, const Temporary& b) { return place(a) < place(b); });
  }

  void add_names(const Expr& expr, std::size_t equation, std::vector<std::pair<std::string, int>>& order) const {
    ir::each_child<ExprNode>(expr, [&](const Expr& child) { add_names(child, equation, order); });
    for (const Linked& l : linked_)
      if (as<Reduce>(expr) && l.origin.reduction && l.origin.equation == static_cast<int>(equation) &&
          l.origin.reduction.same_as(expr))
        order.emplace_back(l.statement->access().tensor, l.origin.equation);
  }

  void find_reducing() {
    std::set<const Loop*> reducing;
    each_statement(nest_.body, [&](const Statement& s, const std::vector<const Loop*>& around) {
      for (const Loop* loop : around)
        if (accumulates_over(s, around, *loop)) reducing.insert(loop);
    });
    mark(nest_.body, reducing);
  }

  static void mark(std::vector<Node>& body, const std::set<const Loop*>& reducing) {
    for (Node& node : body)
      if (Loop* loop = std::get_if<Loop>(&node.kind)) {
        loop->reduces = reducing.count(loop) > 0;
        mark(loop->body, reducing);
      }
  }

  Nest& nest_;
  const Written& written_;
  const Program& program_;
  const Types& types_;
  Diagnostics& diagnostics_;
  std::vector<Linked> linked_; // in the order of the text
};

} // namespace

bool link(Nest& nest, const Written& written, const Program& program, const Types& types, Diagnostics& diagnostics) {
  return Linker(nest, written, program, types, diagnostics).run();
}

} // namespace cyclotron::loops
