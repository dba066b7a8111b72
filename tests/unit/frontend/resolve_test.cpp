// SPDX-License-Identifier: MIT
// What names mean, and where implied sums stand.
#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"

#include <gtest/gtest.h>

namespace cyclotron::frontend {
namespace {

using namespace recurrence;

const std::string tensors = "tensor A(n, m)\ntensor B(m, n)\ntensor x(m)\ntensor b(n)\ntensor s\ntensor y(n)\n";

// The last equation with its sums written out, or the first message.
std::string expanded(const std::string& equation) {
  Sources sources;
  Diagnostics diagnostics(sources);
  Unit unit = parse(sources.add("a.cyc", tensors + equation), diagnostics);
  if (!diagnostics.failed()) unit = resolve(unit, diagnostics);
  if (!diagnostics.failed()) unit = expand_sums(unit, diagnostics);
  for (const Diagnostic& d : diagnostics.all())
    if (d.main.severity == Severity::error) return d.main.message;
  return print(unit.program.equations.back());
}

std::map<std::string, NameKind> kinds(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const Unit unit = resolve(parse(sources.add("a.cyc", tensors + text), diagnostics), diagnostics);
  EXPECT_FALSE(diagnostics.failed()) << diagnostics.render(false);
  std::map<std::string, NameKind> found;
  const auto collect = [&](const Expr& e) {
    if (const Name* n = as<Name>(e)) found[n->id] = n->kind;
  };
  ir::walk<ExprNode>(unit.program.equations.back().value, collect);
  for (const Constraint& c : unit.program.equations.back().constraints)
    for (const Expr& e : c.operands) ir::walk<ExprNode>(e, collect);
  return found;
}

TEST(Resolve, KindsOfNames) {
  const auto found = kinds("let two = 2\ny(i) = i + two * n + sum[k](A(i,k)) + s : k < r, i < T\n");
  EXPECT_EQ(found.at("i"), NameKind::index);
  EXPECT_EQ(found.at("k"), NameKind::index);
  EXPECT_EQ(found.at("two"), NameKind::constant);
  EXPECT_EQ(found.at("n"), NameKind::size);
  EXPECT_EQ(found.at("T"), NameKind::size); // it stands only in a constraint
  EXPECT_EQ(found.count("s"), 0u);          // a read of the scalar
}

TEST(Resolve, Mistakes) {
  const auto said = [](const std::string& text, const std::string& part) {
    EXPECT_NE(expanded(text).find(part), std::string::npos) << text << ": " << expanded(text);
  };
  said("y(i) = z", "`z` is not declared");
  said("z(i) = 1", "`z` is not declared");
  said("y(i) = C(i)", "`C` is not declared");
  said("y(i) = sum[i](b(i))", "already an index");
  said("y(i) = sum[k,k](b(k))", "named twice");
  said("y(i) = sum[n](b(n))", "is a size");
  said("y(i) = sum[s](b(s))", "is a tensor");
  said("default y = ones()\ny(i) = 1", "is an output");
  said("default q = ones()\ny(i) = 1", "no tensor");
  said("let s = 3\ny(i) = 1", "both a constant and a tensor");
  said("let a = b2\nlet b2 = 1\ny(i) = a", "before it is defined");
  said("y(i) = sum[k](A(i,k)) * x(k)", "`k`"); // summed once, used again outside
}

TEST(ExpandSums, OverTheSmallestTerm) {
  EXPECT_EQ(expanded("y(i) = A(i,j) * x(j) + b(i)"), "y(i) = sum[j](A(i,j) * x(j)) + b(i)");
  EXPECT_EQ(expanded("y(i) = b(i) - A(i,j) * x(j)"), "y(i) = b(i) - sum[j](A(i,j) * x(j))");
  EXPECT_EQ(expanded("y(i) = -A(i,j) * x(j)"), "y(i) = sum[j](-A(i,j) * x(j))");
  EXPECT_EQ(expanded("y(i) = 2 * (A(i,j) * x(j) + b(i))"), "y(i) = 2 * (sum[j](A(i,j) * x(j)) + b(i))");
  EXPECT_EQ(expanded("s = A(i,j) * B(j,i)"), "s = sum[i, j](A(i,j) * B(j,i))");
  EXPECT_EQ(expanded("s = x(j) * x(j) + b(k) * b(k)"), "s = sum[j](x(j) * x(j)) + sum[k](b(k) * b(k))");
  EXPECT_EQ(expanded("s = x(j) + x(j)"), "s = sum[j](x(j)) + sum[j](x(j))");
  EXPECT_EQ(expanded("y(i) = max(b(i), A(i,j) * x(j) + 1)"), "y(i) = max(b(i), sum[j](A(i,j) * x(j)) + 1)");
}

TEST(ExpandSums, NothingToDo) {
  EXPECT_EQ(expanded("y(i) = b(i)"), "y(i) = b(i)");
  EXPECT_EQ(expanded("y(i) = sum[j](A(i,j))"), "y(i) = sum[j](A(i,j))");
}

TEST(ExpandSums, TwoReadingsAreRefused) {
  for (const char* text : {"y(i) = sqrt(A(i,j))", "y(i) = max(0, A(i,j) * x(j))", "y(i) = select(s > 0, A(i,j), 0)",
                           "y(i) = max[k](A(k,j))"})
    EXPECT_NE(expanded(text).find("not clear where"), std::string::npos) << text << ": " << expanded(text);
}

} // namespace
} // namespace cyclotron::frontend
