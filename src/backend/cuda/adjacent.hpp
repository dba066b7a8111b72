// SPDX-License-Identifier: MIT
// Statements side by side whose lanes together have neighbouring elements, so that a thread can move them at once:
//
//   var a: f32 lanes = x[b : 4]             const Adjacent<f32, 4> adjacent_0 = load_adjacent<4>(x, b + 4ll * lane);
//   var c: f32 lanes = x[b + 1 : 4]   -->   const f32 a = adjacent_0.at[0];
//   ...                                     ...
#pragma once

#include "code/scope.hpp"

namespace cyclotron::backend::cuda {

// `rest + constant`, of an index; no rest where there is only a number.
struct Position {
  code::Expr rest;
  std::int64_t constant = 0;
};
Position position_of(const code::Expr& index);

// The same whenever it is computed, and computed without the other lanes.
bool is_plain(const code::Expr& expr);

// How many statements from `at` on are such loads, or such stores: 0, or as many as the stride, which move 8 or 16
// bytes in each lane, without masks.
std::size_t adjacent_loads(const code::Body& body, std::size_t at, const code::Scope& scope);
std::size_t adjacent_stores(const code::Body& body, std::size_t at, const code::Scope& scope);

// Whether two stores certainly never go to one element from different lanes.
bool stores_apart(const code::Store& a, const code::Store& b, std::int64_t lanes);

// The load that such a statement is about.
const code::Load& load_in(const code::Statement& statement);

} // namespace cyclotron::backend::cuda
