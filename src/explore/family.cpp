// SPDX-License-Identifier: MIT
#include "explore/family.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::explore {

using namespace dataflow;

namespace {

using Key = std::pair<int, std::string>; // a value of a space

class Observer {
public:
  explicit Observer(const Program& program) : program_(program) {}

  std::map<std::string, Motion> run() {
    name_values();
    for (const Rule& r : program_.rules) watch(r);
    std::map<std::string, Motion> motions;
    for (const auto& [key, tensor] : names_) {
      Motion& m = motions.emplace(tensor, Motion::local).first->second;
      if (kept_.count(tensor) && (inputs_.count(tensor) || !moves_.count(tensor))) m = Motion::stationary;
      else if (moves_.count(tensor)) m = Motion::streamed;
      else if (broadcast_.count(tensor)) m = Motion::broadcast;
    }
    return motions;
  }

private:
  static void each_reference(const Expr& expr, const Program& program, const std::function<void(const Reference&)>& f) {
    ir::walk<recurrence::ExprNode>(expr, [&](const Expr& x) {
      if (const auto* a = ir::as<recurrence::Access>(x))
        if (const auto reference = reference_of(*a, program)) f(*reference);
    });
  }

  // Copies by the tensor that they are read from, results by the one that they leave to.
  void name_values() {
    for (const Value& v : program_.values) names_[{v.space, v.name}] = v.name;
    for (const Export& e : program_.exports) names_[{e.space, e.value}] = e.tensor;
    for (const Rule& r : program_.rules) {
      if (r.supply == Supply::none) continue;
      if (const auto* a = ir::as<recurrence::Access>(r.expr); a && !reference_of(*a, program_)) {
        names_[{r.space, r.value}] = a->tensor;
        inputs_.insert(a->tensor);
        if (r.supply == Supply::broadcast) broadcast_.insert(a->tensor);
      }
    }
  }

  void watch(const Rule& r) {
    const Space& space = program_.spaces[static_cast<std::size_t>(r.space)];
    const std::string& mine = names_.at({r.space, r.value});
    each_reference(r.expr, program_, [&](const Reference& ref) {
      const std::string& theirs = names_.at({ref.space, ref.value});
      const bool same_place = at_same_place(space, ref);
      if (mine == theirs) (same_place ? kept_ : moves_).insert(theirs);
      else if (!same_place) moves_.insert(theirs);
      else if (inputs_.count(theirs) && outlasts_steps(space, ref)) kept_.insert(theirs);
    });
  }

  bool at_same_place(const Space& space, const Reference& ref) const {
    const Space& other = program_.spaces[static_cast<std::size_t>(ref.space)];
    std::map<std::string, Affine> by;
    for (std::size_t c = 0; c < other.coordinates.size(); ++c) by[other.coordinates[c]] = ref.point[c];
    for (std::size_t a = 0; a < space.place.size(); ++a)
      if (recurrence::substitute(other.place[a], by) != space.place[a]) return false;
    return true;
  }

  // The same point is used in several steps of one place.
  static bool outlasts_steps(const Space& space, const Reference& ref) {
    const auto depends = [](const Point& formulas, const std::string& name) {
      return std::any_of(formulas.begin(), formulas.end(), [&](const Affine& a) { return a.coefficient(name) != 0; });
    };
    return std::any_of(space.coordinates.begin(), space.coordinates.end(),
                       [&](const std::string& c) { return !depends(space.place, c) && !depends(ref.point, c); });
  }

  const Program& program_;
  std::map<Key, std::string> names_;
  std::set<std::string> inputs_, broadcast_, kept_, moves_;
};

std::string_view name_of(Motion motion) {
  switch (motion) {
  case Motion::local: return "local";
  case Motion::broadcast: return "broadcast";
  case Motion::streamed: return "streamed";
  case Motion::stationary: return "stationary";
  }
  bug("unknown motion");
}

} // namespace

std::map<std::string, Motion> motions_of(const Program& program) { return Observer(program).run(); }

std::string family_of(const std::map<std::string, Motion>& motions) {
  std::vector<std::string> stationary;
  for (const auto& [tensor, motion] : motions)
    if (motion == Motion::stationary) stationary.push_back(tensor);
  return stationary.empty() ? "none stationary" : fmt::format("{} stationary", fmt::join(stationary, ", "));
}

std::string describe(const std::map<std::string, Motion>& motions) {
  std::vector<std::string> parts;
  for (const auto& [tensor, motion] : motions) parts.push_back(fmt::format("{} {}", tensor, name_of(motion)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace cyclotron::explore
