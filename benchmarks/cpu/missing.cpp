// SPDX-License-Identifier: MIT
// Suites whose rival was not there when this was built: a row that says so.
#include "suites.hpp"

namespace cyclotron::bench {

namespace {

[[maybe_unused]] void say(Bench& bench, const std::string& group, const std::string& rival) {
  Row row{group, "", rival};
  row.state = Row::State::unavailable;
  row.remark = "the library was not there when this was built";
  if (bench.wants(group)) bench.add(row);
}

} // namespace

#ifdef CYCLOTRON_BENCH_NO_CXSPARSE
void solves(Bench& bench) { say(bench, "triangular solve", "CXSparse"); }
void cholesky(Bench& bench) { say(bench, "Cholesky", "CXSparse"); }
#endif
#ifdef CYCLOTRON_BENCH_NO_BOOST
void floyd_warshall(Bench& bench) { say(bench, "Floyd-Warshall", "Boost"); }
#endif
#ifdef CYCLOTRON_BENCH_NO_PARASAIL
void needleman_wunsch(Bench& bench) { say(bench, "Needleman-Wunsch", "Parasail"); }
#endif

} // namespace cyclotron::bench
