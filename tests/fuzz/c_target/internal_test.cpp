// SPDX-License-Identifier: MIT
// Programs whose last output alone is wanted, so that the others are kept only as far as they are read: each in several
// schedules, at several sizes.
#include "judge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

struct InternalCase {
  const char* name;
  const char* text;
  std::vector<const char*> schedules;
  bool folded = true; // less than the whole of some internal tensor is in memory
};

const std::vector<InternalCase>& internal_cases() {
  static const std::vector<InternalCase> list = {
      {"the last element of a table",
       "tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1,n+1): i32\ntensor s: i32\n"
       "H(i,0) = -2 * i\nH(0,j) = -2 * j : j >= 1\n"
       "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 3, -1), H(i-1,j) - 2, H(i,j-1) - 2) : i >= 1, j >= 1\n"
       "s = H(m,n)\n",
       {"", "order i, j\n", "order j, i\n", "order i, j\nwavefront i, j\n", "order j, i\nwavefront i, j\n",
        "order i, j\nwavefront i, j\nparallel i\n"}},
      {"the greatest of all, from borders of zeros",
       "tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1,n+1): i32\ntensor best: i32\n"
       "H(i,0) = 0\nH(0,j) = 0 : j >= 1\n"
       "H(i,j) = max(0, H(i-1,j-1) + select(a(i-1) == b(j-1), 3, -1), H(i-1,j) - 2, H(i,j-1) - 2) : i >= 1, j >= 1\n"
       "best = max[i,j](H(i,j))\n",
       {"", "order i, j\n", "order i, j\nwavefront i, j\n", "order j, i\nwavefront j, i\n"}},
      {"three tables that need each other",
       "tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1,n+1): i32\ntensor E(m+1,n+1): i32\ntensor F(m+1,n+1): i32\n"
       "tensor last(n+1): i32\n"
       "E(i,0) = -5 - i\nE(0,j) = -5 - j : j >= 1\nF(i,0) = -5 - i\nF(0,j) = -5 - j : j >= 1\n"
       "H(i,0) = -i\nH(0,j) = -j : j >= 1\n"
       "E(i,j) = max(E(i,j-1) - 1, H(i,j-1) - 4) : i >= 1, j >= 1\n"
       "F(i,j) = max(F(i-1,j) - 1, H(i-1,j) - 4) : i >= 1, j >= 1\n"
       "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 3, -1), E(i,j), F(i,j)) : i >= 1, j >= 1\n"
       "last(j) = H(m,j)\n",
       {"", "order i, j\n", "order j, i\nwavefront i, j\n", "order i, j\nwavefront i, j\nparallel i\n",
        "order i, j\nwavefront i, j\n"}},
      {"falling along both",
       "tensor a(m,n)\ntensor H(m+1,n+1)\ntensor s\n"
       "H(m,j) = 1\nH(i,n) = 2 : i < m\n"
       "H(i,j) = a(i,j) + H(i+1,j) / 2 - H(i+1,j+1) / 4 + H(i,j+1) / 8 : i < m, j < n\n"
       "s = sum[i](H(i,0))\n",
       {"", "order i, j\n", "order j, i\n", "order i, j\nwavefront i, j\n"}},
      {"rising along one, falling along the other",
       "tensor a(m,n)\ntensor H(m+1,n+1)\ntensor s(m)\n"
       "H(0,j) = 1\nH(i,n) = 2 : i >= 1\n"
       "H(i,j) = a(i-1,j) + H(i-1,j) / 2 - H(i,j+1) / 4 : i >= 1, j < n\n"
       "s(i) = H(i,0)\n",
       {"", "order i, j\n", "order i, j\nwavefront i, j\n"}},
      {"many tables at a time",
       "tensor a(k,m)\ntensor H(k,m+1,m+1)\ntensor s(k)\n"
       "H(c,i,0) = i\nH(c,0,j) = j : j >= 1\n"
       "H(c,i,j) = min(H(c,i-1,j), H(c,i,j-1)) + a(c,i-1) : i >= 1, j >= 1\n"
       "s(c) = max[j](H(c,m,j))\n",
       {"", "order c, i, j\n", "order c, i, j\nparallel c\n", "order c, i, j\nwavefront i, j\n",
        "order c, i, j\nwavefront i, j\nparallel c\n"}},
      {"two steps back, undefined elements are zero",
       "tensor a(m,n)\ntensor H(m,n)\ntensor s(m,n)\n"
       "H(i,j) = a(i,j) + H(i-2,j) / 2 : i >= 2, j >= 1\n"
       "s(i,j) = H(i,j) + 1\n",
       {"", "order i, j\n"},
       false},
      {"what is made in a row is used in it",
       "tensor a(m,n)\ntensor H(m,n)\ntensor s(m,n)\n"
       "H(i,j) = exp(a(i,j))\n"
       "s(i,j) = H(i,j) / sum[k](H(i,k))\n",
       {"", "order i, j, k\n", "order i, k, j\n", "order i, j, k\nparallel i\n"}},
  };
  return list;
}

