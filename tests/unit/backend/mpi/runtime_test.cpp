// SPDX-License-Identifier: MIT
// Programs of arrays on several ranks beside the simulator: the values, and every message from PE to PE and from rank
// to rank against what was planned.
#include "array_cases.hpp"
#include "backend/mpi/data/words.hpp"
#include "backend/mpi/job.hpp"
#include "pe/file.hpp"
#include "where_it_hangs.hpp"
#include "world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cyclotron::mpi {
namespace {

// A sample: the more ranks, which share few cores here, the fewer programs. All of them with CYCLOTRON_NIGHTLY=1.
std::size_t stride() { return std::getenv("CYCLOTRON_NIGHTLY") ? 1 : 3 + static_cast<std::size_t>(world_size()); }

const std::vector<ArrayCase>& all_cases() {
  static const std::vector<ArrayCase> made = [] {
    const NamedWhenItHangs name("compiling", 500);
    return array_cases({"tests/unit/driver/arrays", "examples"}, stride());
  }();
  return made;
}

// In a tile all is floating-point.
Word as_part(Word word, const pe::Memory& memory) {
  return pe::is_tiled(memory) && !tensor::is_float(memory.type) ? word_of(static_cast<double>(word.whole)) : word;
}

// f(number of the part in the plan, element in it, element in the tensor)
template <class F> void each_element(const Job& job, bool of_outputs, F&& f) {
  const auto& parts = job.plan().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const pe::Memory& memory = job.program().tensors[static_cast<std::size_t>(parts[p].tensor)];
    if (memory.is_output != of_outputs) continue;
    const pe::PartBox box = pe::box_of(memory, parts[p].part);
    std::int64_t elements = 1;
    for (std::int64_t c : box.count) elements *= c;
    for (std::int64_t e = 0; e < elements; ++e) {
      const std::vector<std::int64_t> at = coordinates_in({box.first, box.count}, e);
      std::int64_t position = 0;
      for (std::size_t d = 0; d < at.size(); ++d) position = position * memory.dims[d] + at[d];
      f(static_cast<int>(p), e, parts[p].tensor, position);
    }
  }
}

Word& element_of(const Job& job, Rank& rank, int part, std::int64_t element) {
  const int tensor = job.plan().parts[static_cast<std::size_t>(part)].tensor;
  if (!pe::is_tiled(job.program().tensors[static_cast<std::size_t>(tensor)])) return rank.part_word(part);
  return reinterpret_cast<Word*>(rank.part_tile(part)->values())[element];
}

Word word_in(const ArrayCase& one, int tensor, std::int64_t position) {
  return one.tensors[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(position)];
}

void fill(const Job& job, Rank& rank, const ArrayCase& one) {
  each_element(job, false, [&](int part, std::int64_t e, int tensor, std::int64_t position) {
    const pe::Memory& memory = job.program().tensors[static_cast<std::size_t>(tensor)];
    element_of(job, rank, part, e) = as_part(word_in(one, tensor, position), memory);
  });
}

bool is_close(Word found, Word expected, bool is_real, double allowed) {
  if (!is_real) return found.whole == expected.whole;
  if (std::isnan(expected.real)) return std::isnan(found.real);
  if (found.real == expected.real) return true; // infinite too
  return std::abs(found.real - expected.real) <= allowed * std::max(1.0, std::abs(expected.real));
}

// What this rank has of the results is right; how many elements that are.
std::int64_t expect_results(const Job& job, Rank& rank, const ArrayCase& one) {
  const auto& tensors = job.program().tensors;
  const bool rounds =
      std::any_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.type == tensor::ValueType::f32; });
  std::int64_t elements = 0;
  int wrong = 0;
  each_element(job, true, [&](int part, std::int64_t e, int tensor, std::int64_t position) {
    ++elements;
    const pe::Memory& memory = tensors[static_cast<std::size_t>(tensor)];
    const bool stored = !pe::is_tiled(memory) || rank.part_tile(part); // else it is zero
    const Word found = stored ? element_of(job, rank, part, e) : Word{.whole = 0};
    const Word expected = as_part(word_in(one, tensor, position), memory);
    const bool is_real = pe::is_tiled(memory) || tensor::is_float(memory.type);
    if (is_close(found, expected, is_real, rounds ? 1e-5 : 1e-9) || ++wrong > 3) return;
    ADD_FAILURE() << "element " << position << " of " << memory.name << " is "
                  << (is_real ? found.real : static_cast<double>(found.whole)) << ", not "
                  << (is_real ? expected.real : static_cast<double>(expected.whole));
  });
  return elements;
}

// That its parts have, as they are now.
std::int64_t bytes_kept(const Job& job, Rank& rank) {
  std::int64_t bytes = 0;
  for (std::size_t p = 0; p < job.plan().parts.size(); ++p) {
    const pe::Memory& memory = job.program().tensors[static_cast<std::size_t>(job.plan().parts[p].tensor)];
    const bool has_tile = pe::is_tiled(memory) && rank.part_tile(static_cast<int>(p));
    const std::int64_t numbers = !pe::is_tiled(memory) ? 1
                                 : has_tile            ? rank.part_tile(static_cast<int>(p))->numbers()
                                                       : 0;
    bytes += numbers * tensor::size_of(memory.type);
  }
  return bytes;
}

