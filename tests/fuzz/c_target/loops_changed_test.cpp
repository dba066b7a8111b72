// SPDX-License-Identifier: MIT
// Loops that somebody wrote: whatever is changed in the text of right ones, it is refused, or it computes what the
// equations say.
#include "fuzz/property.hpp"
#include "judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

namespace cyclotron::fuzz {
namespace {

using Random = std::mt19937_64;
using Lines = std::vector<std::string>;

struct Right {
  const char* program;
  Lines loops;
  std::map<std::string, Content> contents{};
};

const std::vector<Right>& right_ones() {
  static const char* const cholesky = "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
                                      "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i\n";
  static const std::string dense = std::string("tensor A(n, n)\ntensor L(n, n)\n") + cholesky,
                           sparse = std::string("tensor A(n, n): csr\ntensor L(n, n): csr\n") + cholesky;
  static const Lines up_looking{"for i",
                                "  for j < i",
                                "    forall k < j",
                                "      tL(i,j) += L(i,k) * L(j,k)",
                                "    L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)",
                                "    tL(i,i) += L(i,j) * L(i,j)",
                                "  L(i,i) = sqrt(A(i,i) - tL(i,i))"};
  static const std::vector<Right> list = {
      {dense.c_str(), up_looking, {{"A", Content::spd}}},
      {sparse.c_str(), up_looking, {{"A", Content::spd}}},
      {"tensor A(m, n): csr\ntensor x(n)\ntensor y(m)\ntensor s\ny(i) = sum[j](A(i,j) * x(j))\ns = max[i](y(i))\n",
       {"forall b <= floor((m-1) / 4)", "  forall 4*b <= i < m, i < 4*b+4", "    forall j",
        "      ty(i) += A(i,j) * x(j)", "    y(i) = ty(i)", "    ts max= y(i)", "s = ts"}},
      {"tensor A(m, n): csr\ntensor B(n, p): csr\ntensor X(m, p): csr\nX(i,j) = sum[k](A(i,k) * B(k,j))\n",
       {"forall i", "  forall k", "    forall j", "      tX(i,j) += A(i,k) * B(k,j)", "  forall j",
        "    X(i,j) = tX(i,j)"}},
      {"tensor a(m, n)\ntensor H(m, n)\n"
       "H(i,j) = a(i,j) + select(i < m - 1, H(i+1,j), 0) + 0.5 * select(j < 1, 1, H(i,j-1))\n",
       {"for i falling", "  for j",
        "    H(i,j) = a(i,j) + select(i < m - 1, H(i+1,j), 0) + 0.5 * select(j < 1, 1, H(i,j-1))"}},
      {"tensor a(n): i32\ntensor c(n): i32\ntensor x(n)\nassume T >= 0\n"
       "c(i) = sum[j](a(j)) : j <= i\nx^0(i) = c(i)\nx^t(i) = x^(t-1)(i) * 0.5 + a(i) : 1 <= t, t <= T\n",
       {"forall i", "  forall j < i+1", "    tc(i): i32 += a(j)", "  c(i) = tc(i)", "forall i", "  x^0(i) = c(i)",
        "for 1 <= t < T+1", "  forall i", "    x^t(i) = x^(t-1)(i) * 0.5 + a(i)"}},
  };
  return list;
}

std::size_t below(Random& random, std::size_t count) { return random() % count; }

void replace_some(Random& random, std::string& line, std::string_view from, const std::string& to) {
  std::vector<std::size_t> places;
  for (std::size_t at = line.find(from); at != std::string::npos; at = line.find(from, at + 1)) places.push_back(at);
  if (!places.empty()) line.replace(places[below(random, places.size())], from.size(), to);
}

void change(Random& random, Lines& lines) {
  const std::size_t at = below(random, lines.size());
  std::string& line = lines[at];
  const bool is_loop = line.find("for") != std::string::npos;
  switch (below(random, is_loop ? 10 : 7)) {
  case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
  case 1: std::swap(line, lines[below(random, lines.size())]); break;
  case 2: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(line)); break;
  case 3: line = "  " + line; break;
  case 4: line.erase(0, 2); break;
  case 5: replace_some(random, line, below(random, 2) ? "i" : "j", below(random, 2) ? "j" : "k"); break;
  case 6: replace_some(random, line, below(random, 2) ? "+" : "1", below(random, 2) ? "-" : "2"); break;
  case 7: replace_some(random, line, line.find("forall") != std::string::npos ? "forall" : "for", "forall"); break;
  case 8: replace_some(random, line, "forall", "for"); break;
  default:
    line += std::vector<std::string>{" falling", " parallel", " vector 4", " unroll 3", " vector"}[below(random, 5)];
  }
}

TEST(LoopsChanged, AreRefusedOrComputeTheSame) {
  setenv("OMP_NUM_THREADS", "3", 1);
  Tally tally;
  for (int i = 0; i < cases(150); ++i) {
    Random random(static_cast<std::uint64_t>(i));
    const Right& right = right_ones()[static_cast<std::size_t>(i) % right_ones().size()];
    Lines lines = right.loops;
    const std::size_t changes = static_cast<std::size_t>(i) < right_ones().size() ? 0 : 1 + below(random, 2);
    for (std::size_t c = 0; c < changes && !lines.empty(); ++c) change(random, lines);
    Trial trial;
    trial.text = fmt::format("{}\nloops\n{}\n", right.program, fmt::join(lines, "\n"));
    trial.contents = right.contents;
    trial.seed = static_cast<std::uint64_t>(i);
    trial.rounds = 4;
    trial.flags = {"-O1"};
    const Verdict verdict = judge_isolated(trial, 60);
    EXPECT_EQ(tally.add(verdict), "") << trial.text;
    EXPECT_TRUE(changes > 0 || verdict.kind == Verdict::Kind::agrees) << trial.text << verdict.what;
  }
  EXPECT_GT(tally.of(Verdict::Kind::agrees), 25) << tally.report();
  EXPECT_GT(tally.of(Verdict::Kind::refused), 50) << tally.report();
}

} // namespace
} // namespace cyclotron::fuzz
