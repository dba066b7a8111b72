// SPDX-License-Identifier: MIT
#include "backend/cuda/load_together.hpp"

#include "backend/cuda/adjacent.hpp"
#include "code/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cyclotron::backend::cuda {

using code::Body;
using code::Expr;
using code::Statement;

namespace {

// Elements of one memory, from one place on, one stride apart from lane to lane; of one number for all lanes it is 0.
using Row = std::tuple<std::string, std::string, std::int64_t>; // memory, text of the place, stride

struct Wanted {
  Expr rest; // of the index; the constant is the key
  std::map<std::int64_t, std::size_t> first_use;
  bool is_shared = false; // something else than a statement of its own wants it
};

class Loads {
public:
  explicit Loads(const code::Kernel& kernel) : kernel_(kernel) { collect_names(kernel.body); }

  Body run(const Body& body) {
    Body result;
    for (std::size_t at = 0; at < body.size();) {
      std::size_t end = at;
      while (end < body.size() && is_straight(body[end])) ++end;
      if (end > at)
        straight({body.begin() + static_cast<std::ptrdiff_t>(at), body.begin() + static_cast<std::ptrdiff_t>(end)},
                 result);
      else result.push_back(inside(body[end++]));
      at = end;
    }
    return result;
  }

private:
  static bool is_straight(const Statement& s) {
    return std::holds_alternative<code::Declare>(s.kind) || std::holds_alternative<code::Assign>(s.kind) ||
           std::holds_alternative<code::Store>(s.kind);
  }

  Statement inside(Statement s) {
    if (auto* f = std::get_if<code::For>(&s.kind)) f->body = run(f->body);
    if (auto* i = std::get_if<code::If>(&s.kind)) i->body = run(i->body);
    return s;
  }

  void collect_names(const Body& body) {
    for (const Statement& s : body) {
      if (const auto* d = std::get_if<code::Declare>(&s.kind)) {
        names_.insert(d->name);
        if (d->type.lanes) vectors_.insert(d->name);
      }
      if (const auto* f = std::get_if<code::For>(&s.kind)) {
        names_.insert(f->variable);
        collect_names(f->body);
      }
      if (const auto* i = std::get_if<code::If>(&s.kind)) collect_names(i->body);
    }
  }

  static bool exchanges(const Statement& s) {
    bool found = false;
    code::each_expression(s, [&](const Expr& whole) {
      ir::walk<code::ExprNode>(whole, [&](const Expr& e) { found |= ir::as<code::Shift>(e) != nullptr; });
    });
    return found;
  }

  std::string new_name(const std::string& memory) {
    for (;; ++next_)
      if (const std::string name = fmt::format("{}_{}", memory, next_); names_.insert(name).second) return name;
  }

  // --- statements one after the other ---

  void straight(Body statements, Body& to) {
    std::set<std::string> changed;
    for (const Statement& s : statements) {
      if (const auto* d = std::get_if<code::Declare>(&s.kind)) changed.insert(d->name);
      if (const auto* a = std::get_if<code::Assign>(&s.kind)) changed.insert(a->name);
    }
    exchanges_ = std::any_of(statements.begin(), statements.end(), exchanges);
    std::map<Row, Wanted> rows;
    for (std::size_t n = 0; n < statements.size(); ++n) collect(statements[n], n, changed, rows);
    std::map<std::size_t, Body> before; // which loads go before which statement
    std::map<Row, std::map<std::int64_t, std::string>> loaded;
    std::size_t first = statements.size();
    for (const auto& [row, wanted] : rows) first = std::min(first, first_use_of(wanted));
    for (const auto& [row, wanted] : rows)
      place(row, wanted, before[exchanges_ ? first : first_use_of(wanted)], loaded[row]);
    for (std::size_t n = 0; n < statements.size(); ++n) {
      for (Statement& load : before[n]) to.push_back(std::move(load));
      to.push_back(with_loaded(std::move(statements[n]), changed, loaded));
    }
  }

