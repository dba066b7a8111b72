// SPDX-License-Identifier: MIT
#include "dataflow/domain_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/constraint.h>

#include <algorithm>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

bool is_name(const Affine& affine) {
  return affine.terms.size() == 1 && affine.constant == 0 && affine.terms.begin()->second == 1;
}

// As a factor: in brackets unless it is a single name.
std::string in_brackets(const Affine& affine) { return is_name(affine) ? print(affine) : "(" + print(affine) + ")"; }

std::string floor_text(const Affine& top, std::int64_t divisor) {
  return fmt::format("floor({}/{})", in_brackets(top), divisor);
}

struct Names {
  const std::vector<std::string>& indices;
  const recurrence::Program& program;
};

// The numerator of a quasi-affine function; its divisions become names.
Affine numerator_of(isl_aff* aff, const Names& names);

std::string division_text(isl_aff* argument, const Names& names) { // takes it
  const std::int64_t divisor = whole(isl_aff_get_denominator_val(argument));
  argument = isl_aff_scale_val(argument, isl_val_int_from_si(isl_aff_get_ctx(argument), divisor));
  const Affine top = numerator_of(argument, names);
  isl_aff_free(argument);
  return floor_text(top, divisor);
}

Affine numerator_of(isl_aff* aff, const Names& names) {
  Affine result{{}, whole(isl_aff_get_constant_val(aff))};
  const auto add = [&](isl_dim_type type, std::size_t at, const std::string& name) {
    const std::int64_t c = whole(isl_aff_get_coefficient_val(aff, type, static_cast<int>(at)));
    if (c != 0) result = result + Affine{{{name, c}}, 0};
  };
  for (std::size_t i = 0; i < names.program.sizes.size(); ++i) add(isl_dim_param, i, names.program.sizes[i].name);
  for (std::size_t i = 0; i < names.indices.size(); ++i) add(isl_dim_in, i, names.indices[i]);
  for (int d = 0; d < isl_aff_dim(aff, isl_dim_div); ++d)
    if (isl_aff_involves_dims(aff, isl_dim_div, static_cast<unsigned>(d), 1) == isl_bool_true)
      add(isl_dim_div, static_cast<std::size_t>(d), division_text(isl_aff_get_div(aff, d), names));
  return result;
}

// The parts of a set that are alternatives of each other. Those outside of `everywhere` say nothing and are left out.
isl::set parts_inside(const isl::set& set, const isl::set& everywhere) {
  const isl::set disjoint =
      isl::manage(isl_set_make_disjoint(isl_set_coalesce(isl_set_remove_redundancies(set.copy()))));
  isl::set result = disjoint.subtract(disjoint);
  disjoint.foreach_basic_set([&](const isl::basic_set& part) {
    if (!everywhere.is_disjoint(isl::set(part))) result = result.unite(isl::set(part));
  });
  return result;
}

bool is_division(const std::string& name) { return name.starts_with("floor("); }

// `x - m*floor(x/m) == 0` is `x mod m == 0`.
std::optional<std::string> remainder_text(const Condition& c) {
  if (c.kind != Condition::Kind::zero) return std::nullopt;
  for (const auto& [name, factor] : c.affine.terms) {
    if (!is_division(name)) continue;
    Affine rest = factor < 0 ? c.affine : -1 * c.affine;
    rest.terms.erase(name);
    const std::int64_t modulus = factor < 0 ? -factor : factor;
    const bool only =
        std::none_of(rest.terms.begin(), rest.terms.end(), [](const auto& t) { return is_division(t.first); });
    for (std::int64_t r = 0; only && r < modulus; ++r) {
      const Affine shifted = rest + Affine{{}, r};
      if (name != floor_text(shifted, modulus)) continue;
      const std::int64_t remainder = ((-rest.constant) % modulus + modulus) % modulus;
      rest.constant = 0;
      return fmt::format("{} mod {} == {}", in_brackets(rest), modulus, remainder);
    }
    return std::nullopt;
  }
  return std::nullopt;
}

// `lhs <= rhs`, `i == 0`: with positive terms on both sides.
std::string single_text(const Condition& c) {
  if (auto remainder = remainder_text(c)) return *remainder;
  Affine left, right; // left <= right or left == right
  for (const auto& [name, k] : c.affine.terms) (k > 0 ? right : left).terms[name] = k > 0 ? k : -k;
  (c.affine.constant >= 0 ? right : left).constant = c.affine.constant >= 0 ? c.affine.constant : -c.affine.constant;
  if (c.kind == Condition::Kind::zero) {
    if (left.terms.empty()) std::swap(left, right);
    return fmt::format("{} == {}", print(left), print(right));
  }
  // `i < n` rather than `i + 1 <= n`.
  if (!left.terms.empty() && left.constant == 1)
    return fmt::format("{} < {}", print(left - Affine{{}, 1}), print(right));
  if (!left.terms.empty() && !right.terms.empty()) {
    right.constant -= left.constant;
    left.constant = 0;
  }
  return fmt::format("{} <= {}", print(left), print(right));
}

