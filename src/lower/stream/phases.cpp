// SPDX-License-Identifier: MIT
#include "lower/stream/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class Phases {
public:
  Phases(const frontend::Checked& checked, const std::function<std::string(const std::string&)>& new_name,
         Diagnostics& diagnostics)
      : domains_(checked.domains), new_name_(new_name), diagnostics_(diagnostics) {}

  std::vector<StreamPhase> run() {
    for (const EquationDomain& e : domains_.equations) visit(e);
    const bool recurs = diagnostics_.failed(); // the equations are still read, for what else is wrong with them
    for (const Domain e : order_) {
      if (recurs) made_.push_back({e->equation, tensor_of(e), tensor_of(e), {}, {}});
      else add(*e);
    }
    return std::move(made_);
  }

private:
  using Domain = const EquationDomain*;

  static const std::string& tensor_of(Domain e) { return e->equation->access().tensor; }

  std::vector<Domain> equations_of(const std::string& tensor) const {
    std::vector<Domain> list;
    for (const EquationDomain& e : domains_.equations)
      if (tensor_of(&e) == tensor) list.push_back(&e);
    return list;
  }

  // The equations that define something of what is read.
  std::vector<Domain> needed_by(const ReadDomain& read) {
    std::vector<Domain> needed = equations_of(as<Access>(read.expr)->tensor);
    std::erase_if(needed, [&](Domain e) {
      const auto apart =
          domains_.context->bounded([&] { return read.elements.range().intersect(e->defines.range()).is_empty(); });
      return apart.value_or(false);
    });
    return needed;
  }

  void visit(const EquationDomain& equation) {
    if (std::ranges::count(order_, &equation)) return;
    open_.push_back(&equation);
    for (const ReadDomain& read : equation.reads)
      for (const Domain e : needed_by(read)) {
        if (std::ranges::count(open_, e)) refuse(read.expr);
        else visit(*e);
      }
    open_.pop_back();
    order_.push_back(&equation);
  }

  void refuse(const Expr& read) {
    if (!refused_.insert(as<Access>(read)->tensor).second) return;
    diagnostics_
        .unsupported(read->span,
                     fmt::format("`{}` needs `{}` while it is being computed: a stream graph has no loops, so it "
                                 "cannot run a recurrence",
                                 tensor_of(open_.back()), print(read)))
        .with_hint("`--target=c`, `--target=array`, `--target=mpi` and `--target=interpret` run recurrences");
  }

  void add(const EquationDomain& equation) {
    const std::string& tensor = tensor_of(&equation);
    const std::vector<Domain> all = equations_of(tensor);
    StreamPhase phase;
    phase.equation = equation.equation;
    phase.tensor = tensor;
    for (const ReadDomain& read : equation.reads) {
      const std::vector<Domain> whole = equations_of(as<Access>(read.expr)->tensor);
      if (!std::ranges::all_of(whole, [&](Domain e) { return names_.count(e) > 0; }))
        phase.reads[read.expr.get()] = stored_pieces(read);
    }
    phase.name = all.size() == 1 ? tensor : new_name_(tensor);
    names_[&equation] = phase.name;
    made_.push_back(std::move(phase));
    if (all.size() > 1 && std::ranges::all_of(all, [&](Domain e) { return names_.count(e) > 0; }))
      unite(tensor, tensor, all);
  }

  // Where only some equations of a tensor have been computed, but all that this read needs.
  std::string stored_pieces(const ReadDomain& read) {
    const std::vector<Domain> needed = needed_by(read);
    if (needed.empty()) return "";
    if (needed.size() == 1) return names_.at(needed[0]);
    const auto [name, is_new] = united_.try_emplace(needed);
    if (is_new) {
      name->second = new_name_(tensor_of(needed[0]));
      unite(tensor_of(needed[0]), name->second, needed);
    }
    return name->second;
  }

  void unite(const std::string& tensor, const std::string& name, const std::vector<Domain>& equations) {
    StreamPhase phase;
    phase.tensor = tensor;
    phase.name = name;
    for (const Domain e : equations) phase.pieces.push_back(names_.at(e));
    made_.push_back(std::move(phase));
  }

  const Domains& domains_;
  const std::function<std::string(const std::string&)>& new_name_;
  Diagnostics& diagnostics_;
  std::vector<Domain> open_, order_;
  std::set<std::string> refused_;
  std::map<Domain, std::string> names_; // of those that have been computed
  std::map<std::vector<Domain>, std::string> united_;
  std::vector<StreamPhase> made_;
};

} // namespace

std::vector<StreamPhase> stream_phases(const frontend::Checked& checked,
                                       const std::function<std::string(const std::string&)>& new_name,
                                       Diagnostics& diagnostics) {
  return Phases(checked, new_name, diagnostics).run();
}

} // namespace cyclotron::lower
