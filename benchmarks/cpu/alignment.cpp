// SPDX-License-Identifier: MIT
// Global alignment beside Parasail: the whole table, and the score alone.
#include "lane_program.hpp"
#include "plain.hpp"
#include "program.hpp"
#include "sparse.hpp"
#include "suites.hpp"

#include <parasail.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace cyclotron::bench {

namespace {

struct Function {
  const char* name;
  parasail_function_t* function;
};

// 16 bits are too few for the scores of long sequences; Parasail says so, and then that variant is left out.
const std::vector<Function> table_functions{
    {"nw_table_striped_avx2_256_32", parasail_nw_table_striped_avx2_256_32},
    {"nw_table_striped_avx2_256_16", parasail_nw_table_striped_avx2_256_16},
    {"nw_table_diag_avx2_256_32", parasail_nw_table_diag_avx2_256_32},
    {"nw_table_diag_avx2_256_16", parasail_nw_table_diag_avx2_256_16},
    {"nw_table_scan_avx2_256_32", parasail_nw_table_scan_avx2_256_32},
    {"nw_table_scan_avx2_256_16", parasail_nw_table_scan_avx2_256_16},
    {"nw_table_striped_sse41_128_32", parasail_nw_table_striped_sse41_128_32},
    {"nw_table_diag_sse41_128_32", parasail_nw_table_diag_sse41_128_32},
    {"nw_table_scan_sse41_128_32", parasail_nw_table_scan_sse41_128_32},
    {"nw_table", parasail_nw_table},
    {"nw_table_scan", parasail_nw_table_scan},
};
const std::vector<Function> score_functions{
    {"nw_striped_avx2_256_32", parasail_nw_striped_avx2_256_32},
    {"nw_scan_avx2_256_32", parasail_nw_scan_avx2_256_32},
    {"nw_diag_avx2_256_32", parasail_nw_diag_avx2_256_32},
};
const std::vector<Function> narrow_score_functions{
    {"nw_striped_avx2_256_16", parasail_nw_striped_avx2_256_16},
    {"nw_scan_avx2_256_16", parasail_nw_scan_avx2_256_16},
    {"nw_diag_avx2_256_16", parasail_nw_diag_avx2_256_16},
};

struct Sequences {
  std::string a, b;
  Indices a_codes, b_codes;

  explicit Sequences(std::size_t n) {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < n; ++i) {
      a += "ACGT"[random() % 4];
      b += random() % 5 ? a.back() : "ACGT"[random() % 4]; // alike in four of five letters
    }
    a_codes.assign(a.begin(), a.end());
    b_codes.assign(b.begin(), b.end());
  }
};

struct FreeResult {
  void operator()(parasail_result_t* r) const { parasail_result_free(r); }
};
using Result = std::unique_ptr<parasail_result_t, FreeResult>;
using Matrix = std::unique_ptr<parasail_matrix_t, decltype(&parasail_matrix_free)>;

// Gaps open and extend at 1: linear, as in our program.
Result aligned(const Function& f, const Sequences& s, const Matrix& scores) {
  return Result(f.function(s.a.data(), static_cast<int>(s.a.size()), s.b.data(), static_cast<int>(s.b.size()), 1, 1,
                           scores.get()));
}

// Those of `list` that do not saturate, the fastest first.
std::vector<Function> ranked(const std::vector<Function>& list, const Sequences& s, const Matrix& scores) {
  std::vector<std::pair<double, Function>> times;
  for (const Function& f : list) {
    bool valid = true;
    double least = INFINITY;
    for (int round = 0; round < 2; ++round)
      least = std::min(least, seconds_of({[&] {
                         const Result r = aligned(f, s, scores);
                         valid &= r && !parasail_result_is_saturated(r.get());
                       }}));
    if (valid) times.emplace_back(least, f);
  }
  std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Function> best;
  for (const auto& [seconds, f] : times) best.push_back(f);
  return best;
}

// The best of all on short sequences, then the best of the first three on these.
Function fastest(const std::vector<Function>& all, const Sequences& s, const Matrix& scores) {
  std::vector<Function> few = ranked(all, Sequences(3000), scores);
  few.resize(std::min(few.size(), std::size_t{3}));
  few.push_back(all.front()); // of tables, 32 bits wide
  few = ranked(few, s, scores);
  if (few.empty()) throw Unavailable("no variant of Parasail is wide enough");
  return few.front();
}

