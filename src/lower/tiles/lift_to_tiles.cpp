// SPDX-License-Identifier: MIT
#include "lower/tiles/lift_to_tiles.hpp"

#include "lower/tiles/terms.hpp"
#include "lower/tiles/tile_operators.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

using Renaming = std::map<std::string, std::string>;

// --- tensors of tiles ---

class Declarations {
public:
  Declarations(const Program& program, const Blocks& blocks, Lifted& result)
      : program_(program), blocks_(blocks), result_(result) {}

  void add_all() {
    for (const TensorDecl& t : program_.tensors) result_.program.tensors.push_back(of_tiles(t));
    result_.program.lets = program_.lets;
    result_.program.assumptions = program_.assumptions;
  }

private:
  TensorDecl of_tiles(const TensorDecl& decl) {
    const std::vector<std::int64_t>& blocks = blocks_.at(decl.name.name);
    if (std::all_of(blocks.begin(), blocks.end(), [](std::int64_t b) { return b == 0; })) return decl;
    TensorDecl tiles = decl;
    tiles.dims.clear();
    for (std::size_t d = 0; d < blocks.size(); ++d)
      tiles.dims.push_back(blocks[d] == 0 ? decl.dims[d] : count_of(decl.dims[d], blocks[d]));
    for (std::int64_t b : blocks)
      if (b != 0) tiles.dims.push_back(number(b, decl.span));
    tiles.format = tensor::dense_format(static_cast<int>(tiles.dims.size()));
    return tiles;
  }

  static Expr number(std::int64_t value, Span span) { return Expr(Number{static_cast<double>(value), value}, span); }

  Expr count_of(const Expr& dim, std::int64_t extent) {
    const Affine size = accepted_affine(dim, program_);
    if (size.is_constant()) return number((size.constant + extent - 1) / extent, dim->span);
    for (const auto& [name, count] : result_.counts)
      if (count.size == size && count.extent == extent) return Expr(Name{name, NameKind::size}, dim->span);
    const std::string name = new_name(size, extent);
    result_.counts[name] = {size, extent};
    return Expr(Name{name, NameKind::size}, dim->span);
  }

  // `n_by_4`, `n_plus_1_by_4`.
  std::string new_name(const Affine& size, std::int64_t extent) const {
    std::string name;
    for (char c : print(size))
      name += c == '+' ? "plus" : c == '-' ? "minus" : c == '*' ? "_times_" : c == ' ' ? "_" : std::string(1, c);
    if (!std::isalpha(static_cast<unsigned char>(name[0]))) name = "size_" + name;
    name += fmt::format("_by_{}", extent);
    while (is_taken(name)) name += "_";
    return name;
  }

  bool is_taken(const std::string& name) const {
    bool taken = program_.tensor(name) || program_.let(name) || program_.is_size(name) || result_.counts.count(name);
    for (const Equation& e : program_.equations)
      for (const Expr& side : {e.target, e.value})
        ir::walk<ExprNode>(side, [&](const Expr& x) {
          if (const Name* n = as<Name>(x)) taken = taken || n->id == name;
        });
    return taken;
  }

  const Program& program_;
  const Blocks& blocks_;
  Lifted& result_;
};

// The sizes that a program names, in the order in which the front end finds them. A size that only values name is
// declared by an assumption that always holds.
void find_sizes(Program& program) {
  const auto collect = [&](const Expr& expr) {
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      const Name* n = as<Name>(e);
      if (n && n->kind == NameKind::size && !program.is_size(n->id)) program.sizes.push_back({n->id, e->span});
    });
  };
  for (const TensorDecl& t : program.tensors)
    for (const Expr& d : t.dims) collect(d);
  for (const Assumption& a : program.assumptions)
    for (const Expr& e : a.constraint.operands) collect(e);
  for (const LetDecl& l : program.lets) collect(l.value);
  const std::size_t declared = program.sizes.size();
  for (const Equation& e : program.equations) {
    collect(e.target);
    collect(e.value);
    for (const Constraint& c : e.constraints)
      for (const Expr& operand : c.operands) collect(operand);
  }
  for (std::size_t i = declared; i < program.sizes.size(); ++i)
    program.assumptions.push_back(
        {{{Expr(Number{0, 0}), Expr(Name{program.sizes[i].name, NameKind::size})}, {Relation::less_equal}, {}}, {}});
}