// The upper end of a chain: `< n` rather than `<= n - 1`.
std::string upper_text(const Affine& bound) {
  if (bound.constant == -1 && !bound.terms.empty()) return "< " + print(bound + Affine{{}, 1});
  return "<= " + print(bound);
}

// isl orders conditions by how a set came about; what is printed and read again is to be printed the same. Bounds of
// one name by a number come first, then each condition where its last name stands among the names, those without sizes
// before those with.
void sort_for_print(std::vector<Condition>& conditions, const std::vector<std::string>& names) {
  const auto key = [&](const Condition& c) {
    std::size_t last = 0, of_names = 0;
    for (std::size_t n = 0; n < names.size(); ++n) {
      if (c.affine.coefficient(names[n]) == 0) continue;
      last = n;
      ++of_names;
    }
    const std::size_t terms = c.affine.terms.size();
    return std::tuple(terms > 1, last, terms - of_names, terms, single_text(c));
  };
  std::sort(conditions.begin(), conditions.end(),
            [&](const Condition& a, const Condition& b) { return key(a) < key(b); });
}

} // namespace

std::vector<std::vector<Condition>> conditions_of(const isl::set& set, const isl::set& everywhere,
                                                  const std::vector<std::string>& names,
                                                  const recurrence::Program& program) {
  const isl::set parts = parts_inside(set.gist(everywhere), everywhere);
  const Names known{names, program};
  return recurrence::read_constraints(parts, true, [&](isl_constraint* constraint) {
    const bool equal = isl_constraint_is_equality(constraint) == isl_bool_true;
    isl_aff* aff = isl_constraint_get_aff(constraint);
    const Condition condition{numerator_of(aff, known), equal ? Condition::Kind::zero : Condition::Kind::nonnegative};
    isl_aff_free(aff);
    return condition;
  });
}

bool divides(const Condition& condition) {
  return std::any_of(condition.affine.terms.begin(), condition.affine.terms.end(),
                     [](const auto& t) { return is_division(t.first); });
}

std::string text_of(const std::vector<Condition>& conditions, const std::vector<std::string>& names) {
  std::vector<Condition> left;
  for (const Condition& c : conditions)
    if (!c.affine.is_constant()) left.push_back(c);
  sort_for_print(left, names);
  std::vector<std::string> parts;
  const auto take_bound = [&](const std::string& name, std::int64_t factor) -> std::optional<Affine> {
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i].kind != Condition::Kind::nonnegative || left[i].affine.coefficient(name) != factor) continue;
      Affine rest = left[i].affine;
      rest.terms.erase(name);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      return factor < 0 ? rest : -1 * rest;
    }
    return std::nullopt;
  };
  const auto has = [&](const std::string& name, std::int64_t factor) {
    return std::any_of(left.begin(), left.end(), [&](const Condition& c) {
      return c.kind == Condition::Kind::nonnegative && c.affine.coefficient(name) == factor;
    });
  };
  // The last name of a condition is the one that it bounds.
  for (std::size_t n = names.size(); n-- > 0;) {
    if (!has(names[n], 1) || !has(names[n], -1)) continue;
    const Affine lower = *take_bound(names[n], 1), upper = *take_bound(names[n], -1);
    std::string chain = fmt::format("{} <= {} {}", print(lower), names[n], upper_text(upper));
    std::optional<Affine> end = upper; // `0 <= j <= i < n`, `0 <= j < i < n`
    while (end && (is_name(*end) || is_name(*end + Affine{{}, 1})))
      if ((end = take_bound(end->terms.begin()->first, -1))) chain += " " + upper_text(*end);
    std::optional<Affine> begin = lower; // `0 <= i <= r < n`
    while (begin && is_name(*begin) && !has(begin->terms.begin()->first, -1))
      if ((begin = take_bound(begin->terms.begin()->first, 1))) chain = print(*begin) + " <= " + chain;
    parts.insert(parts.begin(), chain);
  }
  for (const Condition& c : left) parts.push_back(single_text(c));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string text_of(const isl::set& set, const isl::set& everywhere, const std::vector<std::string>& names,
                    const recurrence::Program& program) {
  std::vector<std::string> parts;
  for (const auto& alternative : conditions_of(set, everywhere, names, program))
    parts.push_back(text_of(alternative, names));
  if (parts.empty()) return "0 == 1";
  return fmt::format("{}", fmt::join(parts, " or "));
}

} // namespace cyclotron::dataflow
