// SPDX-License-Identifier: MIT
#include "explore/lane_ways.hpp"

#include "dataflow/dependences.hpp"
#include "lanes/copies.hpp"

#include <algorithm>
#include <map>

namespace cyclotron::explore {

namespace {

bool is_zero(const recurrence::Affine& a) { return a.is_constant() && a.constant == 0; }

class Ways {
public:
  explicit Ways(const dataflow::Program& program) : program_(program), copies_(lanes::copies_of(program)) {}

  LaneWays run() {
    const dataflow::Dependences all = dataflow::dependences_of(program_);
    for (const dataflow::Dependence& d : all.dependences) add(d);
    for (const dataflow::Reuse& r : all.reuses) add(r);
    LaneWays result;
    for (const recurrence::TensorDecl* t : program_.source->inputs())
      result.emplace_back(t->name.name, ways_.count(t->name.name) ? ways_.at(t->name.name) : LaneWay::loaded);
    for (const dataflow::Value& v : program_.values)
      if (computed_.count(v.name)) {
        result.emplace_back(v.name, computed_.at(v.name));
        computed_.erase(v.name);
      }
    return result;
  }

private:
  const std::optional<lanes::Copy>& copy_of(int space, const std::string& value) const {
    return copies_[lanes::number_of_value(program_, space, value)];
  }

  static void at_least(std::map<std::string, LaneWay>& ways, const std::string& name, LaneWay way) {
    const auto [at, is_new] = ways.emplace(name, way);
    if (!is_new) at->second = std::max(at->second, way);
  }

  void add(const dataflow::Dependence& d) {
    const bool stays = d.links && std::all_of(d.links->begin(), d.links->end(), is_zero);
    const dataflow::Rule& reader = program_.rules[d.rule];
    if (const auto& copy = copy_of(d.producer.space, d.producer.value)) {
      // A rule that computes reads its own copy; one that copies passes on.
      if (copy_of(reader.space, reader.value)) at_least(ways_, copy->tensor, stays ? LaneWay::stays : LaneWay::forward);
    } else {
      at_least(computed_, d.producer.value, stays ? LaneWay::stays : LaneWay::moves);
    }
  }

  void add(const dataflow::Reuse& r) {
    const bool at_once = std::all_of(r.steps.begin(), r.steps.end(), [](auto n) { return n == 0; });
    const bool elsewhere = std::any_of(r.links.begin(), r.links.end(), [](auto n) { return n != 0; });
    if (at_once && elsewhere) at_least(ways_, r.tensor, LaneWay::broadcast);
  }

  const dataflow::Program& program_;
  const std::vector<std::optional<lanes::Copy>> copies_;
  std::map<std::string, LaneWay> ways_, computed_;
};

} // namespace

LaneWays lane_ways_of(const dataflow::Program& program) { return Ways(program).run(); }

std::string letters_of(const LaneWays& ways) {
  std::string letters;
  for (const auto& [name, way] : ways) letters += "LBSFM"[static_cast<int>(way)];
  return letters;
}

std::string describe(const LaneWays& ways) {
  static constexpr const char* words[] = {"loaded", "broadcast", "stays", "forward", "moves"};
  std::string text;
  for (const auto& [name, way] : ways) text += (text.empty() ? "" : ", ") + name + " " + words[static_cast<int>(way)];
  return text;
}

} // namespace cyclotron::explore
