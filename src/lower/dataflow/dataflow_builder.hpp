// SPDX-License-Identifier: MIT
// The state shared by the rewrites that turn equations into dataflow recurrences; each rewrite is a file of its own:
//
//   spaces.cpp       a space for every equation, where its points are
//   companions.cpp   which equations share one
//   lower_sum.cpp    LowerSum and OuterSum: a reduction becomes an accumulator in a space of its own
//   transport.cpp    ChooseStream, Inject, Propagate: how operands from memory reach the points that need them
//   reuse.cpp        the same on a space-time map, where operands are needed again in directions of any kind
//   inner_send.cpp   InnerSend: how computed values reach the points that need them
//   exports.cpp      what leaves the array
#pragma once

#include "lower/dataflow/array_equations.hpp"
#include "lower/mapping.hpp"
#include "recurrence/integer_kernel.hpp"

#include <algorithm>
#include <set>

namespace cyclotron::lower {

using recurrence::Vector;

inline Affine plain(const std::string& name) { return Affine{{{name, 1}}, 0}; }

// Where an element of a computed tensor is: at a point of a space, or nowhere, because it is a formula.
struct Located {
  isl::set domain; // in the names of whoever asks
  int space = -1;  // -1: `formula`
  std::string value;
  Point point; // empty where it has no formula: then it can leave the array, but nothing can read it there
  Expr formula;
};

// `value <- expr : domain`. The expression may still have accesses to tensors and reductions; those to values of spaces
// are done with.
struct Body {
  int space = 0;
  std::string value;
  isl::set domain;
  Expr expr;
  const ArrayEquation* equation = nullptr;
};

class DataflowBuilder {
public:
  DataflowBuilder(const ArrayEquations& equations, const Mapping& mapping, const std::map<std::string, int>& signs,
                  Diagnostics& diagnostics)
      : equations_(equations), mapping_(mapping), signs_(signs), diagnostics_(diagnostics) {}

  // The program without times; reports what cannot be done.
  std::optional<dataflow::Program> run();

  // Extra components of time by space: the order inside a space that brings values in.
  const std::map<int, Point>& extra_time() const { return extra_time_; }

private:
  struct Plan {
    enum class Kind { constant, alias, sum, rules } kind = Kind::rules;
    int space = -1;             // of its result
    std::vector<Located> found; // in the variables of the equation
    bool located = false;
  };
  // What a value of a space is a copy of.
  struct Copy {
    int space = 0;
    std::string value;
    std::string tensor;
    isl::set domain;
    Point element;
  };
  // A copy that still has points that nothing reaches.
  struct Pending {
    Copy copy;
    isl::set rest;
    std::vector<Located> producers;
    Span span;
  };
  struct Read {
    std::string tensor;
    Point element;
    isl::set domain;
    Span span;
  };

  // spaces.cpp
  void plan_equations();
  bool is_alias(std::size_t equation) const;
  int add_space(const std::string& name, const std::vector<std::string>& coordinates, const isl::set& domain,
                const std::map<std::string, Affine>& as);
  std::map<std::string, Affine> meaning_of(const ArrayEquation& e) const;
  static void add_split_names(const ArrayEquation& e, std::map<std::string, Affine>& as);
  void add_ends_of_sums(const ArrayEquation& e, const std::vector<std::string>& names_around,
                        std::map<std::string, Affine>& as) const;
  void add_spacetime(std::map<std::string, Affine>& as) const;
  void refuse_without_place(const ArrayEquation& e, const std::map<std::string, Affine>& as) const;
  Point place_of(const std::map<std::string, Affine>& as) const;
  const std::vector<Located>& located(std::size_t equation);

  // companions.cpp
  std::vector<std::size_t> find_companions() const;
  bool points_need_each_other(const std::vector<std::size_t>& first, std::size_t group) const;
  isl::map points_read(const recurrence::Access& access, const ArrayEquation& reader, const ArrayEquation& on) const;
  bool depends_uniformly(const ArrayEquation& reader, const ArrayEquation& on, bool& at_all) const;

