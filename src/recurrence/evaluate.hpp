// SPDX-License-Identifier: MIT
// Evaluates one expression at one place, reading what is known and noting what is not computed yet.
#pragma once

#include "recurrence/code.hpp"
#include "recurrence/failures.hpp"
#include "tensor/tensor.hpp"
#include "tensor/word.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cyclotron::recurrence {

using tensor::Word;

// The state of one instance of an equation.
enum class State : std::uint8_t { absent, waiting, open, done };

// An input, or an output with all its steps. Outputs are dense and row-major, the step outermost.
struct Storage {
  const tensor::Tensor* input = nullptr;
  bool input_is_plain = false; // dense and row-major: position = offset
  tensor::ValueType type = tensor::ValueType::f64;
  std::vector<std::int64_t> dims; // without the step
  bool stepped = false;
  std::int64_t first_step = 0, last_step = 0; // last < first: no step is defined
  std::vector<Word> values;
  std::vector<std::int64_t> instance; // per element: which instance defines it, or -1

  std::int64_t tile_size(std::size_t given) const; // elements behind `given` indices
};

class Evaluator {
public:
  Evaluator(std::vector<Storage>& storage, const std::vector<State>& states) : storage_(storage), states_(states) {}

  std::vector<std::int64_t> slots; // values of the index variables

  // Instances that the last evaluation wanted but which are not done, the first so many of them; its value counts
  // only if there are none.
  static constexpr std::size_t most_missing = 64;
  std::vector<std::int64_t> missing;
  // Set where an integer did not fit its type, with the place.
  bool overflowed = false;
  Span overflow_span;
  // Set where a number is not defined. In an element of a sparse result zero by zero is zero: such elements are not
  // computed at all where they are zero by structure.
  Failure failure = Failure::none;
  bool zero_by_zero_is_zero = false;

  void start() {
    missing.clear();
    overflowed = false;
    failure = Failure::none;
  }
  Word number(const Code& code);
  Tile tile(const Code& code);

  // Offset of the first element at these coordinates (those given; the rest 0), or -1 outside all steps.
  std::int64_t offset(const Storage& storage, const std::vector<LinearForm>& coordinates, bool last_step) const;

private:
  Word access(const Code& code);
  Word element(const Storage& storage, std::int64_t offset);
  static Word input_value(const Storage& storage, std::int64_t position); // -1: nothing stored there
  Word input_element(const Storage& storage, const std::vector<LinearForm>& coordinates);
  Tile tile_access(const Code& code);
  Word binary(const Code& code);
  Word compare(const Code& code, Word a, Word b) const;
  Word call(const Code& code);
  Word reduce(const Code& code);
  Tile tile_reduce(const Code& code);
  // Calls f at every point of the reduction, in rising order of its variables.
  void each_point(const Code& code, std::size_t depth, const std::function<void()>& f);
  Word convert(Word value, tensor::ValueType from, const Code& code);
  Word whole(const Code& code, bool overflow, std::int64_t value);
  Word real(const Code& code, double value) const;

  std::vector<Storage>& storage_;
  const std::vector<State>& states_;
};

} // namespace cyclotron::recurrence
