// SPDX-License-Identifier: MIT
// The state that the parts of the emitter share.
#pragma once

#include "backend/c/emit.hpp"
#include "backend/c/names.hpp"
#include "backend/c/plan.hpp"
#include "backend/c/vectors.hpp"
#include "lower/loops/bounds.hpp"
#include "recurrence/presence.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>

namespace cyclotron::backend::c {

using loops::Loop;
using loops::Node;
using loops::Statement;
using recurrence::Access;
using recurrence::Affine;
using recurrence::Expr;
using recurrence::Presence;
using recurrence::TensorDecl;
using tensor::LevelKind;
using tensor::ValueType;

std::string c_type(ValueType type);
std::string_view suffix_of(ValueType type); // f64, i32, ...
std::string identity_text(recurrence::Reducer reducer, ValueType type);

// A tensor of the program in the C function.
struct TensorNames {
  const TensorDecl* decl = nullptr;
  std::string name;                                      // C identifier
  std::string values;                                    // pointer to the values
  std::vector<std::string> positions, coordinates, bits; // per level; empty where there is none
  std::vector<std::string> sizes;                        // per level
  std::string count;                                     // how many values one step has
  bool stepped = false;
  std::string steps, first, last; // buffer of the steps kept, and the range of all
  std::string narrow;             // a copy of the values in bytes; empty: none
  const Fold* fold = nullptr;     // internal, and not in memory as a whole: `decl` has the dimensions that are
  bool output = false;
  std::string together;    // an array of vectors that has it as a member, besides `values`; empty: none
  std::string mark;        // the mark of that member
  bool copied_out = false; // what is in the vectors is not in `values` until the end
  std::string entries;     // a mask: where each entry stands in the values
  bool sparse() const { return !tensor::is_dense(decl->format); }
};

// One access as it stands in the nest.
struct AccessInfo {
  std::string key;
  const TensorNames* tensor = nullptr;
  std::vector<Affine> coordinates; // per level
  std::optional<Affine> step;
  bool last_step = false;
};

// How far an access is resolved at the place being written.
struct Resolved {
  std::size_t levels = 0;
  std::string position = "0";
  std::string begin, end; // the entries that share the coordinates so far, where there may be several
  std::string present;    // condition; empty where it is surely there
  std::string base;       // pointer to the values of its step
  std::string value;      // a variable that holds it already
  std::string entry;      // its place in the values, where a mask told it
};

struct StatementInfo {
  const Statement* statement = nullptr;
  std::vector<std::string> accesses; // keys
  std::set<std::string> reads;       // those whose values it uses
  std::string target;                // key of the element written; empty for a temporary with memory of its own
  std::string wanted;                // key of the sparse element that such a temporary belongs to: it may lead a loop
  Presence presence;
};

// Where a tile stands, its elements next to each other, row by row.
struct TilePlace {
  std::string base, offset; // a pointer, and how many elements behind it; empty: none
  ValueType type = ValueType::f64;
  std::string pointer() const;
  std::string at(const std::string& index) const;
};

// Memory for one tile of f64, allocated when the kernel starts.
struct TileBuffer {
  std::string name, size;
  bool per_thread = false;
  bool scratch = false; // else of one temporary
  bool in_use = false;
};

// Positions of an access along a loop: begin and end, cut to the loop's range.
struct Walk {
  std::string key, begin, end, position, offset, crd;
  bool repeats = false;

  std::string shifted(const std::string& coordinate) const {
    return offset.empty() ? coordinate : fmt::format("{} - ({})", coordinate, offset);
  }
  // The value of the loop's variable there.
  std::string variable_at(const std::string& where) const { return shifted(fmt::format("{}[{}]", crd, where)); }
};

class Emitter {
public:
  Emitter(const recurrence::Program& program, const recurrence::Domains& domains, const loops::Nest& nest,
          const EmitOptions& options, Diagnostics& diagnostics);
  std::optional<Emitted> run();

private:
  // --- text, and what is checked first (emit.cpp) ---
  bool check_workspaces();
  bool check_masks();
  bool is_used_early(const lower::Workspace& workspace) const;
  std::string text(const Affine& affine) const;
  std::string condition(const recurrence::Condition& condition) const;
  std::string conditions(const std::vector<recurrence::Condition>& list) const;
  std::vector<const loops::Range*> outermost(const Loop& loop, bool lower);
  std::string lower_text(const Loop& loop);
  std::string upper_text(const Loop& loop); // inclusive
  std::string end_text(const Loop& loop);   // exclusive
  void line(const std::string& text);
  void open(const std::string& head); // `head {`
  void otherwise();                   // `} else {`
  void close();
  bool defined_everywhere(const TensorDecl& decl) const;
  // Values of a reduction's variable that a workspace has room for: `size` of them from `first` on (empty: from 0).
  struct NestedRange {
    std::string first, size;
  };
  NestedRange nested_range(const loops::Temporary& t, const std::string& variable);
  const std::string& use(const char* function); // notes that the prelude needs it

