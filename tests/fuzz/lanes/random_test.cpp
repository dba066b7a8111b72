// SPDX-License-Identifier: MIT
// Examples and random programs in the lanes of vectors: each is refused with an error, or agrees with the interpreter.
#include "driver/bind.hpp"
#include "driver/pipelines.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/lanes_agreement.hpp"
#include "fuzz/mapped_program.hpp"
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"
#include "fuzz/repository.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>

namespace cyclotron::fuzz {
namespace {

LaneShape random_shape(std::mt19937_64& draw) {
  LaneShape shape;
  shape.lanes = std::int64_t{1} << draw() % 4;
  shape.per_lane = static_cast<std::int64_t>(draw() % 4);
  if (draw() % 3 == 0) shape.layout = lanes::Layout::neighbours;
  shape.machine = static_cast<RunsOn>(draw() % 3);
  return shape;
}

std::string pick(const std::vector<std::string>& list, std::mt19937_64& draw) { return list[draw() % list.size()]; }

// An axis, or a map of all indices to an axis and steps; and how inputs travel.
std::string random_schedule(const std::vector<std::string>& indices, const recurrence::Program& program,
                            std::mt19937_64& draw) {
  std::vector<std::string> lines, order = indices;
  std::shuffle(order.begin(), order.end(), draw);
  if (order.empty() || draw() % 4 == 0) return "";
  std::string axis = order[0];
  if (order.size() > 1 && draw() % 3 == 0) {
    std::string matrix;
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t c = 0; c < 2; ++c)
        matrix += fmt::format("{}{}", row == 1 && c == 0 ? "; " : c > 0 ? " " : "", static_cast<int>(draw() % 4) - 1);
    lines.push_back(fmt::format("spacetime ({}, {}) -> (ax, st) = [{}]", order[0], order[1], matrix));
    axis = "ax";
  } else {
    lines.push_back("space " + axis);
    if (order.size() > 1 && draw() % 2 == 0)
      lines.push_back(fmt::format("time {}", fmt::join(order.begin() + 1, order.end(), ", ")));
  }
  for (const recurrence::TensorDecl* t : program.inputs())
    if (draw() % 4 == 0)
      lines.push_back(
          fmt::format("{} {} along {}", draw() % 2 ? "stream" : "broadcast", t->name.name, pick(indices, draw)));
    else if (draw() % 12 == 0) lines.push_back(fmt::format("place {} in registers", t->name.name));
  return fmt::format("\nschedule random {{\n  {}\n}}\n", fmt::join(lines, "\n  "));
}

// `agrees`, `refused` or what is wrong.
std::string try_at_sizes(const std::string& text, std::uint64_t seed, std::mt19937_64& draw,
                         const std::function<SizeValues(const OnArray&, int round)>& sizes_of) {
  const OnArray program(text);
  if (!program.accepted()) return "refused";
  bool refused = false;
  for (int round = 0; round < 2; ++round) {
    const SizeValues sizes = sizes_of(program, round);
    const LaneShape shape = random_shape(draw);
    const schedule::Schedule* schedule = program.schedules().empty() ? nullptr : &program.schedules()[0];
    const LanesOutcome outcome =
        run_in_lanes(program.checked(), schedule, sizes, program.inputs(sizes, seed), shape, program.sources());
    refused |= outcome.kind == LanesOutcome::Kind::refused;
    if (std::getenv("CYCLOTRON_SHOW_REFUSED") && refused) return text + outcome.text;
    if (outcome.kind != LanesOutcome::Kind::differs) continue;
    std::string at;
    for (const auto& [name, value] : sizes) at += fmt::format(" {}={}", name, value);
    return fmt::format("{}at{}, {} lanes of {}, seed {}: {}", text, at, shape.lanes, shape.per_lane, seed,
                       outcome.text);
  }
  return refused ? "refused" : "agrees";
}

std::string try_in_lanes(const RandomProgram& random) {
  const OnArray alone(random.text);
  if (!alone.accepted()) return "refused";
  std::mt19937_64 draw(random.seed);
  const std::string text = random.text + random_schedule(alone.indices(), alone.program(), draw);
  return try_at_sizes(text, random.seed, draw, [&](const OnArray& program, int round) {
    return random_sizes(program.program(), random, round);
  });
}

// Sums and uniform recurrences on a map.
std::string try_map_in_lanes(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  return try_at_sizes(mapped_program(seed), seed, draw, [&](const OnArray& program, int) {
    SizeValues sizes;
    for (const recurrence::Binder& size : program.program().sizes)
      sizes[size.name] = std::array{1, 2, 3, 5, 7, 19}[draw() % 6];
    return sizes;
  });
}

// A weighted sum over elements of a tensor in some direction, in tiles: what a block reads of the tensor is shared, and
// what it reads of the weights is shared or in registers.
std::string placed_program(std::mt19937_64& draw) {
  const auto one_of = [&](const std::vector<std::string>& list) { return pick(list, draw); };
  const std::uint64_t weights = 1 + draw() % 4, high = 1 + draw() % 4, wide = 2 + draw() % 11;
  // A block has several rows, which takes long to be worked out, or several parts of one.
  const bool rows = draw() % 8 == 0;
  const std::string part = rows ? "ii" : "jp";
  std::vector<std::string> steps{part, "q"}, lines, blocks{rows ? "io" : "i", "jo"};
  std::shuffle(steps.begin(), steps.end(), draw);
  std::shuffle(blocks.begin(), blocks.end(), draw);
  lines.push_back(rows ? fmt::format("tile i by {} -> io, ii; tile j by {} -> jo, ji", high, wide)
                       : fmt::format("tile j by {}, {} -> jo, jp, ji", high, wide));
  lines.push_back(fmt::format("space ji; time {0}, {1}; blocks {0}", fmt::join(blocks, ", "), fmt::join(steps, ", ")));
  const bool threads = draw() % 2 == 0, unrolled = draw() % 2 == 0 && (threads || steps[1] == "q");
  if (threads) lines.push_back("threads " + part);
  if (unrolled) lines.emplace_back("unroll q");
  lines.emplace_back("place x in shared");
  if (draw() % 4 != 0) lines.push_back(fmt::format("place w in {}", unrolled ? "registers" : "shared"));
  const std::string type = one_of({"f32", "f64", "i32"});
  const std::string row = one_of({"i", "i+q", "2*i+q", "q", "m-1-i+q"});
  const std::string column = one_of({"j", "j+q", "2*j", "2*j+2*q", "n-1-j+q", "q"});
  return fmt::format("tensor x(2*m+8, 2*n+8): {0}\ntensor w({1}): {0}\ntensor z(m, n): {0}\n"
                     "z(i,j) = x({2},{3}) * w(q)\nschedule random {{\n  {4}\n}}\n",
                     type, weights, row, column, fmt::join(lines, "\n  "));
}

std::string try_placed(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  return try_at_sizes(placed_program(draw), seed, draw, [&](const OnArray&, int) {
    const auto size = [&] { return std::array{1, 2, 3, 5, 7, 19}[draw() % 6]; };
    return SizeValues{{"m", size()}, {"n", size()}};
  });
}

// Steps that are written out: a convolution on any small map, or an alignment by tiles of rows.
std::string unrolled_program(std::mt19937_64& draw) {
  const auto number = [&](int least, int most) {
    return least + static_cast<int>(draw() % static_cast<unsigned>(most - least + 1));
  };
  const int part = number(2, 6);
  if (draw() % 3 == 0)
    return fmt::format(
        "tensor a({0}): i32\ntensor b(n): i32\ntensor H({0}, n): i32\n"
        "H(i,j) = select(a(i) == b(j), 1, 0) : i == 0\n"
        "H(i,j) = H(i-1,j) : i >= 1, j == 0\n"
        "H(i,j) = max(H(i-1,j-1) + select(a(i) == b(j), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\n"
        "schedule random {{\n  tile i by {1} -> io, ii\n  spacetime (io, j) -> (s, t) = [1 0; 1 1]\n"
        "  time t, ii\n  unroll ii\n}}\n",
        part * number(1, 3), part);
  const int filter = number(1, 4);
  std::string lines =
      fmt::format("tile c by {} -> o, i\n  spacetime (i, q) -> (s, t) = [{} {}; {} {}]\n  time o, t\n  unroll t", part,
                  number(-1, 1), number(0, 1), number(-1, 2), number(-1, 2));
  if (draw() % 2) lines += "\n  threads o";
  for (const char* input : {"x", "w"})
    if (draw() % 2)
      lines += fmt::format("\n  {} {} along {}", draw() % 3 ? "stream" : "broadcast", input, draw() % 2 ? "s" : "t");
  return fmt::format("assume n >= {0}\ntensor x(n)\ntensor w({0})\ntensor z(n - {0} + 1)\nz(c) = x(c+q) * w(q)\n"
                     "schedule random {{\n  {1}\n}}\n",
                     filter, lines);
}

std::string try_unrolled(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  return try_at_sizes(unrolled_program(draw), seed, draw, [&](const OnArray&, int) {
    return SizeValues{{"n", std::array{4, 5, 7, 13, 31}[draw() % 5]}};
  });
}

// What became of the programs of one test; at night it says now and then how far it has come.
class Tally {
public:
  explicit Tally(std::string what) : what_(std::move(what)) {}

