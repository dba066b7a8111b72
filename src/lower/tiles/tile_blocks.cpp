// SPDX-License-Identifier: MIT
#include "lower/tiles/tile_blocks.hpp"

#include <fmt/format.h>

#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

// The tiled index that an index expression is, or null.
const Name* tiled_name(const Expr& expr, const Lift& lift) {
  const Name* name = as<Name>(expr);
  return name && name->kind == NameKind::index && lift.extents.count(name->id) ? name : nullptr;
}

void each_access(const Equation& equation, const std::function<void(const Access&, const Expr&)>& f) {
  for (const Expr& side : {equation.target, equation.value})
    ir::walk<ExprNode>(side, [&](const Expr& e) {
      if (const Access* a = as<Access>(e)) f(*a, e);
    });
}

class BlockFinder {
public:
  BlockFinder(const Program& program, const Lift& lift, Diagnostics& diagnostics)
      : program_(program), lift_(lift), diagnostics_(diagnostics) {}

  std::optional<Blocks> run() {
    const int before = diagnostics_.errors();
    for (const TensorDecl& t : program_.tensors) blocks_[t.name.name].assign(t.dims.size(), 0);
    for (const Equation& e : program_.equations) check_forms(e);
    if (diagnostics_.errors() == before)
      for (const Equation& e : program_.equations) each_access(e, [&](const Access& a, const Expr&) { mark(a); });
    if (diagnostics_.errors() == before)
      for (const Equation& e : program_.equations)
        each_access(e, [&](const Access& a, const Expr& expr) { check_whole(a, expr); });
    if (diagnostics_.errors() == before) check_types();
    for (const auto& [index, extent] : lift_.extents) check_index(index, extent);
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(blocks_);
  }

private:
  void check_index(const std::string& index, std::int64_t extent) {
    if (extent < 1)
      diagnostics_.error(lift_.span, fmt::format("a tile of `{}` has {} elements", index, extent))
          .with_hint(fmt::format("write a number from 1 up: `tile {} by 4`", index));
    if (!seen_.count(index)) diagnostics_.error(lift_.span, fmt::format("no equation has an index `{}`", index));
  }

  // Tiled indices stand alone: what `i-1` or `i+j` reads does not lie in one tile.
  void check_forms(const Equation& equation) {
    if (equation.access().step) check_free(*equation.access().step, "a step");
    for (const Expr& i : equation.access().indices) check_index_expression(i, equation.access());
    check_value(equation.value);
  }

  void check_value(const Expr& expr) {
    if (const Access* a = as<Access>(expr)) {
      if (a->step) check_free(*a->step, "a step");
      for (const Expr& i : a->indices) check_index_expression(i, *a);
      if (a->indices.size() < program_.tensor(a->tensor)->dims.size()) refuse_tiles(expr);
      return;
    }
    if (as<KernelCall>(expr)) return refuse_tiles(expr);
    if (const Reduce* r = as<Reduce>(expr))
      for (const Binder& b : r->variables) seen_.insert(b.name);
    if (as<Name>(expr)) check_free(expr, "a number");
    ir::each_child<ExprNode>(expr, [&](const Expr& e) { check_value(e); });
  }

  void refuse_tiles(const Expr& expr) {
    diagnostics_.error(expr->span, fmt::format("`{}` is a tile already", print(expr)))
        .note(lift_.span, "this lifts scalar equations to tiles")
        .with_hint("leave the command out: the equations say what the tiles are");
  }

  void check_index_expression(const Expr& expr, const Access& access) {
    if (const Name* name = as<Name>(expr)) {
      seen_.insert(name->id);
      return;
    }
    check_free(expr, fmt::format("`{}` in an index of `{}`", print_index(expr), access.tensor));
  }

