// SPDX-License-Identifier: MIT
// One kernel as C functions: the one that is called, and before it one for each loop whose iterations run at once.
// Those take their memories as parameters, because gcc believes only of parameters that nothing else points there
// (`restrict`), and keeps in registers what it would otherwise load again after every store.
//
//   workers b = 0 .. n          static void cyc_k_1(int64_t b_begin, int64_t b_end, const float *restrict x, …) {
//     …                   -->     for (int64_t b = b_begin; b < b_end; b++) {
//                                   …
#pragma once

#include "backend/simd/expressions.hpp"
#include "backend/simd/print_c.hpp"

#include <fmt/format.h>

#include <set>

namespace cyclotron::backend::simd {

class KernelPrinter {
public:
  KernelPrinter(const code::Kernel& kernel, const std::string& function, const PrintOptions& options,
                LaneFunctions& functions);
  std::string run();

  // After `run`: the function that says how much room the kernel needs, and its name; "" where it needs none.
  std::string room_function() const;
  std::string room_name() const { return rooms_.empty() ? "" : fmt::format("cyc_{}_room", function_); }

private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  // print_c.cpp
  std::string head(const std::string& statements) const;
  void find_rooms();

  // statements.cpp
  void body(const code::Body& list);
  void inside(const std::string& header, const code::Body& list);
  void statement(const code::Declare& d);
  void statement(const code::Assign& a);
  void statement(const code::Store& s);
  void statement(const code::If& i);
  void statement(const code::Barrier&) {} // a block is done by one thread, one worker after the other
  void statement(const code::Fail& f);
  void variable(const std::string& name, const std::string& c_name, code::Type type, const code::Expr& value,
                bool constant);
  void store_lanes(code::Store s, const code::Memory& m);
  std::string stored_value(const code::Expr& value, Vector v, std::int64_t first);

  // What would be printed again for every part of lanes is printed once, before the statement (statements.cpp).
  code::Expr aside(const code::Expr& e);
  code::Expr flat(const code::Expr& e);
  code::Expr flattened(const code::Expr& e);
  bool has_parts(const code::Expr& e) const;

  // loops.cpp
  void statement(const code::For& f);
  void loop(const code::For& f, const std::string& first, const std::string& end);
  void outermost_loop(const code::For& f);
  bool is_fixed(const code::Expr& e) const;
  struct Passed {
    std::vector<std::string> parameters, arguments;
    bool room = false; // some of them lie in the room of the thread
  };
  Passed passed_to(const std::string& statements) const;
  void call_loop(const code::For& f, const std::string& function, const Passed& passed, const std::string& first,
                 const std::string& end, bool fails);
  std::string pragma(const code::For& f, const std::string& first, const std::string& end) const;

  const code::Kernel& kernel_;
  const std::string function_;
  const PrintOptions& options_;
  code::Scope scope_;
  CNames names_;
  Expressions expressions_;
  LaneFunctions& functions_;
  std::set<std::string> assigned_; // variables
  struct Visible {
    std::string type, name;
  };
  std::vector<Visible> visible_; // variables that a function of a loop may have to be given
  std::string out_, rooms_, loops_;
  std::string room_end_; // behind the last memory of a thread
  int asides_ = 0, loop_functions_ = 0;
  std::size_t depth_ = 1;
  bool fails_ = false;
  bool in_parallel_ = false; // inside of a loop whose iterations run at once
};

// Whether any part of it is such; of a missing one none is.
bool is_anywhere(const code::Expr& expr, const std::function<bool(const code::Expr&)>& is);

} // namespace cyclotron::backend::simd
