// SPDX-License-Identifier: MIT
#include "recurrence/identity.hpp"

#include "support/diagnostics.hpp"

#include <limits>

namespace cyclotron::recurrence {

using tensor::is_float;
using tensor::real_word;
using tensor::ValueType;
using tensor::whole_word;
using tensor::Word;

Word zero_of(ValueType type) { return is_float(type) ? real_word(0) : whole_word(0); }

Word identity_of(Reducer reducer, ValueType type) {
  const bool floating = is_float(type);
  const bool narrow = type == ValueType::i32;
  const double inf = std::numeric_limits<double>::infinity();
  using Wide = std::numeric_limits<std::int64_t>;
  using Narrow = std::numeric_limits<std::int32_t>;
  switch (reducer) {
  case Reducer::sum: return zero_of(type);
  case Reducer::prod: return floating ? real_word(1) : whole_word(1);
  case Reducer::min: return floating ? real_word(inf) : whole_word(narrow ? Narrow::max() : Wide::max());
  case Reducer::max: return floating ? real_word(-inf) : whole_word(narrow ? Narrow::min() : Wide::min());
  case Reducer::any: return whole_word(0);
  case Reducer::all: return whole_word(1);
  }
  bug("unknown reducer");
}

} // namespace cyclotron::recurrence
