// SPDX-License-Identifier: MIT
// The arguments of a recipe matched with the parameters of its generator, fetched by name with their ranges checked.
#pragma once

#include "tensor/generate.hpp"

#include <limits>

namespace cyclotron::tensor {

struct Parameter {
  std::string name;
  std::string standard; // what the help shows as default; "" where there is none
};

class Arguments {
public:
  // Matches names and positions; reports arguments that are unknown, repeated or too many.
  Arguments(const Recipe& recipe, const std::vector<Parameter>& parameters, Diagnostics& diagnostics);

  // False once anything was reported; what the functions below return is then of no use.
  bool fine() const { return fine_; }
  void fail(const std::string& name, std::string message, std::string hint = "");

  bool given(const std::string& name) const { return find(name) != nullptr; }
  const Argument* find(const std::string& name) const;

  double number(const std::string& name, double standard, double least = -std::numeric_limits<double>::max(),
                double most = std::numeric_limits<double>::max());
  std::int64_t integer(const std::string& name, std::int64_t standard, std::int64_t least = -largest_exact,
                       std::int64_t most = largest_exact);
  std::string text(const std::string& name);
  std::uint64_t seed() { return static_cast<std::uint64_t>(integer("seed", 0, 0)); }

  const Recipe& recipe() const { return recipe_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  // Arguments are doubles: integers beyond this are no longer exact.
  static constexpr std::int64_t largest_exact = std::int64_t{1} << 53;

private:
  void bind(const Argument& argument, std::size_t position);

  const Recipe& recipe_;
  const std::vector<Parameter>& parameters_;
  Diagnostics& diagnostics_;
  std::vector<const Argument*> bound_; // by parameter
  bool fine_ = true;
};

// "n, m, density=1, seed=0".
std::string list_parameters(const std::vector<Parameter>& parameters);

} // namespace cyclotron::tensor