  // --- names (emit_names.cpp) ---
  void name_everything();
  void name_levels(TensorNames& t, int mask);

  // --- what statements read and write (emit_accesses.cpp) ---
  void collect();
  std::optional<recurrence::Reducer> workspace_reducer(const Access& access, int equation) const;
  const AccessInfo& access_info(const Access& access);
  void choose_view(const Access& access, const std::vector<const Loop*>& around);
  std::string value_position(const AccessInfo& info, const std::string& position) const;

  // --- the file (emit_file.cpp) ---
  struct Frame;
  Emitted assemble();
  static std::string count_of(const TensorNames& tensor, std::size_t levels);
  void frame_output(const TensorDecl& decl, Frame& frame);
  bool leaves_zeros(const TensorDecl& decl) const;
  bool is_added_to(const TensorDecl& decl) const;
  void frame_workspaces(Frame& frame);
  std::string constants();
  std::string function_text();
  std::string entry_text() const;
  std::string comment() const;
  std::string meaning(const Argument& argument) const;
  std::string parameter(const Argument& argument) const;
  void mark_overflows();
  void remove_dead_declarations();

  // --- loops (emit_loops.cpp) ---
  void emit_body(const std::vector<Node>& body, const Loop* around);
  void emit_loop(const Loop& loop);
  void emit_loop_inside(const Loop& loop);
  std::vector<const StatementInfo*> inside(const std::vector<Node>& body) const;
  std::vector<std::string> keys_of(const std::vector<const StatementInfo*>& statements) const;
  std::vector<std::string> wanted_of(const std::vector<const StatementInfo*>& statements) const;
  void own_workspaces(const Loop& loop);
  void own_folds(const Loop& loop);
  bool one_step(const TensorNames& t) const;
  bool clears_steps(const Loop& loop) const;
  void clear_steps(const Loop& loop);
  void declare_temporaries(const Node& node, const Loop* around);

  // --- walks along sparse levels (emit_walks.cpp) ---
  bool in_scope(const Affine& affine) const;
  void advance(const std::vector<std::string>& keys, const std::vector<std::string>& wanted);
  std::string range_check(const AccessInfo& info, std::size_t level);
  void search(const AccessInfo& info, Resolved& at);
  std::pair<std::string, std::string> segment(const AccessInfo& info, const Resolved& at);
  bool walkable(const AccessInfo& info, const Resolved& at, const std::string& variable) const;
  void enter_entry(const AccessInfo& info, Resolved& at, const std::string& position, const std::string& end);
  std::string slot_of(const TensorNames& t, const Affine& step);
  std::string drift_text(const Fold& fold, const Affine& step);
  Walk walk_of(const std::string& key, const Loop& loop);
  std::string lower_position(const AccessInfo& info, const Resolved& at, const std::string& begin,
                             const std::string& end, const std::string& wanted, const std::optional<Affine>& affine);
  const Resolved* found_near(const AccessInfo& info, const Resolved& at, const Affine& coordinate) const;
  void note_entry(const AccessInfo& info, Resolved& at);

  // --- fibers spread out in workspaces (emit_fibers.cpp) ---
  std::string fiber_of(const AccessInfo& info, std::size_t levels) const;
  std::size_t depth_of(const AccessInfo& info, std::size_t levels) const;
  void want_fiber(const AccessInfo& info, const Resolved& at);
  bool written_unseen(const AccessInfo& info, std::size_t levels, const Loop* around);
  const std::string* fiber_workspace(const AccessInfo& info, const Resolved& at) const;
  void enter_spread(const std::set<std::string>& keys);
  bool may_be_before_all(const AccessInfo& info);
  void load_fibers(const Loop* around, const std::vector<std::string>& keys);
  void clear_fibers(const Loop* around);

