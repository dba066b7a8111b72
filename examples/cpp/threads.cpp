// SPDX-License-Identifier: MIT
// One kernel, many threads: each solves its own triangular systems with a matrix that all of them share.
#include <cyclotron/cyclotron.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

using namespace cyclotron;

int main() try {
  const Program program = Program::from_text(R"(
    tensor L(n, n): csr
    tensor b(n)
    tensor x(n)
    x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i)   : j < i
  )");
  const Kernel solve = program.compile();

  // Two on the diagonal, minus one left of it.
  const std::int64_t n = 1000;
  std::vector<std::int64_t> positions{0}, columns;
  std::vector<double> values;
  for (std::int64_t r = 0; r < n; ++r) {
    if (r > 0) columns.push_back(r - 1), values.push_back(-1);
    columns.push_back(r), values.push_back(2);
    positions.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const View matrix = csr_view(n, n, positions, columns, values);

  std::vector<double> last(4);
  const auto work = [&](std::size_t number) {
    std::vector<double> b(n, 1.0 + static_cast<double>(number)), x(n);
    const Call call = solve.bind({{"L", matrix}, {"b", b}}, {{"x", x}});
    for (int round = 0; round < 100; ++round) call();
    last[number] = x.back();
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < last.size(); ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  for (double x : last) std::printf("%.6f\n", x);
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
