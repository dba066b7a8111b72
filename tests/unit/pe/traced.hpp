// SPDX-License-Identifier: MIT
// A program with its trace, and small programs to follow by hand.
#pragma once

#include "pe/placement.hpp"
#include "unit/pe/programs.hpp"

#include <string>
#include <vector>

namespace cyclotron::pe {

struct Traced {
  explicit Traced(const std::string& text) : program(parsed(text)), executable(program), trace(pe::trace(executable)) {}

  // What a value is: `A(2)`, part 2 of the input A; `[0,1]`, made by that PE; `-`, none.
  std::string name(int value) const {
    if (value < 0) return "-";
    const Value& v = trace.values.at(static_cast<std::size_t>(value));
    if (v.element >= 0) return executable.name(v.element);
    return program.tensors.at(static_cast<std::size_t>(v.tensor)).name + "(" + std::to_string(v.part) + ")";
  }
  std::vector<std::string> needs(std::size_t element) const {
    std::vector<std::string> names;
    for (int v : trace.elements.at(element).needs) names.push_back(name(v));
    return names;
  }
  std::vector<std::string> makes(std::size_t element) const {
    std::vector<std::string> names;
    for (const Made& m : trace.elements.at(element).makes) names.push_back(name(m.value));
    return names;
  }
  std::vector<double> levels(std::size_t element) const {
    std::vector<double> levels;
    for (const TracedStep& s : trace.elements.at(element).steps) levels.push_back(s.level);
    return levels;
  }

  Program program;
  Executable executable;
  Trace trace;
};

inline Placement placed(std::vector<int> rank_of, int ranks) {
  Placement made;
  made.ranks = ranks;
  made.rank_of = std::move(rank_of);
  return made;
}

// Three PEs in a row. The first has the number a(0), each does `work` with what it has and gives it on, the last stores
// it: "[i]_x + 1.0", or nothing, to pass it on as it is.
inline std::string chain(const std::string& work) {
  const std::string does = work.empty() ? "" : "    [i]_x <- " + work + "\n";
  const std::string takes = "    [i]_x <- [i-1]_x\n", gives = "    [i]_x -> [i+1]_x\n";
  return sealed("program \"chain\"\naxis i = 0 .. 2\ntensor a(1): f64 input\ntensor c(1): f64 output\n"
                "register x: f64\nchannel on: f64 [i]_x -> [i+1]_x\n"
                "role first at i == 0\n  step s\n    [i]_x <- a(0)  load\n" +
                does + gives + "role middle at i == 1\n  step s\n" + takes + does + gives +
                "role last at i == 2\n  step s\n" + takes + does + "    c(0) <- [i]_x\n");
}

} // namespace cyclotron::pe