  void add(const std::string& result) {
    agree_ += result == "agrees";
    refused_ += result == "refused";
    if (nightly() && (agree_ + refused_) % 100 == 0) print();
  }
  int agree() const { return agree_; }

  void finish() const {
    testing::Test::RecordProperty("agree", agree_);
    testing::Test::RecordProperty("refused", refused_);
    if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) print();
  }

private:
  void print() const {
    std::printf("%s: %d agree, %d refused\n", what_.c_str(), agree_, refused_);
    std::fflush(stdout);
  }

  std::string what_;
  int agree_ = 0, refused_ = 0;
};

TEST(RandomLanes, AreRefusedOrAgreeWithTheInterpreter) {
  Tally tally("random programs");
  check_property(20, [&](const RandomProgram& random) {
    const Fate fate = run_isolated([&] { return try_in_lanes(random); }, 120);
    tally.add(fate.result);
    if (fate.result == "agrees" || fate.result == "refused") return;
    const std::string text = fmt::format("{}seed {}: {}\n", random.text, random.seed, fate.problem + fate.result);
    if (nightly()) std::puts(text.c_str()); // now: finding a smaller one may take the rest of the night
    RC_FAIL(text);
  });
  tally.finish();
  EXPECT_GT(tally.agree(), 4);
}

