// SPDX-License-Identifier: MIT
#include "programs.hpp"

#include <limits>

namespace cyclotron::backend::rda {

using namespace pattern;
using namespace pattern::build;
using recurrence::BinaryOp;

namespace {

constexpr ValueType f64 = ValueType::f64, i64 = ValueType::i64;

Expr at(const std::string& name) { return variable(name); }
Expr real(double value) { return constant(f64, value, 0); }

Dram dram(bool out, const std::string& name, ValueType type, Expr extent, ArrayKind array, int level = 0) {
  return {name + "_d", type, out, extent, name.substr(0, 1), array, level};
}
Dram positions(bool out, const std::string& name, Expr extent, int level) {
  return dram(out, name, i64, extent, ArrayKind::positions, level);
}
Dram coordinates(bool out, const std::string& name, int level) {
  return dram(out, name, i64, {}, ArrayKind::coordinates, level);
}
Dram values(bool out, const std::string& name, Expr extent, ValueType type = f64) {
  return dram(out, name, type, extent, ArrayKind::values);
}

void append(Body& body, std::vector<Statement> more) { body.insert(body.end(), more.begin(), more.end()); }

// A memory on the chip with all of a dram, or a slice of it.
std::vector<Statement> loaded(MemoryKind kind, const std::string& name, ValueType type, Expr first, Expr end,
                              Expr par = {}) {
  const Expr extent = kind == MemoryKind::fifo ? number(16) : sub(end, first);
  return {declare(kind, name, type, extent), load(name, name + "_d", first, end, par)};
}

Statement reduce(const std::string& reg, Reducer reducer, std::variant<Range, pattern::Scan> header, Body body,
                 Expr value, Expr par) {
  return {Loop{header, par, reg, reducer, body, value}};
}

Expr times(Expr a, Expr b) { return Binary{BinaryOp::mul, a, b}; }

} // namespace

Program spmv() {
  const Expr m = at("m"), n = at("n"), first = at("j_first"), end = at("j_end"), i = at("i");
  Body row = {let("j_first", i64, read("B2_pos", i)), let("j_end", i64, read("B2_pos", add(i, number(1))))};
  append(row, loaded(MemoryKind::fifo, "B2_crd", i64, first, end));
  append(row, loaded(MemoryKind::fifo, "B_vals", f64, first, end));
  append(row, {declare(MemoryKind::reg, "tx", f64, {}, zero(f64)),
               reduce("tx", Reducer::sum, Range{"p", first, end},
                      {let("j", i64, dequeue("B2_crd")), let("B", f64, dequeue("B_vals"))},
                      times(at("B"), read("c_vals", at("j"))), number(16)),
               write("x_vals", i, at("tx"))});
  Program p{"spmv", {"m", "n"}, {}, {}, {}};
  p.drams = {positions(false, "B2_pos", add(m, number(1)), 2), coordinates(false, "B2_crd", 2),
             values(false, "B_vals", {}), values(false, "c_vals", n), values(true, "x_vals", m)};
  append(p.body, loaded(MemoryKind::sram, "B2_pos", i64, number(0), add(m, number(1)), number(16)));
  append(p.body, loaded(MemoryKind::sparse_sram, "c_vals", f64, number(0), n, number(16)));
  append(p.body, {declare(MemoryKind::sram, "x_vals", f64, m), foreach ("i", number(0), m, row, number(2)),
                  store("x_vals", "x_vals_d", number(0), m)});
  return p;
}

namespace {

// One entry of B in a row of figure 4.
Body sddmm_entry() {
  const Expr r = at("r"), i = at("i"), j = at("j"), ip = at("ip");
  const auto row_of = [&](const Expr& of) { return std::pair(mul(of, r), mul(add(of, number(1)), r)); };
  const auto [d_first, d_end] = row_of(j);
  const auto [c_first, c_end] = row_of(i);
  return {let("j", i64, dequeue("B2_crd")),
          let("B_hoisted", f64, dequeue("B_vals")),
          declare(MemoryKind::sram, "D_vals", f64, r),
          load("D_vals", "D_vals_d", d_first, d_end, ip),
          declare(MemoryKind::sram, "C_vals", f64, r),
          load("C_vals", "C_vals_d", c_first, c_end, ip),
          declare(MemoryKind::reg, "tjA_vals", f64, {}, zero(f64)),
          reduce("tjA_vals", Reducer::sum, Range{"k", number(0), r}, {},
                 times(times(at("B_hoisted"), read("C_vals", at("k"))), read("D_vals", at("k"))), ip),
          enqueue("A_vals", at("tjA_vals")),
          enqueue("A2_crd", j)};
}

Body sddmm_row() {
  const Expr i = at("i"), first = at("jB_start"), end = at("jB_end"), length = at("jB_len");
  Body row = {declare(MemoryKind::fifo, "A_vals", f64, number(16)),
              declare(MemoryKind::fifo, "A2_crd", i64, number(16)), let("jB_start", i64, read("B2_pos", i)),
              let("jB_end", i64, read("B2_pos", add(i, number(1)))), let("jB_len", i64, sub(end, first))};
  append(row, loaded(MemoryKind::fifo, "B2_crd", i64, first, end));
  append(row, loaded(MemoryKind::fifo, "B_vals", f64, first, end));
  append(row, {foreach ("jB", number(0), length, sddmm_entry()), write("A2_pos", add(i, number(1)), end),
               store("A_vals", "A_vals_d", first, add(first, length)),
               store("A2_crd", "A2_crd_d", first, add(first, length))});
  return row;
}

} // namespace

Program sddmm() {
  const Expr m = at("m"), n = at("n"), r = at("r"), rows = add(m, number(1)), ip = at("ip");
  Program p{"sddmm", {"m", "n", "r"}, {{"ip", 16}, {"bp", 2}}, {}, {}};
  p.drams = {positions(true, "A2_pos", rows, 2),  coordinates(true, "A2_crd", 2),    values(true, "A_vals", {}),
             positions(false, "B2_pos", rows, 2), coordinates(false, "B2_crd", 2),   values(false, "B_vals", {}),
             values(false, "C_vals", mul(m, r)),  values(false, "D_vals", mul(n, r))};
  append(p.body, loaded(MemoryKind::sram, "B2_pos", i64, number(0), rows, ip));
  append(p.body,
         {declare(MemoryKind::sram, "A2_pos", i64, rows), write("A2_pos", number(0), number(0)),
          foreach ("i", number(0), m, sddmm_row(), at("bp")), store("A2_pos", "A2_pos_d", number(0), rows, ip)});
  return p;
}

namespace {

// A sparse vector on the chip: its values, and the bits of its coordinates.
std::vector<Statement> bits_of(const std::string& name) {
  const std::string crd = name + "1_crd", length = name + "_len";
  std::vector<Statement> list = {let(length, i64, read(name + "1_pos", number(1)))};
  append(list, loaded(MemoryKind::fifo, crd, i64, number(0), at(length)));
  append(list, {declare(MemoryKind::bits, name + "_bits", i64, at("n")), {SetBits{name + "_bits", crd, at(length)}}});
  append(list, loaded(MemoryKind::sram, name + "_vals", f64, number(0), at(length)));
  return list;
}

Program two_rows(const std::string& name) {
  Program p{name, {"n"}, {}, {}, {}};
  for (const std::string tensor : {"b", "c"}) {
    append(p.body, loaded(MemoryKind::sram, tensor + "1_pos", i64, number(0), number(2)));
    append(p.body, bits_of(tensor));
    p.drams.push_back(positions(false, tensor + "1_pos", number(2), 1));
    p.drams.push_back(coordinates(false, tensor + "1_crd", 1));
    p.drams.push_back(values(false, tensor + "_vals", {}));
  }
  return p;
}

pattern::Scan scan_of_both(Join join) { return {"b_bits", "c_bits", join, at("n"), "pb", "pc", "out", "j"}; }

Expr where_stored(const std::string& tensor) {
  const Expr position = at("p" + tensor);
  return choose(compare(BinaryOp::greater_equal, position, number(0)), read(tensor + "_vals", position), real(0));
}

} // namespace

Program union_of_rows() {
  Program p = two_rows("plus");
  for (const Dram& d :
       {positions(true, "x1_pos", number(2), 1), coordinates(true, "x1_crd", 1), values(true, "x_vals", {})})
    p.drams.push_back(d);
  append(p.body,
         {declare(MemoryKind::reg, "length", i64, {}, number(0)),
          reduce("length", Reducer::sum, scan_of_both(Join::either), {}, number(1), number(16)),
          declare(MemoryKind::sram, "x1_pos", i64, number(2)),
          write("x1_pos", number(0), number(0)),
          write("x1_pos", number(1), at("length")),
          declare(MemoryKind::fifo, "x1_crd", i64, number(16)),
          declare(MemoryKind::sram, "x_vals", f64, at("length")),
          {Loop{scan_of_both(Join::either),
                number(16),
                "",
                Reducer::sum,
                {enqueue("x1_crd", at("j")), write("x_vals", at("out"), add(where_stored("b"), where_stored("c")))},
                {}}},
          store("x1_pos", "x1_pos_d", number(0), number(2)),
          store("x1_crd", "x1_crd_d", number(0), at("length")),
          store("x_vals", "x_vals_d", number(0), at("length"))});
  return p;
}

Program intersection_of_rows() {
  Program p = two_rows("inner");
  p.drams.push_back(values(true, "x_vals", number(1)));
  append(p.body, {declare(MemoryKind::reg, "x", f64, {}, zero(f64)),
                  reduce("x", Reducer::sum, scan_of_both(Join::both), {},
                         times(read("b_vals", at("pb")), read("c_vals", at("pc"))), at("ip")),
                  declare(MemoryKind::sram, "x_vals", f64, number(1)), write("x_vals", number(0), at("x")),
                  store("x_vals", "x_vals_d", number(0), number(1))});
  p.environment = {{"ip", 16}};
  return p;
}

Program extremes(ValueType type) {
  const bool is_real = tensor::is_float(type);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const Expr n = at("n"), i = at("i");
  Program p{"extremes", {"n"}, {}, {}, {}};
  p.drams = {values(false, "b_vals", n, type), values(true, "x_vals", number(2), type),
             values(true, "y_vals", number(1), ValueType::boolean)};
  append(p.body, loaded(MemoryKind::sram, "b_vals", type, number(0), n));
  const auto over = [&](const std::string& reg, Reducer reducer, Expr value) {
    return reduce(reg, reducer, Range{"i", number(0), n}, {}, value, number(16));
  };
  const std::int64_t most =
      type == ValueType::i32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  const Expr positive = compare(BinaryOp::greater, read("b_vals", i), zero(type));
  append(p.body, {declare(MemoryKind::reg, "least", type, {}, constant(type, infinite, most)),
                  over("least", Reducer::min, read("b_vals", i)),
                  declare(MemoryKind::reg, "greatest", type, {}, constant(type, is_real ? -1 : 0, -1)),
                  over("greatest", Reducer::max, read("b_vals", i)),
                  declare(MemoryKind::reg, "positive", ValueType::boolean, {}, constant(ValueType::boolean, 0, 1)),
                  over("positive", Reducer::all, positive), declare(MemoryKind::sram, "x_vals", type, number(2)),
                  write("x_vals", number(0), at("least")), write("x_vals", number(1), at("greatest")),
                  declare(MemoryKind::sram, "y_vals", ValueType::boolean, number(1)),
                  write("y_vals", number(0), at("positive")), store("x_vals", "x_vals_d", number(0), number(2)),
                  store("y_vals", "y_vals_d", number(0), number(1))});
  return p;
}

Program queue_misuse(bool empty) {
  const Expr n = at("n");
  Program p{empty ? "reads_too_much" : "reads_too_little", {"n"}, {}, {}, {}};
  p.drams = {values(false, "b_vals", n), values(true, "x_vals", number(1))};
  append(p.body, loaded(MemoryKind::fifo, "b_vals", f64, number(0), n));
  append(p.body, {declare(MemoryKind::reg, "x", f64, {}, zero(f64)),
                  reduce("x", Reducer::sum, Range{"i", number(0), empty ? add(n, number(1)) : sub(n, number(1))},
                         {let("b", f64, dequeue("b_vals"))}, at("b"), number(1)),
                  declare(MemoryKind::sram, "x_vals", f64, number(1)), write("x_vals", number(0), at("x")),
                  store("x_vals", "x_vals_d", number(0), number(1))});
  return p;
}

Program histogram() {
  const Expr n = at("n"), i = at("i"), k = at("k"), at_k = read("counts", k);
  Program p{"histogram", {"n", "bins"}, {}, {}, {}};
  p.drams = {values(false, "b_vals", n, i64), values(true, "x_vals", at("bins"), i64), values(true, "y_vals", {}, i64)};
  const Statement zeros = foreach ("k", number(0), at("bins"), {write("counts", k, number(0))});
  const Statement count =
      foreach ("i", number(0), n, {write("counts", read("b_vals_d", i), number(1), Reducer::sum)}, number(16));
  const Statement choice = foreach (
      "k", number(0), at("bins"),
      {when(both(compare(BinaryOp::greater_equal, at_k, number(2)), compare(BinaryOp::not_equal, k, number(0))),
            {enqueue("often", k), write("many", {}, number(1), Reducer::sum)})});
  append(p.body,
         {declare(MemoryKind::sparse_sram, "counts", i64, at("bins")), zeros, count,
          declare(MemoryKind::fifo, "often", i64, number(16)), declare(MemoryKind::reg, "many", i64, {}, number(0)),
          choice, store("counts", "x_vals_d", number(0), at("bins")),
          store("often", "y_vals_d", number(0), at("many"))});
  return p;
}

} // namespace cyclotron::backend::rda
