// SPDX-License-Identifier: MIT
// A meaning for the Spatial text that Cyclotron prints: every pattern one iteration after the other, on the machine of
// whoever runs it. Scala compiles it together with the text, so that what the text computes can be compared.
//
// It is strict where the array machine is: a queue that is read when empty, or holds something at the end of its scope,
// an element that nobody wrote, an index outside and a whole number that does not fit all end the run with an exception.
package spatial

import java.io.PrintWriter
import java.util.ArrayDeque
import scala.collection.mutable.ArrayBuffer
import scala.io.Source
import scala.language.implicitConversions

// What a text gets of `import spatial.dsl._` where something more particular also fits.
trait LiteralNumbers {
  implicit def whole_of_int[W](n: Int)(implicit width: dsl.Width[W]): dsl.Whole[W] = width.fit(n)
  implicit def whole_of_long[W](n: Long)(implicit width: dsl.Width[W]): dsl.Whole[W] = width.fit(n)
}

object dsl extends LiteralNumbers {
  class spatial extends scala.annotation.StaticAnnotation
  trait SpatialApp { def main(args: Array[String]): Unit }

  // What no program may do. (Where numbers do not fit or are not defined, Java's ArithmeticException ends the run.)
  class Misuse(message: String) extends RuntimeException(message)
  private def refuse(message: String) = throw new Misuse(message)

  // --- whole numbers, which must fit their width ---

  sealed trait Bits64
  sealed trait Bits32
  final class Width[W](least: Long, most: Long) {
    def fit(n: Long): Whole[W] =
      if (least <= n && n <= most) new Whole[W](n, this) else throw new ArithmeticException("a whole number does not fit")
  }
  implicit val width_64: Width[Bits64] = new Width(Long.MinValue, Long.MaxValue)
  implicit val width_32: Width[Bits32] = new Width(Int.MinValue, Int.MaxValue)
  type I64 = Whole[Bits64]
  type I32 = Whole[Bits32]

  final class Whole[W](val number: Long, width: Width[W]) {
    def +(that: Whole[W]): Whole[W] = width.fit(Math.addExact(number, that.number))
    def -(that: Whole[W]): Whole[W] = width.fit(Math.subtractExact(number, that.number))
    def *(that: Whole[W]): Whole[W] = width.fit(Math.multiplyExact(number, that.number))
    def unary_- : Whole[W] = width.fit(Math.negateExact(number))
    def <(that: Whole[W]): Boolean = number < that.number
    def <=(that: Whole[W]): Boolean = number <= that.number
    def >(that: Whole[W]): Boolean = number > that.number
    def >=(that: Whole[W]): Boolean = number >= that.number
    def ==(that: Whole[W]): Boolean = number == that.number
    def !=(that: Whole[W]): Boolean = number != that.number
    def ==(that: Int): Boolean = number == that
    def !=(that: Int): Boolean = number != that
    override def equals(that: Any): Boolean = that match {
      case whole: Whole[_] => number == whole.number
      case _ => false
    }
    override def hashCode: Int = number.hashCode
    override def toString: String = number.toString
    def to[B](implicit bits: Bits[B]): B = bits.of_whole(number)
    def ::(first: Whole[W]): Range = new Range(first.number, number)
    def until(end: Whole[W]): Range = new Range(number, end.number)
    def by(step: Int): Range = new Range(0, number) by step
  }

  // Numbers that are written out. The names are those of Scala's own conversions, which these take the place of.
  abstract class Literal(n: Long) {
    def to[B](implicit bits: Bits[B]): B = bits.of_whole(n)
    def ::(first: I64): Range = new Range(first.number, n)
    def until(end: I64): Range = new Range(n, end.number)
    def by(step: Int): Range = new Range(0, n) by step
  }
  implicit class intWrapper(n: Int) extends Literal(n)
  implicit class longWrapper(n: Long) extends Literal(n)
  implicit class doubleWrapper(x: Double) { def to[B](implicit bits: Bits[B]): B = bits.of_real(x) }
  implicit class floatWrapper(x: Float) { def to[B](implicit bits: Bits[B]): B = bits.of_real(x) }
  implicit class booleanWrapper(b: Boolean) { def to[B](implicit bits: Bits[B]): B = bits.of_whole(if (b) 1 else 0) }
  val any2stringadd = () // hides Scala's `+` of anything and a text, so that a register may stand before a `+`

