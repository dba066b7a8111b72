// SPDX-License-Identifier: MIT
#include "lower/loops/nest_flow.hpp"

#include "recurrence/implied.hpp"

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;
using loops::Nest;
using loops::Statement;

namespace {

using Strings = std::vector<std::string>;

class FlowFinder {
public:
  FlowFinder(const Nest& nest, const Domains& domains) : nest_(nest), domains_(domains), program_(*domains.program) {}

  NestFlow run() {
    loops::each_statement(nest_.body, [&](const Statement& s, const std::vector<const Loop*>& around) {
      result_.statements.push_back({&s, around, loops::domain_of(s, around, *domains_.context, program_)});
    });
    for (const NestStatement& s : result_.statements)
      writes_.push_back(elements(*as<Access>(s.statement->target), s, s.domain, false));
    for (std::size_t to = 0; to < result_.statements.size(); ++to) {
      const NestStatement& s = result_.statements[to];
      visit(s.statement->value, s.domain, to);
    }
    return std::move(result_);
  }

private:
  static Strings names_of(const std::vector<const Loop*>& around) {
    Strings names;
    for (const Loop* loop : around) names.push_back(loop->variable);
    return names;
  }

  // --- what they touch ---

  // { [loops] -> Tensor[step, indices] }. Of a temporary that holds tiles, one point stands for the whole tile.
  isl::map elements(const Access& a, const NestStatement& s, const isl::set& domain, bool is_read) const {
    const TensorDecl* decl = program_.tensor(a.tensor);
    const Strings loops = names_of(s.around);
    Strings names = loops;
    std::vector<Condition> conditions;
    const auto add_point = [&] {
      names.push_back(fmt::format("e{}'", names.size())); // a prime: no name of the program is like this
      return Affine{{{names.back(), 1}}, 0};
    };
    const auto add_equal = [&](const Expr& e) {
      conditions.push_back({add_point() - accepted_affine(e, program_), Condition::Kind::zero});
    };
    const bool last_step = decl && program_.is_stepped(a.tensor) && !a.step;
    if (a.step) add_equal(*a.step);
    else if (last_step) add_point();
    for (const Expr& index : a.indices) add_equal(index);
    if (decl)
      for (std::size_t d = a.indices.size(); d < decl->dims.size(); ++d) {
        add_point();
        add_index_inside(names.back(), accepted_affine(decl->dims[d], program_), conditions);
      }
    isl::set flat = set_where(*domains_.context, program_, names, conditions, false);
    if (last_step && is_read) flat = at_last_step(flat, loops.size(), names.size(), a.tensor);
    isl_map* map = isl_map_from_range(flat.release());
    map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(loops.size()));
    map = isl_map_intersect_domain(map, domain.copy());
    return isl::manage(isl_map_set_tuple_name(map, isl_dim_out, isl_name(a.tensor).c_str()));
  }

  isl::set at_last_step(const isl::set& flat, std::size_t at, std::size_t dims, const std::string& tensor) const {
    isl_set* last = isl_set_lexmax(domains_.steps.at(tensor).copy());
    last = isl_set_insert_dims(last, isl_dim_set, 0, static_cast<unsigned>(at));
    last = isl_set_add_dims(last, isl_dim_set, static_cast<unsigned>(dims - at - 1));
    return isl::manage(isl_set_intersect(flat.copy(), last));
  }

  // --- reads ---

  // `select`, `and` and `or` read only what they need.
  void visit(const Expr& expr, const isl::set& domain, std::size_t to) {
    if (const Access* a = as<Access>(expr)) return add_read(expr, *a, domain, to);
    if (const Select* s = as<Select>(expr)) {
      visit(s->condition, domain, to);
      visit(s->then_value, where(domain, s->condition, true, to), to);
      visit(s->else_value, where(domain, s->condition, false, to), to);
      return;
    }
    if (const Binary* b = as<Binary>(expr); b && is_logical(b->op)) {
      visit(b->lhs, domain, to);
      visit(b->rhs, where(domain, b->lhs, b->op == BinaryOp::logical_and, to), to);
      return;
    }
    ir::each_child<ExprNode>(expr, [&](const Expr& child) { visit(child, domain, to); });
  }

  isl::set where(const isl::set& domain, const Expr& condition, bool value, std::size_t to) const {
    const std::string text = implied_text(condition, value, program_);
    if (text.empty()) return domain;
    const Strings names = names_of(result_.statements[to].around);
    return domain.intersect(make_set(*domains_.context, program_, names, {text}, false));
  }

  void add_read(const Expr& expr, const Access& a, const isl::set& domain, std::size_t to) {
    if (program_.tensor(a.tensor) && !program_.is_output(a.tensor)) return;
    const NestStatement& reader = result_.statements[to];
    const isl::map reads = elements(a, reader, domain, true);
    for (std::size_t from = 0; from < result_.statements.size(); ++from) {
      const NestStatement& writer = result_.statements[from];
      if (writer.statement->access().tensor != a.tensor) continue;
      Flow flow{from, to, expr, {}, 0};
      // Equations may give temporaries of different rank one name.
      if (isl_map_dim(writes_[from].get(), isl_dim_out) != isl_map_dim(reads.get(), isl_dim_out)) continue;
      flow.relation = writes_[from].apply_range(reads.reverse());
      if (flow.relation.is_empty()) continue;
      while (flow.common < writer.around.size() && flow.common < reader.around.size() &&
             writer.around[flow.common] == reader.around[flow.common])
        ++flow.common;
      result_.flows.push_back(std::move(flow));
    }
  }

  const Nest& nest_;
  const Domains& domains_;
  const Program& program_;
  std::vector<isl::map> writes_; // per statement
  NestFlow result_;
};

} // namespace

isl::map Flow::within(std::size_t depth) const {
  isl_map* map = relation.copy();
  for (std::size_t d = 0; d < depth; ++d)
    map = isl_map_equate(map, isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d));
  return isl::manage(map);
}

isl::map Flow::forward(std::size_t depth, bool rising) const {
  isl_map* map = within(depth).release();
  const int d = static_cast<int>(depth);
  return isl::manage(rising ? isl_map_order_lt(map, isl_dim_in, d, isl_dim_out, d)
                            : isl_map_order_gt(map, isl_dim_in, d, isl_dim_out, d));
}

NestFlow find_flow(const Nest& nest, const Domains& domains) { return FlowFinder(nest, domains).run(); }

} // namespace cyclotron::lower