  // lower_sum.cpp
  std::vector<Located> lower_sum(const ArrayEquation& e, const ArrayEquation::Sum& sum, const std::string& name,
                                 const std::map<std::string, Affine>& as, bool is_result);
  void lower_body(const Body& whole, const std::map<std::string, Affine>& as);
  ArrayEquation::Sum with_sums_inside(const ArrayEquation& e, const ArrayEquation::Sum& sum, Expr& body) const;
  std::vector<std::vector<std::string>> chain_groups(const ArrayEquation::Sum& sum) const;
  isl::set padded_domain(const ArrayEquation::Sum& sum, const std::vector<std::string>& names) const;
  std::vector<Located> ends_of_chain(const ArrayEquation& e, const ArrayEquation::Sum& written, const Located& last,
                                     std::size_t own) const;
  bool has_own_chain(const std::string& index, const std::vector<std::string>& all) const;
  Vector steps_of_map(const std::string& index) const;

  // transport.cpp
  void resolve(int space);
  Expr read_input(int space, const Read& read);
  Expr inject(int space, const Read& read, dataflow::Supply supply);
  std::optional<std::size_t> choose_stream(int space, const Read& read, const Way& way);
  Expr propagate(int space, const Read& read, const std::vector<Vector>& along);
  std::vector<Case> stream_through_sum(int space, const Read& read, const Way& way);
  Expr prefetch(int space, const Read& read, const Way& way);
  Expr hold(int space, const Read& read, const std::vector<std::size_t>& missing);
  std::vector<std::size_t> missing_steps(int space, const Point& element) const;
  std::vector<std::size_t> missing_axes(int space, const Point& element) const;
  const Way* way_of(const std::string& tensor) const;
  void refuse_unused_ways();

  // reuse.cpp
  struct Hop { // from the point x - e to the point x
    std::int64_t outer = 0, steps = 0, links = 0;
    bool in_time() const { return outer > 0 || (outer == 0 && steps >= std::max<std::int64_t>(1, links)); }
    bool at_once() const { return outer == 0 && steps == 0; }
  };
  bool has_steps_of_map(int space) const;
  Hop hop_along(int space, const Vector& e) const;
  Expr read_on_map(int space, const Read& read, const Way* way);
  Expr prefetch_on_map(int space, const Read& read, const Way& way);
  std::vector<std::size_t> kept_by_place(int space, const Point& element) const;
  std::vector<Vector> directions_that_stay(int space, const Point& element) const;
  std::vector<Vector> stream_on_map(int space, const Read& read, const Way& way);
  std::optional<Vector> smallest_reuse(int space, const Point& element, const Point& hop) const;
  Vector unit(int space, std::size_t coordinate, std::int64_t length = 1) const;

  // inner_send.cpp
  std::vector<Located> sources_of(const std::string& tensor, const Point& element,
                                  const std::vector<std::string>& names, const isl::set& domain);
  std::vector<Case> read_computed(int space, const Read& read);
  Expr transport_computed(int space, const Read& read, const std::vector<Located>& sources);
  void finish_pending();
  void cover_by_copies(Pending& pending);
  void cover_by_far_links(Pending& pending);
  std::optional<std::vector<std::int64_t>> offset_of(int space, const isl::set& domain, const Located& source) const;
  isl::set beyond(int space, std::size_t axis, int side, const Located& source) const;

  // exports.cpp
  void add_exports();

  // --- small things ---
  const recurrence::Program& source() const { return *equations_.program; }
  const recurrence::IslContext& context() const { return *equations_.context; }
  dataflow::Space& space(int s) { return out_.spaces[static_cast<std::size_t>(s)]; }
  const dataflow::Space& space(int s) const { return out_.spaces[static_cast<std::size_t>(s)]; }
  std::string new_value(int space, const std::string& name, tensor::ValueType type, const std::vector<Affine>& tile);
  std::string copy_value(int space, const std::string& tensor, std::size_t indices);
  void add_rule(int space, const std::string& value, const isl::set& domain, Expr expr, Span span,
                dataflow::Supply supply = dataflow::Supply::none);
  std::optional<std::size_t> axis_of(int space, std::size_t coordinate, int& direction) const;
  bool depends_on(const Point& element, const std::string& name) const;
  Expr tensor_element(const std::string& tensor, const Point& element) const;
  void fresh_quota() const; // isl's work is bounded per question, not per program

  const ArrayEquations& equations_;
  const Mapping& mapping_;
  const std::map<std::string, int>& signs_;
  Diagnostics& diagnostics_;
  dataflow::Program out_;
  std::vector<Plan> plans_;
  std::vector<Body> bodies_;
  std::vector<Copy> copies_;
  std::vector<Pending> pending_;
  std::map<int, Point> extra_time_;
  std::set<const Way*> used_ways_;
  std::map<const recurrence::ExprNode*, std::vector<Located>> sums_done_; // two cases may have the same reduction
};

} // namespace cyclotron::lower
