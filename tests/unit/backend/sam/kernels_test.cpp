// SPDX-License-Identifier: MIT
// Graphs of several kinds, each with its result.
#include "backend/sam/simulate.hpp"
#include "graphs.hpp"
#include "tensors.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

using stream::Block;
using stream::Operation;
using tensor::LevelKind;
using Tensors = std::map<std::string, const tensor::Tensor*>;

class SamKernels : public testing::Test, protected Builder {
protected:
  std::optional<sam::Run> run(const Tensors& tensors, const std::vector<std::int64_t>& dims,
                              const Options& options = {}) {
    return simulate(graph, tensors, dims, extents_, options, diagnostics_);
  }
  std::string problem() const { return diagnostics_.all().empty() ? "" : diagnostics_.all().front().main.message; }
  tensor::Tensor stored(const tensor::Tensor& tensor, const tensor::Format& format) {
    return *tensor::convert(tensor, format, diagnostics_);
  }

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  std::map<std::string, std::int64_t> extents_;
};

const tensor::Tensor a = sparse({8}, {{{0}, 1}, {{2}, 2}, {{5}, 3}});
const tensor::Tensor b = sparse({8}, {{{2}, 10}, {{3}, 20}});
const tensor::Tensor c = sparse({8}, {{{5}, 100}, {{7}, 200}});

TEST_F(SamKernels, AUnionOfThree) {
  const int joined = joiner(Block::unite, "i", {1, 1, 1});
  int sum = -1;
  for (int side = 0; side < 3; ++side) {
    const std::string name(1, static_cast<char>('a' + side));
    const int scan = scanner(name, "i", 0, true), values = block(Block::arrayvals, "", name);
    connect(scan, 0, joined, 2 * side);
    connect(scan, 1, joined, 2 * side + 1);
    connect(joined, 1 + side, values, 0);
    const int before = side == 0 ? values : sum;
    if (side == 0) sum = before;
    else {
      sum = alu(Operation::add);
      connect(before, 0, sum, 0);
      connect(values, 0, sum, 1);
    }
  }
  connect(joined, 0, writer("x", "i", 0), 0);
  connect(sum, 0, writer("x", "", -1), 0);
  result("x", {LevelKind::compressed});
  const auto done = run({{"a", &a}, {"b", &b}, {"c", &c}}, {8});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(done->result, sparse({8}, {{{0}, 1}, {{2}, 12}, {{3}, 20}, {{5}, 103}, {{7}, 200}}));
}

// x = sum[i] a(i) * b(i).
class SamInnerProduct : public SamKernels {
protected:
  void build(bool skips) {
    const int first = scanner("a", "i", 0, true);
    last().skips = skips;
    const int second = scanner("b", "i", 0, true);
    last().skips = skips;
    const int joined = joiner(Block::intersect, "i", {1, 1});
    last().skips = skips;
    const int x = block(Block::arrayvals, "", "a"), y = block(Block::arrayvals, "", "b");
    const int times = alu(Operation::mul), sum = block(Block::reduce, "i");
    connect(first, 0, joined, 0);
    connect(first, 1, joined, 1);
    connect(second, 0, joined, 2);
    connect(second, 1, joined, 3);
    connect(joined, 1, x, 0);
    connect(joined, 2, y, 0);
    connect(x, 0, times, 0);
    connect(y, 0, times, 1);
    connect(times, 0, sum, 0);
    connect(sum, 0, writer("x", "", -1), 0);
    if (skips) {
      connect(joined, 3, first, 1);
      connect(joined, 4, second, 1);
    }
    result("x", {});
  }
  double value(const tensor::Tensor& first, const tensor::Tensor& second) {
    const auto done = run({{"a", &first}, {"b", &second}}, {});
    EXPECT_TRUE(done) << problem();
    return done ? tensor::float_at(done->result.values, 0) : -1;
  }
};

