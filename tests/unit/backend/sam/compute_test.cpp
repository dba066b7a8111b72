// SPDX-License-Identifier: MIT
// Blocks on values: arrays, ALUs, reducers, and their numbers.
#include "bench.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace cyclotron::sam {
namespace {

using recurrence::Reducer;
using stream::Operation;

std::string reduced(const std::string& values, bool keeps_empty = true, Reducer reducer = Reducer::sum) {
  return through({values}, "v", [&](Unit& unit) { return reduce(unit, {reducer, ValueType::f64}, keeps_empty); })[0];
}

std::string computed(Operation operation, const Texts& inputs, ValueType type = ValueType::f64) {
  Operands operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) operands.ports.push_back({i, type, type});
  return through(inputs, tensor::is_float(type) ? "v" : "c", [&](Unit& unit) {
    return compute(unit, {operation, type, type, false}, operands);
  })[0];
}

std::string fault_of(Operation operation, const Texts& inputs, ValueType type = ValueType::f64) {
  try {
    return computed(operation, inputs, type);
  } catch (const Fault& fault) {
    return fault.what();
  }
}

TEST(Array, NothingIsZero) {
  const tensor::Values values = std::vector<double>{7, 8};
  EXPECT_EQ(through({"0 N S0 1 S1 D"}, "v", [&](Unit& unit) { return load_values(unit, values); })[0],
            "0:7 1:0 2:S0 3:8 4:S1 5:D");
  EXPECT_THROW(through({"2 D"}, "v", [&](Unit& unit) { return load_values(unit, values); }), Fault);
  EXPECT_THROW(through({"-1 D"}, "v", [&](Unit& unit) { return load_values(unit, values); }), Fault);
}

TEST(Alu, NeedsBothOperands) {
  EXPECT_EQ(computed(Operation::mul, {"2.0 3.0 S0 D", "5.0@4 1.5 S0 D"}), "4:10 5:4.5 6:S0 7:D");
  EXPECT_EQ(computed(Operation::sub, {"2.0 S0h0 D", "5.0 S0 D"}), "0:-3 1:S0 2:D");
}

TEST(Alu, OtherShapesAreAnError) {
  EXPECT_EQ(fault_of(Operation::mul, {"1.0 S0 D", "1.0 2.0 S0 D"}),
            "block has `S0` in one operand where another has data: their shapes differ, in cycle 1");
  EXPECT_THROW(computed(Operation::mul, {"1.0 S0 D", "1.0 S1 D"}), Fault);
}

TEST(Alu, NumbersThatAreNotDefinedAreErrors) {
  EXPECT_EQ(fault_of(Operation::div, {"1.0 D", "0.0 D"}), "block divides by zero, in cycle 0");
  EXPECT_EQ(fault_of(Operation::sqrt, {"-1.0 D"}), "block takes the square root of a negative number, in cycle 0");
  EXPECT_EQ(fault_of(Operation::add, {"9223372036854775807 D", "1 D"}, ValueType::i64),
            "block makes a number that is too large for its type, in cycle 0");
  EXPECT_EQ(fault_of(Operation::mul, {"65536 D", "65536 D"}, ValueType::i32),
            "block makes a number that is too large for its type, in cycle 0");
  EXPECT_EQ(computed(Operation::mul, {"65536 D", "65536 D"}, ValueType::i64), "0:4294967296 1:D");
}

TEST(Alu, SingleFloatsAreRoundedEveryTime) {
  EXPECT_EQ(computed(Operation::add, {"16777216.0 D", "1.0 D"}, ValueType::f32), "0:16777216 1:D");
}

TEST(Arithmetic, Operations) {
  const auto real = [](Operation operation, double a, double b) {
    const Word words[2] = {{.real = a}, {.real = b}};
    const char* problem = nullptr;
    const Word result = calculate({operation, ValueType::f64, ValueType::f64, true}, words, problem);
    EXPECT_EQ(problem, nullptr);
    return result;
  };
  EXPECT_EQ(real(Operation::min, 2, 3).real, 2);
  EXPECT_EQ(real(Operation::max, 2, 3).real, 3);
  EXPECT_TRUE(std::isnan(real(Operation::max, std::numeric_limits<double>::quiet_NaN(), 3).real));
  EXPECT_EQ(real(Operation::pow, 2, 3).real, 8);
  EXPECT_EQ(real(Operation::div, 0, 0).real, 0); // of a sparse result
  EXPECT_EQ(real(Operation::negate, 2, 0).real, -2);
  EXPECT_EQ(real(Operation::abs, -2, 0).real, 2);
  EXPECT_EQ(real(Operation::less, 2, 3).whole, 1);
  EXPECT_EQ(real(Operation::greater_equal, 2, 3).whole, 0);
  EXPECT_EQ(real(Operation::not_equal, 2, 3).whole, 1);
}

TEST(Reduce, AStopThatIsLeftHasACycleOfItsOwn) { EXPECT_EQ(reduced("1.0 2.0 S0 S0 3.0 S1 D"), "2:3 3:0 5:3 6:S0 7:D"); }

TEST(Reduce, LeavesOutEmptyFibersAtNoGainOfTime) {
  EXPECT_EQ(reduced("1.0 2.0 S0 S1 3.0 S1 D", false), "2:3 4:S0 6:3 7:S0 8:D");
  EXPECT_EQ(reduced("1.0 2.0 S0 S1 3.0 S1 D", true), "2:3 3:0 4:S0 6:3 7:S0 8:D");
}

TEST(Reduce, ThereIsNoValueWhereThereIsNoFiber) {
  EXPECT_EQ(reduced("1.0 S1 S1h1 S2h2 D"), "1:1 2:S0 4:S0 6:S1h1 7:D");
}

TEST(Reduce, OtherReducers) {
  EXPECT_EQ(reduced("2.0 3.0 S0 D", true, Reducer::prod), "2:6 3:D");
  EXPECT_EQ(reduced("2.0 3.0 S0 S0 D", true, Reducer::min), "2:2 3:inf 4:D");
  EXPECT_EQ(reduced("2.0 3.0 S0 D", true, Reducer::max), "2:3 3:D");
  EXPECT_EQ(through({"1 0 S0 S0 D"}, "c",
                    [](Unit& u) {
                      return reduce(u, {Reducer::all, ValueType::boolean}, true);
                    })[0],
            "2:0 3:1 4:D");
  EXPECT_EQ(through({"1 0 S0 S0 D"}, "c",
                    [](Unit& u) {
                      return reduce(u, {Reducer::any, ValueType::boolean}, true);
                    })[0],
            "2:1 3:0 4:D");
}

} // namespace
} // namespace cyclotron::sam
