// SPDX-License-Identifier: MIT
// Blocks on coordinates as numbers: as values, and in conditions.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {
namespace {

bool holds(recurrence::Relation relation, std::int64_t difference) {
  using recurrence::Relation;
  switch (relation) {
  case Relation::less: return difference < 0;
  case Relation::less_equal: return difference <= 0;
  case Relation::greater: return difference > 0;
  case Relation::greater_equal: return difference >= 0;
  case Relation::equal: return difference == 0;
  case Relation::not_equal: return difference != 0;
  }
  return false;
}

} // namespace

Body coordinates_as_values(Unit& unit, ValueType type) {
  return map(unit, [type](const Token& token, Time) {
    if (token.is_data()) return value(convert(token.payload, ValueType::i64, type));
    return token.is_empty() ? value(zero_of(type)) : token;
  });
}

Body mask_coordinates(Unit& unit, Condition condition) {
  std::vector<Token> taken(unit.in.size());
  const std::size_t passed = unit.out.size(); // the coordinate and its references; the others are only looked at
  for (bool ended = false; !ended;) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
      taken[i] = unit.in[i]->take();
      if (taken[i].is_done() != taken[0].is_done() || taken[i].is_stop() != taken[0].is_stop())
        fail(unit,
             fmt::format("has coordinates with {} where another input has {}", describe(taken[0]), describe(taken[i])));
    }
    ended = taken[0].is_done();
    bool puts = true;
    if (taken[0].is_data()) {
      std::int64_t sum = condition.factor * taken[0].payload.whole + condition.offset;
      for (std::size_t i = passed; i < taken.size(); ++i) sum += condition.others[i - passed] * taken[i].payload.whole;
      puts = holds(condition.relation, sum);
    }
    for (std::size_t i = 0; puts && i < passed; ++i) {
      while (!unit.out[i].has_room()) co_await unit.out[i].until_room();
      unit.out[i].put(taken[i]);
    }
    unit.step();
  }
}

} // namespace cyclotron::sam
