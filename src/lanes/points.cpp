// SPDX-License-Identifier: MIT
#include "lanes/points.hpp"

#include <isl/point.h>
#include <isl/set.h>

namespace cyclotron::lanes {

namespace {

struct Visitor {
  const std::function<void(const Whole&)>& f;
  std::size_t rank;
  std::int64_t left; // points that may still come
};

isl_stat visit(isl_point* point, void* user) {
  auto& to = *static_cast<Visitor*>(user);
  Whole whole;
  for (std::size_t c = 0; c < to.rank; ++c)
    whole.push_back(recurrence::whole(isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(c))));
  isl_point_free(point);
  if (to.left-- == 0) return isl_stat_error;
  to.f(whole);
  return isl_stat_ok;
}

} // namespace

bool each_point(const isl::set& set, const Sizes& sizes, std::int64_t most,
                const std::function<void(const Whole&)>& f) {
  isl_set* fixed = set.copy();
  const auto parameters = static_cast<unsigned>(isl_set_dim(set.get(), isl_dim_param));
  for (unsigned p = 0; p < parameters; ++p) {
    const auto at = sizes.find(isl_set_get_dim_name(set.get(), isl_dim_param, p));
    if (at != sizes.end()) fixed = isl_set_fix_si(fixed, isl_dim_param, p, static_cast<int>(at->second));
  }
  Visitor visitor{f, static_cast<std::size_t>(isl_set_dim(set.get(), isl_dim_set)), most};
  const isl_stat done = isl_set_foreach_point(fixed, visit, &visitor);
  isl_set_free(fixed);
  return done == isl_stat_ok;
}

std::int64_t value_at(const recurrence::Affine& formula, const dataflow::Space& space, const Whole& point,
                      const Sizes& sizes) {
  return formula.evaluate([&](const std::string& name) -> std::int64_t {
    for (std::size_t c = 0; c < space.coordinates.size(); ++c)
      if (space.coordinates[c] == name) return point[c];
    return sizes.at(name);
  });
}

} // namespace cyclotron::lanes
