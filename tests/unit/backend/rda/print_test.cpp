// SPDX-License-Identifier: MIT
// The text of whole programs, which was also compiled and run with Scala.
#include "backend/rda/print_spatial.hpp"
#include "programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::backend::rda {

namespace {

// What is between `Accel {` and the bracket that closes it, both included.
std::string patterns_of(const pattern::Program& program) {
  const std::string text = print_spatial(program), end = "\n    }\n";
  const std::size_t first = text.find("    Accel {\n");
  return text.substr(first, text.find(end, first) + end.size() - first);
}

const char* const spmv_text = R"(// Printed by Cyclotron. With its Spatial.scala it runs on any machine that has Scala.
import spatial.dsl._

@spatial object spmv extends SpatialApp {
  type T = Double

  def main(args: Array[String]): Unit = {
    val sizes = loadCSV1D[I64](args(0) + "/sizes.csv", "\n")
    val m = ArgIn[I64]
    setArg(m, sizes(0))
    val n = ArgIn[I64]
    setArg(n, sizes(1))

    val B2_pos_d = DRAM[I64](m + 1) // B: positions of level 2
    setMem(B2_pos_d, loadCSV1D[I64](args(0) + "/B2_pos_d.csv", "\n"))
    val B2_crd_d = DRAM[I64](nnz_max) // B: coordinates of level 2
    setMem(B2_crd_d, loadCSV1D[I64](args(0) + "/B2_crd_d.csv", "\n"))
    val B_vals_d = DRAM[T](nnz_max) // B: values
    setMem(B_vals_d, loadCSV1D[T](args(0) + "/B_vals_d.csv", "\n"))
    val c_vals_d = DRAM[T](n) // c: values
    setMem(c_vals_d, loadCSV1D[T](args(0) + "/c_vals_d.csv", "\n"))
    val x_vals_d = DRAM[T](m) // x: values

    Accel {
      val B2_pos = SRAM[I64](m + 1)
      B2_pos load B2_pos_d(0 :: m + 1 par 16)
      val c_vals = SparseSRAM[T](n)
      c_vals load c_vals_d(0::n par 16)
      val x_vals = SRAM[T](m)
      Foreach(m by 1 par 2) { i =>
        val j_first = B2_pos(i)
        val j_end = B2_pos(i + 1)
        val B2_crd = FIFO[I64](16)
        B2_crd load B2_crd_d(j_first::j_end par 1)
        val B_vals = FIFO[T](16)
        B_vals load B_vals_d(j_first::j_end par 1)
        val tx = Reg[T](0.to[T])
        Reduce(tx)(j_first until j_end by 1 par 16) { p =>
          val j = B2_crd.deq
          val B = B_vals.deq
          B * c_vals(j)
        } { _ + _ }
        x_vals(i) = tx
      }
      x_vals_d(0::m par 1) store x_vals
    }

    writeCSV1D(getMem(x_vals_d), args(0) + "/x_vals_d.csv", "\n")
  }
}
)";

TEST(PrintSpatial, AWholeFile) { EXPECT_EQ(print_spatial(spmv()), spmv_text); }

// The patterns are those of the paper's figure 4.
TEST(PrintSpatial, SampledProduct) {
  EXPECT_EQ(patterns_of(sddmm()), R"(    Accel {
      val B2_pos = SRAM[I64](m + 1)
      B2_pos load B2_pos_d(0 :: m + 1 par ip)
      val A2_pos = SRAM[I64](m + 1)
      A2_pos(0) = 0
      Foreach(m by 1 par bp) { i =>
        val A_vals = FIFO[T](16)
        val A2_crd = FIFO[I64](16)
        val jB_start = B2_pos(i)
        val jB_end = B2_pos(i + 1)
        val jB_len = jB_end - jB_start
        val B2_crd = FIFO[I64](16)
        B2_crd load B2_crd_d(jB_start::jB_end par 1)
        val B_vals = FIFO[T](16)
        B_vals load B_vals_d(jB_start::jB_end par 1)
        Foreach(jB_len by 1 par 1) { jB =>
          val j = B2_crd.deq
          val B_hoisted = B_vals.deq
          val D_vals = SRAM[T](r)
          D_vals load D_vals_d(j * r :: (j + 1) * r par ip)
          val C_vals = SRAM[T](r)
          C_vals load C_vals_d(i * r :: (i + 1) * r par ip)
          val tjA_vals = Reg[T](0.to[T])
          Reduce(tjA_vals)(r by 1 par ip) { k =>
            B_hoisted * C_vals(k) * D_vals(k)
          } { _ + _ }
          A_vals.enq(tjA_vals)
          A2_crd.enq(j)
        }
        A2_pos(i + 1) = jB_end
        A_vals_d stream_store_vec(jB_start, A_vals, jB_len)
        A2_crd_d stream_store_vec(jB_start, A2_crd, jB_len)
      }
      A2_pos_d(0 :: m + 1 par ip) store A2_pos
    }
)");
}

TEST(PrintSpatial, ConstantsOfTheEnvironment) {
  const std::string text = print_spatial(sddmm());
  EXPECT_NE(text.find("  type T = Double\n  val ip = 16\n  val bp = 2\n"), text.npos) << text;
}

