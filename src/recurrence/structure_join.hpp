// SPDX-License-Identifier: MIT
// One rule as nested loops: each goes through a fiber of a relation or the range of a variable, and the innermost
// gives the heads that follow.
#pragma once

#include "recurrence/structure_index.hpp"
#include "recurrence/structure_rules.hpp"

#include <functional>

namespace cyclotron::recurrence::structure {

// Where the heads of a rule go.
class Sink {
public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void emit(const std::int64_t* head) = 0;
  // Heads that differ in one coordinate only: there they have these numbers, shifted.
  virtual void emit_all(std::int64_t* head, int place, Index::Fiber numbers, std::int64_t shift);
};

// Firings that need not be made, because others imply them: those for which `conditions` hold where the variable
// `pivot` has the value that the table gives for `variable`. See structure_pivots.hpp.
struct Skip {
  int variable = -1;
  int pivot = -1;
  const std::vector<std::int64_t>* table = nullptr; // -1 where there is no pivot
  std::vector<LinearCondition> conditions;
};

// coefficient * variable + rest = the coordinate that is met; without a variable only compared.
struct Match {
  LinearForm rest;
  int variable = -1;
  std::int64_t coefficient = 0;
};

// coefficient * variable + rest >= 0, or = 0.
struct Limit {
  LinearForm rest;
  std::int64_t coefficient = 0;
  bool equal = false;
};

struct Level {
  enum class Kind { given, fiber, check, range };
  Kind kind = Kind::given;
  int relation = -1;                // fiber, check
  const Index* index = nullptr;     // fiber; check, where it has sorted fibers
  const KeyTable* table = nullptr;  // check, else
  const Packing* packing = nullptr; // check, with the table
  std::vector<LinearForm> key;      // fiber: per bound dimension; check: per dimension, as index or packing wants
  std::vector<Match> matches;       // given, fiber: per coordinate
  int variable = -1;                // range, or the one that a fiber of width 1 binds: `limits` are on it
  std::pair<std::int64_t, std::int64_t> range{0, -1};
  std::vector<Limit> limits;
  std::vector<LinearCondition> tests; // once the level's variables are known
  std::vector<const Skip*> skips;
  int ahead_place = -1; // the coordinate of each tuple that is the whole key of the next level's fiber
  bool enough = false;  // the head is known before: one success suffices
  bool whole = false;   // innermost, and its heads can be given all at once
};

struct Plan {
  std::vector<Level> levels;
  std::vector<LinearForm> head;
  int variables = 0;
  int run_place = -1;             // coordinate of the head that the innermost variable moves, where `whole`
  std::vector<int> bound_by_turn; // variables in the order in which they get their values
  double cost = 0;                // in tuples met, by estimate
  double heads = 0;               // by estimate, repeated ones included
};

// What a plan may ask for.
struct PlanSource {
  std::function<double(int relation)> count; // an estimate is enough
  // Sorted fibers or not is the source's choice. For a check it fills in index or table.
  std::function<const Index*(int relation, const std::vector<int>& bound, const std::vector<int>& free)> index;
  std::function<void(int relation, Level& level, const Atom& atom)> check;
};

// What is known before the first loop: forms that must equal the coordinates that `run` is given.
using Given = std::vector<LinearForm>;

// The cheapest plan, by estimate. `skipped_atom` is not looked up: the given coordinates are one of its tuples.
// `rows` are variables that should get their values first and in this order, for heads to come in order.
Plan make_plan(const Rule& rule, const std::vector<SparseTensor>& relations, const Given& given, int skipped_atom,
               const std::vector<int>& rows, const std::vector<const Skip*>& skips, const PlanSource& source);

class Join {
public:
  explicit Join(Plan plan);
  void run(const std::int64_t* given, Sink& sink);

private:
  bool enter(std::size_t level);
  bool enter_given(const Level& level, std::size_t depth);
  bool enter_fiber(const Level& level, std::size_t depth);
  bool enter_range(const Level& level, std::size_t depth);
  bool passes_check(const Level& level);
  bool meets(const Match& match, std::int64_t coordinate);
  bool passes(const Level& level);
  bool limits_of(const Level& level, std::int64_t& low, std::int64_t& high) const;
  void emit();

  Plan plan_;
  std::vector<std::int64_t> values_, head_, key_;
  const std::int64_t* given_ = nullptr;
  Sink* sink_ = nullptr;
};

} // namespace cyclotron::recurrence::structure