  // Which row a load is of, and where in it. Nothing where it has a mask, or where what it is computed from changes.
  std::optional<std::tuple<Row, Position>> row_of(const Expr& e, const std::set<std::string>& changed) const {
    const auto* l = ir::as<code::Load>(e);
    if (!l || l->mask || !is_plain(l->index) || (!l->stride && !exchanges_)) return std::nullopt;
    const auto stride = l->stride ? code::build::known(l->stride) : std::optional<std::int64_t>(0);
    const code::Memory* memory = memory_named(l->memory);
    if (!stride || memory->role != code::Role::in) return std::nullopt;
    const std::int64_t bytes = *stride * code::bytes_of(memory->scalar);
    if (*stride != 0 && (*stride < 2 || (bytes != 8 && bytes != 16))) return std::nullopt;
    bool stays = true;
    ir::walk<code::ExprNode>(l->index, [&](const Expr& part) {
      const auto* v = ir::as<code::Variable>(part);
      stays &= !v || (!changed.count(v->name) && !vectors_.count(v->name));
    });
    if (!stays) return std::nullopt;
    const Position at = position_of(l->index);
    return std::tuple{Row{l->memory, at.rest ? code::print(at.rest) : "", *stride}, at};
  }

  const code::Memory* memory_named(const std::string& name) const {
    for (const code::Memory& m : kernel_.memories)
      if (m.name == name) return &m;
    bug("no memory of this name");
  }

  void collect(const Statement& s, std::size_t number, const std::set<std::string>& changed,
               std::map<Row, Wanted>& rows) const {
    code::each_expression(s, [&](const Expr& whole) {
      ir::walk<code::ExprNode>(whole, [&](const Expr& e) {
        const auto found = row_of(e, changed);
        if (!found) return;
        const auto& [row, at] = *found;
        Wanted& wanted = rows[row];
        wanted.rest = at.rest;
        wanted.is_shared |= !e.same_as(whole) || !wanted.first_use.emplace(at.constant, number).second;
        wanted.first_use.emplace(at.constant, number);
      });
    });
  }

  static std::size_t first_use_of(const Wanted& wanted) {
    std::size_t use = wanted.first_use.begin()->second;
    for (const auto& [constant, statement] : wanted.first_use) use = std::min(use, statement);
    return use;
  }

  // As many as a stride, from the first on; a rest that is no whole stride is loaded where it is used. All of them come
  // before the first use of any, so that a thread waits for memory once.
  void place(const Row& row, const Wanted& wanted, Body& to, std::map<std::int64_t, std::string>& loaded) {
    const auto& [memory, text, stride] = row;
    if (!wanted.is_shared && stride != 0) return;
    const code::Type type{memory_named(memory)->scalar, stride != 0};
    const std::int64_t side_by_side = std::max<std::int64_t>(stride, 1);
    for (auto at = wanted.first_use.begin(); at != wanted.first_use.end();) {
      const std::int64_t first = at->first;
      std::int64_t count = 0;
      for (auto next = at; next != wanted.first_use.end() && next->first == first + count && count < side_by_side;
           ++next)
        ++count;
      if (count < side_by_side) {
        ++at;
        continue;
      }
      for (std::int64_t v = 0; v < side_by_side; ++v, ++at) {
        const Expr constant = code::build::number(first + v);
        const Expr index = wanted.rest ? code::build::add(wanted.rest, constant) : constant;
        loaded[first + v] = new_name(memory);
        to.push_back(code::build::declare(
            loaded[first + v], type,
            Expr(code::Load{memory, index, stride == 0 ? Expr() : code::build::number(stride), {}})));
      }
    }
  }

  Statement with_loaded(Statement s, const std::set<std::string>& changed,
                        const std::map<Row, std::map<std::int64_t, std::string>>& loaded) const {
    const std::function<Expr(const Expr&)> replaced = [&](const Expr& e) -> Expr {
      if (const auto found = row_of(e, changed)) {
        const auto& names = loaded.at(std::get<Row>(*found));
        const auto name = names.find(std::get<Position>(*found).constant);
        if (name != names.end()) return code::build::variable(name->second);
      }
      return ir::map_children<code::ExprNode>(e, replaced);
    };
    const auto replace = [&](Expr& e) {
      if (e) e = replaced(e);
    };
    if (auto* d = std::get_if<code::Declare>(&s.kind)) replace(d->value);
    if (auto* a = std::get_if<code::Assign>(&s.kind)) replace(a->value);
    if (auto* store = std::get_if<code::Store>(&s.kind)) replace(store->value);
    return s;
  }

  const code::Kernel& kernel_;
  std::set<std::string> names_, vectors_; // of variables; those that have lanes
  int next_ = 0;
  bool exchanges_ = false; // do lanes, in the statements at hand
};

} // namespace

code::Kernel load_together(const code::Kernel& kernel) {
  code::Kernel result = kernel;
  result.body = Loads(kernel).run(kernel.body);
  return result;
}

} // namespace cyclotron::backend::cuda