  // --- types of numbers ---

  type Bit = Boolean

  // What memories, functions and the host need to know of a type.
  trait Bits[A] {
    def of_whole(n: Long): A
    def of_real(x: Double): A
    def to_real(a: A): Double
    def parse(text: String): A
    def text(a: A): String = a.toString
    def add(a: A, b: A): A
    def mul(a: A, b: A): A
    def less(a: A, b: A): Boolean
    def is_number(a: A): Boolean = true
    def zero: A = of_whole(0)
  }

  trait RealBits[A] extends Bits[A] {
    def of_whole(n: Long): A = of_real(n.toDouble)
    def parse(text: String): A = of_real(text match {
      case "inf" => Double.PositiveInfinity
      case "-inf" => Double.NegativeInfinity
      case "nan" | "-nan" => Double.NaN
      case number => java.lang.Double.parseDouble(number)
    })
    override def text(a: A): String =
      a.toString.replace("Infinity", "inf").replace("NaN", "nan")
    def add(a: A, b: A): A = of_real(to_real(a) + to_real(b))
    def mul(a: A, b: A): A = of_real(to_real(a) * to_real(b))
    def less(a: A, b: A): Boolean = to_real(a) < to_real(b)
    override def is_number(a: A): Boolean = !java.lang.Double.isNaN(to_real(a))
  }
  implicit object double_bits extends RealBits[Double] {
    def of_real(x: Double): Double = x
    def to_real(a: Double): Double = a
  }
  implicit object float_bits extends RealBits[Float] {
    def of_real(x: Double): Float = x.toFloat
    def to_real(a: Float): Double = a.toDouble
  }

  final class WholeBits[W](width: Width[W]) extends Bits[Whole[W]] {
    def of_whole(n: Long): Whole[W] = width.fit(n)
    def of_real(x: Double): Whole[W] = {
      val cut = if (x < 0) Math.ceil(x) else Math.floor(x)
      if (-9223372036854775808.0 <= cut && cut < 9223372036854775808.0) width.fit(cut.toLong)
      else throw new ArithmeticException("a number does not fit a whole type")
    }
    def to_real(a: Whole[W]): Double = a.number.toDouble
    def parse(text: String): Whole[W] = width.fit(java.lang.Long.parseLong(text))
    def add(a: Whole[W], b: Whole[W]): Whole[W] = a + b
    def mul(a: Whole[W], b: Whole[W]): Whole[W] = a * b
    def less(a: Whole[W], b: Whole[W]): Boolean = a < b
  }
  implicit def whole_bits[W](implicit width: Width[W]): Bits[Whole[W]] = new WholeBits(width)

  implicit object boolean_bits extends Bits[Boolean] {
    def of_whole(n: Long): Boolean = n != 0
    def of_real(x: Double): Boolean = x != 0
    def to_real(a: Boolean): Double = if (a) 1 else 0
    def parse(text: String): Boolean = java.lang.Long.parseLong(text) != 0
    override def text(a: Boolean): String = if (a) "1" else "0"
    def add(a: Boolean, b: Boolean): Boolean = a || b
    def mul(a: Boolean, b: Boolean): Boolean = a && b
    def less(a: Boolean, b: Boolean): Boolean = !a && b
  }

  // --- functions ---

  def mux[A](condition: Boolean, yes: => A, no: => A): A = if (condition) yes else no