template <std::size_t N> std::array<std::uint64_t, N> sum_over_ranks(std::array<std::uint64_t, N> own) {
  MPI_Allreduce(MPI_IN_PLACE, own.data(), N, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return own;
}

void expect_counts(const Job& job, const Profile& profile, const ArrayCase& one) {
  const pe::RankPlan& plan = job.plan();
  EXPECT_EQ(profile.rank_messages, plan.messages_out);
  EXPECT_EQ(profile.rank_bytes, plan.bytes_out);
  const auto [pe_messages, pe_bytes, out, bytes_out, in, bytes_in] = sum_over_ranks<6>(
      {profile.pe_messages, profile.pe_bytes, plan.messages_out, plan.bytes_out, plan.messages_in, plan.bytes_in});
  if (world_rank() != 0) return;
  EXPECT_EQ(job.trace().messages, one.messages) << "from PE to PE: followed, simulated";
  EXPECT_EQ(job.trace().bytes, one.bytes) << "from PE to PE: followed, simulated";
  EXPECT_EQ(pe_messages, one.messages) << "from PE to PE: run, simulated";
  EXPECT_EQ(pe_bytes, one.bytes) << "from PE to PE: run, simulated";
  EXPECT_EQ(out, in);
  EXPECT_EQ(bytes_out, bytes_in);
}

std::uint64_t elements_of_results(const pe::Program& program) {
  std::uint64_t count = 0;
  for (const pe::Memory& m : program.tensors) {
    std::uint64_t elements = m.is_output ? 1 : 0;
    for (std::int64_t d : m.dims) elements *= static_cast<std::uint64_t>(d);
    count += elements;
  }
  return count;
}

// Twice, the second time with the inputs of the first. False where it could not run.
bool run_case(const ArrayCase& one, Context& context, std::optional<pe::Spread> spread) {
  Report report;
  const auto program = pe::parse(report.sources.add("a.pe", one.text), report.diagnostics);
  if (!program) {
    ADD_FAILURE() << report.text();
    return true;
  }
  Job job(*program, context, spread);
  EXPECT_EQ(job.problem(), "");
  if (!job.problem().empty()) return true;
  std::unique_ptr<Rank> rank = job.start();
  fill(job, *rank, one);
  for (int repeat = 0; repeat < 2; ++repeat) {
    if (repeat > 0) rank = job.start(rank.get());
    const std::string problem = rank->run();
    EXPECT_EQ(problem, "");
    if (!problem.empty()) return false;
    const auto elements = static_cast<std::uint64_t>(expect_results(job, *rank, one));
    EXPECT_EQ(sum_over_ranks<1>({elements})[0], elements_of_results(*program)) << "elements that some rank has";
    expect_counts(job, rank->profile(), one);
    EXPECT_LE(bytes_kept(job, *rank), job.plan().kept_bytes);
  }
  return true;
}

// The spread that is chosen, and the two that can be asked for, in turn.
void run_all(Transport transport) {
  const std::array<std::optional<pe::Spread>, 3> spreads = {std::nullopt, pe::Spread::block, pe::Spread::cyclic};
  const std::vector<ArrayCase>& cases = all_cases();
  EXPECT_GE(cases.size() * stride(), 100U);
  std::optional<Context> context;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    SCOPED_TRACE(cases[c].name);
    const NamedWhenItHangs name(cases[c].name, 30);
    EXPECT_EQ(cases[c].problem, "");
    if (!cases[c].problem.empty()) continue;
    if (!context) context.emplace(MPI_COMM_WORLD, transport);
    if (!run_case(cases[c], *context, spreads[c % spreads.size()])) context.reset(); // one that rang is used up
  }
}

TEST(Runtime, AgreesWithTheSimulatorInSharedMemory) { run_all(Transport::shared); }

TEST(Runtime, AgreesWithTheSimulatorByMessages) { run_all(Transport::messages); }

// The last of three PEs fails, while ranks without work wait for the end.
TEST(Runtime, AllRanksTellOfAFailure) {
  const NamedWhenItHangs name("a run that fails", 30);
  const std::string text =
      pe::sealed("program \"p\"\naxis i = 0 .. 2\ntensor a(1): f64 input\ntensor c(1): f64 output\nregister x: f64\n"
                 "channel on: f64 [i]_x -> [i+1]_x\n"
                 "role first at i == 0\n  step s\n    [i]_x <- a(0)  load\n    [i]_x -> [i+1]_x\n"
                 "role middle at i == 1\n  step s\n    [i]_x <- [i-1]_x\n    [i]_x <- [i]_x - 2.0\n"
                 "    [i]_x -> [i+1]_x\n"
                 "role last at i == 2\n  step root(i)\n    [i]_x <- [i-1]_x\n    [i]_x <- sqrt([i]_x)\n"
                 "    c(0) <- [i]_x\n");
  Report report;
  const auto program = pe::parse(report.sources.add("a.pe", text), report.diagnostics);
  ASSERT_TRUE(program) << report.text();
  for (const Transport transport : {Transport::shared, Transport::messages}) {
    const auto words_with = [&](double value) { // in a context of its own: one that rang is used up
      Context context(MPI_COMM_WORLD, transport);
      Job job(*program, context);
      const std::unique_ptr<Rank> rank = job.start();
      fill(job, *rank, {"", "", {{word_of(value)}, {}}, 0, 0, ""});
      const std::string words = rank->run();
      if (words.empty()) return words;
      EXPECT_EQ(words, from_rank(0, words));
      const int failed = job.placement().rank_of[2];
      const std::string where = fmt::format("\n  on rank {}, PE [2], in step root(i = 2), instruction ", failed);
      EXPECT_NE(words.find("takes the square root of a negative number" + where), std::string::npos) << words;
      return words;
    };
    EXPECT_NE(words_with(1), "");
    EXPECT_EQ(words_with(3), "");
  }
}

} // namespace
} // namespace cyclotron::mpi
