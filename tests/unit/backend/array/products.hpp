// SPDX-License-Identifier: MIT
// Matrix products on a grid, C = A B for A of m x k and B of k x n, written down by hand: what the simulator is tested
// and measured with.
#pragma once

#include "write_program.hpp"

namespace cyclotron::pe::write {

struct ProductSize {
  std::int64_t m, k, n;
};
struct GridSize {
  std::int64_t rows, columns;
};

inline std::int64_t rounds(std::int64_t size, std::int64_t by) { return (size + by - 1) / by; }

inline Program product_program(const ProductSize& s, const GridSize& g, const std::string& row) {
  Program p;
  p.name = "product";
  p.axes = {{row, 0, g.rows - 1}, {"j", 0, g.columns - 1}};
  p.torus = {false, false};
  p.tensors = {memory("A", {s.m, s.k}), memory("B", {s.k, s.n}), memory("C", {s.m, s.n}, true)};
  p.registers = {{"A", ValueType::f64, {}, {}}, {"B", ValueType::f64, {}, {}}, {"C", ValueType::f64, {}, {}}};
  return p;
}

// Every element of C stays on its PE while A comes from the west and B from the north; one pass per block of C.
inline Program output_stationary(const ProductSize& s, const GridSize& g) {
  Program p = product_program(s, g, "i");
  p.channels = {{"A", "A", {0, 1}, ValueType::f64, {}}, {"B", "B", {1, 0}, ValueType::f64, {}}};
  const Index row = plus(times(g.rows, var("io")), var("i")), column = plus(times(g.columns, var("jo")), var("j"));
  const auto one_step = [&](bool west, bool north, bool east, bool south, Index k, bool first, bool last) {
    std::vector<Action> actions;
    actions.push_back(west ? load("A", "A", {at("ii"), at("k")}) : receive("A", 0));
    actions.push_back(north ? load("B", "B", {at("k"), at("jj")}) : receive("B", 1));
    if (east) actions.push_back(send("A", 0));
    if (south) actions.push_back(send("B", 1));
    const Expr product = mul(get("A"), get("B"));
    actions.push_back(compute("C", first ? product : add(get("C"), product)));
    if (last) actions.push_back(store("C", {at("ii"), at("jj")}, "C"));
    return step("C", {{"ii", row}, {"jj", column}, {"k", std::move(k)}}, actions);
  };
  // Where the last blocks are smaller, the last of them pass nothing on.
  const auto sums = [&](bool west, bool north, bool east, bool south) {
    std::vector<Statement> list;
    list.push_back(one_step(west, north, east, south, whole(0), true, s.k == 1));
    list.push_back(loop("k", whole(1), whole(s.k - 2), {one_step(west, north, east, south, var("k"), false, false)}));
    if (s.k > 1) list.push_back(one_step(west, north, east, south, whole(s.k - 1), false, true));
    return list;
  };
  for (int place = 0; place < 16; ++place) {
    const bool west = place & 1, north = place & 2, at_east = place & 4, at_south = place & 8;
    const auto either = [](bool is, Index a, std::int64_t b) {
      return test(std::move(a), is ? recurrence::Relation::equal : recurrence::Relation::not_equal, whole(b));
    };
    std::vector<Statement> body{pass({var("io"), var("jo")}, g.rows + g.columns + s.k - 2)};
    for (int ends = 0; ends < 4; ++ends) {
      const bool last_column = ends & 1, last_row = ends & 2;
      if ((at_east && last_column) || (at_south && last_row)) continue;
      Tests tests{below(row, whole(s.m)), below(column, whole(s.n))};
      if (!at_east) tests.push_back(either(last_column, column, s.n - 1));
      if (!at_south) tests.push_back(either(last_row, row, s.m - 1));
      body.push_back(when({tests}, sums(west, north, !at_east && !last_column, !at_south && !last_row)));
    }
    const Tests where{either(west, var("j"), 0), either(north, var("i"), 0), either(at_east, var("j"), g.columns - 1),
                      either(at_south, var("i"), g.rows - 1)};
    p.roles.push_back({"role " + std::to_string(place),
                       {where},
                       {loop("io", whole(0), whole(rounds(s.m, g.rows) - 1),
                             {loop("jo", whole(0), whole(rounds(s.n, g.columns) - 1), body)})}});
  }
  return p;
}

// A block of B stays, shifted in from the north, while A comes from the west and sums go south; one pass per block of
// B. Where the last blocks are smaller, the rest of the grid computes with zeros: B and A must be padded.
inline Program weight_stationary(const ProductSize& s, const GridSize& g) {
  Program p = product_program(s, g, "k");
  p.channels = {{"A", "A", {0, 1}, ValueType::f64, {}},
                {"B", "B", {1, 0}, ValueType::f64, {}},
                {"C", "C", {1, 0}, ValueType::f64, {}}};
  const Index depth = plus(times(g.rows, var("ko")), var("k")), column = plus(times(g.columns, var("jo")), var("j"));
  for (int place = 0; place < 16; ++place) {
    const bool west = place & 1, north = place & 2, at_east = place & 4, at_south = place & 8;
    const auto either = [](bool is, Index a, std::int64_t b) {
      return test(std::move(a), is ? recurrence::Relation::equal : recurrence::Relation::not_equal, whole(b));
    };
    const auto shift = [&](bool passes_on, Index r) { // the weight of the r-th row of the block
      std::vector<Action> actions{north ? load("B", "B", {at("r"), at("jj")}) : receive("B", 1)};
      if (passes_on) actions.push_back(send("B", 1));
      return step("B", {{"r", plus(times(g.rows, var("ko")), std::move(r))}, {"jj", column}}, actions);
    };
    const auto sum = [&](bool first_pass) {
      std::vector<Action> actions{west ? load("A", "A", {at("i"), at("kk")}) : receive("A", 0)};
      if (!north) actions.push_back(receive("C", 2));
      else if (!first_pass) actions.push_back(load("C", "C", {at("i"), at("jj")}));
      if (!at_east) actions.push_back(send("A", 0));
      const Expr product = mul(get("A"), get("B"));
      actions.push_back(compute("C", north && first_pass ? product : add(get("C"), product)));
      actions.push_back(at_south ? store("C", {at("i"), at("jj")}, "C") : send("C", 2));
      return loop("i", whole(0), whole(s.m - 1),
                  {step("C", {{"i", var("i")}, {"kk", depth}, {"jj", column}}, actions)});
    };
    const std::vector<Statement> body{
        pass({var("ko"), var("jo")}, 2 * g.rows + g.columns + s.m - 2),
        {Loop{"r", whole(g.rows - 1), plus(var("k"), whole(1)), -1, {shift(true, var("r"))}}},
        shift(false, var("k")),
        when({{equal(var("ko"), whole(0))}}, {sum(true)}),
        when({{test(var("ko"), recurrence::Relation::greater, whole(0))}}, {sum(false)}),
    };
    const Tests where{either(west, var("j"), 0), either(north, var("k"), 0), either(at_east, var("j"), g.columns - 1),
                      either(at_south, var("k"), g.rows - 1)};
    p.roles.push_back({"role " + std::to_string(place),
                       {where},
                       {loop("ko", whole(0), whole(rounds(s.k, g.rows) - 1),
                             {loop("jo", whole(0), whole(rounds(s.n, g.columns) - 1), body)})}});
  }
  return p;
}

} // namespace cyclotron::pe::write
