// SPDX-License-Identifier: MIT
// Iterations that run at once, of several kinds, in one loop: they are dealt out from one number.
//
//   i = 0 .. m, strip = 0 .. s   -->   workers worker = 0 .. m * s
//                                        var strip: i64 = worker % s
//                                        var rest: i64 = worker // s
//                                        var i: i64 = rest
#pragma once

#include "lower/code/names.hpp"
#include "lower/code/ranges.hpp"
#include "lower/code/waiting.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

struct WorkerNumbers {
  std::string variable; // of the loop
  code::Expr first, end;
  code::Body body; // where each kind gets its number
  Moment moment;   // these numbers, by the parameters they stand for

  std::optional<std::int64_t> count() const; // where it does not depend on sizes
  code::Statement loop(code::Run run, code::Body inside) &&;
};

// `wish`: what a parameter would be called.
WorkerNumbers deal_out(const std::vector<Worker>& workers, const isl::set& known, const Meanings& sizes,
                       const std::function<std::string(const std::string&)>& wish, FreshNames& names);

} // namespace cyclotron::lower
