// SPDX-License-Identifier: MIT
#include "lower/code/constants.hpp"

#include "code/build.hpp"
#include "lower/code/expressions.hpp"
#include "lower/code/ranges.hpp"
#include "lower/visit_loops.hpp"

#include <isl/set.h>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;
using recurrence::Affine;

namespace {

class Constants {
public:
  Constants(const dataflow::Program& program, const KernelNames& called, FreshNames names)
      : program_(program), called_(called), names_(std::move(names)) {}

  code::Body run() {
    code::Body body;
    for (const dataflow::Constant& c : program_.constants)
      if (!c.domain.is_empty()) add(c, body);
    return body;
  }

private:
  using Indices = std::map<std::string, Expr>;

  // The first index is dealt out to workers; the others are loops.
  void add(const dataflow::Constant& c, code::Body& to) {
    isl_ctx_reset_operations(program_.context->get().get());
    code::Body inside;
    Operations operations(false, {}, names_);
    Indices indices;
    const std::string worker = names_(c.names.empty() ? "once" : c.names[0]);
    isl::set points = c.domain;
    Meanings meanings = called_.meanings;
    if (!c.names.empty()) {
      indices[c.names[0]] = build::variable(worker);
      isl_set* moved = isl_set_move_dims(points.copy(), isl_dim_param, 0, isl_dim_set, 0, 1);
      points = isl::manage(isl_set_set_dim_name(moved, isl_dim_param, 0, "worker'"));
      meanings["worker'"] = {indices[c.names[0]], false};
    }
    const std::vector<std::string> rest(c.names.begin() + (c.names.empty() ? 0 : 1), c.names.end());
    Visit visit{"point", rest, {}, points};
    for (const std::string& n : rest) visit.time.push_back(Affine{{{n, 1}}, 0});
    const isl::set anywhere = isl::manage(isl_set_params(isl_set_universe(isl_set_get_space(points.get()))));
    int levels = all_levels;
    isl_ast_node* node = visit_loops(*program_.context, *program_.source, {visit}, anywhere, levels);
    add_loops(
        node, meanings, names_,
        [&](const std::string&, const std::vector<Expr>& at, code::Body& body) {
          Indices here = indices;
          for (std::size_t i = 0; i < rest.size(); ++i) here[rest[i]] = at[i];
          store(c, here, operations, body);
        },
        inside);
    code::Body all;
    operations.declare_flags(all);
    std::move(inside.begin(), inside.end(), std::back_inserter(all));
    operations.fail_by_flags(all);
    if (c.names.empty()) {
      to.push_back(build::loop(code::Run::workers, worker, build::number(0), build::number(1), std::move(all)));
      return;
    }
    std::vector<std::size_t> others;
    for (std::size_t d = 1; d < c.names.size(); ++d) others.push_back(d);
    const isl::set known = set_where(*program_.context, *program_.source, {}, {}, true);
    const isl::set params = isl::manage(isl_set_params(known.copy()));
    const Range range = range_of(recurrence::without(c.domain, others), params, called_.meanings);
    const Meaning any =
        test_of(isl::manage(isl_set_gist(isl_set_params(c.domain.copy()), params.copy())), called_.meanings);
    code::Statement loop =
        build::loop(code::Run::workers, worker, range.first, build::add(range.last, build::number(1)), std::move(all));
    if (build::is_true(any.expr)) to.push_back(std::move(loop));
    else to.push_back(build::when(any.expr, {std::move(loop)}));
  }

  Expr value(const Affine& formula, const Indices& at) const {
    Expr sum = build::number(formula.constant);
    for (const auto& [name, c] : formula.terms) {
      const auto index = at.find(name);
      const Expr own = index != at.end() ? index->second : build::variable(called_.sizes.at(name));
      sum = build::add(build::mul(own, build::number(c)), sum);
    }
    return sum;
  }

  Expr place(const std::string& tensor, const std::vector<Affine>& element, const Indices& at) const {
    Expr place = build::number(0);
    const auto& extents = called_.extents.at(tensor);
    for (std::size_t d = 0; d < element.size(); ++d)
      place = build::add(build::mul(place, extents[d]), value(element[d], at));
    return place;
  }

  void store(const dataflow::Constant& c, const Indices& at, Operations& operations, code::Body& body) {
    operations.body = &body;
    const auto read = [&](const recurrence::Access& a) -> Operations::Value {
      std::vector<Affine> element;
      for (const recurrence::Expr& e : a.indices) element.push_back(accepted_affine(e, *program_.source));
      return {code::Load{called_.memories.at(a.tensor), place(a.tensor, element, at), {}, operations.inside},
              called_.scalars.at(a.tensor)};
    };
    const auto index = [&](const std::string& name) { return value(Affine{{{name, 1}}, 0}, at); };
    Expressions expressions(operations, *program_.source, read, index);
    const Expr what = expressions.of(c.expr, called_.scalars.at(c.tensor));
    body.push_back(build::store(called_.memories.at(c.tensor), place(c.tensor, c.indices, at), what));
  }

  const dataflow::Program& program_;
  const KernelNames& called_;
  FreshNames names_;
};

} // namespace

std::optional<code::Kernel> constants_kernel(const dataflow::Program& program, const KernelNames& called,
                                             code::Kernel kernel, FreshNames names) {
  kernel.name = names("constants");
  kernel.body = Constants(program, called, names).run();
  if (kernel.body.empty()) return std::nullopt;
  return kernel;
}

} // namespace cyclotron::lower
