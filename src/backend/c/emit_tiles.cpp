// SPDX-License-Identifier: MIT
// Statements whose values are tiles. As in the interpreter tiles compute in f64 and are rounded when they are stored.
//
// Sums, differences and multiples of tiles become one loop over their elements; a kernel becomes a call that works in
// the memory of its result where that is f64, else in a scratch tile.
#include "backend/c/emitter.hpp"
#include "backend/c/index_text.hpp"

#include "recurrence/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

bool is_plain(const TensorDecl& decl) { return std::is_sorted(decl.format.order.begin(), decl.format.order.end()); }

} // namespace

std::string TilePlace::pointer() const { return offset.empty() ? base : base + " + " + offset; }

std::string TilePlace::at(const std::string& index) const {
  return fmt::format("{}[{}{}]", base, offset.empty() ? "" : offset + " + ", index);
}

// --- what can be computed ---

bool Emitter::writes_tile(const Statement& s) const {
  if (s.reducer) return !nest_.temporary(s.access().tensor, s.equation)->shape.empty();
  return s.access().indices.size() < program_.tensor(s.access().tensor)->dims.size();
}

bool Emitter::has_tiles(const Loop& loop) const {
  bool any = false;
  loops::each_statement(loop.body, [&](const Statement& s, const auto&) { any |= writes_tile(s); });
  return any;
}

bool Emitter::check_tiles() {
  const auto check = [&](const Expr& e) {
    const Access* a = as<Access>(e);
    const TensorDecl* decl = a ? program_.tensor(a->tensor) : nullptr;
    if (!decl || a->indices.size() >= decl->dims.size() || tensor::is_dense(decl->format)) return;
    diagnostics_
        .unsupported(e->span,
                     fmt::format("`{}` is a tile of a sparse tensor, which the C target cannot take", print(e)))
        .note(decl->span, "it is declared here")
        .with_hint(fmt::format("declare `{}` without a format, or compute with `--target=interpret`", a->tensor));
  };
  const std::size_t before = diagnostics_.all().size();
  for (const Equation& e : program_.equations) {
    check(e.target);
    ir::walk<ExprNode>(e.value, check);
  }
  return diagnostics_.all().size() == before;
}

// --- places ---

std::string Emitter::tile_size(const std::vector<Affine>& shape) const {
  std::string size;
  for (const Affine& a : shape) size += (size.empty() ? "" : " * ") + in_brackets(text(a));
  return size.empty() ? "1" : size;
}

// The position of an element: the indices of the access, then those within the tile.
std::string Emitter::tile_position(const Access& access, const std::vector<std::string>& within) const {
  const TensorNames& t = tensors_.at(access.tensor);
  std::string position;
  for (std::size_t l = 0; l < t.sizes.size(); ++l) {
    const auto dim = static_cast<std::size_t>(t.decl->format.order[l]);
    const std::string own = dim < access.indices.size() ? text(accepted_affine(access.indices[dim], program_))
                                                        : within.at(dim - access.indices.size());
    position = in_row(position, t.sizes[l], own);
  }
  return position;
}

TilePlace Emitter::tile_place(const Access& access) {
  if (const loops::Temporary* t = temporary_of(access)) {
    TilePlace place{temporaries_.at({t->name, t->equation}), "", ValueType::f64};
    if (plan_.temporaries.at({t->name, t->equation}).kind == TemporaryPlan::Kind::array)
      place.offset = fmt::format("{} * {}", in_brackets(temporary_index(access, t->equation)), tile_size(t->shape));
    return place;
  }
  const TensorNames& t = tensors_.at(access.tensor);
  TilePlace place{resolved_.at(access_info(access).key).base, "", t.decl->type};
  std::string leading, size;
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    if (d >= access.indices.size()) {
      size += " * " + t.sizes[d];
      continue;
    }
    const std::string own = text(accepted_affine(access.indices[d], program_));
    leading = in_row(leading, t.sizes[d], own);
  }
  if (!leading.empty() && leading != "0") place.offset = in_brackets(leading) + size;
  return place;
}

// A tile to work in. They are allocated once; every thread has its own.
TilePlace Emitter::scratch(const std::string& size) {
  for (TileBuffer& b : tile_buffers_)
    if (b.scratch && !b.in_use && b.size == size && b.per_thread == parallel_) return take(b);
  tile_buffers_.push_back({names_.fresh("tile"), size, parallel_, true, false});
  return take(tile_buffers_.back());
}

TilePlace Emitter::take(TileBuffer& buffer) {
  buffer.in_use = true;
  if (!buffer.per_thread) return {buffer.name, "", ValueType::f64};
  const std::string own = names_.fresh(buffer.name + "_own");
  line(fmt::format("double *const {} = {} + {} * omp_get_thread_num();", own, buffer.name, buffer.size));
  return {own, "", ValueType::f64};
}

