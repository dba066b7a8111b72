// SPDX-License-Identifier: MIT
#include "lower/loops/bounds.hpp"

#include "recurrence/integer_points.hpp"
#include "recurrence/isl_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Bound;
using loops::Range;

Affine renamed(const Affine& affine, const std::map<std::string, std::string>& names) {
  Affine result{{}, affine.constant};
  for (const auto& [name, c] : affine.terms) {
    const auto at = names.find(name);
    result = result + Affine{{{at == names.end() ? name : at->second, c}}, 0};
  }
  return result;
}

std::vector<Condition> renamed(const std::vector<Condition>& conditions,
                               const std::map<std::string, std::string>& names) {
  std::vector<Condition> list;
  for (const Condition& c : conditions) list.push_back({renamed(c.affine, names), c.kind});
  return list;
}

std::vector<Condition> conditions_of(const std::string& variable, const Range& range) {
  std::vector<Condition> list;
  for (const Bound& b : range.lower)
    list.push_back({Affine{{{variable, b.divisor}}, 0} - b.value, Condition::Kind::nonnegative});
  for (const Bound& b : range.upper)
    list.push_back({b.value - Affine{{{variable, b.divisor}}, 0}, Condition::Kind::nonnegative});
  return list;
}

namespace {

// Each elimination may square the number of conditions. Programs of the field have a few hundred at the most.
constexpr std::size_t most_conditions = 2000;

using Terms = std::map<std::string, std::int64_t>;

// `sum >= 0`, divided by what all its terms share. Of conditions on the same terms only the tightest says something.
void add_tightest(Affine sum, std::map<Terms, std::size_t>& place, std::vector<Condition>& to) {
  std::int64_t shared = 0;
  for (const auto& [name, k] : sum.terms) shared = std::gcd(shared, k);
  for (auto& [name, k] : sum.terms) k /= shared;
  const std::int64_t quotient = sum.constant / shared;
  sum.constant = quotient - (sum.constant % shared < 0 ? 1 : 0);
  const auto [at, is_new] = place.try_emplace(Terms(sum.terms.begin(), sum.terms.end()), to.size());
  if (is_new) to.push_back({sum, Condition::Kind::nonnegative});
  else if (Affine& known = to[at->second].affine; sum.constant < known.constant) known.constant = sum.constant;
}

// Conditions with one variable eliminated (Fourier and Motzkin): what holds wherever some value of it fits.
std::vector<Condition> without_variable(const std::vector<Condition>& conditions, const std::string& variable) {
  std::vector<Condition> result;
  std::map<Terms, std::size_t> place; // of the conditions that come of it
  std::vector<Affine> lower, upper;
  for (const Condition& c : conditions) {
    const std::int64_t k = c.affine.coefficient(variable);
    if (k == 0) result.push_back(c);
    else if (c.kind == Condition::Kind::nonzero) continue;
    else {
      if (k > 0 || c.kind == Condition::Kind::zero) lower.push_back(k > 0 ? c.affine : -1 * c.affine);
      if (k < 0 || c.kind == Condition::Kind::zero) upper.push_back(k < 0 ? c.affine : -1 * c.affine);
    }
  }
  for (const Affine& l : lower)
    for (const Affine& u : upper) {
      const Affine sum = -u.coefficient(variable) * l + l.coefficient(variable) * u;
      if (!sum.is_constant()) add_tightest(sum, place, result);
    }
  if (result.size() > most_conditions) throw LimitReached{};
  return result;
}

void add_bounds(const Condition& c, const std::string& variable, Range& range) {
  const std::int64_t k = c.affine.coefficient(variable);
  if (k == 0 || c.kind == Condition::Kind::nonzero) return;
  Affine rest = c.affine;
  rest.terms.erase(variable);
  const auto reduced = [](Affine value, std::int64_t divisor, bool lower) {
    std::int64_t g = divisor;
    for (const auto& [name, t] : value.terms) g = std::gcd(g, t);
    if (g > 1) {
      for (auto& [name, t] : value.terms) t /= g;
      // ceil((g*a + c) / (g*d)) = ceil((a + ceil(c/g)) / d), and with floor likewise.
      const std::int64_t q = value.constant / g, r = value.constant % g;
      value.constant = q + (lower && r > 0 ? 1 : !lower && r < 0 ? -1 : 0);
      divisor /= g;
    }
    return Bound{value, divisor};
  };
  const auto add = [](std::vector<Bound>& list, const Bound& b) {
    if (std::find(list.begin(), list.end(), b) == list.end()) list.push_back(b);
  };
  if (k > 0 || c.kind == Condition::Kind::zero)
    add(range.lower, reduced(k > 0 ? -1 * rest : rest, k > 0 ? k : -k, true));
  if (k < 0 || c.kind == Condition::Kind::zero)
    add(range.upper, reduced(k < 0 ? rest : -1 * rest, k < 0 ? -k : k, false));
}

// Whether `c` follows from `known` alone: most do.
bool at_once(const Condition& known, const Condition& c) {
  if (known.kind != c.kind || known.affine.terms != c.affine.terms) return false;
  return c.kind == Condition::Kind::nonnegative ? known.affine.constant <= c.affine.constant
                                                : known.affine.constant == c.affine.constant;
}

std::string text_of(const std::vector<Condition>& conditions) {
  std::string out;
  for (const Condition& c : conditions) out += (out.empty() ? "" : " and ") + isl_text(c);
  return out.empty() ? "1 = 1" : out;
}

} // namespace