// --- equations ---

class Lifter {
public:
  Lifter(const Program& program, const Lift& lift, const Blocks& blocks, Diagnostics& diagnostics)
      : program_(program), lift_(lift), blocks_(blocks), diagnostics_(diagnostics) {}

  std::vector<Equation> run() {
    const int before = diagnostics_.errors();
    for (const Equation& e : program_.equations)
      for (TileCase& c : tile_cases(program_, lift_, blocks_, e, order_, diagnostics_)) cases_.push_back(std::move(c));
    if (diagnostics_.errors() != before) return {};
    for (TileCase& c : cases_) give_common_names(c);
    for (const TileCase& c : cases_) add_to_group(c);
    std::vector<Equation> equations;
    TileOperators operators(groups_, order_);
    for (const TileGroup& g : groups_) {
      if (g.cases[0]->place.empty() && is_plain(*g.cases[0])) equations.push_back(*g.cases[0]->origin);
      else if (const auto value = operators.value_of(g)) equations.push_back(equation_of(*value));
      else refuse(g, operators.failure());
    }
    return equations;
  }

private:
  static bool is_plain(const TileCase& c) {
    bool plain = true;
    each_inside_name(c.value, [&](const std::string&) { plain = false; });
    return plain;
  }

  // Equations for one tensor may name its indices differently; all take the names of the first with as many of them, so
  // that cases of the same tile can be told by comparing.
  void give_common_names(TileCase& c) {
    std::vector<std::string> names = names_of(c.tile);
    std::vector<std::string>& common = common_names(c.tile.tensor, names.size());
    Renaming renaming;
    for (std::size_t d = 0; d < names.size(); ++d)
      if (!names[d].empty() && !common[d].empty()) renaming.emplace(names[d], common[d]);
    for (std::size_t d = 0, p = 0; d < names.size(); ++d)
      if (blocks_.at(c.tile.tensor)[d] != 0 && !common[d].empty()) renaming.emplace(c.place[p++], common[d] + "'");
    make_room(c, renaming);
    rename(c, renaming);
  }

  static std::vector<std::string> names_of(const Access& tile) {
    std::vector<std::string> names;
    for (const Expr& i : tile.indices) {
      const Name* n = as<Name>(i);
      names.push_back(n && n->kind == NameKind::index ? n->id : "");
    }
    return names;
  }

  std::vector<std::string>& common_names(const std::string& tensor, std::size_t count) {
    const auto known = common_.find(tensor);
    if (known != common_.end()) return known->second;
    std::vector<std::string> best(count);
    std::size_t most = 0;
    for (const Equation& e : program_.equations) {
      if (e.access().tensor != tensor) continue;
      const std::vector<std::string> names = names_of(e.access());
      const std::size_t different = std::set<std::string>(names.begin(), names.end()).size();
      if (different > most) best = names;
      most = std::max(most, different);
    }
    return common_[tensor] = best;
  }

  // Reduction variables step aside where their name is needed.
  static void make_room(const TileCase& c, Renaming& renaming) {
    std::set<std::string> taken;
    for (const auto& [from, to] : renaming) taken.insert(to);
    std::set<std::string> bound;
    ir::walk<ExprNode>(c.value, [&](const Expr& e) {
      if (const Reduce* r = as<Reduce>(e))
        for (const Binder& b : r->variables) bound.insert(b.name);
    });
    for (const std::string& name : bound) {
      if (!taken.count(name)) continue;
      std::string other = name;
      while (taken.count(other) || bound.count(other)) other += is_inside(name) ? "'" : "_";
      taken.insert(other);
      renaming[name] = other;
    }
  }

