// SPDX-License-Identifier: MIT
#include "lower/loops/parts.hpp"

#include "lower/contains.hpp"
#include "lower/loops/branches.hpp"
#include "lower/loops/stand_ins.hpp"
#include "recurrence/failures.hpp"
#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class Maker {
public:
  Maker(const Program& program, const Types& types, const Domains& domains, const std::vector<Split>& splits,
        const std::vector<Front>& fronts, const std::vector<Carrier>& carriers, bool stand_ins)
      : program_(program), types_(types), domains_(domains), splits_(splits), fronts_(fronts), carriers_(carriers),
        stand_ins_(stand_ins) {}

  Parts run() {
    for (const LetDecl& l : program_.lets) copy(l.value);
    for (std::size_t i = 0; i < domains_.equations.size(); ++i) add_equation(static_cast<int>(i));
    add_element_dependences();
    const std::vector<Names> named =
        stand_ins_ ? stand_ins(result_, splits_) : std::vector<Names>(result_.parts.size());
    for (std::size_t p = 0; p < result_.parts.size(); ++p) add_splits(result_.parts[p], named[p]);
    for (Part& p : result_.parts) add_carriers(p);
    for (Dependence& d : result_.dependences) d.relation = extended(d);
    for (Dependence& d : result_.dependences) d.nothing = d.relation.is_empty();
    std::erase_if(result_.dependences,
                  [&](const Dependence& d) { return d.nothing && !result_.parts[d.from].reducer; });
    return std::move(result_);
  }

