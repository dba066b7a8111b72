// SPDX-License-Identifier: MIT
// For which elements a statement has an effect, as a formula over its sparse accesses.
//
// `tL(i,j) += L(i,k) * L(j,k)` adds nothing unless L stores both elements, so its formula is `L(i,k) and L(j,k)`. The
// formula may be true where the statement has no effect. It is never false where the statement has one.
#pragma once

#include "recurrence/ir.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::recurrence {

struct Presence {
  enum class Kind { always, never, atom, all_of, any_of };
  Kind kind = Kind::always;
  std::string atom; // the access, as printed
  std::vector<Presence> parts;

  static Presence always() { return {}; }
  static Presence never() { return {Kind::never, "", {}}; }
  static Presence of(std::string atom) { return {Kind::atom, std::move(atom), {}}; }
  bool is_always() const { return kind == Kind::always; }
};

Presence both(const Presence& a, const Presence& b);
Presence either(const Presence& a, const Presence& b);

// What must be stored for `expr` to be other than zero. `is_sparse` says which accesses may be absent; `temporary`
// gives the formula of a temporary, where it has one.
Presence nonzero(const Expr& expr, const std::function<bool(const Access&)>& is_sparse,
                 const std::function<Presence(const Access&)>& temporary);

// What must be stored for `expr` to matter to a reduction whose identity is not zero: the accesses whose absence
// alone makes it the identity.
Presence not_identity(const Expr& expr, Reducer reducer, const std::function<bool(const Access&)>& is_sparse);

// The formula with the atoms outside `known` taken to be true.
Presence restricted(const Presence& presence, const std::set<std::string>& known);

// Atoms one of which holds wherever the formula does; nothing where it is always true. As few as there can be; among
// single ones `preferred`, else the `better`.
std::optional<std::vector<std::string>>
cover(const Presence& presence, const std::string& preferred,
      const std::function<bool(const std::string&, const std::string&)>& better);

// Whether the formula holds where this atom does, whatever the others do.
bool follows(const Presence& presence, const std::string& atom);

// Whether the formula cannot hold without this atom.
bool needs(const Presence& presence, const std::string& atom);

} // namespace cyclotron::recurrence