  // --- innermost loops (emit_innermost.cpp) ---
  std::string pragma_of(const Loop& loop, bool plain, bool dense);
  void note_way(const Loop& loop, const std::string& pragma, bool passes_on);
  bool is_flat(const Loop& loop) const;
  bool stores_in_a_row(const Loop& loop);
  void carry(const Loop& loop);
  bool only_sums(const Loop& loop);
  bool only_reductions(const Loop& loop, const std::string& leader);
  bool walks_once(const Walk& walk) const;
  bool is_innermost_level(const Walk& walk) const;
  bool needs_coordinates(const Loop& loop, const Walk& w);
  void ask_ahead(const char* function, const Walk& walk, int values, int coordinates);
  std::string variable_of_several(const Walk& walk, std::int64_t number, std::int64_t count, bool in_pairs);
  void ask_for_next_end(const Walk& walk);
  bool is_there(const std::string& key, const std::string& leader) const;
  bool runs_for_all(const Statement& statement, const std::string& leader);
  void emit_four_sums(const Loop& loop, const Walk& walk, const std::vector<std::string>& keys,
                      const std::vector<std::string>& wanted, const std::set<std::string>& spread);
  void load_ahead(const Loop& loop, const std::vector<const StatementInfo*>& statements,
                  const std::vector<std::string>& keys);
  void pick(const Walk& walk, const std::string& here, const std::vector<const StatementInfo*>& statements);
  static bool is_single(const Loop& loop);

  // --- loops in passes (emit_passes.cpp) ---
  struct Passes {
    const StatementInfo* info;
    std::vector<Expr> first, then; // arguments of `min` or `max`
  };
  bool is_there_before(const recurrence::Access& access, const Loop& loop, const AccessInfo& written);
  std::optional<Passes> passes_of(const Loop& loop);
  void emit_passes(const Loop& loop, const Passes& passes, const std::vector<std::string>& keys,
                   const std::vector<std::string>& wanted);

  // --- scattered sums (emit_scatter.cpp) ---
  bool only_scatters(const Loop& loop, const std::string& leader, const std::set<std::string>& spread);
  void emit_scatter(const Loop& loop, const Walk& walk, const std::vector<std::string>& keys,
                    const std::vector<std::string>& wanted, const std::set<std::string>& spread);
  void scatter_one(const Statement& statement, std::int64_t number, std::vector<std::string>& stores);
  bool scatter_vector(const Loop& loop, std::int64_t number, std::vector<std::string>& stores);

  // --- along a sparse result (emit_results.cpp) ---
  bool has_one_equation(const std::string& tensor) const;
  std::string zeros_under(const std::string& key);
  std::string same_levels(const std::string& operand, const std::string& result,
                          const std::vector<const StatementInfo*>& statements);

  // --- equations side by side in vectors (emit_vectors.cpp) ---
  void name_vectors();
  static std::string vector_type(ValueType type, std::size_t width);
  std::size_t width_of(const std::pair<std::string, int>& temporary, bool first) const;
  void load_vectors(const Loop& loop, const std::vector<std::string>& keys);
  std::string through_vector(const AccessInfo& target, const std::string& place) const;
  bool frame_vector(const TensorNames& t, const std::string& count, Frame& frame);
  std::string vector_types() const;

  // --- assignments in vectors (emit_vector_values.cpp) ---
  struct VectorText;
  struct VectorGroup;
  std::vector<const StatementInfo*> vector_statements(const Node* first, const Node* end) const;
  bool is_read_elsewhere(const VectorGroup& group, const Node* behind, const Node* end);
  std::string vector_divisor(const Expr& expr, const std::string& value, VectorGroup& group);
  std::optional<VectorText> vector_elements(const std::vector<Expr>& values, const VectorGroup& group);
  std::optional<VectorText> vector_value(const std::vector<Expr>& values, VectorGroup& group);
  std::size_t emit_vector_statements(const Node* first, const Node* end,
                                     const std::function<bool(const std::string&)>& read_later);

  // --- sums that start out as what they are taken from (emit_starts.cpp) ---
  struct Start {
    std::string input;
    bool minus = false; // terms are taken from it, not added to it
  };
  void find_starts();
  bool is_made_by(const TensorDecl& decl, int equation) const;
  bool is_scattered(const std::pair<std::string, int>& temporary) const;
  const Access* taken_from(const recurrence::Binary& b, const std::string& temporary, const TensorDecl& result) const;
  const Start* start_of(const std::string& temporary, int equation) const;
  const TensorNames* start_of(const TensorDecl& decl) const;

  // --- rows of sums in registers (emit_columns.cpp) ---
  struct Columns {
    static constexpr int block = 32;
    const Loop* loop = nullptr;      // over columns
    std::pair<std::string, int> key; // of the temporary
    std::string first, index, name;  // in C: the first column of a block, the one within it, the sums
    bool whole = false;              // writing whole blocks, not the rest
  };
  std::optional<Columns> columns_of(const Loop& outer);
  bool sums_up_whole_rows(const Columns& columns, const StatementInfo& info);
  std::size_t kept_names() const;
  bool emit_columns(const Loop& outer); // false where that is not possible

