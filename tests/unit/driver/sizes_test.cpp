// SPDX-License-Identifier: MIT
// Sizes from shapes: each dimension is an equation in the sizes.
#include "driver/sizes.hpp"

#include "driver/pipelines.hpp"

#include <gtest/gtest.h>

namespace cyclotron::driver {
namespace {

using Shape = std::vector<std::int64_t>;

class Inference {
public:
  explicit Inference(const std::string& text) : diagnostics_(sources_) {
    const FrontEndResult front_end = run_front_end(sources_.add("a.cyc", text), {}, diagnostics_);
    if (!front_end.checked) ADD_FAILURE() << diagnostics_.render(false);
    unit_ = front_end.checked->unit;
    sizes_ = std::make_unique<Sizes>(unit_->program, diagnostics_);
  }
  Sizes& sizes() { return *sizes_; }
  bool take(const std::string& tensor, const Shape& shape) {
    return sizes_->take_shape(*unit_->program.tensor(tensor), shape, "`" + tensor + "`");
  }
  Shape dims(const std::string& tensor) { return sizes_->dims_of(*unit_->program.tensor(tensor)); }
  std::string said() { return diagnostics_.render(false); }

private:
  Sources sources_;
  Diagnostics diagnostics_;
  std::shared_ptr<const frontend::Unit> unit_;
  std::unique_ptr<Sizes> sizes_;
};

using Map = std::map<std::string, std::int64_t>;

TEST(Sizes, FromPlainDimensions) {
  Inference i("tensor A(n, m)\ntensor x(n)\nx(i) = sum[j](A(i,j))\n");
  EXPECT_TRUE(i.take("A", {3, 5}));
  EXPECT_EQ(i.sizes().values(), (Map{{"n", 3}, {"m", 5}}));
  EXPECT_EQ(i.dims("x"), Shape{3});
  EXPECT_TRUE(i.sizes().check_complete());
}

TEST(Sizes, FromAffineDimensions) {
  Inference i("assume 2 <= n\ntensor A(2*n + 1, n - 2)\ntensor x(n)\nx(i) = A(0,0) : 3 <= n\n");
  EXPECT_TRUE(i.take("A", {7, 1}));
  EXPECT_EQ(i.sizes().values(), (Map{{"n", 3}}));
}

TEST(Sizes, NoWholeSolution) {
  Inference odd("tensor A(2*n)\ntensor x(n)\nx(i) = A(i)\n");
  EXPECT_FALSE(odd.take("A", {7}));
  EXPECT_NE(odd.said().find("which `2 * n` cannot be"), std::string::npos) << odd.said();
  Inference small("tensor A(n + 3)\ntensor x(n)\nx(i) = A(i)\n");
  EXPECT_FALSE(small.take("A", {2}));
  EXPECT_NE(small.said().find("no size `n` from 0 up"), std::string::npos) << small.said();
}

// m + n is known only after n is.
TEST(Sizes, WaitsForOtherSizes) {
  Inference i("tensor A(m + n)\ntensor b(n)\ntensor x(m)\nx(i) = A(i) + sum[k](b(k))\n");
  EXPECT_TRUE(i.take("A", {10}));
  EXPECT_FALSE(i.sizes().known("m"));
  EXPECT_EQ(i.dims("A"), Shape{-1});
  EXPECT_TRUE(i.take("b", {4}));
  EXPECT_EQ(i.sizes().values(), (Map{{"n", 4}, {"m", 6}}));
  EXPECT_EQ(i.dims("x"), Shape{6});
}

TEST(Sizes, Conflicts) {
  Inference i("tensor a(n)\ntensor b(n)\ntensor c(2*n)\ntensor x(n)\nx(i) = a(i) + b(i) + c(i)\n");
  EXPECT_TRUE(i.take("a", {3}));
  EXPECT_FALSE(i.take("b", {4}));
  EXPECT_FALSE(i.take("c", {7}));
  EXPECT_NE(i.said().find("`n` is 3 by `a`"), std::string::npos) << i.said();
  EXPECT_FALSE(i.take("a", {3, 3})); // two dimensions where there is one
}

TEST(Sizes, GivenOnes) {
  Inference i("tensor x(n)\nx(i) = 1\n");
  EXPECT_FALSE(i.sizes().set("n", -1, "the command line"));
  EXPECT_FALSE(i.sizes().set("n", std::int64_t{1} << 41, "the command line"));
  EXPECT_TRUE(i.sizes().set("n", 5, "the command line"));
  EXPECT_TRUE(i.sizes().set("n", 5, "somebody else"));
  EXPECT_FALSE(i.sizes().set("n", 6, "somebody else"));
}

TEST(Sizes, MissingOnesAndAssumptions) {
  Inference missing("tensor x(n)\nx(i) = 1 : i < T\n");
  missing.sizes().set("n", 3, "me");
  EXPECT_FALSE(missing.sizes().check_complete());
  EXPECT_NE(missing.said().find("the size `T` is not known"), std::string::npos);
  Inference assumed("assume 2 <= n < m\ntensor x(n, m)\nx(i,j) = 1\n");
  assumed.sizes().set("n", 2, "me");
  assumed.sizes().set("m", 2, "you");
  EXPECT_FALSE(assumed.sizes().check_complete());
  EXPECT_NE(assumed.said().find("which does not hold"), std::string::npos);
}

} // namespace
} // namespace cyclotron::driver