  // Not a number, where one of the two is none.
  def min[A](a: A, b: A)(implicit bits: Bits[A]): A =
    if (!bits.is_number(a)) a else if (!bits.is_number(b)) b else if (bits.less(a, b)) a else b
  def max[A](a: A, b: A)(implicit bits: Bits[A]): A =
    if (!bits.is_number(a)) a else if (!bits.is_number(b)) b else if (bits.less(a, b)) b else a
  def abs[W](a: Whole[W]): Whole[W] = if (a.number < 0) -a else a
  def abs(a: Double): Double = Math.abs(a)
  def abs(a: Float): Float = Math.abs(a)

  private def through[A](a: A, function: Double => Double)(implicit bits: Bits[A]): A =
    bits.of_real(function(bits.to_real(a)))
  private def not_negative[A](a: A, what: String)(implicit bits: Bits[A]): A =
    if (bits.to_real(a) < 0) throw new ArithmeticException(what + " of a negative number") else a
  def sqrt[A](a: A)(implicit bits: Bits[A]): A = through(not_negative(a, "the root"), Math.sqrt)
  def log[A](a: A)(implicit bits: Bits[A]): A = through(not_negative(a, "the logarithm"), Math.log)
  def exp[A](a: A)(implicit bits: Bits[A]): A = through(a, Math.exp)
  def pow[A](a: A, b: A)(implicit bits: Bits[A]): A = through(a, Math.pow(_: Double, bits.to_real(b)))

  // --- patterns ---

  // `first until end by 1 par 16`: in what order iterations come, and, for the array machine, how many at once.
  final class Range(val first: Long, val end: Long, step: Int = 1) {
    def by(step: Int): Range = new Range(first, end, step)
    def par(copies: Int): Range = if (copies < 1) refuse("at least one iteration at once") else this
    def length: Long = Math.max(0, end - first)
    def each(body: Long => Unit): Unit = {
      var i = first
      while (i < end) {
        body(i)
        i += step
      }
    }
  }

  // The queues of the bodies that are running, the innermost first.
  private object Scopes {
    private var running = List.empty[ArrayBuffer[FIFO[_]]]
    def note(queue: FIFO[_]): Unit = running.headOption.foreach(_ += queue)
    def inside[B](body: => B): B = {
      running = new ArrayBuffer[FIFO[_]] :: running
      try {
        val result = body
        running.head.foreach(_.must_be_empty())
        result
      } finally running = running.tail
    }
  }

  def Accel(body: => Unit): Unit = Scopes.inside(body)

  // The coordinates that are set in one bit vector or in two; -1 as the position in a vector that has it not.
  final class OneScan(len: I64, a: Coordinates) {
    def each(body: (I64, I64) => Unit): Unit = {
      var position = 0L
      new Range(0, len.number).each { j =>
        if (a(j)) {
          body(position, j)
          position += 1
        }
      }
    }
  }
  final class TwoScan(len: I64, mode: String, a: Coordinates, b: Coordinates) {
    def each(body: (I64, I64, I64, I64) => Unit): Unit = {
      var before_a, before_b, out = 0L
      new Range(0, len.number).each { j =>
        val (in_a, in_b) = (a(j), b(j))
        if (if (mode == "and") in_a && in_b else in_a || in_b) {
          body(if (in_a) before_a else -1L, if (in_b) before_b else -1L, out, j)
          out += 1
        }
        if (in_a) before_a += 1
        if (in_b) before_b += 1
      }
    }
  }
  object Scan {
    def apply(par: Int, len: I64, a: Coordinates): OneScan = new OneScan(len, a)
    def apply(par: Int, len: I64, mode: String, a: Coordinates, b: Coordinates): TwoScan = new TwoScan(len, mode, a, b)
  }

  object Foreach {
    def apply(range: Range)(body: I64 => Unit): Unit = range.each { i => Scopes.inside(body(i)) }
    def apply(scan: OneScan)(body: (I64, I64) => Unit): Unit = scan.each { (p, j) => Scopes.inside(body(p, j)) }
    def apply(scan: TwoScan)(body: (I64, I64, I64, I64) => Unit): Unit =
      scan.each { (p, q, out, j) => Scopes.inside(body(p, q, out, j)) }
  }

