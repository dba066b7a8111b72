// SPDX-License-Identifier: MIT
#include "lower/pe/places.hpp"

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

std::pair<std::int64_t, std::int64_t> range_of_places(const dataflow::Program& program, std::size_t axis) {
  std::pair<std::int64_t, std::int64_t> result{0, -1};
  bool any = false;
  for (const dataflow::Space& s : program.spaces) {
    if (s.domain.is_empty()) continue;
    const isl::set places = s.domain.apply(map_to(*program.context, *program.source, s.coordinates, {s.place[axis]}));
    const std::int64_t first = places.dim_min_val(0).get_num_si(), last = places.dim_max_val(0).get_num_si();
    result = {any ? std::min(result.first, first) : first, any ? std::max(result.second, last) : last};
    any = true;
  }
  return result;
}

std::vector<std::int64_t> numbers_of(const isl::point& point) {
  isl_set* own = isl_set_from_point(isl_point_copy(point.get()));
  const int count = isl_set_dim(own, isl_dim_set);
  isl_set_free(own);
  std::vector<std::int64_t> result;
  for (int i = 0; i < count; ++i)
    result.push_back(isl::manage(isl_point_get_coordinate_val(point.get(), isl_dim_set, i)).get_num_si());
  return result;
}

std::optional<std::vector<std::vector<std::int64_t>>> points_of(const isl::set& set, int most) {
  std::vector<std::vector<std::int64_t>> result;
  for (isl::set rest = set; !rest.is_empty();) {
    if (static_cast<int>(result.size()) == most) return std::nullopt;
    const isl::point point = rest.sample_point();
    result.push_back(numbers_of(point));
    rest = rest.subtract(isl::manage(isl_set_from_point(isl_point_copy(point.get()))));
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace cyclotron::lower