void Emitter::declare_tile(const loops::Temporary& t) {
  const std::string& name = temporaries_.at({t.name, t.equation});
  const std::string size = tile_size(t.shape);
  if (parallel_) {
    const std::string all = names_.fresh(name + "_all");
    tile_buffers_.push_back({all, size, true, false, true});
    line(fmt::format("double *const {} = {} + {} * omp_get_thread_num();", name, all, size));
  } else {
    tile_buffers_.push_back({name, size, false, false, true});
  }
  clear_tile({name, "", ValueType::f64}, size);
}

void Emitter::clear_tile(const TilePlace& place, const std::string& size) {
  line(fmt::format("{}({}, {}, sizeof *{});", use("cyc_clear"), place.pointer(), size, place.base));
}

// --- expressions ---

bool Emitter::is_tile(const Expr& expr) const { return !nest_.types.of(expr).is_number(); }

// Text with the strength of its outermost operator, so that brackets stand only where they are needed.
struct Emitter::TileText {
  enum Strength { sum, product, atom };
  std::string text;
  Strength strength = atom;
  std::string as(Strength wanted) const { return strength < wanted ? "(" + text + ")" : text; }
};

// A number that is used at every element: computed once.
std::string Emitter::tile_factor(const Expr& expr, ValueType type) {
  const std::string value = expression(expr, type);
  if (as<Number>(expr) || as<Name>(expr)) return value;
  const std::string name = names_.fresh("factor");
  line(fmt::format("const double {} = {};", name, value));
  return name;
}

// Element `e` of a tile expression; lines for what must be computed first.
Emitter::TileText Emitter::tile_element(const Expr& expr, const std::string& e) {
  using Strength = TileText::Strength;
  if (const Access* a = as<Access>(expr); a && (temporary_of(*a) || is_plain(*program_.tensor(a->tensor)))) {
    const TilePlace place = tile_place(*a);
    return {(place.type == ValueType::f64 ? "" : "(double)") + place.at(e), Strength::atom};
  }
  if (const Unary* u = as<Unary>(expr)) return {"-" + tile_element(u->operand, e).as(Strength::atom), Strength::sum};
  if (const Binary* b = as<Binary>(expr)) {
    const ValueType type = type_of(expr);
    if (!is_tile(b->lhs)) {
      const std::string factor = tile_factor(b->lhs, type);
      return {fmt::format("{} * {}", factor, tile_element(b->rhs, e).as(Strength::atom)), Strength::product};
    }
    const TileText lhs = tile_element(b->lhs, e);
    if (is_tile(b->rhs))
      return {fmt::format("{} {} {}", lhs.text, name_of(b->op), tile_element(b->rhs, e).as(Strength::product)),
              Strength::sum};
    const std::string factor = tile_factor(b->rhs, type);
    const auto known = constant(b->rhs);
    if (b->op == BinaryOp::div && !(known && is_safe_divisor(*known))) {
      failing_ = true;
      line(fmt::format("if ({} == 0 && !failed) failed = CYC_DIVIDES_BY_ZERO;", factor));
    }
    return {fmt::format("{} {} {}", lhs.as(Strength::product), name_of(b->op), factor), Strength::product};
  }
  const TilePlace place = scratch(tile_size(nest_.types.of(expr).shape));
  tile_into(expr, place, false);
  return {place.at(e), Strength::atom};
}

// The tile as neighbours in f64.
TilePlace Emitter::tile_operand(const Expr& expr) {
  if (const Access* a = as<Access>(expr)) {
    const TensorDecl* decl = program_.tensor(a->tensor);
    if (!decl || (decl->type == ValueType::f64 && is_plain(*decl))) return tile_place(*a);
  }
  const TilePlace place = scratch(tile_size(nest_.types.of(expr).shape));
  tile_into(expr, place, false);
  return place;
}

void Emitter::tile_loop(const std::string& size, const std::function<std::string(const std::string&)>& statement) {
  const std::string e = names_.fresh("e");
  const std::string text = statement(e);
  line(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0}++) {2}", e, size, text));
  names_.release(e);
}