TEST_F(SamInnerProduct, AScalar) {
  build(false);
  EXPECT_EQ(value(a, b), 20);
  EXPECT_EQ(value(a, c), 300);
}

TEST_F(SamInnerProduct, NothingIsZero) {
  build(false);
  EXPECT_EQ(value(b, c), 0);
  graph.nodes[6].keeps_empty = false;
  EXPECT_EQ(value(b, c), 0);
}

TEST_F(SamInnerProduct, WithSkipWires) {
  build(true);
  EXPECT_EQ(value(a, b), 20);
  EXPECT_EQ(value(a, c), 300);
}

TEST_F(SamInnerProduct, WholeNumbersThatAreTooLargeNameTheBlock) {
  build(false);
  for (stream::Node& node : graph.nodes) node.type = tensor::ValueType::i32;
  const auto large = tensor::convert_type(sparse({8}, {{{2}, 65536}, {{3}, 1}}), tensor::ValueType::i32, diagnostics_);
  EXPECT_FALSE(run({{"a", &*large}, {"b", &*large}}, {}));
  EXPECT_EQ(problem(), "mul makes a number that is too large for its type, in cycle 4");
}

TEST_F(SamInnerProduct, WholeNumbersAreExact) {
  build(false);
  for (stream::Node& node : graph.nodes) node.type = tensor::ValueType::i64;
  tensor::Tensor large = *tensor::convert_type(a, tensor::ValueType::i64, diagnostics_);
  large.values = std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1, 0, 1};
  const tensor::Tensor ones =
      *tensor::convert_type(sparse({8}, {{{0}, 1}, {{5}, 1}}), tensor::ValueType::i64, diagnostics_);
  const auto done = run({{"a", &large}, {"b", &ones}}, {});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(tensor::integer_at(done->result.values, 0), (std::int64_t{1} << 53) + 2);
}

// x(i) = select(a(i) > 1, 2 * a(i), -1): constants, conditions, three operands.
TEST_F(SamKernels, AluOperandsOfAllKinds) {
  const int scan = scanner("a", "i", 0, true), values = block(Block::arrayvals, "", "a");
  const int larger = alu(Operation::greater);
  last().constants = {{1, 1.0, 1}};
  const int twice = alu(Operation::mul);
  last().constants = {{0, 2.0, 2}};
  const int choice = alu(Operation::select);
  last().constants = {{2, -1.0, -1}};
  connect(scan, 1, values, 0);
  connect(values, 0, larger, 0);
  connect(values, 0, twice, 0);
  connect(larger, 0, choice, 0);
  connect(twice, 0, choice, 1);
  connect(scan, 0, writer("x", "i", 0), 0);
  connect(choice, 0, writer("x", "", -1), 0);
  result("x", {LevelKind::compressed});
  const auto done = run({{"a", &a}}, {8});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(done->result, sparse({8}, {{{0}, -1}, {{2}, 4}, {{5}, 6}}));
}

TEST_F(SamKernels, WordsOfBits) {
  const tensor::Format bits = {{LevelKind::bitvector}, {0}};
  const tensor::Tensor first = stored(sparse({70}, {{{0}, 1}, {{2}, 2}, {{66}, 3}}), bits);
  const tensor::Tensor second = stored(sparse({70}, {{{2}, 5}, {{3}, 6}, {{66}, 7}}), bits);
  const int scan_first = scanner("a", "i", 0, true, LevelKind::bitvector);
  const int scan_second = scanner("b", "i", 0, true, LevelKind::bitvector);
  const int joined = block(Block::bvintersect, "i");
  const int x = block(Block::arrayvals, "", "a"), y = block(Block::arrayvals, "", "b"), times = alu(Operation::mul);
  connect(scan_first, 0, joined, 0);
  connect(scan_first, 1, joined, 1);
  connect(scan_second, 0, joined, 2);
  connect(scan_second, 1, joined, 3);
  connect(joined, 1, x, 0);
  connect(joined, 2, y, 0);
  connect(x, 0, times, 0);
  connect(y, 0, times, 1);
  connect(joined, 0, writer("x", "i", 0), 0);
  last().format = LevelKind::bitvector;
  connect(times, 0, writer("x", "", -1), 0);
  result("x", {LevelKind::compressed});
  const auto done = run({{"a", &first}, {"b", &second}}, {70});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(done->result, sparse({70}, {{{2}, 10}, {{66}, 21}}));
}

