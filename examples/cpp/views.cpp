// SPDX-License-Identifier: MIT
// Arrays of many kinds as tensors, and what is said where they do not fit.
#include <cyclotron/cyclotron.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

using namespace cyclotron;

void dense_arrays() {
  const Kernel kernel = Program::from_text("tensor A(m, n)\ntensor x(n): f32\ntensor s\ntensor y(m)\n"
                                           "y(i) = s * A(i,j) * x(j)\n")
                            .compile();
  const double matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  std::array<float, 3> x{1, 1, 1};
  std::vector<double> y(2);
  kernel.run({{"A", view(&matrix[0][0], {2, 3})}, // a pointer and dimensions
              {"x", x},                           // a vector, an array or a span is a tensor of one dimension
              {"s", 0.5}},                        // a number is a scalar, or a size
             {{"y", std::span(y)}});
  std::printf("y = %g %g\n", y[0], y[1]);
}

void sparse_arrays() {
  const Kernel kernel = Program::from_text("tensor A(m, n): csc\ntensor B(m, n): coo\ntensor C(m, n): dcsr\n"
                                           "tensor y(m)\ny(i) = sum[j](A(i,j) + B(i,j) + C(i,j))\n")
                            .compile();
  // Each is a 2 x 3 matrix with 1 at (0, 2) and 10 at (1, 0).
  const std::vector<std::int32_t> pos{0, 1, 1, 2}, row{1, 0}, ends{0, 2}, rows{0, 1}, columns{2, 0}, each{0, 1, 2};
  const std::vector<double> by_column{10, 1}, by_row{1, 10};
  const Result r = kernel({
      {"A", csc_view(2, 3, pos, row, by_column)},
      {"B", coo_view<std::int32_t>({2, 3}, ends, {rows, columns}, by_row)},
      {"C", sparse_view<std::int32_t>({2, 3}, dcsr, {{ends, rows, {}}, {each, columns, {}}}, by_row)},
  });
  std::printf("y = %g %g\n", r["y"].at(0), r["y"].at(1));
}

void mistakes() {
  try {
    Program::from_text("tensor x(n)\ntensor y(n)\ny(i) = x(i-1)\n", "shift.cyc");
  } catch (const Error& error) {
    std::printf("line %d, column %d: %s\n", error.line(), error.column(), error.message().c_str());
  }
  const Kernel kernel = Program::from_text("tensor a(n)\ntensor y(n)\ny(i) = 2 * a(i)\n").compile();
  const std::vector<float> a(3);
  std::vector<double> y(3);
  try {
    kernel.run({{"a", a}}, {{"y", y}});
  } catch (const Error& error) {
    std::printf("%s\n", error.message().c_str());
  }
}

int main() try {
  dense_arrays();
  sparse_arrays();
  mistakes();
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
