// SPDX-License-Identifier: MIT
// Programs as they are printed, for tests: a short one, and two that have every kind of node between them.
#pragma once

namespace cyclotron::pattern {

// Rows of B times c, from the head of ir.hpp.
constexpr const char* spmv = R"(pattern spmv
sizes m, n
environment ip = 16
dram in B2_pos_d: i64[m + 1] of B positions 2
dram in B2_crd_d: i64[] of B coordinates 2
dram in B_vals_d: f64[] of B values
dram in c_vals_d: f64[n] of c values
dram out x_vals_d: f64[m] of x values

sram B2_pos: i64[m + 1]
load B2_pos from B2_pos_d[0 .. m + 1] par 16
sparse sram c_vals: f64[n]
load c_vals from c_vals_d[0 .. n] par ip
sram x_vals: f64[m]
foreach i = 0 .. m par 2
  let j_first: i64 = B2_pos[i]
  let j_end: i64 = B2_pos[i + 1]
  fifo B2_crd: i64[16]
  load B2_crd from B2_crd_d[j_first .. j_end]
  fifo B_vals: f64[16]
  load B_vals from B_vals_d[j_first .. j_end]
  reg tx: f64 = 0.0
  reduce tx by sum over p = j_first .. j_end par ip
    let j: i64 = deq(B2_crd)
    let B: f64 = deq(B_vals)
    yield B * c_vals[j]
  x_vals[i] = tx
store x_vals to x_vals_d[0 .. m]
)";

// The sum of two sparse vectors, and what both have.
constexpr const char* joins = R"(pattern joins
sizes n
dram in a_pos_d: i64[2] of a positions 1
dram in a_crd_d: i64[] of a coordinates 1
dram in a_vals_d: f32[] of a values
dram in b_crd_d: i64[] of b coordinates 1
dram out z_pos_d: i64[2] of z positions 1
dram out z_crd_d: i64[] of z coordinates 1
dram out z_vals_d: f32[] of z values
dram out s_vals_d: f64[1] of s values

bits a_bits[n]
bits b_bits[n * 2]
let count: i64 = a_pos_d[1]
fifo crd: i64[16]
load crd from a_crd_d[0 .. count]
set a_bits from crd count count
fifo other: i64[1]
load other from b_crd_d[0 .. 0]
set b_bits from other count 0
sram vals: f32[n]
load vals from a_vals_d[0 .. count]
fifo z_crd: i64[16]
fifo z_vals: f32[16]
reg s: f64 = -inf
reg seen: bool = false
reg last: i32 = i32(-1)
foreach scan(a_bits or b_bits, n) -> pa, pb, out, j
  enq(z_crd, j)
  enq(z_vals, select(pa >= 0 and not seen, vals[pa], f32(0.5)))
  last = i32(out)
  if pb < 0 or out != j
    s by max = sqrt(abs(f64(vals[max(pa, 0)]) - 1.5))
  seen by any = pa == pb
reduce s by sum over scan(a_bits and b_bits, n) -> pa, pb, out, j par 4
  yield pow(f64(pa), 2.0) / f64(out + 1)
foreach scan(a_bits, n) -> pa, j par 2
  vals[pa] by prod = exp(-vals[pa]) * log(vals[pa])
reduce seen by all over i = 0 .. n
  yield i < n and true
sram ends: i64[2]
ends[0] = 0
ends[1] = count
store ends to z_pos_d[0 .. 2]
store z_crd to z_crd_d[0 .. ends[1]]
store z_vals to z_vals_d[0 .. ends[1]] par 8
sram total: f64[1]
total[0] = s
total[0] by min = nan
store total to s_vals_d[0 .. 1]
)";

// All that the text form means by itself, as names.
constexpr const char* odd_names = R"(pattern pattern
sizes in, out, of, sizes
environment par = 2
dram in dram: f64[in] of values values
dram out store: f64[out] of load values

sram load: f64[in]
load load from dram[of .. in] par par
reg to: i64 = of
to = in
to by sum = out
reg by: i64 = 0
by by max = to
reg yield: f64 = 0.0
reduce yield by sum over scan = 0 .. sizes
  let if: i64 = scan
  yield load[if]
bits set[to]
fifo from: i64[4]
enq(from, to)
set set from from count by
foreach foreach = 0 .. in par 4
  if foreach < to
    load[foreach] = yield
  let min: f64 = min(load[0], yield)
  let f64: f64 = f64(foreach)
  load[0] by sum = min + f64
store load to store[0 .. out] par par
)";

} // namespace cyclotron::pattern