// Sets or adds to a tile in f64.
void Emitter::tile_into(const Expr& expr, const TilePlace& place, bool add) {
  const std::vector<Affine>& shape = nest_.types.of(expr).shape;
  if (const KernelCall* k = as<KernelCall>(expr)) return tile_kernel_into(*k, shape, place, add);
  if (const Select* s = as<Select>(expr)) {
    open(fmt::format("if ({})", expression(s->condition, ValueType::boolean)));
    tile_into(s->then_value, place, add);
    --indent_;
    line("} else {");
    ++indent_;
    tile_into(s->else_value, place, add);
    close();
    return;
  }
  const Access* a = as<Access>(expr);
  if (a && !temporary_of(*a) && !is_plain(*program_.tensor(a->tensor))) {
    const TilePlace from{resolved_.at(access_info(*a).key).base, "", ValueType::f64};
    tile_loops(shape, [&](const std::string& e, const std::vector<std::string>& within) {
      return fmt::format("{} {} {};", place.at(e), add ? "+=" : "=", from.at(tile_position(*a, within)));
    });
    return;
  }
  tile_loop(tile_size(shape), [&](const std::string& e) {
    return fmt::format("{} {} {};", place.at(e), add ? "+=" : "=", tile_element(expr, e).text);
  });
}

// One loop per dimension; `statement` gets the position among neighbours and the index in each dimension.
void Emitter::tile_loops(
    const std::vector<Affine>& shape,
    const std::function<std::string(const std::string&, const std::vector<std::string>&)>& statement) {
  std::vector<std::string> within;
  std::string position, heads;
  for (const Affine& size : shape) {
    const std::string e = names_.fresh("e");
    within.push_back(e);
    position = in_row(position, text(size), e);
    line(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0}++)", e, text(size)));
    ++indent_;
  }
  line(statement(position, within));
  for (const std::string& e : within) {
    names_.release(e);
    --indent_;
  }
}

// --- statements ---

void Emitter::store_tile(const Statement& s) {
  const Access& target = s.access();
  const TensorDecl& decl = *program_.tensor(target.tensor);
  const std::vector<Affine>& shape = nest_.types.of(s.target).shape;
  const std::string size = tile_size(shape), type = c_type(decl.type);
  const bool plain = is_plain(decl), narrow = decl.type != ValueType::f64;
  const TilePlace base{resolved_.at(access_info(target).key).base, "", decl.type};
  if (!is_tile(s.value)) { // a number: every element is that
    const std::string value = names_.fresh("value");
    const std::string number = expression(s.value, decl.type);
    line(fmt::format("const {} {} = {};", type, value, number));
    if (plain) {
      const TilePlace place = tile_place(target);
      tile_loop(size, [&](const std::string& e) { return fmt::format("{} = {};", place.at(e), value); });
      return;
    }
    tile_loops(shape, [&](const std::string&, const std::vector<std::string>& within) {
      return fmt::format("{} = {};", base.at(tile_position(target, within)), value);
    });
    return;
  }
  if (plain && !narrow) return tile_into(s.value, tile_place(target), false);
  const bool elementwise = as<Binary>(s.value) || as<Unary>(s.value) || as<Access>(s.value);
  if (plain && elementwise) {
    const TilePlace place = tile_place(target);
    tile_loop(size, [&](const std::string& e) {
      return fmt::format("{} = ({})({});", place.at(e), type, tile_element(s.value, e).text);
    });
    return;
  }
  const TilePlace own = scratch(size);
  tile_into(s.value, own, false);
  const char* convert = narrow ? "(float)" : "";
  if (plain) {
    const TilePlace place = tile_place(target);
    tile_loop(size, [&](const std::string& e) { return fmt::format("{} = {}{};", place.at(e), convert, own.at(e)); });
    return;
  }
  tile_loops(shape, [&](const std::string& e, const std::vector<std::string>& within) {
    return fmt::format("{} = {}{};", base.at(tile_position(target, within)), convert, own.at(e));
  });
}

void Emitter::emit_tile_statement(const StatementInfo& info, bool needs_block) {
  const Statement& s = *info.statement;
  // Whether it declares anything is known only behind it.
  std::string before = std::exchange(body_, "");
  if (s.reducer) tile_into(s.value, tile_place(s.access()), true);
  else store_tile(s);
  const std::string own = std::exchange(body_, std::move(before));
  const bool declares = failing_ ||
                        own.starts_with(std::string(static_cast<std::size_t>(2 * indent_), ' ') + "const ") ||
                        own.find("double *const ") != std::string::npos;
  const bool block = needs_block && declares;
  if (block) open("");
  if (failing_) line("int failed = 0;");
  for (std::size_t at = 0; at < own.size();) {
    const std::size_t end = own.find('\n', at) + 1;
    body_ += (block ? "  " : "") + own.substr(at, end - at);
    at = end;
  }
  clear_workspaces(s);
  if (failing_) emit_failure(s, "failed", "failed");
  if (block) close();
  for (TileBuffer& b : tile_buffers_)
    if (b.scratch) b.in_use = false;
}

} // namespace cyclotron::backend::c