// The first scan leaves the bits where they are for the second, which takes them.
TEST(PrintSpatial, UnionOfSparseVectors) {
  const std::string text = patterns_of(union_of_rows());
  EXPECT_EQ(text, R"(    Accel {
      val b1_pos = SRAM[I64](2)
      b1_pos load b1_pos_d(0::2 par 1)
      val b_len = b1_pos(1)
      val b1_crd = FIFO[I64](16)
      b1_crd load b1_crd_d(0::b_len par 1)
      val b_bits = BitVector(n)
      gen_bitvector(0, n, b_len, b1_crd, b_bits)
      val b_vals = SRAM[T](b_len)
      b_vals load b_vals_d(0::b_len par 1)
      val c1_pos = SRAM[I64](2)
      c1_pos load c1_pos_d(0::2 par 1)
      val c_len = c1_pos(1)
      val c1_crd = FIFO[I64](16)
      c1_crd load c1_crd_d(0::c_len par 1)
      val c_bits = BitVector(n)
      gen_bitvector(0, n, c_len, c1_crd, c_bits)
      val c_vals = SRAM[T](c_len)
      c_vals load c_vals_d(0::c_len par 1)
      val length = Reg[I64](0.to[I64])
      Reduce(length)(Scan(par = 16, len = n, "or", b_bits.peek, c_bits.peek)) { (pb, pc, out, j) =>
        1.to[I64]
      } { _ + _ }
      val x1_pos = SRAM[I64](2)
      x1_pos(0) = 0
      x1_pos(1) = length
      val x1_crd = FIFO[I64](16)
      val x_vals = SRAM[T](length)
      Foreach(Scan(par = 16, len = n, "or", b_bits.deq, c_bits.deq)) { (pb, pc, out, j) =>
        x1_crd.enq(j)
        x_vals(out) = mux(pb >= 0, b_vals(pb), 0.0) + mux(pc >= 0, c_vals(pc), 0.0)
      }
      x1_pos_d(0::2 par 1) store x1_pos
      x1_crd_d stream_store_vec(0, x1_crd, length)
      x_vals_d(0::length par 1) store x_vals
    }
)");
}

TEST(PrintSpatial, IntersectionOfSparseVectors) {
  const std::string text = patterns_of(intersection_of_rows());
  const std::string end = R"(      val x = Reg[T](0.to[T])
      Reduce(x)(Scan(par = ip, len = n, "and", b_bits.deq, c_bits.deq)) { (pb, pc, out, j) =>
        b_vals(pb) * c_vals(pc)
      } { _ + _ }
      val x_vals = SRAM[T](1)
      x_vals(0) = x
      x_vals_d(0::1 par 1) store x_vals
    }
)";
  EXPECT_TRUE(text.ends_with(end)) << text;
}

// `Fold` where the register begins with something that counts.
TEST(PrintSpatial, Extremes) {
  EXPECT_EQ(patterns_of(extremes(pattern::ValueType::f32)), R"(    Accel {
      val b_vals = SRAM[T](n)
      b_vals load b_vals_d(0::n par 1)
      val least = Reg[T](Float.PositiveInfinity)
      Reduce(least)(n by 1 par 16) { i =>
        b_vals(i)
      } { min(_, _) }
      val greatest = Reg[T](-1.0f)
      Fold(greatest)(n by 1 par 16) { i =>
        b_vals(i)
      } { max(_, _) }
      val positive = Reg[Bit](true)
      Reduce(positive)(n by 1 par 16) { i =>
        b_vals(i) > 0.0f
      } { _ && _ }
      val x_vals = SRAM[T](2)
      x_vals(0) = least
      x_vals(1) = greatest
      val y_vals = SRAM[Bit](1)
      y_vals(0) = positive
      x_vals_d(0::2 par 1) store x_vals
      y_vals_d(0::1 par 1) store y_vals
    }
)");
}

TEST(PrintSpatial, ExtremesOfWholeNumbers) {
  const std::string text = patterns_of(extremes(pattern::ValueType::i64));
  EXPECT_NE(text.find("val least = Reg[T](9223372036854775807L.to[T])\n      Reduce(least)"), text.npos) << text;
  EXPECT_NE(text.find("val greatest = Reg[T]((-1).to[T])\n      Fold(greatest)"), text.npos) << text;
  EXPECT_NE(text.find("b_vals(i) > 0\n"), text.npos) << text;
}

// Printed as they are: that they throw is for the run to say.
TEST(PrintSpatial, QueuesThatAreMisused) {
  const std::string reads = " { i =>\n        val b = b_vals.deq\n        b\n      } { _ + _ }\n";
  EXPECT_NE(patterns_of(queue_misuse(true)).find("Reduce(x)(n + 1 by 1 par 1)" + reads), std::string::npos);
  EXPECT_NE(patterns_of(queue_misuse(false)).find("Reduce(x)(n - 1 by 1 par 1)" + reads), std::string::npos);
}

// A dram that is read at an index is sparse, and so is what happens to elements of a sparse sram.
TEST(PrintSpatial, Histogram) {
  EXPECT_NE(print_spatial(histogram()).find("val b_vals_d = SparseDRAM[T](n) // b: values\n"), std::string::npos);
  EXPECT_EQ(patterns_of(histogram()), R"(    Accel {
      val counts = SparseSRAM[T](bins)
      Foreach(bins by 1 par 1) { k =>
        counts(k) = 0
      }
      Foreach(n by 1 par 16) { i =>
        counts.RMW(b_vals_d(i), 1, "add", "unordered", Seq())
      }
      val often = FIFO[T](16)
      val many = Reg[T](0.to[T])
      Foreach(bins by 1 par 1) { k =>
        if (counts(k) >= 2 && k != 0) {
          often.enq(k)
          many := many.value + 1
        }
      }
      x_vals_d(0::bins par 1) store counts
      y_vals_d stream_store_vec(0, often, many)
    }
)");
}

} // namespace

} // namespace cyclotron::backend::rda