  static void rename(TileCase& c, const Renaming& renaming) {
    const auto name = [&](const std::string& n) { return renaming.count(n) ? renaming.at(n) : n; };
    c.tile = *as<Access>(with_names(Expr(c.tile), renaming));
    c.value = with_names(c.value, renaming);
    for (std::string& p : c.place) p = name(p);
    for (Constraint& x : c.constraints) x = with_names(x, renaming);
    for (Comparison& x : c.inside) x = {name(x.left), x.relation, name(x.right)};
  }

  void add_to_group(const TileCase& c) {
    for (TileGroup& g : groups_)
      if (g.tile() == c.tile && where(*g.cases[0]) == where(c)) {
        g.cases.push_back(&c);
        return;
      }
    groups_.push_back({{&c}});
  }

  // The constraints on the tile that is defined, without those on reductions.
  static std::set<std::string> where(const TileCase& c) {
    std::set<std::string> list;
    for (const Constraint& x : c.constraints)
      if (holds_only(x, indices_in(Expr(c.tile)))) list.insert(print(x));
    return list;
  }

  static std::set<std::string> indices_in(const Expr& expr) {
    std::set<std::string> names;
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      if (const Name* n = as<Name>(e); n && n->kind == NameKind::index) names.insert(n->id);
      if (const Reduce* r = as<Reduce>(e))
        for (const Binder& b : r->variables) names.insert(b.name);
    });
    return names;
  }

  static bool holds_only(const Constraint& c, const std::set<std::string>& names) {
    for (const Expr& operand : c.operands)
      for (const std::string& name : indices_in(operand))
        if (!names.count(name)) return false;
    return true;
  }

  static Equation equation_of(const TileOperators::Value& found) {
    const TileCase& of = *found.of;
    Equation equation{Expr(of.tile, of.origin->target->span), found.value, {}, of.origin->span};
    std::set<std::string> names = indices_in(equation.target);
    names.merge(indices_in(found.value));
    for (const Constraint& c : of.constraints)
      if (holds_only(c, names)) equation.constraints.push_back(c);
    return equation;
  }

  // Once for each part of the program: several tiles may fail for one reason.
  void refuse(const TileGroup& group, const TileOperators::Failure& failure) {
    if (!refused_.insert({failure.span.begin, failure.span.end}).second) return;
    const TileCase& first = *group.cases[0];
    const std::string tile = fmt::format("{}{}{}", print(Expr(first.tile)), where(first).empty() ? "" : " : ",
                                         fmt::join(where(first), ", "));
    Diagnostic& d =
        diagnostics_.unsupported(failure.span, fmt::format("the tile `{}` cannot be computed by kernels", tile));
    d.label(failure.reason);
    for (const TileCase* c : group.cases)
      if (group.cases.size() > 1) d.note(c->origin->span, "this defines a part of it");
    d.note(lift_.span, "the equations are lifted to tiles here")
        .with_hint("`cyclotron list kernels` shows what there is; tile fewer indices, or write the equations on tiles "
                   "by hand");
  }

  const Program& program_;
  const Lift& lift_;
  const Blocks& blocks_;
  Diagnostics& diagnostics_;
  IndexOrder order_;
  std::deque<TileCase> cases_; // a deque: groups point into it
  std::vector<TileGroup> groups_;
  std::map<std::string, std::vector<std::string>> common_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> refused_;
};

} // namespace

std::optional<Lifted> lift_to_tiles(const Program& program, const Lift& lift, Diagnostics& diagnostics) {
  const Progress progress("lifting the program to tiles");
  auto blocks = find_blocks(program, lift, diagnostics);
  if (!blocks) return std::nullopt;
  const int before = diagnostics.errors();
  Lifted result;
  Declarations(program, *blocks, result).add_all();
  result.program.equations = Lifter(program, lift, *blocks, diagnostics).run();
  if (diagnostics.errors() != before) return std::nullopt;
  find_sizes(result.program);
  result.blocks = std::move(*blocks);
  if (const std::string problem = problem_of(result.program); !problem.empty()) bug("lift-to-tiles: " + problem);
  return result;
}

} // namespace cyclotron::lower