void whole_table(Bench& bench, std::size_t n, const Matrix& scores) {
  const Row row{"Needleman-Wunsch, table", fmt::format("{} letters", n), "Parasail, its fastest table", 2};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    Sequences s(n);
    const std::int64_t size = static_cast<std::int64_t>(n);
    Indices table((n + 1) * (n + 1));
    const Function rival = fastest(table_functions, s, scores);
    Result result;
    const auto same = [&]() -> Difference { // Parasail's table is without the border, n x n
      const int* theirs = parasail_result_get_score_table(result.get());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (theirs[i * n + j] != table[(i + 1) * (n + 1) + j + 1])
            return fmt::format("the tables differ at {}, {}", i, j);
      return std::nullopt;
    };
    for (const char* schedule : {"rows", "diagonals"}) {
      const Program program(bench, "needleman_wunsch", schedule);
      Row mine = row;
      mine.group += std::string(", ") + schedule;
      if (schedule == std::string("diagonals") && same_code(program, Program(bench, "needleman_wunsch", "rows"))) {
        mine.state = Row::State::pending;
        mine.remark = "`wavefront` changes nothing yet";
        bench.add(mine);
        continue;
      }
      const Views views{{"a", view_of(s.a_codes)}, {"b", view_of(s.b_codes)}, {"H", view_of(table)}};
      const Side ours{[&] { program.call({{"m", size}, {"n", size}}, views); }};
      mine.rival = fmt::format("Parasail {}", rival.name);
      bench.compare(mine, ours, {[&] { result = aligned(rival, s, scores); }, [&] { result.reset(); }}, same);
      result.reset();
      Indices expected(table.size());
      mine.rival = "plain C";
      mine.goal = 0;
      bench.compare(mine, ours,
                    {[&] { plain_needleman_wunsch(size, size, s.a_codes.data(), s.b_codes.data(), expected.data()); }},
                    [&]() -> Difference { return table == expected ? std::nullopt : Difference("the tables differ"); });
    }
  });
}

Difference differs(std::int64_t score, const Result& rival) {
  const int theirs = parasail_result_get_score(rival.get());
  if (score == theirs) return std::nullopt;
  return fmt::format("score {} instead of {}", score, theirs);
}

void score_alone(Bench& bench, std::size_t n, const Matrix& scores) {
  Row row{"Needleman-Wunsch, score", fmt::format("{} letters", n), "Parasail, its fastest 32-bit score", 1};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    Sequences s(n);
    const std::int64_t size = static_cast<std::int64_t>(n);
    const std::set<std::string> unwanted{"H"};
    const Program program(bench, "needleman_wunsch_score", "diagonals", unwanted);
    if (same_code(program, Program(bench, "needleman_wunsch_score", "rows", unwanted))) {
      row.state = Row::State::pending;
      row.remark = "`wavefront` changes nothing yet";
      return bench.add(row);
    }
    const Function rival = fastest(score_functions, s, scores);
    row.rival = fmt::format("Parasail {}", rival.name);
    Indices score(1);
    Result result;
    const Views views{{"a", view_of(s.a_codes)}, {"b", view_of(s.b_codes)}, {"score", view_of(score)}};
    bench.compare(row, {[&] {
                    program.call({{"m", size}, {"n", size}}, views);
                  }},
                  {[&] { result = aligned(rival, s, scores); }}, [&] { return differs(score[0], result); });
  });
}

tensor::Tensor tensor_of(const Indices& codes) {
  const auto size = static_cast<std::int64_t>(codes.size());
  return {{size}, tensor::dense_format(1), {{tensor::LevelKind::dense, size, {}, {}, {}}}, codes};
}

// In the lanes of vectors. A kernel takes 16 bits where it knows that all numbers fit; with large numbers for letters,
// they do not.
void score_in_lanes(Bench& bench, std::size_t n, const Matrix& scores, bool narrow) {
  Row row{fmt::format("alignment score in lanes, {} bits", narrow ? 16 : 32), fmt::format("{} letters", n),
          "Parasail, its fastest score", narrow ? 1.0 : 1.2};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    Sequences s(n);
    const std::int64_t size = static_cast<std::int64_t>(n);
    for (Indices* codes : {&s.a_codes, &s.b_codes})
      for (std::int32_t& letter : *codes) letter += narrow ? 0 : 100'000;
    const recurrence::Bindings bindings{{{"m", size}, {"n", size}},
                                        {{"a", tensor_of(s.a_codes)}, {"b", tensor_of(s.b_codes)}}};
    LaneProgram program(bench.options().programs + "/needleman_wunsch_score.cyc", "lanes", bindings, {"H"});
    if (program.narrow() != narrow) throw Unavailable("the kernel has another number of bits");
    const Function rival = fastest(narrow ? narrow_score_functions : score_functions, s, scores);
    row.rival = fmt::format("Parasail {}", rival.name);
    std::vector<std::int16_t> a(s.a.begin(), s.a.end()), b(s.b.begin(), s.b.end());
    Indices score(1);
    Result result;
    const auto run = narrow ? program.on({{"a", a.data()}, {"b", b.data()}, {"score", score.data()}})
                            : program.on({{"a", s.a_codes.data()}, {"b", s.b_codes.data()}, {"score", score.data()}});
    bench.compare(row, {run}, {[&] { result = aligned(rival, s, scores); }}, [&] { return differs(score[0], result); });
  });
}

} // namespace

void needleman_wunsch(Bench& bench) {
  const Matrix scores(parasail_matrix_create("ACGT", 1, -1), parasail_matrix_free);
  for (const std::size_t n : {std::size_t{5000}, std::size_t{20000}}) {
    if (bench.quick() && n > 5000) continue;
    whole_table(bench, n, scores);
    score_alone(bench, n, scores);
    score_in_lanes(bench, n, scores, false);
    if (n == 5000) score_in_lanes(bench, n, scores, true); // the scores of 20,000 letters need more bits
  }
}

} // namespace cyclotron::bench
