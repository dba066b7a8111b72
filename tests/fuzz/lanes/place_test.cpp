// SPDX-License-Identifier: MIT
// Inputs that the schedule places in registers, or in memory that a block shares, at odd sizes.
#include "fuzz/lanes/in_lanes.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

void agrees_where_placed(const std::string& equations, const std::string& commands,
                         const std::vector<LaneSizes>& all_sizes) {
  const std::string text = equations + "schedule it { " + commands + " }\n";
  LaneSizes largest;
  for (const LaneSizes& sizes : all_sizes)
    for (const auto& [name, value] : sizes) largest[name] = std::max(largest[name], value);
  for (const RunsOn machine : {RunsOn::interpreter, RunsOn::registers, RunsOn::gpu}) {
    InLanes program(text, "it", machine, largest);
    for (const LaneSizes& sizes : all_sizes)
      EXPECT_EQ(program.compare_with_interpreter(sizes), "") << name_of(machine) << "\n" << text;
  }
}

const std::string line = "tensor x(m + 4): f32\ntensor w(5): f32\ntensor z(m): f32\nz(c) = x(c+q) * w(q)\n";
const std::vector<LaneSizes> lines = {{{"m", 0}}, {{"m", 1}}, {{"m", 15}}, {{"m", 64}}, {{"m", 67}}, {{"m", 300}}};

TEST(Places, WeightsInRegisters) {
  agrees_where_placed(line, "space c; time q; unroll q; place w in registers", lines);
}

TEST(Places, AWeightForEachLane) {
  agrees_where_placed(line, "spacetime (c, q) -> (s, t) = [0 1; 1 1]; place w in registers", lines);
  agrees_where_placed(line, "spacetime (c, q) -> (s, t) = [0 -1; 1 1]; place w in registers", lines);
}

// A strip loads its own before its steps.
TEST(Places, WeightsForEachStrip) {
  agrees_where_placed("tensor x(m + 39): f32\ntensor w(40): f32\ntensor z(m): f32\nz(c) = x(c+q) * w(q)\n",
                      "spacetime (c, q) -> (s, t) = [0 1; 1 1]; vectorize s by 8; unroll s by 2; place w in registers",
                      {{{"m", 0}}, {{"m", 1}}, {{"m", 17}}, {{"m", 70}}});
}

TEST(Places, WeightsForALoopInside) {
  agrees_where_placed(
      "tensor A(a, b, m): f32\ntensor v(b): f32\ntensor y(m): f32\ny(c) = A(r,k,c) * v(k)\n",
      "space c; time k, r; place v in registers",
      {{{"a", 0}, {"b", 3}, {"m", 5}}, {{"a", 3}, {"b", 1}, {"m", 1}}, {{"a", 4}, {"b", 7}, {"m", 131}}});
}

TEST(Places, LineInShared) {
  agrees_where_placed(line,
                      "tile c by 4, 16 -> oc, cc, ccc; space ccc; time oc, cc, q; blocks oc; threads cc; "
                      "vectorize ccc by 16; place x in shared",
                      lines);
  agrees_where_placed(line,
                      "tile c by 3, 7 -> oc, cc, ccc; space ccc; time oc, cc, q; blocks oc; threads cc; unroll q; "
                      "place x in shared; place w in registers",
                      lines);
}

// Inputs that move are loaded again at the edge of a strip.
TEST(Places, WhatMovesInShared) {
  agrees_where_placed(
      "assume m <= 90\nassume 1 <= r\nassume r <= 6\n"
      "tensor x(n, m + r - 1): f32\ntensor w(r): f32\ntensor z(n, m): f32\n"
      "z(i,c) = x(i,c+q) * w(q)\n",
      "spacetime (c, i, q) -> (s, t) = [1 0 0; 0 r 1]; blocks i; stream x along s; "
      "vectorize s by 8; unroll s by 2; place x in shared; place w in shared",
      {{{"n", 3}, {"m", 1}, {"r", 1}}, {{"n", 1}, {"m", 17}, {"r", 6}}, {{"n", 5}, {"m", 83}, {"r", 3}}});
}

TEST(Places, ImageInShared) {
  agrees_where_placed("tensor x(m + 2, n + 2): f32\ntensor w(3, 3): f32\ntensor z(m, n): f32\n"
                      "z(c,r) = x(c+q,r+p) * w(q,p)\n",
                      "tile c by 4 -> co, ci; tile r by 2, 8 -> ro, rr, ri; space ri; time co, ro, ci, rr, q, p; "
                      "blocks co, ro; threads ci, rr; vectorize ri by 8; unroll q; unroll p; place x in shared; "
                      "place w in registers",
                      {{{"m", 0}, {"n", 4}}, {{"m", 1}, {"n", 1}}, {{"m", 9}, {"n", 33}}, {{"m", 4}, {"n", 16}}});
}

TEST(Places, TilesOfMatricesInShared) {
  agrees_where_placed("tensor A(m, 21): i32\ntensor B(21, n): i32\ntensor C(m, n): i32\nC(i,j) = A(i,k) * B(k,j)\n",
                      "tile i by 3 -> io, ii; tile j by 16 -> jo, ji; space ji; time io, jo, ii, k; blocks io, jo; "
                      "threads ii; vectorize ji by 16; place A in shared; place B in shared",
                      {{{"m", 1}, {"n", 1}}, {{"m", 7}, {"n", 37}}, {{"m", 6}, {"n", 32}}, {{"m", 0}, {"n", 5}}});
}

} // namespace
} // namespace cyclotron::fuzz
