// SPDX-License-Identifier: MIT
#include "driver/sizes.hpp"

#include "recurrence/polyhedra.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

// Larger sizes would overflow index arithmetic long before anything useful could be stored.
constexpr std::int64_t largest_size = std::int64_t{1} << 40;

} // namespace

bool Sizes::set(const std::string& name, std::int64_t value, const std::string& who) {
  if (value < 0 || value > largest_size) {
    diagnostics_.error(fmt::format("size `{}` = {} ({}) is not between 0 and 2^40", name, value, who));
    return false;
  }
  const auto [at, fresh] = values_.emplace(name, Known{value, who});
  if (fresh || at->second.value == value) return true;
  diagnostics_.error(
      fmt::format("size `{}` is {} by {}, but {} by {}", name, at->second.value, at->second.who, value, who));
  return false;
}

std::vector<std::int64_t> Sizes::dims_of(const TensorDecl& decl) const {
  std::vector<std::int64_t> dims;
  for (const Expr& e : decl.dims) {
    const Affine a = accepted_affine(e, program_);
    bool complete = true;
    for (const auto& [name, c] : a.terms) complete = complete && values_.count(name);
    dims.push_back(complete ? a.evaluate([&](const std::string& n) { return values_.at(n).value; }) : -1);
  }
  return dims;
}

bool Sizes::take_shape(const TensorDecl& decl, const std::vector<std::int64_t>& shape, const std::string& who) {
  if (shape.size() != decl.dims.size()) {
    diagnostics_.error(
        decl.span, fmt::format("`{}` has {} dimension{}, but {} has {}", decl.name.name, decl.dims.size(),
                               decl.dims.size() == 1 ? "" : "s", who,
                               shape.empty() ? "none" : fmt::format("{} ({})", shape.size(), fmt::join(shape, " x "))));
    return false;
  }
  const int before = diagnostics_.errors();
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] >= 0) pending_.push_back({&decl, d, shape[d], who});
  solve_pending();
  return diagnostics_.errors() == before;
}

// Each dimension with exactly one unknown size gives that size; the others wait until more is known.
void Sizes::solve_pending() {
  bool progress = true;
  while (progress) {
    progress = false;
    std::vector<Pending> waiting;
    for (const Pending& p : pending_) {
      const Affine a = accepted_affine(p.decl->dims[p.dimension], program_);
      std::string unknown;
      int unknowns = 0;
      std::int64_t rest = p.extent - a.constant;
      for (const auto& [name, c] : a.terms) {
        if (values_.count(name)) {
          rest -= c * values_.at(name).value;
        } else {
          unknown = name;
          ++unknowns;
        }
      }
      if (unknowns > 1) {
        waiting.push_back(p);
        continue;
      }
      progress = true;
      if (unknowns == 0) {
        check_dimension(p);
        continue;
      }
      const std::int64_t c = a.coefficient(unknown);
      if (rest % c != 0 || rest / c < 0) {
        diagnostics_
            .error(p.decl->dims[p.dimension]->span,
                   fmt::format("dimension {} of {} is {}, which `{}` cannot be", p.dimension + 1, p.who, p.extent,
                               print(p.decl->dims[p.dimension])))
            .note(fmt::format("no size `{}` from 0 up makes it so", unknown));
        continue;
      }
      set(unknown, rest / c, p.who);
    }
    pending_ = std::move(waiting);
  }
}

bool Sizes::check_dimension(const Pending& p) {
  const Expr& dim = p.decl->dims[p.dimension];
  const Affine a = accepted_affine(dim, program_);
  const std::int64_t expected = a.evaluate([&](const std::string& n) { return values_.at(n).value; });
  if (expected == p.extent) return true;
  Diagnostic& d = diagnostics_.error(dim->span, fmt::format("dimension {} of {} is {}, but `{}` is {}", p.dimension + 1,
                                                            p.who, p.extent, print(dim), expected));
  for (const auto& [name, c] : a.terms) {
    (void)c;
    d.note(fmt::format("`{}` is {} by {}", name, values_.at(name).value, values_.at(name).who));
  }
  return false;
}

bool Sizes::check_complete() {
  const int before = diagnostics_.errors();
  for (const Binder& s : program_.sizes)
    if (!values_.count(s.name))
      diagnostics_.error(s.span, fmt::format("the size `{}` is not known", s.name))
          .with_hint(fmt::format("no input fixes it: give it as `{0}=…`, or write `default {0} = 10` into the program",
                                 s.name));
  if (diagnostics_.errors() != before) return false;
  for (const Assumption& a : program_.assumptions)
    for (const Condition& c : conditions_of(a.constraint, program_)) {
      if (holds(c, [&](const std::string& n) { return values_.at(n).value; })) continue;
      std::string sizes;
      for (const auto& [name, k] : c.affine.terms) {
        (void)k;
        sizes += fmt::format("{}{} = {} by {}", sizes.empty() ? "" : ", ", name, values_.at(name).value,
                             values_.at(name).who);
      }
      diagnostics_
          .error(a.constraint.span, fmt::format("the program assumes `{}`, which does not hold", print(a.constraint)))
          .label(sizes);
    }
  return diagnostics_.errors() == before;
}

std::map<std::string, std::int64_t> Sizes::values() const {
  std::map<std::string, std::int64_t> out;
  for (const auto& [name, known] : values_) out[name] = known.value;
  return out;
}

} // namespace cyclotron::driver
