// SPDX-License-Identifier: MIT
// Workers that have nothing but whole strips to do, and the others. Strips that are done at once are workers, most of
// them whole; apart from the others, their code has no tests of the strip, and what is the same in all of them can be
// loaded before them.
//
//   strips 0 .. (m + 63) // 64   -->   0 .. m // 64, whole;   m // 64 .. (m + 63) // 64
#pragma once

#include "lower/code/visits.hpp"

namespace cyclotron::lower {

// The values of the worker that strips are, at fixed sizes and other workers: as ranges without gaps, each of them of
// whole strips or of others. Nothing where that would take many.
std::optional<std::vector<isl::set>> shares_of(const Worker& worker, const std::vector<StripVisit>& parts);

// All that a loop over these values runs over: every second of them is not skipped.
isl::set with_gaps_filled(const isl::set& values);

// The parameters at which the worker has one of these values.
isl::set as_parameters(const Worker& worker, const isl::set& values);

// What is left of the parts at these parameters.
std::vector<StripVisit> at_parameters(const std::vector<StripVisit>& parts, const isl::set& parameters);

} // namespace cyclotron::lower
