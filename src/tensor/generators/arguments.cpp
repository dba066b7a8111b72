// SPDX-License-Identifier: MIT
// The arguments of a recipe matched with the parameters of its generator.
#include "tensor/generators/arguments.hpp"

#include "support/nearest.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cyclotron::tensor {

std::string list_parameters(const std::vector<Parameter>& parameters) {
  std::string out;
  for (const Parameter& p : parameters)
    out += (out.empty() ? "" : ", ") + p.name + (p.standard.empty() ? "" : "=" + p.standard);
  return out;
}

Arguments::Arguments(const Recipe& recipe, const std::vector<Parameter>& parameters, Diagnostics& diagnostics)
    : recipe_(recipe), parameters_(parameters), diagnostics_(diagnostics), bound_(parameters.size(), nullptr) {
  std::size_t position = 0;
  for (const Argument& argument : recipe.arguments) bind(argument, argument.name.empty() ? position++ : 0);
}

void Arguments::bind(const Argument& argument, std::size_t position) {
  const std::string accepted = parameters_.empty()
                                   ? fmt::format("`{}` takes no arguments", recipe_.name)
                                   : fmt::format("`{}` takes {}", recipe_.name, list_parameters(parameters_));
  std::size_t p = position;
  if (argument.name.empty() && position >= parameters_.size()) {
    fine_ = false;
    diagnostics_
        .error(argument.span, fmt::format("expected at most {} argument{} for `{}`, found {}", parameters_.size(),
                                          parameters_.size() == 1 ? "" : "s", recipe_.name, recipe_.arguments.size()))
        .with_hint(accepted);
    return;
  }
  if (!argument.name.empty()) {
    for (p = 0; p < parameters_.size() && parameters_[p].name != argument.name;) ++p;
    if (p == parameters_.size()) {
      fine_ = false;
      std::vector<std::string> names;
      for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
      const std::string suggestion = did_you_mean(argument.name, names);
      diagnostics_.error(argument.span, fmt::format("`{}` has no argument `{}`", recipe_.name, argument.name))
          .with_hint(suggestion.empty() ? accepted : suggestion + " " + accepted);
      return;
    }
  }
  if (bound_[p]) {
    fine_ = false;
    diagnostics_.error(argument.span, fmt::format("`{}` is given twice to `{}`", parameters_[p].name, recipe_.name))
        .with_hint("remove one of the two");
    return;
  }
  bound_[p] = &argument;
}

const Argument* Arguments::find(const std::string& name) const {
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (parameters_[p].name == name) return bound_[p];
  return nullptr;
}

void Arguments::fail(const std::string& name, std::string message, std::string hint) {
  fine_ = false;
  const Argument* argument = find(name);
  diagnostics_.error(argument ? argument->span : recipe_.span, std::move(message)).with_hint(std::move(hint));
}

namespace {

std::string describe_value(const Argument& argument) {
  if (const auto* number = std::get_if<double>(&argument.value)) return fmt::format("`{}`", *number);
  if (const auto* text = std::get_if<std::string>(&argument.value)) return fmt::format("the text `\"{}\"`", *text);
  return fmt::format("`{}`", to_string(std::get<std::vector<Recipe>>(argument.value).at(0)));
}

// "from 0 to 1", "of at least 0", "".
std::string describe_range(double least, double most, double unbounded) {
  if (least <= -unbounded && most >= unbounded) return "";
  if (most >= unbounded) return fmt::format(" of at least {}", least);
  if (least <= -unbounded) return fmt::format(" of at most {}", most);
  return fmt::format(" from {} to {}", least, most);
}

} // namespace

double Arguments::number(const std::string& name, double standard, double least, double most) {
  const Argument* argument = find(name);
  if (!argument) return standard;
  const auto* value = std::get_if<double>(&argument->value);
  if (value && *value >= least && *value <= most) return *value;
  fail(name,
       fmt::format("expected a number{} for `{}` of `{}`, found {}",
                   describe_range(least, most, std::numeric_limits<double>::max()), name, recipe_.name,
                   describe_value(*argument)),
       fmt::format("write `{}={}`", name, least > standard || standard > most ? least : standard));
  return standard;
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t standard, std::int64_t least, std::int64_t most) {
  const Argument* argument = find(name);
  if (!argument) return standard;
  const auto* value = std::get_if<double>(&argument->value);
  if (value && *value == std::trunc(*value) && *value >= static_cast<double>(least) &&
      *value <= static_cast<double>(most))
    return static_cast<std::int64_t>(*value);
  fail(name,
       fmt::format(
           "expected an integer{} for `{}` of `{}`, found {}",
           describe_range(static_cast<double>(least), static_cast<double>(most), static_cast<double>(largest_exact)),
           name, recipe_.name, describe_value(*argument)),
       fmt::format("write such as `{}={}`", name, standard < least ? std::max<std::int64_t>(least, 10) : standard));
  return std::max(least, standard);
}

std::string Arguments::text(const std::string& name) {
  const Argument* argument = find(name);
  const auto* value = argument ? std::get_if<std::string>(&argument->value) : nullptr;
  if (value) return *value;
  // On the command line a bare word reads as a recipe without arguments.
  const auto* recipes = argument ? std::get_if<std::vector<Recipe>>(&argument->value) : nullptr;
  if (recipes && recipes->size() == 1 && recipes->front().arguments.empty()) return recipes->front().name;
  fail(name,
       fmt::format("expected a text for `{}` of `{}`, found {}", name, recipe_.name,
                   argument ? describe_value(*argument) : "none"),
       fmt::format("write such as `{}(\"ACGT\")`", recipe_.name));
  return "";
}

} // namespace cyclotron::tensor