private:
  // A read and the part that it ended up in.
  struct PlacedRead {
    std::size_t part;
    const ReadDomain* read;
  };

  void add_equation(int number) {
    const EquationDomain& e = domains_.equations[static_cast<std::size_t>(number)];
    equation_ = number;
    const std::size_t before = result_.parts.size();
    std::vector<std::pair<Expr, std::size_t>> needed; // temporaries that the final part reads
    std::vector<const ReadDomain*> reads;
    const Expr value = split(e.equation->value, e.conditions, needed, reads);
    Part part;
    part.equation = number;
    part.target = copy(e.equation->target);
    part.value = value;
    part.variables = part.target_variables = e.indices;
    part.conditions = e.conditions;
    finish(part, needed, reads);
    final_part_[number] = result_.parts.size() - 1;
    if (result_.parts.size() == before) bug("an equation made no part");
  }

  void finish(Part& part, const std::vector<std::pair<Expr, std::size_t>>& needed,
              const std::vector<const ReadDomain*>& reads) {
    const std::size_t number = result_.parts.size();
    part.domain = set_where(*domains_.context, program_, part.variables, part.conditions);
    result_.parts.push_back(part);
    for (const auto& [access, from] : needed) {
      // The temporary's part runs over variables of its own and over this part's, or the first of these.
      const Part& inner = result_.parts[from];
      const Part& outer = result_.parts[number];
      isl_map* map = isl_map_from_domain_and_range(inner.domain.copy(), outer.domain.copy());
      for (unsigned i = 0; i < inner.target_variables.size(); ++i)
        map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
      result_.dependences.push_back({from, number, isl::manage(map), access});
    }
    for (const ReadDomain* r : reads) reads_.push_back({number, r});
  }

  void note_reads(const Expr& expr, std::vector<const ReadDomain*>& reads) const {
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      for (const ReadDomain& r : domains_.equations[static_cast<std::size_t>(equation_)].reads)
        if (r.expr.same_as(e)) reads.push_back(&r);
    });
  }

  Expr copy(const Expr& expr) {
    if (const ExprType* type = types_.find(expr)) result_.types.set(expr, *type);
    ir::each_child<ExprNode>(expr, [&](const Expr& child) { copy(child); });
    return expr;
  }

  // The expression with its reductions made parts of their own; `conditions` say where it is evaluated.
  Expr split(const Expr& expr, const std::vector<Condition>& conditions,
             std::vector<std::pair<Expr, std::size_t>>& needed, std::vector<const ReadDomain*>& reads) {
    if (as<Access>(expr)) {
      note_reads(expr, reads);
      return copy(expr);
    }
    if (const Reduce* reduce = as<Reduce>(expr)) return split_reduce(*reduce, expr, conditions, needed);
    if (const Select* s = as<Select>(expr)) {
      // A reduction in a branch runs only where the branch can be taken, as far as that is affine.
      Select next = *s;
      Branch one{s->condition, {}, {}, true};
      next.condition = one.made = split(s->condition, conditions, one.needed, reads);
      needed.insert(needed.end(), one.needed.begin(), one.needed.end());
      const auto branch = [&](const Expr& value, bool taken) {
        one.taken = taken;
        return split_branch(one, value, conditions, needed, reads);
      };
      next.then_value = branch(s->then_value, true);
      next.else_value = branch(s->else_value, false);
      return typed(Expr(std::move(next), expr->span), expr);
    }
    if (const Binary* b = as<Binary>(expr); b && is_logical(b->op)) {
      Binary next = *b;
      Branch one{b->lhs, {}, {}, b->op == BinaryOp::logical_and};
      next.lhs = one.made = split(b->lhs, conditions, one.needed, reads);
      needed.insert(needed.end(), one.needed.begin(), one.needed.end());
      next.rhs = split_branch(one, b->rhs, conditions, needed, reads);
      return typed(Expr(std::move(next), expr->span), expr);
    }
    return typed(
        ir::map_children<ExprNode>(expr, [&](const Expr& child) { return split(child, conditions, needed, reads); }),
        expr);
  }

  // What is evaluated only where a condition has a value.
  struct Branch {
    Expr condition;
    Expr made; // with its reductions made parts, which are needed
    std::vector<std::pair<Expr, std::size_t>> needed;
    bool taken;
  };

  Expr split_branch(const Branch& branch, const Expr& value, const std::vector<Condition>& conditions,
                    std::vector<std::pair<Expr, std::size_t>>& needed, std::vector<const ReadDomain*>& reads) {
    const Said said = said_by(branch.condition, branch.taken, program_);
    if (!said.all) branches_.push_back(branch); // a value decides, too
    const Expr made = split(value, with(conditions, said), needed, reads);
    if (!said.all) branches_.pop_back();
    return made;
  }

  // The body of a reduction that may fail: where a branch around is not taken its terms are nothing.
  Expr kept_out(const Reduce& reduce, const Expr& expr, Expr body, std::vector<std::pair<Expr, std::size_t>>& needed,
                std::vector<const ReadDomain*>& reads) {
    const ExprType* type = types_.find(reduce.body);
    if (!type || !type->is_number() || !can_fail(expr, types_)) return body;
    for (auto b = branches_.rbegin(); b != branches_.rend(); ++b) { // so that the outermost condition comes first
      Expr nothing = identity(reduce.reducer, type->type);
      result_.types.set(nothing, *type);
      body = Expr(Select{b->made, b->taken ? body : nothing, b->taken ? nothing : body}, body->span);
      result_.types.set(body, *type);
      needed.insert(needed.end(), b->needed.begin(), b->needed.end());
      note_reads(b->made, reads);
    }
    return body;
  }

  Expr typed(const Expr& made, const Expr& from) {
    if (const ExprType* type = types_.find(from)) result_.types.set(made, *type);
    return made;
  }

  Expr split_reduce(const Reduce& reduce, const Expr& expr, const std::vector<Condition>& conditions,
                    std::vector<std::pair<Expr, std::size_t>>& needed) {
    const ReductionDomain& domain = domains_.reduction(expr);
    Part part;
    part.equation = equation_;
    part.reducer = reduce.reducer;
    part.reduction = expr;
    part.variables = domain.variables;
    part.target_variables.assign(domain.variables.begin(),
                                 domain.variables.end() - static_cast<std::ptrdiff_t>(reduce.variables.size()));
    part.conditions = conditions;
    part.conditions.insert(part.conditions.end(), domain.conditions.begin(), domain.conditions.end());
    std::vector<std::pair<Expr, std::size_t>> inner_needed;
    std::vector<const ReadDomain*> reads;
    const Expr body = narrowed(reduce, part.conditions, types_, program_);
    part.value = kept_out(reduce, expr, split(body, part.conditions, inner_needed, reads), inner_needed, reads);

    loops::Temporary temporary;
    temporary.name = temporary_name();
    temporary.reducer = reduce.reducer;
    temporary.type = types_.of(expr).type;
    temporary.variables = part.target_variables;
    temporary.shape = types_.of(expr).shape;
    temporary.equation = equation_;
    // Named after the element that it goes into, as in the paper: `tL(i,j)`.
    Access access = program_.equations[static_cast<std::size_t>(equation_)].access();
    copy(program_.equations[static_cast<std::size_t>(equation_)].target);
    access.tensor = temporary.name;
    const std::size_t own = domains_.equations[static_cast<std::size_t>(equation_)].indices.size();
    for (std::size_t i = own; i < part.target_variables.size(); ++i)
      access.indices.push_back(index(part.target_variables[i]));
    result_.temporaries.push_back(std::move(temporary));
    part.target = typed(Expr(access, expr->span), expr);
    finish(part, inner_needed, reads);
    const Expr use = typed(Expr(access, expr->span), expr);
    needed.emplace_back(use, result_.parts.size() - 1);
    return use;
  }

  static Expr index(const std::string& name) { return Expr(Name{name, NameKind::index}); }

  // `tL`; further reductions of one equation gather in `tL2`, ... Equations may share a name: the elements of `L`
  // that they define, and so those of `tL`, differ.
  std::string temporary_name() const {
    const std::string stem = "t" + program_.equations[static_cast<std::size_t>(equation_)].access().tensor;
    const auto taken = [&](const std::string& name) {
      return program_.tensor(name) || program_.is_size(name) || program_.let(name) ||
             std::any_of(result_.temporaries.begin(), result_.temporaries.end(),
                         [&](const loops::Temporary& t) { return t.name == name && t.equation == equation_; });
    };
    std::string name = stem;
    for (int i = 2; taken(name); ++i) name = stem + std::to_string(i);
    return name;
  }

  // --- tiles ---

  using Names = std::map<std::string, std::string>;

  void add_splits(Part& part, const Names& stand_ins) const {
    for (const Split& s : splits_) {
      const auto other = stand_ins.find(s.variable);
      const std::string& own = other == stand_ins.end() ? s.variable : other->second;
      if (!contains(part.variables, own)) continue;
      part.variables.push_back(s.outer);
      if (contains(part.target_variables, own)) part.target_variables.push_back(s.outer);
      const Affine inside{{{own, 1}, {s.outer, -s.size}}, 0};
      part.conditions.push_back({inside, Condition::Kind::nonnegative});
      part.conditions.push_back({Affine{{}, s.size - 1} - inside, Condition::Kind::nonnegative});
    }
    for (const Front& f : fronts_) {
      if (!contains(part.variables, f.first) || !contains(part.variables, f.second)) continue;
      part.variables.push_back(f.name);
      if (contains(part.target_variables, f.first) && contains(part.target_variables, f.second))
        part.target_variables.push_back(f.name);
      part.conditions.push_back(
          {Affine{{{f.first, f.first_sign}, {f.second, f.second_sign}, {f.name, -1}}, 0}, Condition::Kind::zero});
    }
    part.domain = set_where(*domains_.context, program_, part.variables, part.conditions);
  }

  // Where a part runs along the carriers of the tensors that it writes or reads, as far as it does not say so already.
  void add_carriers(Part& part) const {
    const Access& target = program_.equations[static_cast<std::size_t>(part.equation)].access();
    for (const Carrier& c : carriers_) {
      if (part.variables.empty() || std::count(part.variables.begin(), part.variables.end(), c.name)) continue;
      const bool writes = target.tensor == c.tensor;
      std::optional<Affine> place;
      if (writes) place = c.at(coordinates_of(target));
      else
        ir::walk<ExprNode>(part.value, [&](const Expr& e) { // where the last of what it reads is there
          const Access* a = as<Access>(e);
          if (!a || a->tensor != c.tensor || a->indices.size() != c.coefficients.size()) return;
          const Affine own = c.at(coordinates_of(*a));
          if (!place || ((own - *place).is_constant() && (own - *place).constant > 0)) place = own;
        });
      if (!place) continue;
      part.variables.push_back(c.name);
      if (writes) part.target_variables.push_back(c.name);
      part.conditions.push_back({*place - Affine{{{c.name, 1}}, 0}, Condition::Kind::zero});
    }
    part.domain = set_where(*domains_.context, program_, part.variables, part.conditions);
  }

  std::vector<Affine> coordinates_of(const Access& access) const {
    std::vector<Affine> list;
    for (const Expr& e : access.indices) list.push_back(accepted_affine(e, program_));
    return list;
  }

  // The relation between parts whose variables grew at the end.
  isl::map extended(const Dependence& d) const {
    isl_map* map = isl_map_reset_tuple_id(isl_map_reset_tuple_id(d.relation.copy(), isl_dim_in), isl_dim_out);
    for (const auto& [type, number] : {std::pair{isl_dim_in, d.from}, std::pair{isl_dim_out, d.to}}) {
      const unsigned have = static_cast<unsigned>(isl_map_dim(map, type));
      map = isl_map_add_dims(map, type, static_cast<unsigned>(result_.parts[number].variables.size()) - have);
      isl_set* domain = result_.parts[number].domain.copy();
      map = type == isl_dim_in ? isl_map_intersect_domain(map, domain) : isl_map_intersect_range(map, domain);
    }
    return isl::manage(isl_map_coalesce(map));
  }

  // --- elements ---

  void add_element_dependences() {
    for (const PlacedRead& placed : reads_) {
      const std::string& tensor = as<Access>(placed.read->expr)->tensor;
      if (!program_.is_output(tensor)) continue;
      for (std::size_t f = 0; f < domains_.equations.size(); ++f) {
        const EquationDomain& writer = domains_.equations[f];
        if (writer.equation->access().tensor != tensor) continue;
        isl::map defines = isl::manage(isl_map_reset_tuple_id(writer.defines.copy(), isl_dim_in));
        isl::map relation = defines.apply_range(placed.read->elements.reverse());
        // The condition of a branch may be read in the part of a reduction inside it, which has more variables.
        Dependence made{final_part_.at(static_cast<int>(f)), placed.part, relation, placed.read->expr};
        if (placed.read->variables.size() < result_.parts[placed.part].variables.size()) made.relation = extended(made);
        result_.dependences.push_back(std::move(made));
      }
    }
  }

  const Program& program_;
  const Types& types_;
  const Domains& domains_;
  const std::vector<Split>& splits_;
  const std::vector<Front>& fronts_;
  const std::vector<Carrier>& carriers_;
  const bool stand_ins_;
  int equation_ = 0;
  std::map<int, std::size_t> final_part_;
  std::vector<Branch> branches_; // around what is split
  std::vector<PlacedRead> reads_;
  Parts result_;
};

} // namespace

Affine Carrier::at(const std::vector<Affine>& coordinates) const {
  Affine place{{}, constant};
  for (std::size_t d = 0; d < coefficients.size(); ++d) place = place + coefficients[d] * coordinates[d];
  return place;
}

Parts make_parts(const Program& program, const Types& types, const Domains& domains, const std::vector<Split>& splits,
                 const std::vector<Front>& fronts, const std::vector<Carrier>& carriers, bool stand_ins) {
  return Maker(program, types, domains, splits, fronts, carriers, stand_ins).run();
}

} // namespace cyclotron::lower
