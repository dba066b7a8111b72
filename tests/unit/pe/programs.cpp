// SPDX-License-Identifier: MIT
#include "unit/pe/programs.hpp"

#include <fmt/format.h>

namespace cyclotron::pe {

namespace {

// The first, the middle and the last part of an axis, as conditions; a short axis has fewer of them.
struct Part {
  std::string where;
  bool first = false, last = false;
};

std::vector<Part> parts_of(const std::string& axis, int count) {
  if (count == 1) return {{axis + " == 0", true, true}};
  std::vector<Part> parts{{axis + " == 0", true, false}};
  if (count == 3) parts.push_back({axis + " == 1", false, false});
  if (count > 3) parts.push_back({fmt::format("1 <= {} <= {}", axis, count - 2), false, false});
  parts.push_back({fmt::format("{} == {}", axis, count - 1), false, true});
  return parts;
}

// Row i takes in the weights of the rows from the last one up to its own, and hands all but its own on.
std::string weights_of(const Part& row, int rows, bool shifted) {
  if (!shifted) return "  step load(i, k)\n    [i,k]_A <- A(i,k)  load\n";
  const std::string source = row.first ? "[i,k]_A <- A(i,k)  load boundary\n" : "[i,k]_A <- [i-1,k]_A\n";
  std::string text;
  if (!row.last)
    text = fmt::format("  for r = {} .. i+1 step -1\n    step load(i = r, k)\n      {}      [i,k]_A -> [i+1,k]_A\n",
                       rows - 1, source);
  return text + "  step load(i, k)\n    " + source;
}

// One step of the output-stationary product.
std::string product_step(const Part& row, const Part& column, const std::string& k, const std::string& indent) {
  std::string text = indent + "step C(i, j, " + k + ")\n";
  const auto line = [&](const char* action) { text += indent + "  " + action + "\n"; };
  line(column.first ? "[i,j]_A <- A(i,k)  load boundary" : "[i,j]_A <- [i,j-1]_A");
  line(row.first ? "[i,j]_B <- B(k,j)  load boundary" : "[i,j]_B <- [i-1,j]_B");
  if (!column.last) line("[i,j]_A -> [i,j+1]_A");
  if (!row.last) line("[i,j]_B -> [i+1,j]_B");
  line("[i,j]_C <- select(k == 0, 0, [i,j]_C) + [i,j]_A * [i,j]_B");
  return text;
}

} // namespace

std::string weight_stationary(int rows, int columns, int steps, bool shifted_weights) {
  std::string text = fmt::format("program \"weight-stationary matrix product\"\n"
                                 "size K = {1}\nsize M = {0}\nsize N = {2}\n"
                                 "axis i = 0 .. {3}\naxis k = 0 .. {4}\n"
                                 "tensor A({0},{1}): f64 input\ntensor B({1},{2}): f64 input\n"
                                 "tensor C({0},{2}): f64 output\n"
                                 "register A: f64\nregister B: f64\nregister C: f64\n"
                                 "{5}channel B_down: f64 [i,k]_B -> [i+1,k]_B\n"
                                 "channel C_right: f64 [i,k]_C -> [i,k+1]_C\n",
                                 rows, columns, steps, rows - 1, columns - 1,
                                 shifted_weights ? "channel A_down: f64 [i,k]_A -> [i+1,k]_A\n" : "");
  int number = 0;
  for (const Part& row : parts_of("i", rows))
    for (const Part& column : parts_of("k", columns)) {
      text += fmt::format("\nrole {} at {}, {}\n", ++number, row.where, column.where);
      text += weights_of(row, rows, shifted_weights);
      text += fmt::format("  for j = 0 .. {}\n    step C(i, j, k)\n", steps - 1);
      text += row.first ? "      [i,k]_B <- B(k,j)  load boundary\n" : "      [i,k]_B <- [i-1,k]_B\n";
      if (!column.first) text += "      [i,k]_C <- [i,k-1]_C\n";
      if (!row.last) text += "      [i,k]_B -> [i+1,k]_B\n";
      text += fmt::format("      [i,k]_C <- {}[i,k]_A * [i,k]_B\n", column.first ? "" : "[i,k]_C + ");
      text += column.last ? "      C(i,j) <- [i,k]_C\n" : "      [i,k]_C -> [i,k+1]_C\n";
    }
  return sealed(text + "\n");
}

std::string output_stationary(int rows, int columns, int steps) {
  std::string text = fmt::format("program \"output-stationary matrix product\"\n"
                                 "closed form \"R + C + K - 2\"\ncycles {0}\n"
                                 "axis i = 0 .. {1}\naxis j = 0 .. {2}\n"
                                 "tensor A({3},{5}): f64 input\ntensor B({5},{4}): f64 input\n"
                                 "tensor C({3},{4}): f64 output\n"
                                 "register A: f64\nregister B: f64\nregister C: f64\n"
                                 "channel A_right: f64 [i,j]_A -> [i,j+1]_A\n"
                                 "channel B_down: f64 [i,j]_B -> [i+1,j]_B\n",
                                 rows + columns + steps - 2, rows - 1, columns - 1, rows, columns, steps);
  int number = 0;
  for (const Part& row : parts_of("i", rows))
    for (const Part& column : parts_of("j", columns)) {
      text += fmt::format("\nrole {} at {}, {}\n", ++number, row.where, column.where);
      if (steps > 1) text += fmt::format("  for k = 0 .. {}\n", steps - 2) + product_step(row, column, "k", "    ");
      text += product_step(row, column, fmt::format("k = {}", steps - 1), "  ") + "    C(i,j) <- [i,j]_C\n";
    }
  return sealed(text + "\n");
}

std::string triangular_solve(int n) {
  std::string text = fmt::format("program \"triangular solve\"\n"
                                 "closed form \"2 n - 1\"\ncycles {0}\n"
                                 "axis i = 0 .. {2}\n"
                                 "tensor L({1},{1}): f64 input\ntensor b({1}): f64 input\ntensor x({1}): f64 output\n"
                                 "register L(0 .. {2}): f64\nregister s: f64\nregister x: f64\n"
                                 "channel x_on: f64 [i]_x -> [i+1]_x\n",
                                 2 * n - 1, n, n - 1);
  for (const Part& part : parts_of("i", n)) {
    text += fmt::format("\nrole \"{} row\" at {}\n", part.first ? "first" : part.last ? "last" : "inner", part.where);
    text += "  for j = 0 .. i\n    step load(i, j)\n      [i]_L(j) <- L(i,j)  load\n"
            "  step load(i)\n    [i]_s <- b(i)  load\n";
    if (!part.first) {
      text += "  for j = 0 .. i-1\n    step sum(i, j)\n      [i]_x <- [i-1]_x\n";
      if (!part.last) text += "      [i]_x -> [i+1]_x\n";
      text += "      [i]_s <- [i]_s - [i]_L(j) * [i]_x\n";
    }
    text += "  step x(i)\n    [i]_x <- [i]_s / [i]_L(i)\n";
    if (!part.last) text += "    [i]_x -> [i+1]_x\n";
    text += "    x(i) <- [i]_x\n";
  }
  return sealed(text + "\n");
}

Program parsed(const std::string& text) {
  PeText read(text);
  if (!read.program) bug(read.report());
  return *read.program;
}

} // namespace cyclotron::pe