// One program for each seed; how many agree with the interpreter.
int agreeing(const char* what, int programs, const std::function<std::string(std::uint64_t seed)>& attempt) {
  Tally tally(what);
  const std::uint64_t first = nightly() ? std::random_device{}() : 1;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(programs); ++seed) {
    const Fate fate = run_isolated([&] { return attempt(seed); }, 120);
    EXPECT_EQ(fate.problem, "") << what << ", seed " << seed;
    tally.add(fate.result);
    if (fate.result != "agrees" && fate.result != "refused") ADD_FAILURE() << fate.result;
  }
  tally.finish();
  return tally.agree();
}

TEST(RandomMaps, AreRefusedOrAgreeWithTheInterpreter) {
  EXPECT_GT(agreeing("random maps", cases(40), try_map_in_lanes), 4);
}

TEST(RandomPlaces, AgreeWithTheInterpreter) {
  EXPECT_GE(agreeing("random places", cases(6), try_placed), cases(6) / 3);
}

TEST(RandomUnrolled, AreRefusedOrAgreeWithTheInterpreter) {
  EXPECT_GT(agreeing("random steps written out", cases(12), try_unrolled), 2);
}

// With no schedule at all. These are refused with a reason; every other example finds its lanes by itself.
const std::set<std::string> have_no_lanes{
    "bellman_ford", "catalan",      "conjugate_gradient",     "cyk", "flash_attention", "tiled_cholesky",
    "tiled_lu",     "tiled_matmul", "tiled_triangular_solve",
};

// Lanes of a number are interpreted; at night they are also compiled for registers, and for a GPU where there is one.
std::vector<LaneShape> shapes_of_examples() {
  std::vector<LaneShape> shapes{{8, 0, lanes::Layout::striped, RunsOn::interpreter}};
  if (nightly()) shapes.push_back({8, 0, lanes::Layout::striped, RunsOn::registers});
  if (on_real_gpu()) shapes.push_back({32, 0, lanes::Layout::neighbours, RunsOn::gpu});
  return shapes;
}

// `schedule`: its name; "": none.
std::string example_in_lanes(const StoredProgram& example, const std::string& schedule = "") {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto front_end = driver::run_front_end(sources.add(example.name, example.text), {}, diagnostics);
  if (!front_end.checked) return diagnostics.render(false);
  const frontend::Checked& checked = *front_end.checked;
  const auto inputs = driver::bind_inputs(checked.program(), {}, CYCLOTRON_ROOT "/examples", sources, diagnostics);
  if (!inputs) return diagnostics.render(false);
  const schedule::Schedule* chosen = nullptr;
  for (const schedule::Schedule& s : checked.unit->schedules)
    if (s.name.name == schedule) chosen = &s;
  for (const LaneShape& shape : shapes_of_examples()) {
    const LanesOutcome outcome =
        run_in_lanes(checked, chosen, inputs->bindings.sizes, inputs->bindings.tensors, shape, sources);
    if (outcome.kind == LanesOutcome::Kind::refused) return "refused";
    if (outcome.kind == LanesOutcome::Kind::differs) return outcome.text;
  }
  return "agrees";
}

TEST(Examples, FindTheirLanesAndAgreeWithTheInterpreter) {
  for (const StoredProgram& example : programs_in({"examples"})) {
    const std::string name = std::filesystem::path(example.name).stem().string();
    if (name.starts_with("mistake_")) continue;
    const Fate fate = run_isolated([&] { return example_in_lanes(example); }, 240);
    EXPECT_EQ(fate.problem, "") << name;
    EXPECT_EQ(fate.result, have_no_lanes.count(name) ? "refused" : "agrees") << name;
  }
}

TEST(Examples, AgreeWithTheirSchedulesForLanes) {
  int found = 0;
  for (const StoredProgram& example : programs_in({"examples"})) {
    if (example.text.find("schedule lanes ") == std::string::npos) continue;
    ++found;
    const Fate fate = run_isolated([&] { return example_in_lanes(example, "lanes"); }, 240);
    EXPECT_EQ(fate.problem, "") << example.name;
    EXPECT_EQ(fate.result, "agrees") << example.name;
  }
  EXPECT_GT(found, 10);
}

} // namespace
} // namespace cyclotron::fuzz