  void check_free(const Expr& expr, const std::string& used_as) {
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      if (const Name* name = tiled_name(e, lift_); name && refused_.insert(name->id).second)
        diagnostics_.unsupported(expr->span, fmt::format("`{}` is tiled, but used as {}", name->id, used_as))
            .note(lift_.span, "it is tiled here")
            .with_hint(fmt::format("a tiled index stands alone, as in `A({})`; leave `{}` out of `tile`, or write the "
                                   "equations on tiles by hand",
                                   name->id, name->id));
    });
  }

  void mark(const Access& access) {
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Name* name = tiled_name(access.indices[d], lift_);
      if (!name) continue;
      std::int64_t& block = blocks_[access.tensor][d];
      const std::int64_t extent = lift_.extents.at(name->id);
      if (block != 0 && block != extent)
        diagnostics_
            .error(access.indices[d]->span,
                   fmt::format("dimension {} of `{}` is cut in tiles of {}, but `{}` has tiles of {}", d + 1,
                               access.tensor, block, name->id, extent))
            .note(marked_.at({access.tensor, d}), "it is cut because of this index")
            .with_hint("give both indices one extent");
      if (block == 0) marked_[{access.tensor, d}] = access.indices[d]->span;
      block = extent;
    }
  }

  void check_whole(const Access& access, const Expr& expr) {
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const std::int64_t block = blocks_[access.tensor][d];
      if (block == 0 || tiled_name(access.indices[d], lift_)) continue;
      const std::string index = print_index(access.indices[d]);
      const Name* plain = as<Name>(access.indices[d]);
      const bool can_tile = plain && plain->kind == NameKind::index;
      Diagnostic& d1 = diagnostics_.unsupported(
          access.indices[d]->span,
          fmt::format("dimension {} of `{}` is cut in tiles of {}, but `{}` in `{}` is {}", d + 1, access.tensor, block,
                      index, print(expr), can_tile ? "not tiled" : "a single element"));
      d1.note(marked_.at({access.tensor, d}), "it is cut because of this index");
      d1.with_hint(can_tile ? fmt::format("tile it, too: `tile {} by {}`", index, block)
                            : "leave the index out of `tile`, or write the equations on tiles by hand");
    }
  }

  void check_types() {
    for (const TensorDecl& t : program_.tensors) {
      bool cut = false;
      for (std::int64_t b : blocks_[t.name.name]) cut = cut || b != 0;
      if (cut && !tensor::is_float(t.type))
        diagnostics_
            .unsupported(
                t.span, fmt::format("tiles are of f64 or f32, but `{}` holds {}", t.name.name, tensor::name_of(t.type)))
            .note(lift_.span, "it is cut in tiles here");
    }
  }

  const Program& program_;
  const Lift& lift_;
  Diagnostics& diagnostics_;
  Blocks blocks_;
  std::set<std::string> seen_, refused_;
  std::map<std::pair<std::string, std::size_t>, Span> marked_;
};

} // namespace

std::optional<Blocks> find_blocks(const Program& program, const Lift& lift, Diagnostics& diagnostics) {
  return BlockFinder(program, lift, diagnostics).run();
}

std::optional<std::map<std::string, Affine>> tiled_ranges(const Program& program, const Lift& lift,
                                                          const Equation& equation, Diagnostics& diagnostics) {
  const int before = diagnostics.errors();
  std::map<std::string, Affine> ranges;
  std::map<std::string, std::string> first;
  each_access(equation, [&](const Access& access, const Expr& expr) {
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Name* name = tiled_name(access.indices[d], lift);
      if (!name) continue;
      const Affine size = accepted_affine(program.tensor(access.tensor)->dims[d], program);
      const auto [at, is_new] = ranges.emplace(name->id, size);
      if (is_new) first[name->id] = fmt::format("`{}` in `{}`", print(size), print(expr));
      else if (at->second != size)
        diagnostics
            .unsupported(
                expr->span,
                fmt::format("`{}` is tiled, but it indexes dimensions of different sizes: {}, and `{}` in `{}`",
                            name->id, first[name->id], print(size), print(expr)))
            .note(lift.span, "it is tiled here")
            .with_hint("the last tiles of the two would not fit; give the dimensions one size");
    }
  });
  if (diagnostics.errors() != before) return std::nullopt;
  return ranges;
}

} // namespace cyclotron::lower