  // --- rows of terms, several at a time (emit_rows.cpp) ---
  bool takes_rows(const Loop& terms);
  bool emit_rows(const Loop& terms); // false where that is not possible

  // --- positions kept between iterations (emit_marching.cpp) ---
  const Marching* marching_of(const AccessInfo& info, const Resolved& at, const Affine& wanted) const;
  std::string march(const Marching& m, const AccessInfo& info, const Resolved& at, const std::string& end, bool find);
  void decide_passing();
  std::string diagonal(const AccessInfo& info, const Resolved& at);
  const std::string& diagonal_name(const TensorNames& t);
  void note_diagonal(const AccessInfo& info, const std::string& position);
  void decide_diagonals();

  // --- statements and expressions (emit_statements.cpp) ---
  void emit_statement(const StatementInfo& info, bool read_later);
  void start_failing(bool needs_block);
  void emit_failure(const Statement& statement, const std::string& condition, const std::string& kind);
  void clear_workspaces(const Statement& statement);
  std::string expression(const Expr& expr, ValueType type); // converted to this type
  std::optional<recurrence::Number> constant(const Expr& expr) const;
  std::string raw(const Expr& expr); // in the expression's own type
  std::string overflow();
  double largest(const Expr& expr) const;
  bool is_safe(const Statement& s);
  bool is_exact(const loops::Temporary& temporary) const;
  std::string held_type(const loops::Temporary& temporary); // in C
  std::string exact_sum(const loops::Temporary& temporary, const std::string& a, const std::string& b);
  void note_size(const std::string& place, ValueType type);
  std::string note_inputs();
  void choose_narrow();
  std::string narrow_inputs();
  std::string convert(const std::string& text, ValueType from, ValueType to);
  std::string read(const Access& access);
  std::string binary(const recurrence::Binary& b, ValueType own);
  std::string started_sum(const recurrence::Binary& b);
  std::string sum_of_carried(const recurrence::Binary& sum, ValueType own);
  std::string call(const recurrence::Call& c, ValueType own);
  std::string extreme(recurrence::Function function, ValueType type, const std::vector<std::string>& values);
  std::string number(const recurrence::Number& n, ValueType type) const;
  std::string combine(const loops::Temporary& temporary, const std::string& a, const std::string& b);
  std::string temporary_place(const Access& access, int equation);
  std::string temporary_index(const Access& access, int equation); // in its workspace
  bool is_spread(const Resolved& at) const;                        // in a workspace, like a dense row
  std::string offset(const std::string& key) const;
  std::string element(const std::string& key) const; // lvalue of a tensor element
  bool is_copy_in_place(const StatementInfo& info) const;
  ValueType type_of(const Expr& expr) const { return nest_.types.of(expr).type; }
  const loops::Temporary* temporary_of(const Access& access) const;

  // --- tiles (emit_tiles.cpp) ---
  struct TileText;
  bool check_tiles();
  bool is_tile(const Expr& expr) const;
  bool writes_tile(const Statement& statement) const;
  bool has_tiles(const Loop& loop) const;
  std::string tile_size(const std::vector<Affine>& shape) const;
  std::string tile_position(const Access& access, const std::vector<std::string>& within) const;
  TilePlace tile_place(const Access& access);
  TilePlace scratch(const std::string& size);
  TilePlace take(TileBuffer& buffer);
  void declare_tile(const loops::Temporary& temporary);
  void clear_tile(const TilePlace& place, const std::string& size);
  std::string tile_factor(const Expr& expr, ValueType type);
  TileText tile_element(const Expr& expr, const std::string& e);
  TilePlace tile_operand(const Expr& expr);
  void tile_into(const Expr& expr, const TilePlace& place, bool add);
  void tile_kernel_into(const recurrence::KernelCall& call, const std::vector<Affine>& shape, const TilePlace& place,
                        bool add);
  void tile_loop(const std::string& size, const std::function<std::string(const std::string&)>& statement);
  void tile_loops(const std::vector<Affine>& shape,
                  const std::function<std::string(const std::string&, const std::vector<std::string>&)>& statement);
  void store_tile(const Statement& statement);
  void emit_tile_statement(const StatementInfo& info, bool needs_block);

