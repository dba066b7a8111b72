// SPDX-License-Identifier: MIT
// The score of the best global alignment of two sequences (Needleman and Wunsch): a dense recurrence.
#include <cyclotron/cyclotron.hpp>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

using namespace cyclotron;

std::vector<int> letters(std::string_view text) { return {text.begin(), text.end()}; }

int main() try {
  Index i("i"), j("j");
  Size m("m"), n("n");
  Constant match("match", 1), mismatch("mismatch", -1), gap("gap", -1);
  Tensor a("a", {m}, i32), b("b", {n}, i32), H("H", {m + 1, n + 1}, i32), score("score", {}, i32);

  Program p("alignment");
  p += H(i, 0) = gap * i;
  p += H(0, j) = gap * j, where(j >= 1);
  p += (H(i, j) = max(H(i - 1, j - 1) + select(a(i - 1) == b(j - 1), match, mismatch), // both go on
                      H(i - 1, j) + gap,                                               // a gap in b
                      H(i, j - 1) + gap))                                              // a gap in a
           .where(i >= 1, j >= 1);
  p += score = H(m, n);
  std::printf("%s\n", p.text().c_str());

  Options options;
  options.schedule = Schedule().order(i, j);
  const Kernel kernel = p.compile(options);

  const std::vector<int> first = letters("GATTACA"), second = letters("GCATGCT");
  int best = 0;
  kernel.run({{"a", first}, {"b", second}}, {{"score", view(&best, {})}});
  std::printf("score %d\n", best);
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
