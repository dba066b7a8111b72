// SPDX-License-Identifier: MIT
// The designs of convolutions of Rong et al., "Systolic Computing on GPUs for Productive Performance": the six of one
// dimension (table 2), one with stride 2, and two of two dimensions, by two projections. Each is written as uniform
// recurrences, as the examples have it, and as the plain equation with a schedule, and runs for filters of size 1 to 9
// and for results that fill no vector, one, and several with a rest.
#include "fuzz/lanes/in_lanes.hpp"
#include "fuzz/property.hpp"
#include "fuzz/repository.hpp"

#include <fmt/format.h>

namespace cyclotron::fuzz {
namespace {

struct Design {
  std::string name;
  std::string text; // the types of its tensors are left out
  std::string schedule;
};

std::string text_of(const std::string& example) {
  for (const StoredProgram& p : programs_in({"examples"}))
    if (p.name == "examples/" + example + ".cyc") return p.text;
  throw std::runtime_error("there is no example " + example);
}

Design by_hand(const std::string& example, const std::string& schedule) {
  return {example, text_of(example), schedule};
}

Design plain(const std::string& name, const std::string& equation, const std::string& commands) {
  return {"plain " + name, equation + "schedule it { " + commands + " }\n", "it"};
}

// Every tensor with numbers of this type.
std::string with_type(const std::string& text, const std::string& type) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.rfind("default", 0) != 0) result += line + (line.rfind("tensor", 0) == 0 ? ": " + type : "") + "\n";
    begin = end + 1;
  }
  return result;
}

std::vector<LaneSizes> sizes_of_lines() {
  std::vector<LaneSizes> all;
  for (std::int64_t r = 1; r <= 9; ++r)
    for (const std::int64_t m : {1, 7, 16, 131}) all.push_back({{"m", m}, {"r", r}});
  if (nightly())
    for (std::int64_t m = 2; m < 70; m += 5) all.push_back({{"m", m}, {"r", 5}});
  return all;
}

std::vector<LaneSizes> sizes_of_images() {
  std::vector<LaneSizes> all;
  for (std::int64_t k = 1; k <= 9; ++k)
    for (const auto& [m, n] : {std::pair{1, 3}, std::pair{7, 2}, std::pair{67, 5}})
      all.push_back({{"m", m}, {"n", n}, {"Q", k}, {"P", k}});
  all.push_back({{"m", 33}, {"n", 1}, {"Q", 2}, {"P", 7}});
  all.push_back({{"m", 5}, {"n", 9}, {"Q", 8}, {"P", 1}});
  return all;
}

RunsOn other(RunsOn machine) { return machine == RunsOn::gpu ? RunsOn::registers : RunsOn::gpu; }

// By day, each design on one machine with one type: the first on `machine`, the next on the other one, and so on. At
// night on both, with all types.
void agree(const std::vector<Design>& designs, const std::vector<LaneSizes>& all_sizes, RunsOn machine) {
  const std::vector<std::string> types{"f32", "f64", "i32"};
  LaneSizes largest;
  for (const LaneSizes& sizes : all_sizes)
    for (const auto& [name, value] : sizes) largest[name] = std::max(largest[name], value);
  for (std::size_t d = 0; d < designs.size(); ++d, machine = other(machine))
    for (std::size_t run = 0; run < (nightly() ? 2 * types.size() : 1); ++run) {
      const std::string& type = types[(d + run) % types.size()];
      InLanes program(with_type(designs[d].text, type), designs[d].schedule,
                      run < types.size() ? machine : other(machine), largest);
      for (const LaneSizes& sizes : all_sizes)
        EXPECT_EQ(program.compare_with_interpreter(sizes), "") << designs[d].name << ", " << type;
    }
}

TEST(Designs, OfOneDimensionAsRecurrences) {
  std::vector<Design> designs;
  for (const char* name : {"sbm", "bsm", "fsm", "bfs", "ffs", "fbs", "fbs_stride2"})
    designs.push_back(by_hand(fmt::format("conv1d_{}", name), "array"));
  agree(designs, sizes_of_lines(), RunsOn::registers);
}

TEST(Designs, OfOneDimensionAsPlainEquations) {
  const std::string line = "assume 1 <= r\nassume 1 <= m\ntensor x(m + r - 1)\ntensor w(r)\ntensor z(m)\n"
                           "z(c) = x(c+q) * w(q)\n";
  const std::string line_of_stride_2 = "assume 1 <= r\nassume 1 <= m\ntensor x(2*m + r - 2)\ntensor w(r)\ntensor z(m)\n"
                                       "z(c) = x(2*c+q) * w(q)\n";
  const std::string map = "spacetime (c, q) -> (s, t) = ";
  agree({plain("SBM", line, map + "[1 1; 0 1]; stream x along t; broadcast w along c"),
         plain("BSM", line, map + "[0 1; 1 1]; broadcast x along s; stream w along t"),
         plain("FSM", line, map + "[0 1; 1 -1]; stream x along s; stream w along t"),
         plain("BFS", line, map + "[1 0; 1 1]; broadcast x along s; stream w along s"),
         plain("FFS", line, map + "[1 0; 2 1]; stream x along s; stream w along s"),
         plain("FBS", line, map + "[1 0; 0 1]; stream x along s; broadcast w along c"),
         plain("FBS with stride 2", line_of_stride_2, map + "[1 0; 0 1]; broadcast w along c")},
        sizes_of_lines(), RunsOn::gpu);
}

TEST(Designs, OfTwoDimensions) {
  const std::string image = "assume 1 <= Q\nassume 1 <= P\nassume 1 <= m\nassume 1 <= n\n"
                            "tensor x(m + Q - 1, n + P - 1)\ntensor w(Q, P)\ntensor z(m, n)\n"
                            "z(c,r) = x(c+q,r+p) * w(q,p)\n";
  agree({by_hand("conv2d_sbm", "lanes"), by_hand("conv2d_fbs", "lanes"),
         plain("FBS", image, "spacetime (c, p, q) -> (s, t) = [1 0 0; 0 Q 1]; stream x along s"),
         plain("SBM", image, "spacetime (c, p, q) -> (s, t) = [1 0 1; 0 1 P]")},
        sizes_of_images(), RunsOn::gpu);
}

} // namespace
} // namespace cyclotron::fuzz