  // What each iteration gives is combined with what the register has. (In Spatial, `Reduce` begins anew and `Fold` with
  // what is there; a text says `Reduce` where the register has what changes nothing.)
  final class Reduction[A](reg: Reg[A]) {
    def apply(range: Range)(body: I64 => A)(op: (A, A) => A): Unit =
      range.each { i => reg := op(reg.value, Scopes.inside(body(i))) }
    def apply(scan: OneScan)(body: (I64, I64) => A)(op: (A, A) => A): Unit =
      scan.each { (p, j) => reg := op(reg.value, Scopes.inside(body(p, j))) }
    def apply(scan: TwoScan)(body: (I64, I64, I64, I64) => A)(op: (A, A) => A): Unit =
      scan.each { (p, q, out, j) => reg := op(reg.value, Scopes.inside(body(p, q, out, j))) }
  }
  def Reduce[A](reg: Reg[A]): Reduction[A] = new Reduction(reg)
  def Fold[A](reg: Reg[A]): Reduction[A] = new Reduction(reg)

  // --- memories on the chip ---

  final class Reg[A](private var content: A) {
    def value: A = content
    def :=(that: A): Unit = content = that
  }
  object Reg { def apply[A](initial: A): Reg[A] = new Reg(initial) }
  implicit def value_of_register[A](reg: Reg[A]): A = reg.value

  class SRAM[A](length: I64)(implicit bits: Bits[A]) {
    private val cells = new Array[Any](Math.toIntExact(length.number)) // null: never written
    private def place(i: I64): Int =
      if (0 <= i.number && i.number < cells.length) i.number.toInt
      else refuse(s"an SRAM of ${cells.length} elements has no element $i")
    def apply(i: I64): A = {
      val cell = cells(place(i))
      if (cell == null) refuse(s"element $i of an SRAM is read, and nobody wrote it")
      cell.asInstanceOf[A]
    }
    def update(i: I64, value: A): Unit = cells(place(i)) = value
    def load(tile: Tile[A]): Unit = tile.range.each { i => update(i - tile.range.first, tile.dram(i)) }
    def RMW(i: I64, value: A, op: String, order: String, barriers: Seq[Nothing]): Unit = update(i, op match {
      case "add" | "or" => bits.add(apply(i), value)
      case "mul" | "and" => bits.mul(apply(i), value)
      case "min" => min(apply(i), value)
      case "max" => max(apply(i), value)
    })
  }
  object SRAM { def apply[A: Bits](length: I64): SRAM[A] = new SRAM(length) }
  object SparseSRAM { def apply[A: Bits](length: I64): SRAM[A] = new SRAM(length) }

  // How many may wait in it is for the array machine, where those who write and read it run at the same time.
  final class FIFO[A](depth: I64) {
    private val queue = new ArrayDeque[Any]
    Scopes.note(this)
    def enq(value: A): Unit = queue.addLast(value)
    def deq: A = if (queue.isEmpty) refuse("a queue is read, and it is empty") else queue.removeFirst.asInstanceOf[A]
    def load(tile: Tile[A]): Unit = tile.range.each { i => enq(tile.dram(i)) }
    def must_be_empty(): Unit =
      if (!queue.isEmpty) refuse(s"a queue still holds ${queue.size} numbers at the end of its scope")
  }
  object FIFO { def apply[A](depth: I64): FIFO[A] = new FIFO(depth) }

  // One bit per coordinate. `deq` takes them all, `peek` leaves them where they are.
  final class Coordinates(bits: java.util.BitSet, length: Long) {
    def apply(j: Long): Boolean =
      if (j < length) bits.get(j.toInt) else refuse(s"a bit vector of $length coordinates is scanned beyond them")
  }
  final class BitVector(length: I64) {
    private var bits = new java.util.BitSet
    def set(j: Long): Unit =
      if (0 <= j && j < length.number) bits.set(j.toInt)
      else refuse(s"a bit vector of $length coordinates has no coordinate $j")
    def peek: Coordinates = new Coordinates(bits.clone.asInstanceOf[java.util.BitSet], length.number)
    def deq: Coordinates = {
      val taken = bits
      bits = new java.util.BitSet
      new Coordinates(taken, length.number)
    }
  }
  object BitVector { def apply(length: I64): BitVector = new BitVector(length) }

