// SPDX-License-Identifier: MIT
// A program text run through the whole front end, ready to interpret: the one file here that sees isl's headers.
#pragma once

#include "frontend/unit.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace cyclotron::fuzz {

using Tensors = std::map<std::string, tensor::Tensor>;
using SizeValues = std::map<std::string, std::int64_t>;

class Compiled {
public:
  explicit Compiled(const std::string& text);
  ~Compiled();

  bool accepted() const;
  const frontend::Unit& unit() const;
  const recurrence::Program& program() const { return unit().program; }

  // Inputs and sizes by the program's defaults and `given` ("n" -> "3"), or nothing where that does not work out.
  struct Bound {
    SizeValues sizes;
    Tensors tensors;
  };
  std::optional<Bound> bind(const std::map<std::string, std::string>& given);

  // With every step of stepped outputs as a first dimension, where asked for.
  std::optional<Tensors> interpret(const SizeValues& sizes, const Tensors& inputs, bool all_steps = false);

  std::string messages() const; // all diagnostics so far
  void forget_messages();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace cyclotron::fuzz