  const recurrence::Program& program_;
  const recurrence::Domains& domains_;
  const loops::Nest& nest_;
  const EmitOptions& options_;
  Diagnostics& diagnostics_;
  Plan plan_;
  VectorPlan vectors_;
  std::map<std::pair<std::string, int>, Start> starts_; // by temporary
  lower::Bounds bounds_;
  NameTable names_;
  std::map<std::string, std::string> c_names_; // sizes, constants and loop variables
  std::map<std::string, TensorNames> tensors_;
  std::vector<std::unique_ptr<TensorDecl>> mask_decls_;
  std::map<std::string, std::vector<TensorNames>> masks_; // by tensor
  // What a set of marching pointers is for. Each nest of loops has its own: it starts over from the first entries.
  struct Marched {
    std::string tensor;
    std::size_t level = 0;
    std::size_t nest = 0; // by the place of its outermost loop
    auto operator<=>(const Marched&) const = default;
  };
  std::map<Marched, std::string> pointers_; // C names
  // A place where a pointer marches: which fiber it looks into, { [loops] -> [outermost, fiber] }. Found in a first
  // run.
  struct March {
    isl::map fibers;
    bool find = false;
  };
  std::map<Marched, std::vector<March>> marches_;
  std::set<Marched> passing_; // pointers that move past what they found
  struct Positions {
    std::string name, size, pos, crd;
    bool noted = false; // by the outermost loop, as it comes upon each
  };
  std::map<std::string, std::set<const Loop*>> diagonal_uses_; // in which outermost loop; null: not behind it
  std::set<std::pair<std::string, const Loop*>> diagonals_found_;
  std::map<std::string, const Loop*> noted_diagonals_;
  const Loop* counting_ = nullptr; // the outermost loop, where it goes through all values from 0 on, one by one
  std::map<std::string, std::string> diagonals_;                   // tensor or mask -> array
  std::vector<Positions> positions_;                               // of diagonals
  std::map<std::pair<std::string, int>, std::string> temporaries_; // C names
  std::map<std::string, AccessInfo> accesses_;
  std::map<const Statement*, StatementInfo> statements_;
  std::vector<Argument> arguments_;
  std::string function_;

  std::string body_;
  int indent_ = 1;
  std::vector<const Loop*> scope_;
  std::map<std::string, Resolved> resolved_;
  int equation_ = -1;       // of the statement being written
  bool failing_ = false;    // its expression may fail
  bool parallel_ = false;   // inside a parallel loop
  bool in_vectors_ = false; // inside a loop whose iterations run in vectors
  bool uses_openmp_ = false;
  bool safe_now_ = false; // the statement being written needs no looking at operations
  std::set<const Statement*> safe_;
  std::set<int> sizes_noted_; // equations whose stored numbers are looked at
  bool inputs_noted_ = false;
  std::set<int> overflows_; // equations that may overflow; -1: constants
  std::set<std::string> prelude_;
  std::map<std::string, std::string> searches_; // by access: what it costs
  std::set<std::string> heeded_;                // loops that run as `vectorize` or `unroll` has it
  std::map<std::string, std::string> unheeded_; // loops that do not, and why
  std::map<std::string, std::string> carried_;  // elements whose last value is also in a variable
  // Fibers of sparse tensors that are kept spread out in a dense workspace while a loop's iteration lasts: found in a
  // first run, used in a second.
  struct Fiber {
    std::string id, key, workspace; // the access that it was found with
    std::string begin, end;
  };
  std::map<const Loop*, std::vector<Fiber>> fibers_;
  std::map<std::string, std::string> spread_; // id -> workspace, where it is filled now
  struct Workspace {
    std::string type, name, size;
  };
  std::vector<Workspace> workspaces_; // of zeros
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>>
      same_levels_; // operand and result -> a variable, and what it says
  Columns columns_;
  struct {
    const Loop* loop = nullptr; // of which some iterations are done
    std::string first;          // of the others
  } rest_;
  std::set<std::pair<std::string, int>> counted_at_once_; // temporaries whose entries are counted before their loop
  std::set<const Loop*> partial_;                         // loops that do not visit all values of their variable
  std::set<std::pair<std::string, int>> assigned_;        // temporaries in place whose memory is set, not added to
  std::set<std::string> left_out_;                        // dense outputs of which some elements are not visited
  std::map<std::pair<std::string, int>, std::string> array_sizes_;
  std::map<std::tuple<std::string, int, std::size_t>, NestedRange> nested_ranges_; // by temporary and coordinate
  std::string nested_constants_;                                                   // declares what those name
  std::vector<TileBuffer> tile_buffers_;
  std::set<std::string> shared_out_;              // folded tensors of which every thread has one
  std::map<std::string, std::string> own_values_; // this thread's, inside a parallel loop
  std::set<std::pair<std::string, int>> private_; // workspaces of which every thread has one
};

} // namespace cyclotron::backend::c
