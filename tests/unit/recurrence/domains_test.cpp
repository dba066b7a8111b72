// SPDX-License-Identifier: MIT
// The domains of a few programs against sets written by hand.
#include "driver/pipelines.hpp"

#include <gtest/gtest.h>

namespace cyclotron::recurrence {
namespace {

class Program1 {
public:
  explicit Program1(const std::string& text) : diagnostics_(sources_) {
    result_ = driver::run_front_end(sources_.add("a.cyc", text), {}, diagnostics_);
    if (!result_.checked) ADD_FAILURE() << diagnostics_.render(false);
  }
  const Domains& domains() const { return result_.checked->domains; }
  const EquationDomain& equation(std::size_t e) const { return domains().equations.at(e); }
  bool proven() const { return result_.checked->order == frontend::Order::proven; }

  isl::set set(const std::string& text) const { return isl::set(domains().context->get(), text); }
  isl::map map(const std::string& text) const { return isl::map(domains().context->get(), text); }
  isl::union_map maps(const std::string& text) const { return isl::union_map(domains().context->get(), text); }

private:
  Sources sources_;
  Diagnostics diagnostics_;
  driver::FrontEndResult result_;
};

#define EXPECT_SAME(found, expected) EXPECT_TRUE((found).is_equal(expected)) << to_string(found)

const std::string cholesky = "tensor A(n, n): csr\ntensor L(n, n): csr\n"
                             "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j)   : k < j, j < i\n"
                             "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k)))        : k < i\n";

TEST(Domains, Cholesky) {
  const Program1 p(cholesky);
  EXPECT_EQ(p.equation(0).indices, (std::vector<std::string>{"i", "j"}));
  EXPECT_SAME(p.equation(0).domain, p.set("[n] -> { [i,j] : 0 <= j < i < n }"));
  EXPECT_SAME(p.equation(1).domain, p.set("[n] -> { [i] : 0 <= i < n }"));
  EXPECT_SAME(p.equation(0).defines, p.map("[n] -> { S0[i,j] -> L[i,j] : 0 <= j < i < n }"));
  EXPECT_SAME(p.equation(1).defines, p.map("[n] -> { S1[i] -> L[i,i] : 0 <= i < n }"));
  ASSERT_EQ(p.equation(0).reductions.size(), 1u);
  EXPECT_SAME(p.equation(0).reductions[0].domain, p.set("[n] -> { [i,j,k] : 0 <= k < j < i < n }"));
  ASSERT_EQ(p.equation(0).reads.size(), 4u);
  EXPECT_SAME(p.equation(0).reads[2].elements, p.map("[n] -> { [i,j,k] -> L[j,k] : 0 <= k < j < i < n }"));
  EXPECT_TRUE(p.proven());
}

TEST(Domains, CholeskyDependences) {
  const Program1 p(cholesky);
  EXPECT_SAME(dependences(p.domains()),
              p.maps("[n] -> { S0[i,k] -> S0[i,j] : 0 <= k < j < i < n; S0[i,k] -> S0[x,i] : 0 <= k < i < x < n; "
                     "S1[j] -> S0[i,j] : 0 <= j < i < n; S0[i,k] -> S1[i] : 0 <= k < i < n }"));
}

TEST(Domains, OnlyWhatIsInsideTheTensor) {
  const Program1 p("tensor x(n)\nx(2*i) = 1\nx(2*i+1) = 2 : i != 1\n");
  EXPECT_SAME(p.equation(0).domain, p.set("[n] -> { [i] : 0 <= 2i < n }"));
  EXPECT_SAME(p.equation(1).domain, p.set("[n] -> { [i] : 0 <= 2i + 1 < n and (i < 1 or i > 1) }"));
  EXPECT_SAME(p.equation(1).defines.range(),
              p.set("[n] -> { x[a] : 0 <= a < n and a mod 2 = 1 and (a < 3 or a > 3) }"));
}

TEST(Domains, ConstantAndLastElements) {
  const Program1 p("tensor x(n)\nx(0) = 1\nx(n-1) = 2 : n >= 2\nx(i) = x(i-1) + x(i+1) : 0 < i < n-1, i > n\n");
  EXPECT_SAME(p.equation(0).domain, p.set("[n] -> { [] : n >= 1 }"));
  EXPECT_SAME(p.equation(1).domain, p.set("[n] -> { [] : n >= 2 }"));
  EXPECT_TRUE(p.equation(2).domain.is_empty());
}

TEST(Domains, AssumptionsHoldEverywhere) {
  const Program1 p("assume 1 <= r <= n\ntensor x(n)\ntensor w(r)\ntensor z(n - r + 1)\nz(c) = x(c+q) * w(q)\n");
  EXPECT_SAME(p.equation(0).domain, p.set("[r, n] -> { [c] : 1 <= r <= n and 0 <= c <= n - r }"));
  ASSERT_EQ(p.equation(0).reductions.size(), 1u);
  EXPECT_SAME(p.equation(0).reductions[0].domain,
              p.set("[r, n] -> { [c, q] : 1 <= r <= n and 0 <= c <= n - r and 0 <= q < r }"));
}

TEST(Domains, SelectRestrictsTheReadsInsideIt) {
  const Program1 p("tensor x(n)\ntensor y(n)\ny(i) = select(i >= 1 and x(i) > 0, x(i-1), select(i == 0, 1, x(i)))\n");
  const auto& reads = p.equation(0).reads;
  ASSERT_EQ(reads.size(), 3u);
  EXPECT_SAME(reads[0].domain,
              p.set("[n] -> { [i] : 1 <= i < n }")); // the condition itself: `and` looks at x(i) only then
  EXPECT_SAME(reads[1].domain, p.set("[n] -> { [i] : 1 <= i < n }"));
  EXPECT_SAME(reads[2].domain, p.set("[n] -> { [i] : 1 <= i < n }")); // nothing follows from data, but i != 0 does
}

TEST(Domains, Steps) {
  const Program1 p("tensor G(n, n)\ntensor D(n, n)\ntensor last\nD^(-1)(i,j) = G(i,j)\n"
                   "D^k(i,j) = min(D^(k-1)(i,j), D^(k-1)(i,k) + D^(k-1)(k,j))\nlast = sum[i](D(i,i))\n");
  EXPECT_SAME(p.equation(1).domain, p.set("[n] -> { [k,i,j] : 0 <= k < n and 0 <= i < n and 0 <= j < n }"));
  EXPECT_SAME(p.domains().steps.at("D"), p.set("[n] -> { [k] : -1 <= k < n and n >= 1 }"));
  ASSERT_EQ(p.equation(2).reads.size(), 1u);
  EXPECT_SAME(p.equation(2).reads[0].elements, p.map("[n] -> { [i] -> D[n-1,i,i] : 0 <= i < n }")); // the last step
  EXPECT_TRUE(p.proven());
}

TEST(Domains, BoundedByConstraintsAlone) {
  const Program1 p("tensor x(n)\ntensor y(n)\ny(i) = sum[a](x(i+a)) : -1 <= a <= 1, 0 <= i+a < n\n");
  EXPECT_SAME(p.equation(0).reductions.at(0).domain,
              p.set("[n] -> { [i,a] : 0 <= i < n and -1 <= a <= 1 and 0 <= i + a < n }"));
}

TEST(Domains, ConstraintsGoToTheReductionWhoseVariablesTheyMention) {
  const Program1 p("tensor A(n, n)\ntensor y(n)\ny(i) = sum[k](A(i,k) * sum[l](A(k,l))) : k < i, l < k, i >= 2\n");
  EXPECT_SAME(p.equation(0).domain, p.set("[n] -> { [i] : 2 <= i < n }"));
  ASSERT_EQ(p.equation(0).reductions.size(), 2u);
  EXPECT_SAME(p.equation(0).reductions[0].domain, p.set("[n] -> { [i,k] : 2 <= i < n and 0 <= k < i }"));
  EXPECT_SAME(p.equation(0).reductions[1].domain,
              p.set("[n] -> { [i,k,l] : 2 <= i < n and 0 <= k < i and 0 <= l < k }"));
}

TEST(Domains, TilesCoverTheirTrailingDimensions) {
  const Program1 p("tensor A(T, b, b)\ntensor X(T, b, b)\nX(i) = A(i) + A(i)\n");
  EXPECT_SAME(p.equation(0).defines,
              p.map("[T, b] -> { S0[i] -> X[i,r,c] : 0 <= i < T and 0 <= r < b and 0 <= c < b }"));
}

} // namespace
} // namespace cyclotron::recurrence