ScopeLoop::ScopeLoop(std::string variable, const std::vector<Range>& ranges) : name(std::move(variable)) {
  std::vector<std::vector<Condition>> list;
  for (const Range& r : ranges) list.push_back(conditions_of(name, r));
  any_of = std::make_shared<const std::vector<std::vector<Condition>>>(std::move(list));
}

Bounds::Bounds(IslContext& context, const Program& program) : context_(context), program_(program) {
  for (const Binder& size : program.sizes)
    of_sizes_.push_back({Affine{{{size.name, 1}}, 0}, Condition::Kind::nonnegative});
  for (const Assumption& a : program.assumptions)
    for (const Condition& c : recurrence::conditions_of(a.constraint, program)) of_sizes_.push_back(c);
}

bool Bounds::implied(const Scope& scope, const std::string& variable, const std::vector<Condition>& conditions,
                     const std::vector<Condition>& conclusions) {
  std::size_t choices = 1; // of one range from each loop
  for (const ScopeLoop& loop : scope) choices *= loop.any_of->size();
  constexpr std::size_t most_choices = 16;
  if (choices > most_choices) return implied_by_isl(scope, variable, conditions, conclusions);
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::vector<Condition> all = of_sizes_;
    all.insert(all.end(), conditions.begin(), conditions.end());
    std::size_t left = choice;
    for (const ScopeLoop& loop : scope) {
      const std::vector<Condition>& own = (*loop.any_of)[left % loop.any_of->size()];
      left /= loop.any_of->size();
      all.insert(all.end(), own.begin(), own.end());
    }
    for (const Condition& c : conclusions) {
      if (std::any_of(all.begin(), all.end(), [&](const Condition& known) { return at_once(known, c); })) continue;
      all.push_back(negated(c));
      const std::optional<bool> violated = has_integer_point(all);
      if (!violated) return implied_by_isl(scope, variable, conditions, conclusions);
      if (*violated) return false;
      all.pop_back();
    }
  }
  return true;
}

