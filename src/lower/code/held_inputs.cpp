// SPDX-License-Identifier: MIT
#include "lower/code/held_inputs.hpp"

#include "code/build.hpp"
#include "code/scope.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;

namespace {

std::set<std::string> variables_in(const Expr& expr) {
  std::set<std::string> names;
  ir::walk<code::ExprNode>(expr, [&](const Expr& e) {
    if (const code::Variable* v = ir::as<code::Variable>(e)) names.insert(v->name);
  });
  return names;
}

bool needs(const code::Statement& statement, const std::string& variable) {
  return code::any_statement({statement}, [&](const code::Statement& s) {
    bool found = false;
    code::each_expression(s, [&](const Expr& e) { found |= variables_in(e).count(variable) > 0; });
    return found;
  });
}

constexpr const char* worker = "worker'"; // what only a worker knows

// In front of the first statement that needs it. `unknown`: variables that it is made of, and that the body does not
// see yet. What stands in a condition may be a part of the worker's loops, cut off: `close` does not leave it.
void put(const code::Declare& declaration, bool close, std::set<std::string> unknown, code::Body& body) {
  for (std::size_t s = 0; s < body.size(); ++s) {
    if (needs(body[s], declaration.name)) {
      auto* loop = std::get_if<code::For>(&body[s].kind);
      auto* condition = std::get_if<code::If>(&body[s].kind);
      if (unknown.empty() && !(close && condition)) {
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(s), code::Statement{declaration});
        return;
      }
      if (!loop && !condition) bug("a register that is needed before it can be loaded");
      std::set<std::string> inside = unknown;
      if (loop) inside.erase(loop->variable);
      if (loop && loop->run == code::Run::workers) inside.erase(worker);
      put(declaration, close, std::move(inside), loop ? loop->body : condition->body);
    }
    if (const auto* d = std::get_if<code::Declare>(&body[s].kind)) unknown.erase(d->name);
  }
}

} // namespace

bool HeldInputs::has(const std::string& tensor) const {
  return std::any_of(program_.placed.begin(), program_.placed.end(), [&](const lanes::Placed& p) {
    return p.tensor == tensor && p.memory == lanes::Memory::registers;
  });
}

Expr HeldInputs::element(const std::string& tensor, const std::vector<Along>& indices, bool by_worker) {
  const Expr load = load_of(tensor, indices);
  const auto [at, is_new] = by_load_.try_emplace(code::print(load), held_.size());
  if (is_new) held_.push_back({names_(tensor + "_held"), called_.scalars.at(tensor), load, by_worker});
  held_[at->second].by_worker &= by_worker;
  return build::variable(held_[at->second].name);
}

// In front of the loops nothing is known of whether the element is wanted: it is loaded wherever there is such an
// element.
Expr HeldInputs::load_of(const std::string& tensor, const std::vector<Along>& indices) const {
  const std::vector<Expr>& extents = called_.extents.at(tensor);
  const std::string& memory = called_.memories.at(tensor);
  const Place place = place_in(indices, extents);
  Expr inside;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Expr own = inside_of(indices[d], extents[d], program_.shape.lanes);
    inside = build::logical_and(inside, is_uniform(indices[d]) && !place.uniform ? build::spread(own) : own);
  }
  if (inside && build::is_true(inside)) inside = {};
  if (place.uniform) return build::spread(build::load(memory, place.index, inside));
  return load_at(memory, place, inside);
}

void HeldInputs::declare(code::Body& body) const {
  std::set<std::string> sizes;
  for (const auto& [size, name] : called_.sizes) sizes.insert(name);
  for (const Held& held : held_) {
    std::set<std::string> unknown = variables_in(held.load);
    for (const std::string& size : sizes) unknown.erase(size);
    if (held.by_worker) unknown.insert(worker);
    put({held.name, {held.scalar, true}, held.load}, held.by_worker, std::move(unknown), body);
  }
}

} // namespace cyclotron::lower