Trial trial_of(const InternalCase& c, const std::string& commands) {
  Trial trial;
  trial.text = c.text + (commands.empty() ? "" : "schedule s {\n" + commands + "}\n");
  trial.last_only = true;
  trial.rounds = 12;
  trial.flags = {"-O3"};
  return trial;
}

TEST(CTarget, KeepsWhatIsRead) {
  setenv("OMP_NUM_THREADS", "3", 1);
  for (const InternalCase& c : internal_cases())
    for (const char* commands : c.schedules) {
      Trial trial = trial_of(c, commands);
      trial.seed = 5;
      const Verdict verdict = judge_isolated(trial, 60);
      EXPECT_EQ(verdict.kind, Verdict::Kind::agrees) << c.name << "\n" << commands << verdict.what;
    }
}

// The other outputs are no arguments, and with a schedule not in memory as a whole.
TEST(CTarget, KeepsNoMore) {
  for (const InternalCase& c : internal_cases()) {
    const Trial trial = trial_of(c, c.schedules.back());
    Contest contest(trial.text, trial.flags, false, true);
    ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << contest.start().what;
    const std::string source = contest.source();
    for (const recurrence::TensorDecl* t : contest.program().outputs()) {
      if (t == contest.program().outputs().back()) continue;
      EXPECT_EQ(source.find(fmt::format("restrict {}_vals", t->name.name)), std::string::npos) << source;
      const std::string memory = fmt::format(" *{}_vals = calloc(", t->name.name);
      ASSERT_NE(source.find(memory), std::string::npos) << source;
      const std::string line = source.substr(source.find(memory), 200);
      const bool part = line.substr(0, line.find('\n')).ends_with("what is still read of " + t->name.name);
      EXPECT_EQ(part, c.folded) << c.name << "\n" << source;
    }
  }
}

// Numbers that do not fit into bytes are computed with all the same.
TEST(CTarget, BytesAreOnlyATry) {
  const InternalCase& c = internal_cases()[0];
  Trial trial = trial_of(c, "order i, j\nwavefront i, j\n");
  Contest contest(trial.text, trial.flags, false, true);
  ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << contest.start().what;
  ASSERT_NE(contest.source().find("a_bytes"), std::string::npos);
  for (const std::int32_t far : {1, 127, 128, -129, 1 << 30, -(1 << 30) - 1}) {
    Tensors inputs;
    for (const char* name : {"a", "b"}) {
      tensor::Entries entries;
      entries.dims = {5};
      entries.coordinates = {{0, 1, 2, 3, 4}};
      entries.values = std::vector<std::int32_t>{3, far, 7, far + (name[0] == 'a' ? 256 : 0), 1};
      const Sources no_sources;
      Diagnostics diagnostics(no_sources);
      inputs.emplace(name, *tensor::pack(std::move(entries), tensor::dense_format(1), diagnostics));
    }
    const Verdict verdict = contest.run({{"m", 5}, {"n", 5}}, inputs);
    EXPECT_EQ(verdict.kind, Verdict::Kind::agrees) << far << verdict.what;
  }
}

} // namespace
} // namespace cyclotron::fuzz