bool Bounds::implied_by_isl(const Scope& scope, const std::string& variable, const std::vector<Condition>& conditions,
                            const std::vector<Condition>& conclusions) {
  std::vector<std::string> variables, texts{text_of(conditions)};
  for (const ScopeLoop& loop : scope) {
    variables.push_back(loop.name);
    std::string any;
    for (const std::vector<Condition>& own : *loop.any_of)
      any += fmt::format("{}({})", any.empty() ? "" : " or ", text_of(own));
    texts.push_back("(" + any + ")");
  }
  if (!variable.empty()) variables.push_back(variable);
  texts.push_back("not (" + text_of(conclusions) + ")");
  std::string question = fmt::format("{}", fmt::join(texts, ";"));
  const auto [at, is_new] = known_.try_emplace(std::move(question), false);
  if (is_new)
    at->second =
        context_.bounded([&] { return make_set(context_, program_, variables, texts).is_empty(); }).value_or(false);
  return at->second;
}

Range Bounds::range_of(const std::vector<Condition>& conditions, const std::string& variable, const Scope& scope) {
  const auto in_scope = [&](const std::string& name) {
    return name == variable || program_.is_size(name) ||
           std::any_of(scope.begin(), scope.end(), [&](const ScopeLoop& l) { return l.name == name; });
  };
  const auto inner_of = [&](const Condition& c) -> std::optional<std::string> {
    for (const auto& [name, k] : c.affine.terms)
      if (!in_scope(name)) return name;
    return std::nullopt;
  };
  const auto loop_names = [&](const Bound& b) {
    return std::count_if(b.value.terms.begin(), b.value.terms.end(),
                         [&](const auto& term) { return !program_.is_size(term.first); });
  };
  Range range;
  for (const Condition& c : conditions)
    if (!inner_of(c)) add_bounds(c, variable, range);
  // `k < j` with j further in bounds k only through j: then `k < i-1` is what `j < i` makes of it.
  const auto ties = [&](const std::vector<Bound>& list) {
    return std::any_of(list.begin(), list.end(), [&](const Bound& b) { return loop_names(b) > 0; });
  };
  const bool has_inner = std::any_of(conditions.begin(), conditions.end(), [&](const Condition& c) {
    return c.affine.coefficient(variable) != 0 && inner_of(c);
  });
  if (has_inner) {
    std::vector<Condition> left = conditions;
    for (bool again = true; again;) {
      again = false;
      for (const Condition& c : left)
        if (const auto inner = inner_of(c)) {
          left = without_variable(left, *inner);
          again = true;
          break;
        }
    }
    Range shadow;
    for (const Condition& c : left) add_bounds(c, variable, shadow);
    const auto add = [&](std::vector<Bound>& own, const std::vector<Bound>& more) {
      if (own.empty()) own = more;
      else if (!ties(own))
        for (const Bound& b : more)
          if (loop_names(b) > 0) own.push_back(b);
    };
    add(range.lower, shadow.lower);
    add(range.upper, shadow.upper);
  }
  // Drop what follows from the rest, sizes first: `j < i` says more than `j < n`.
  const auto prune = [&](std::vector<Bound>& list, bool lower) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const Bound& a, const Bound& b) { return loop_names(a) < loop_names(b); });
    for (std::size_t i = 0; i < list.size() && list.size() > 1;) {
      Range others = range;
      auto& own = lower ? others.lower : others.upper;
      const Bound candidate = own[i];
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(i));
      Range only;
      (lower ? only.lower : only.upper) = {candidate};
      if (implied(scope, variable, conditions_of(variable, others), conditions_of(variable, only)))
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      else ++i;
    }
  };
  prune(range.lower, true);
  prune(range.upper, false);
  return range;
}

bool Bounds::inside(const Range& range, const Range& other, const Scope& scope) {
  if (range == other) return true;
  const std::string variable = "v'";
  return implied(scope, variable, conditions_of(variable, range), conditions_of(variable, other));
}

std::vector<Condition> Bounds::guard_of(const std::vector<Condition>& conditions, const Scope& scope) {
  std::vector<Condition> guard;
  for (const Condition& c : conditions)
    if (!implied(scope, "", guard, {c})) guard.push_back(c);
  return guard;
}

} // namespace cyclotron::lower