TEST_F(SamKernels, PointsAndTheTransposeOfAMatrix) {
  const tensor::Tensor matrix = sparse({3, 4}, {{{0, 3}, 1}, {{2, 0}, 2}, {{2, 3}, 3}});
  const int rows = scanner("B", "i", 0, true), columns = scanner("B", "j", 1);
  const int hold = block(Block::crdhold), values = block(Block::arrayvals, "", "B");
  const int points = block(Block::pointwrite, "", "x");
  last().order = 2;
  connect(rows, 1, columns, 0);
  connect(rows, 0, hold, 0);
  connect(columns, 0, hold, 1);
  connect(columns, 1, values, 0);
  connect(hold, 1, points, 0);
  connect(hold, 0, points, 1);
  connect(values, 0, points, 2);
  result("x", {LevelKind::compressed, LevelKind::compressed});
  const auto done = run({{"B", &matrix}}, {4, 3});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(done->result, sparse({4, 3}, {{{3, 0}, 1}, {{0, 2}, 2}, {{3, 2}, 3}}));
}

// A dense matrix with empty rows goes to a result with dense rows: fibers match one to one.
TEST_F(SamKernels, EmptyFibersStayWhereNothingIsDropped) {
  const tensor::Tensor matrix =
      stored(sparse({4, 4}, {{{1, 3}, 1}, {{3, 0}, 2}}), {{LevelKind::dense, LevelKind::compressed}, {0, 1}});
  const int rows = scanner("B", "i", 0, true, LevelKind::dense), columns = scanner("B", "j", 1);
  const int values = block(Block::arrayvals, "", "B");
  connect(rows, 1, columns, 0);
  connect(columns, 1, values, 0);
  connect(rows, 0, writer("x", "i", 0), 0);
  connect(columns, 0, writer("x", "j", 1), 0);
  connect(values, 0, writer("x", "", -1), 0);
  result("x", {LevelKind::dense, LevelKind::compressed});
  const auto done = run({{"B", &matrix}}, {4, 4});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(done->result, matrix);
}

// x(i) = sum[j] j * (1 for all i and j with j < i): no tensor at all.
TEST_F(SamKernels, CoordinatesOfNoTensor) {
  extents_ = {{"i", 4}, {"j", 5}};
  const int rows = scanner("", "i", -1, true, LevelKind::dense),
            columns = scanner("", "j", -1, false, LevelKind::dense);
  const int hold = block(Block::crdhold), mask = block(Block::crdmask, "j");
  last().factor = 1;
  last().others = {-1};
  const int numbers = block(Block::crdvals, "j"), sum = block(Block::reduce, "j");
  connect(rows, 1, columns, 0);
  connect(rows, 0, hold, 0);
  connect(columns, 0, hold, 1);
  connect(hold, 1, mask, 0);
  connect(hold, 0, mask, 1);
  connect(mask, 0, numbers, 0);
  connect(numbers, 0, sum, 0);
  connect(rows, 0, writer("x", "i", 0), 0);
  connect(sum, 0, writer("x", "", -1), 0);
  result("x", {LevelKind::dense});
  const auto done = run({}, {4});
  ASSERT_TRUE(done) << problem();
  EXPECT_EQ(std::get<std::vector<double>>(done->result.values), (std::vector<double>{0, 0, 1, 3}));
}

} // namespace
} // namespace cyclotron::sam
