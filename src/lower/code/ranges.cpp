// SPDX-License-Identifier: MIT
#include "lower/code/ranges.hpp"

#include "code/build.hpp"

#include <isl/aff.h>
#include <isl/set.h>

namespace cyclotron::lower {

namespace build = code::build;

code::Expr Range::count() const {
  return build::max(build::add(build::sub(last, first), build::number(1)), build::number(0));
}

namespace {

struct Extreme {
  const Meanings& meanings;
  code::Expr (*pick)(const code::Expr&, const code::Expr&);
  code::Expr best;
};

isl_stat take_piece(isl_set* domain, isl_aff* formula, void* user) {
  Extreme& extreme = *static_cast<Extreme*>(user);
  isl_set_free(domain);
  const code::Expr own = value_of(isl_pw_aff_from_aff(formula), extreme.meanings);
  extreme.best = extreme.best ? extreme.pick(extreme.best, own) : own;
  return isl_stat_ok;
}

code::Expr extreme_of(isl_pw_aff* cases, const isl::set& known, const Meanings& meanings,
                      code::Expr (*pick)(const code::Expr&, const code::Expr&)) {
  Extreme extreme{meanings, pick, {}};
  isl_pw_aff* simpler = isl_pw_aff_coalesce(isl_pw_aff_gist_params(cases, known.copy()));
  isl_pw_aff_foreach_piece(simpler, take_piece, &extreme);
  isl_pw_aff_free(simpler);
  return extreme.best ? extreme.best : build::number(0);
}

} // namespace

Range range_around(const isl::set& values, const isl::set& known, const Meanings& meanings) {
  return {extreme_of(isl_set_dim_min(values.copy(), 0), known, meanings, build::min),
          extreme_of(isl_set_dim_max(values.copy(), 0), known, meanings, build::max)};
}

Range range_of(const isl::set& values, const isl::set& known, const Meanings& meanings) {
  const auto formula = [&](isl_pw_aff* of) {
    return value_of(isl_pw_aff_coalesce(isl_pw_aff_gist_params(of, known.copy())), meanings);
  };
  return {formula(isl_set_dim_min(values.copy(), 0)), formula(isl_set_dim_max(values.copy(), 0))};
}

} // namespace cyclotron::lower
