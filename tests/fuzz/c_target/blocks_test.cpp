// SPDX-License-Identifier: MIT
// Recurrences with their loops in blocks, in every order with blocks outside what they hold. By day a sample; all of
// them with CYCLOTRON_NIGHTLY=1.
#include "fuzz/property.hpp"
#include "judge.hpp"
#include "random_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace cyclotron::fuzz {
namespace {

using Strings = std::vector<std::string>;

struct Blocked {
  std::string name;
  std::string text; // {} for the format
  Strings variables;
  std::map<std::string, Content> contents;
};

const std::vector<Blocked>& blocked_programs() {
  static const std::vector<Blocked> list = {
      {"forward solve",
       "tensor L(n,n){}\ntensor b(n)\ntensor x(n)\nx(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n",
       {"i", "j"},
       {{"L", Content::lower}}},
      {"backward solve",
       "tensor U(n,n){}\ntensor b(n)\ntensor x(n)\nx(i) = (b(i) - sum[j](U(i,j) * x(j))) / U(i,i) : j > i\n",
       {"i", "j"},
       {{"U", Content::upper}}},
      {"Cholesky",
       "tensor A(n,n){0}\ntensor L(n,n){0}\n"
       "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
       "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i\n",
       {"i", "j", "k"},
       {{"A", Content::spd}}},
      {"LU",
       "tensor A(n,n){0}\ntensor L(n,n){0}\ntensor U(n,n){0}\n"
       "U(i,j) = A(i,j) - sum[k](L(i,k) * U(k,j)) : k < i, i <= j\n"
       "L(i,j) = (A(i,j) - sum[k](L(i,k) * U(k,j))) / U(j,j) : k < j, j < i\nL(i,i) = 1\n",
       {"i", "j", "k"},
       {{"A", Content::dominant}}},
  };
  return list;
}

// `tile` commands for the variables of which the bits say so, and every order of all loops.
std::vector<std::string> schedules_of(const Strings& variables, unsigned in_blocks) {
  std::string tiles;
  Strings loops = variables;
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (in_blocks >> v & 1U) {
      tiles += fmt::format("tile {} by {}; ", variables[v], 2 + v);
      loops.push_back(variables[v] + "_tile");
    }
  std::vector<std::string> list;
  std::sort(loops.begin(), loops.end());
  do {
    const auto place = [&](const std::string& name) { return std::find(loops.begin(), loops.end(), name); };
    if (std::all_of(variables.begin(), variables.end(), [&](const std::string& v) {
          return place(v + "_tile") == loops.end() || place(v + "_tile") < place(v);
        }))
      list.push_back(fmt::format("schedule s {{ {}order {} }}\n", tiles, fmt::join(loops, ", ")));
  } while (std::next_permutation(loops.begin(), loops.end()));
  return list;
}

Verdict judge_blocks(const Blocked& program, const std::string& text) {
  Contest contest(text, {"-O0"});
  if (contest.start().kind != Verdict::Kind::agrees) return contest.start();
  for (const std::int64_t n : {0, 1, 2, 5, 7, 12}) {
    const SizeValues sizes{{"n", n}};
    Verdict verdict =
        contest.run(sizes, some_inputs(contest.program(), sizes, program.contents, 7 + static_cast<std::uint64_t>(n)));
    if (verdict.kind != Verdict::Kind::agrees) {
      verdict.what = fmt::format("{}n = {}\n{}", text, n, verdict.what);
      return verdict;
    }
  }
  return {};
}

TEST(CBlocks, EveryOrderIsLegalAndAgrees) {
  const std::size_t step = nightly() ? 1 : 29;
  std::size_t number = 0;
  int failures = 0;
  for (const Blocked& program : blocked_programs())
    for (const char* format : {"", ": csr", ": csc"}) {
      int agree = 0;
      for (unsigned in_blocks = 1; in_blocks < 1U << program.variables.size(); ++in_blocks)
        for (const std::string& schedule : schedules_of(program.variables, in_blocks)) {
          if (number++ % step != 0) continue;
          const std::string text = fmt::format(fmt::runtime(program.text), format) + schedule;
          const Verdict verdict = isolated([&] { return judge_blocks(program, text); }, 60);
          if (verdict.kind == Verdict::Kind::agrees && ++agree) continue;
          ADD_FAILURE() << program.name << format << "\n" << text << name_of(verdict.kind) << " " << verdict.what;
          if (++failures == 5) FAIL() << "and so on";
        }
      if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS"))
        fmt::print("{}{}: {} agree\n", program.name, format, agree);
    }
}

} // namespace
} // namespace cyclotron::fuzz
