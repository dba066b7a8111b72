// SPDX-License-Identifier: MIT
#include "lower/pe/host_statements.hpp"

#include "lower/pe/loop_names.hpp"
#include "lower/pe/scan.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class HostSteps {
public:
  HostSteps(const dataflow::Program& program, pe::Program& to) : program_(program), to_(to) {}

  std::vector<pe::Statement> run() {
    std::vector<pe::Statement> all;
    for (const dataflow::Constant& c : program_.constants) {
      isl_ctx_reset_operations(program_.context->get().get());
      if (c.domain.is_empty()) continue;
      std::vector<pe::Statement> body = loops(c, actions(c));
      name_loops(body, {});
      std::move(body.begin(), body.end(), std::back_inserter(all));
    }
    return all;
  }

private:
  // One per purpose: each step is done with it before the next.
  std::string register_for(const std::string& wish, tensor::ValueType type) {
    std::string& name = names_[wish];
    if (!name.empty()) return name;
    name = wish;
    for (int n = 2; to_.find_register(name); ++n) name = wish + std::to_string(n);
    to_.registers.push_back({name, type, {}, {}});
    return name;
  }

  std::vector<pe::Action> actions(const dataflow::Constant& c) {
    std::vector<pe::Action> result;
    const std::function<Expr(const Expr&)> load = [&](const Expr& e) -> Expr {
      const Access* a = as<Access>(e);
      if (!a) return ir::map_children<ExprNode>(e, load);
      const std::string name = register_for(fmt::format("{}_load{}", a->tensor, result.size() + 1),
                                            program_.source->tensor(a->tensor)->type);
      pe::Load action{{name, {}}, a->tensor, {}, pe::Supply::direct};
      for (const Expr& i : a->indices) action.indices.push_back(accepted_affine(i, *program_.source));
      result.push_back(action);
      return Expr(Access{name, std::nullopt, {}});
    };
    const Expr value = load(c.expr);
    const pe::Slot slot{register_for(c.tensor + "_value", program_.source->tensor(c.tensor)->type), {}};
    result.push_back(pe::Compute{slot, value});
    result.push_back(pe::Store{c.tensor, c.indices, slot});
    return result;
  }

  std::vector<pe::Statement> loops(const dataflow::Constant& c, const std::vector<pe::Action>& does) {
    Visit visit{"c", c.names, {}, c.domain};
    for (const std::string& n : c.names) visit.time.push_back(Affine{{{n, 1}}, 0});
    int levels = all_levels;
    const isl::set anywhere = isl::manage(isl_set_params(isl_set_universe(isl_set_get_space(c.domain.get()))));
    return scan(
        program_, {visit}, anywhere,
        [&](const std::string&, const std::vector<pe::Index>& coordinates) {
          pe::Step step{"constants", {}, does};
          for (std::size_t i = 0; i < coordinates.size(); ++i)
            step.coordinates.emplace_back(c.names[i], coordinates[i]);
          return pe::Statement{std::move(step)};
        },
        levels);
  }

  const dataflow::Program& program_;
  pe::Program& to_;
  std::map<std::string, std::string> names_;
};

} // namespace

std::vector<pe::Statement> host_statements(const dataflow::Program& program, pe::Program& to) {
  return HostSteps(program, to).run();
}

} // namespace cyclotron::lower
