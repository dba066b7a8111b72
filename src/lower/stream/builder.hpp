// SPDX-License-Identifier: MIT
// Builds the graph of one equation, loop by loop, as the compiler of the sparse abstract machine does: iteration and
// merging, then computation, then construction of the result.
//
// For each index, from the outermost in: operands that have it are scanned; where several do, their coordinates are
// intersected (products) or united (sums); operands that do not have it are repeated. Where a sum reaches coordinates
// that no operand stores (`B(i) + 1`), all coordinates of the index take part in the union.
#pragma once

#include "lower/stream/term.hpp"

#include <map>
#include <set>

namespace cyclotron::lower {

struct StreamChoices {
  bool keeps_empty = false; // reducers give zeros for empty fibers, and no coordinate is dropped
  bool scatters = false;    // the result takes points in any order
  std::set<std::pair<std::string, std::string>> locates; // tensor and index: looked up, not walked through
  std::string parallel;                                  // the index whose coordinates are spread over copies, or none
  int copies = 1;
  std::string vectorized; // the index from which on wires carry several tokens side by side, or none
  int vector = 1;
  std::set<std::string> skips; // indices whose scanners skip what the intersecter does not need
};

class StreamBuilder {
public:
  // The order has all variables of the equation; `sizes` those that its conditions name.
  StreamBuilder(const StreamEquation& equation, std::vector<std::string> order, StreamChoices choices,
                const std::map<std::string, std::int64_t>& sizes);

  stream::Graph build();

  // Which of the choices made a difference, such as `locate C k`.
  const std::set<std::string>& effects() const { return effects_; }

private:
  // An output port; node -1: the root.
  struct Source {
    int node = -1, port = 0;
    bool operator==(const Source&) const = default;
    bool operator<(const Source& o) const { return node != o.node ? node < o.node : port < o.port; }
  };

  // A stream of coordinates, with the operands whose references go along with it.
  struct Merged {
    Source crd;
    std::vector<int> carried;
    bool may_be_empty = false; // some fiber of it
    bool all = false;          // has every coordinate of the index
    bool counts = false;       // some coordinates come from counting, not from a tensor
  };

  struct Level {
    std::string variable;
    Source crd;
    bool may_be_empty = false;
  };

  // Where variables are bound: the whole equation, or the body of a reduction.
  struct Scope {
    const StreamTerm* body = nullptr;
    int parent = -1;
    std::vector<std::string> variables;
    recurrence::Reducer reducer = recurrence::Reducer::sum;
    bool may_be_empty = false; // there may be nothing to reduce
    std::vector<Level> levels; // its own, so far
  };

  // iteration and merging (stream_merge.cpp)
  void open_level(int scope, const std::string& variable);
  std::optional<Merged> merge(const StreamTerm& term, const std::string& variable, int scope);
  std::optional<Merged> merge_product(const StreamTerm& term, const std::string& variable, int scope);
  std::optional<Merged> merge_sum(const StreamTerm& term, const std::string& variable, int scope);
  std::optional<Merged> merge_quotient(const StreamTerm& term, const std::string& variable, int scope);
  std::optional<Merged> merge_reduction(const StreamTerm& term, const std::string& variable, int scope);
  Merged scan(int operand, const std::string& variable);
  Merged all_coordinates(const std::string& variable, int scope);
  Merged join(stream::Block block, const std::vector<Merged>& sides, const std::string& variable);
  std::optional<Merged> join_words(stream::Block block, const std::vector<Merged>& sides, const std::string& variable);
  bool may_all_be_absent(const std::vector<Merged>& sides) const;
  int expanded(Source bits, Source ref, const std::string& variable);
  Source feed_of(int node, int port) const;
  Merged locate(Merged others, int operand, const std::string& variable);
  bool is_located(const StreamTerm& term, const std::string& variable) const;
  void repeat_others(const Merged& merged, const std::string& variable, int scope);

  // Levels around, outermost first.
  std::vector<Level> levels_around(int scope) const;
  Source repeated(Source ref, Source over, const std::string& operand, const std::string& variable);

  // conditions (stream_conditions.cpp)
  Merged with_conditions(Merged merged, const std::string& variable, int scope);
  Merged mask(Merged merged, const StreamCondition& condition, const std::string& variable, int scope);
  Source held_value(const std::string& of, const Merged& at, const std::string& variable, int scope);

  // computed places (stream_lookup.cpp)
  void look_up(int operand, int scope, int loop);
  Source held_coordinate(const std::string& of, int scope);
  bool depends(const StreamTerm& term, const std::string& variable) const;
  std::vector<Source> placed(const std::vector<Source>& outputs);

  // What differs from copy to copy.
  struct CopyState {
    std::vector<Source> ref;
    std::vector<bool> may_be_absent;
    std::vector<Scope> scopes;
    std::map<Source, int> repeat_signals;
  };

  // copies of the inner loops (copies.cpp)
  Source fork(const std::string& variable, std::size_t place);
  std::vector<Source> parallelized(Source stream, stream::Wire wire, const std::string& variable);
  Source serialized(const std::vector<Source>& copies, stream::Wire wire, const std::string& variable, int below);

  // computation and construction (stream_builder.cpp)
  Source open_loops(std::size_t first);
  void find_spine();
  void find_scopes(const StreamTerm& term, int parent);
  Source value_of(const StreamTerm& term);
  Source operand_value(const StreamTerm& term);
  Source applied(const StreamTerm& term, const std::vector<Source>& values);
  Source reduced(Source value, const StreamTerm& term, const std::string& variable, bool keeps_empty);
  Source spine_value(Source value);
  std::size_t drop_empty(std::size_t outermost);
  void gather(Source& value, std::size_t innermost);
  std::vector<Source> held_down(std::vector<Level> levels, const std::vector<std::size_t>& places,
                                std::size_t innermost);
  void write(Source value);
  void write_points(Source value);
  Source words_of(Source crd, const std::string& variable);
  void prune();

  int add(stream::Node node);
  void connect(Source from, int to, int port);
  bool is_output(const std::string& variable) const;

  const StreamEquation& equation_;
  std::vector<std::string> order_;
  StreamChoices choices_;
  const std::map<std::string, std::int64_t>& sizes_;

  stream::Graph graph_;
  std::vector<Source> ref_;                           // of each operand, as far as it has been walked
  std::vector<bool> may_be_absent_;                   // its references may be `N`
  std::vector<std::vector<std::vector<int>>> unions_; // so far: the operands of each side
  std::map<int, std::size_t> last_union_;             // of each operand
  std::vector<Scope> scopes_;                         // the first is the equation's
  std::map<Source, int> repeat_signals_;
  std::map<std::pair<Source, Source>, Source> held_; // coordinates of an outer loop over those of an inner one
  std::vector<const StreamTerm*> spine_operations_;  // around the reductions of the spine, outermost first
  std::vector<const StreamTerm*> spine_;             // reductions that everything stands under, outermost first
  const StreamTerm* spine_body_ = nullptr;
  std::set<std::string> effects_;
  int vector_ = 1;     // of blocks that are added
  bool drops_ = false; // coordinates without values
};

// Whether all reductions of the equation can be built in this order: those that stand beside other terms, or whose
// empty value is not zero, must run inside all loops around them. Else the first that cannot.
StreamTerm* misplaced_reduction(StreamEquation& equation, const std::vector<std::string>& order);

// The reductions that everything else stands under, outermost first; only operations of one operand that leave zero
// alone stand around them.
std::vector<const StreamTerm*> spine_of(const StreamTerm& value);

} // namespace cyclotron::lower
