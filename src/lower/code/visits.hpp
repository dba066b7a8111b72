// SPDX-License-Identifier: MIT
// When a vector of lanes does what: for everything that happens in a lanes program, the times and strips at which all
// elements of a strip take part, and those at which only some do.
//
//   z(c, q) at place c, time q, strips of 16   -->   at q = 0 .., strip b : 16*b + 15 < m    all elements
//                                                    at q = 0 .., strip b : otherwise        elements e : 16*b + e < m
#pragma once

#include "lanes/ir.hpp"
#include "lower/code/isl_to_code.hpp"
#include "lower/visit_loops.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

constexpr const char* strip_name = "b'";   // the number of a strip
constexpr const char* element_name = "e'"; // of an element in its strip

// A set of points of a space at which something happens; of those at one time, a lower rank comes first.
struct Happening {
  std::string name;
  int space = 0;
  isl::set domain; // in the coordinates of the space
  std::int64_t rank = 0;
};

// `all`: every element of the strip takes part.
struct StripVisit {
  std::size_t happening = 0;
  bool all = false;
  Visit visit;
  // The elements that take part, as alternatives of conditions on times, strip, element and sizes; where these would
  // need a division, as a set in parameters of these names.
  std::optional<std::vector<std::vector<recurrence::Condition>>> conditions = {};
  std::optional<isl::set> elements = {};
  mutable std::optional<bool> others_idle = {}; // once it was asked for (strip_statements.cpp)
};

// A component of time, or the strips, whose iterations run at once, from `first` to `last`.
struct Worker {
  std::string name;     // of a parameter
  isl::set values = {}; // { [value] } that something happens at
};

class Visits {
public:
  explicit Visits(const lanes::Program& program);

  // The parts of a happening at which something happens at all.
  std::vector<StripVisit> of(const std::vector<Happening>& happenings) const;

  // Every time of the innermost loop from the first of the happenings to the last: what must be done at each of them.
  std::optional<Visit> each_step(const std::vector<Happening>& happenings, std::size_t innermost) const;

  // The elements of strips that ever have a point of the space, of which these are all rules:
  // { [strip, where it is no worker; element] }.
  isl::set elements_of(int space, const std::vector<Happening>& rules) const;
  // Whether none of these elements is one that takes no part in a part of the happening.
  bool others_are_idle(const StripVisit& part, const Happening& happening, const isl::set& elements) const;

  std::vector<Worker> workers(const std::vector<Happening>& happenings) const;

  // The values of a component of time at which something of these happens.
  isl::set times(const std::vector<Happening>& happenings, std::size_t component) const;

  // Components of time, and the strips where they come one after the other, as a visit has them.
  const std::vector<std::string>& coordinates() const { return coordinates_; }

  bool strips_are_workers() const;

  // Which components of the times of visits are written out.
  std::vector<bool> unrolled() const;

private:
  isl::set points_of(const Happening& happening) const; // { [times, strip, element] }
  isl::set with_workers_fixed(const isl::set& points) const;
  isl::set with_workers_free(const isl::set& points) const; // the other way round
  isl::set all_elements() const;
  isl::set at_any_time(const isl::set& points) const;
  recurrence::Point time_of(const Happening& happening) const;
  StripVisit visit_of(std::size_t number, const Happening& happening, bool all, const isl::set& times,
                      const isl::set& points) const;
  const dataflow::Program& flow() const { return program_.flow; }

  const lanes::Program& program_;
  std::vector<std::string> dimensions_;  // times, strip
  std::vector<std::string> coordinates_; // those that are no workers
  std::vector<bool> is_worker_;          // as dimensions_
};

} // namespace cyclotron::lower
