// SPDX-License-Identifier: MIT
// The mechanism behind every IR, on a small IR of its own.
#include "ir/node.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cyclotron::ir {
namespace {

struct ToyNode;
using Toy = Ref<ToyNode>;

struct Leaf {
  int value = 0;
  static void fields(auto&, auto&&) {}
  bool operator==(const Leaf&) const = default;
};

// A part with fields of its own that is no node.
struct Pair {
  Toy first;
  Toy second;
  static void fields(auto& n, auto&& f) {
    f(n.first);
    f(n.second);
  }
  bool operator==(const Pair&) const = default;
};

struct Branch {
  std::string name;
  Toy only;
  std::vector<Toy> list;
  std::optional<Toy> maybe;
  std::vector<Pair> pairs;
  static void fields(auto& n, auto&& f) {
    f(n.only);
    f(n.list);
    f(n.maybe);
    f(n.pairs);
  }
  bool operator==(const Branch&) const = default;
};

struct ToyNode {
  Span span;
  std::variant<Leaf, Branch> kind;
};

Toy leaf(int value, Span at = {}) { return Toy(Leaf{value}, at); }

Toy sample(Span at = {}) {
  return Toy(Branch{"b", leaf(1), {leaf(2), leaf(3)}, leaf(4), {{leaf(5), leaf(6)}, {leaf(7), leaf(8)}}}, at);
}

std::vector<int> children_of(const Toy& toy) {
  std::vector<int> values;
  each_child<ToyNode>(toy, [&](const Toy& child) { values.push_back(as<Leaf>(child) ? as<Leaf>(child)->value : -1); });
  return values;
}

TEST(Node, EachChildFindsThemEverywhereInOrder) {
  EXPECT_EQ(children_of(sample()), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(children_of(leaf(1)), std::vector<int>{});
  EXPECT_EQ(children_of(Toy(Branch{"b", {}, {}, {}, {}})), std::vector<int>{}); // what is not there is no child
}

TEST(Node, WalkVisitsParentsFirst) {
  const Toy tree(Branch{"top", sample(), {leaf(9)}, {}, {}});
  std::vector<int> values;
  walk<ToyNode>(tree, [&](const Toy& t) { values.push_back(as<Leaf>(t) ? as<Leaf>(t)->value : -1); });
  EXPECT_EQ(values, (std::vector<int>{-1, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Node, MapChildrenKeepsTheNodeWhereNothingChanges) {
  const Toy tree = sample();
  EXPECT_TRUE(map_children<ToyNode>(tree, [](const Toy& t) { return t; }).same_as(tree));
  EXPECT_TRUE(map_children<ToyNode>(leaf(1), [](const Toy&) { return leaf(2); }) == leaf(1));
}

TEST(Node, MapChildrenSharesWhatDoesNotChange) {
  const Toy tree(Branch{"top", sample(), {leaf(9), leaf(10)}, {}, {}});
  const Toy changed =
      map_children<ToyNode>(tree, [](const Toy& t) { return as<Leaf>(t) && as<Leaf>(t)->value == 9 ? leaf(90) : t; });
  ASSERT_FALSE(changed.same_as(tree));
  const Branch &before = *as<Branch>(tree), &after = *as<Branch>(changed);
  EXPECT_TRUE(after.only.same_as(before.only));
  EXPECT_TRUE(after.list[1].same_as(before.list[1]));
  EXPECT_EQ(as<Leaf>(after.list[0])->value, 90);
  EXPECT_EQ(as<Leaf>(before.list[0])->value, 9); // the old tree is as it was
  EXPECT_EQ(after.name, "top");
}

TEST(Node, MapChildrenReachesEveryField) {
  const Toy doubled = map_children<ToyNode>(sample(), [](const Toy& t) { return leaf(2 * as<Leaf>(t)->value); });
  EXPECT_EQ(children_of(doubled), (std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16}));
}

TEST(Node, RewritesInheritTheSpan) {
  const Toy tree = sample({3, 10, 20});
  const Toy changed = map_children<ToyNode>(tree, [](const Toy&) { return leaf(0); });
  EXPECT_EQ(changed->span.file, 3);
  EXPECT_EQ(changed->span.begin, 10u);
  EXPECT_EQ(changed->span.end, 20u);
}

TEST(Node, EqualityIgnoresSpansAndIdentity) {
  EXPECT_TRUE(sample({0, 1, 2}) == sample({5, 6, 7}));
  EXPECT_TRUE(leaf(1, {0, 0, 1}) == leaf(1));
  EXPECT_FALSE(leaf(1) == leaf(2));
  EXPECT_FALSE(sample() == leaf(1));
  EXPECT_FALSE(Toy() == leaf(1));
  EXPECT_TRUE(Toy() == Toy());
  const Toy other = map_children<ToyNode>(sample(), [](const Toy& t) { return as<Leaf>(t)->value == 8 ? leaf(0) : t; });
  EXPECT_FALSE(other == sample()); // a difference deep inside
}

TEST(Node, MatchTakesTheKind) {
  const auto name = [](const Toy& t) {
    return match(
        t, [](const Leaf& l) { return std::to_string(l.value); }, [](const Branch& b) { return b.name; });
  };
  EXPECT_EQ(name(leaf(7)), "7");
  EXPECT_EQ(name(sample()), "b");
  EXPECT_EQ(as<Branch>(leaf(1)), nullptr);
}

} // namespace
} // namespace cyclotron::ir
