// SPDX-License-Identifier: MIT
// The lowering of one nest, in parts: what loops run over (loop_headers.cpp), what is on the chip (memories.cpp),
// results (results.cpp), statements and their values (statements.cpp), and all that together (loops_to_pattern.cpp).
#pragma once

#include "lower/pattern/loops_to_pattern.hpp"
#include "lower/pattern/scope.hpp"
#include "recurrence/presence.hpp"

#include <functional>

namespace cyclotron::lower {

using pattern::MemoryKind;
using recurrence::Affine;
using recurrence::Presence;
using tensor::ValueType;

class NestToPattern {
public:
  NestToPattern(const std::string& name, const frontend::Checked& checked, const loops::Nest& nest,
                Diagnostics& diagnostics);
  std::optional<LoweredPattern> run();

private:
  using Nodes = std::vector<loops::Node>;

  // Of a temporary: the dimensions that it has in memory, the others being given where it is declared.
  struct Shape {
    std::vector<std::size_t> kept;
    std::vector<Affine> extent;
  };

  // --- loops_to_pattern.cpp: what there is, and the walk over it ---
  bool accepts();
  void find_operands();
  void declare_drams();
  void body(const Nodes& nodes, Scope scope, Body& to);
  void node(const Nodes& nodes, std::size_t at, Scope& scope, Body& to);
  std::string fresh(const std::string& wish);
  std::vector<const Operand*> inputs_in(const Nodes& nodes) const; // read in there, and stored off the chip
  std::vector<const loops::Statement*> statements_in(const loops::Loop& loop) const;
  pattern::Expr formula(const Affine& affine) const;
  pattern::Expr condition(const recurrence::Condition& condition) const;
  pattern::Expr conditions(const std::vector<recurrence::Condition>& all) const;

  // --- loop_headers.cpp ---
  // What a loop runs over: numbers, one fiber, or the bits of one or two vectors.
  struct Leaf { // an access whose fiber is one of those
    const Operand* operand = nullptr;
    pattern::Expr rank;
    bool certain = true; // it is there in every iteration
  };
  struct Bits { // a bit vector, and the rank of each access at a position in it
    std::string name;
    std::vector<std::pair<const Operand*, std::function<pattern::Expr(const pattern::Expr&)>>> ranks;
    bool certain = true;
  };
  struct Header {
    std::variant<pattern::Range, pattern::Scan> over;
    Body first; // of the body
    std::vector<Leaf> leaves;
    bool dense = false;
  };
  Presence presence_of(const loops::Statement& statement) const;
  Presence presence_at(const loops::Loop& loop, const Scope& scope) const;
  Header header_of(const loops::Loop& loop, const Presence& presence, Scope& scope, Body& to);
  Header numbers(const loops::Loop& loop);
  Header one_fiber(const loops::Loop& loop, const Operand& operand, Scope& scope, Body& to);
  Header co_iteration(const loops::Loop& loop, const Presence& presence, Scope& scope, Body& to);
  pattern::Expr common_extent(const Presence& presence, const Scope& scope) const;
  Bits bits_of(const Presence& presence, const std::string& loop, const pattern::Expr& extent, Scope& scope, Body& to);
  Bits joined(const Bits& a, const Bits& b, pattern::Join join, const pattern::Expr& extent, const std::string& loop,
              Body& to);
  void tables(const loops::Loop& loop, const Header& header, Scope& scope, Body& to);
  void table(const Operand& operand, Scope& scope, Body& to);
  pattern::Expr in_range(const loops::Loop& loop, const Header& header, const Scope& scope) const; // missing: all are
  void loop(const loops::Loop& loop, Scope& scope, Body& to);
  void foreach_loop(const loops::Loop& loop, Header header, Scope inner, Body& to);
  bool is_reduction(const loops::Loop& loop, const Scope& scope) const;
  void reduction(const loops::Loop& loop, Header header, Scope inner, Body& to);
  pattern::Expr par_of(const loops::Loop& loop) const;

  // --- memories.cpp ---
  pattern::Expr extent_of(const Operand& operand, std::size_t from, std::size_t end) const;
  void enter(const Nodes& nodes, Scope& scope, Body& to);
  pattern::Expr inside(const Operand& operand, std::size_t from, std::size_t end, const Scope& scope) const;
  bool walk_dense(const Operand& operand, Scope& scope) const;
  void look_up(const Operand& operand, Scope& scope, Body& to);
  void load_chunks(const Operand& operand, Scope& scope, Body& to);
  void load_chunk(const Operand& operand, const std::string& array, std::size_t depth, Scope& scope, Body& to);
  struct Fiber {
    std::string crd;            // a fifo
    pattern::Expr first, count; // in the array
  };
  Fiber open_fiber(const Operand& operand, std::size_t level, bool in_order, Scope& scope, Body& to);
  pattern::Expr element(const Operand& operand, const std::string& array, std::size_t depth, const Scope& scope) const;
  void step_into(const Leaf& leaf, Scope& scope, Body& to);
  void declare_temporaries(const Nodes& nodes, std::size_t at, Scope& scope, Body& to);
  std::optional<Shape> shape_of(const loops::Temporary& temporary, const recurrence::Access& a, const Scope& scope);

  // --- results.cpp ---
  struct Result {
    Operand operand; // of its one statement; of several, its elements by themselves
    bool appended = false;
    bool whole = false; // on the chip from the beginning to the end, because it is read or has several statements
  };
  void find_results();
  bool can_append(const Operand& operand) const;
  std::string name_of(const Operand& result, const std::string& what);
  std::string array_of(const Operand& result, std::size_t level, const char* what);
  std::string count_of(const Operand& result, std::size_t level);
  void open_results(Body& to); // of the program
  void close_results(Body& to);
  void open_chunks(const Nodes& nodes, Scope& scope, Body& to, Body& end);
  void begin_level(const loops::Loop& loop, Body& to);               // before a loop, in the body around
  void begin_entry(const loops::Loop& loop, Scope& scope, Body& to); // in it
  void end_entry(const loops::Loop& loop, Body& to);
  void end_level(const loops::Loop& loop, Body& to); // behind it
  std::vector<std::pair<const Operand*, std::size_t>> appended_at(const loops::Loop& loop) const;
  void store(const loops::Statement& statement, const pattern::Expr& value, const Scope& scope, Body& to);

  // --- statements.cpp ---
  void statement(const loops::Statement& statement, Scope& scope, Body& to);
  pattern::Expr value(const recurrence::Expr& expr, ValueType wanted, const Scope& scope) const;
  pattern::Expr own_value(const recurrence::Expr& expr, ValueType own, const Scope& scope) const;
  pattern::Expr access(const recurrence::Expr& expr, const Scope& scope) const;
  pattern::Expr temporary_element(const loops::Temporary& temporary, const recurrence::Access& a,
                                  const Scope& scope) const;
  const loops::Temporary* temporary_of(const recurrence::Access& access, int equation) const;

  const std::string name_;
  const frontend::Checked& checked_;
  const recurrence::Program& program_;
  const loops::Nest& nest_;
  Diagnostics& diagnostics_;

  LoweredPattern result_;
  std::map<std::string, Operand> operands_;               // by access
  std::map<std::string, Result> results_;                 // by tensor
  std::map<std::pair<int, std::string>, Affine> extents_; // of the variables of each equation
  std::map<std::string, Shape> shapes_;
  std::set<std::string> names_;
  std::map<std::string, std::string> own_names_; // of what belongs to a result
  pattern::Expr parallel_;                       // how much the innermost loops do at once
  int equation_ = 0;                             // of the statement whose value is being written
};

} // namespace cyclotron::lower
