// SPDX-License-Identifier: MIT
#include "lower/code/worker_loops.hpp"

#include "code/build.hpp"

#include <utility>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;

namespace {

void deal_out_several(const std::vector<Worker>& workers, const isl::set& known, const Meanings& sizes,
                      const std::function<std::string(const std::string&)>& wish, FreshNames& names,
                      WorkerNumbers& to) {
  Expr rest = build::variable(to.variable);
  std::vector<Range> ranges;
  for (const Worker& w : workers) ranges.push_back(range_of(w.values, known, sizes));
  for (std::size_t w = workers.size(); w-- > 0;) {
    const std::string name = names(wish(workers[w].name));
    const Expr count = ranges[w].count();
    const Expr digit = w == 0 ? rest : build::mod(rest, count);
    to.body.push_back(build::declare(name, {code::Scalar::i64, false}, build::add(digit, ranges[w].first)));
    if (w > 0) {
      const std::string left = names("rest");
      to.body.push_back(build::declare(left, {code::Scalar::i64, false}, build::floor_div(rest, count)));
      rest = build::variable(left);
    }
    to.moment[workers[w].name] = build::variable(name);
    to.end = build::mul(to.end, count);
  }
}

} // namespace

std::optional<std::int64_t> WorkerNumbers::count() const {
  const auto begin = build::known(first), last = build::known(end);
  return begin && last ? std::optional(*last - *begin) : std::nullopt;
}

code::Statement WorkerNumbers::loop(code::Run run, code::Body inside) && {
  std::move(inside.begin(), inside.end(), std::back_inserter(body));
  return build::loop(run, variable, first, end, std::move(body));
}

WorkerNumbers deal_out(const std::vector<Worker>& workers, const isl::set& known, const Meanings& sizes,
                       const std::function<std::string(const std::string&)>& wish, FreshNames& names) {
  WorkerNumbers result{
      names(workers.size() == 1 ? wish(workers[0].name) : "worker"), build::number(0), build::number(1), {}, {}};
  if (workers.size() == 1) {
    const Range range = range_of(workers[0].values, known, sizes);
    result.first = range.first;
    result.end = build::add(range.last, build::number(1));
    result.moment[workers[0].name] = build::variable(result.variable);
  } else {
    deal_out_several(workers, known, sizes, wish, names, result);
  }
  return result;
}

} // namespace cyclotron::lower