  // Takes `len` coordinates out of a queue, and sets their bits.
  def gen_bitvector[W](shift: Int, max: I64, len: I64, indices: FIFO[Whole[W]], bits: BitVector): Unit =
    new Range(0, len.number).each { _ => bits.set(indices.deq.number >> shift) }

  // --- memories off the chip, and the host ---

  val nnz_max: I64 = -1 // the length of a DRAM that is as long as what the host puts there or the program stores

  final class DRAM[A](length: I64)(implicit bits: Bits[A]) {
    private val grows = length == -1
    private[dsl] val cells = new ArrayBuffer[A]
    if (!grows) extend(length.number)
    private def extend(end: Long): Unit = while (cells.length < end) cells += bits.zero
    private def place(i: Long): Int =
      if (0 <= i && i < cells.length) i.toInt else refuse(s"a DRAM of ${cells.length} elements has no element $i")
    def apply(i: I64): A = cells(place(i.number))
    def apply(range: Range): Tile[A] = new Tile(this, range)
    private[dsl] def fill(range: Range)(value: Long => A): Unit = {
      if (grows) extend(range.end)
      range.each { i => cells(place(i)) = value(i - range.first) }
    }
    private[dsl] def set(values: Seq[A]): Unit = {
      if (!grows && values.length != cells.length)
        refuse(s"the host has ${values.length} numbers for a DRAM of ${cells.length}")
      cells.clear()
      cells ++= values
    }
    def stream_store_vec(first: I64, from: FIFO[A], len: I64): Unit =
      fill(new Range(first.number, (first + len).number)) { _ => from.deq }
  }
  object DRAM { def apply[A: Bits](length: I64): DRAM[A] = new DRAM(length) }
  object SparseDRAM { def apply[A: Bits](length: I64): DRAM[A] = new DRAM(length) }
  final class Tile[A](val dram: DRAM[A], val range: Range) {
    def store(from: SRAM[A]): Unit = dram.fill(range) { i => from(i) }
  }

  object ArgIn { def apply[A: Bits]: Reg[A] = new Reg(implicitly[Bits[A]].zero) }
  def setArg[A](arg: Reg[A], value: A): Unit = arg := value
  def setMem[A](dram: DRAM[A], values: Seq[A]): Unit = dram.set(values)
  def getMem[A](dram: DRAM[A]): Seq[A] = dram.cells.toList

  def loadCSV1D[A](file: String, separator: String)(implicit bits: Bits[A]): IndexedSeq[A] = {
    val source = Source.fromFile(file)
    try source.mkString.split(separator).map(_.trim).filter(_.nonEmpty).map(bits.parse(_): Any).toVector
      .asInstanceOf[IndexedSeq[A]]
    finally source.close()
  }
  def writeCSV1D[A](values: Seq[A], file: String, separator: String)(implicit bits: Bits[A]): Unit = {
    val out = new PrintWriter(file)
    try values.foreach { a => out.print(bits.text(a) + separator) } finally out.close()
  }
}

// Runs several programs, for starting Java takes longer than most of them: PROGRAM FOLDER PROGRAM FOLDER … Why one
// ended before its end is in the file `stopped` of its folder.
object RunAll {
  def main(args: Array[String]): Unit = args.grouped(2).foreach { case Array(program, folder) =>
    try Class.forName(program).getMethod("main", classOf[Array[String]]).invoke(null, Array(folder))
    catch {
      case stop: java.lang.reflect.InvocationTargetException =>
        val out = new PrintWriter(folder + "/stopped")
        try out.println(stop.getCause) finally out.close()
    }
  }
}
