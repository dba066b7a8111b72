// SPDX-License-Identifier: MIT
// The plans of all ranks fit together, and hold what follows from the programs by hand.
#include "pe/plan.hpp"
#include "unit/pe/traced.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace cyclotron::pe {
namespace {

std::vector<RankPlan> plans_of(const Traced& t, const Placement& placement) {
  const Ownership ownership = own(t.executable, t.trace, placement);
  std::vector<RankPlan> plans;
  for (int r = 0; r < placement.ranks; ++r) plans.push_back(plan(t.executable, t.trace, placement, ownership, r));
  return plans;
}

// A row of three PEs, all of which need A(0,0), which flows from the first to the last.
TEST(Plan, AValueGoesOnceToEachRank) {
  const Traced t(output_stationary(1, 3, 1));
  ASSERT_EQ(t.trace.messages, 2U);
  const auto apart = plans_of(t, placed({0, 1, 2, 0}, 3));
  EXPECT_EQ(apart[0].messages_out, 2U);
  EXPECT_EQ(apart[0].bytes_out, 16U);
  EXPECT_EQ(apart[1].messages_out + apart[2].messages_out, 0U); // not passed on
  EXPECT_EQ(apart[1].messages_in, 1U);
  EXPECT_EQ(apart[2].messages_in, 1U);
  const auto together = plans_of(t, placed({0, 1, 1, 0}, 2));
  EXPECT_EQ(together[0].messages_out, 1U);
  EXPECT_EQ(together[1].messages_in, 1U);
  ASSERT_EQ(together[1].elements.size(), 2U);
  const int cargo = together[1].elements[0].needs[0].cargo;
  EXPECT_EQ(together[1].elements[1].needs[0].cargo, cargo);
  const Cargo& shared = together[1].cargo.at(static_cast<std::size_t>(cargo));
  EXPECT_EQ(shared.uses, 2);
  EXPECT_EQ(shared.source, 0);
  EXPECT_EQ(shared.mailbox, 0);
}

TEST(Plan, WhatIsOnlyPassedOnDoesNotComeByWayOfOthers) {
  const Traced t(chain(""));
  const auto plans = plans_of(t, placed({0, 1, 2, 0}, 3));
  // Only the last PE uses a(0), so its rank has it from the start, and no message is needed.
  for (const RankPlan& p : plans) EXPECT_EQ(p.messages_out + p.messages_in, 0U) << p.rank;
  EXPECT_EQ(plans[2].parts.size(), 2U);
  EXPECT_EQ(plans[1].elements.at(0).needs.at(0).cargo, -1);
  EXPECT_EQ(plans[1].elements.at(0).needs.at(0).bytes, 8);
}

TEST(Plan, WhatIsMadeGoesToWhoWaitsForIt) {
  const Traced t(chain("[i]_x + 1.0"));
  const auto plans = plans_of(t, placed({0, 1, 1, 0}, 2));
  const RankPlan& first = plans[0];
  const int cargo = first.elements.at(0).makes.at(0).cargo;
  ASSERT_GE(cargo, 0);
  EXPECT_EQ(first.cargo[static_cast<std::size_t>(cargo)].deliveries.size(), 1U);
  EXPECT_EQ(first.cargo[static_cast<std::size_t>(cargo)].uses, 0);
  const RankPlan& second = plans[1];
  const int inner = second.elements.at(0).makes.at(0).cargo;
  ASSERT_GE(inner, 0);
  EXPECT_EQ(second.cargo[static_cast<std::size_t>(inner)].uses, 1);
  EXPECT_TRUE(second.cargo[static_cast<std::size_t>(inner)].deliveries.empty());
  EXPECT_EQ(second.elements.at(1).makes.at(0).cargo, -1); // stored, and nobody waits for it
  EXPECT_EQ(second.elements.at(1).makes.at(0).part, 0);
  EXPECT_EQ(second.kept_bytes, 8);
}

// Both ends know of every transfer, by the same numbers, and no value comes twice.
void expect_ends_to_meet(const std::vector<RankPlan>& plans) {
  for (const RankPlan& from : plans)
    for (const Cargo& c : from.cargo) {
      std::set<int> told;
      for (const Delivery& d : c.deliveries) {
        RC_ASSERT(told.insert(d.rank).second && d.rank != from.rank);
        const RankPlan& to = plans.at(static_cast<std::size_t>(d.rank));
        RC_ASSERT(d.mailbox >= 0 && d.mailbox < to.mailboxes);
        const auto other =
            std::find_if(to.cargo.begin(), to.cargo.end(), [&](const Cargo& o) { return o.mailbox == d.mailbox; });
        RC_ASSERT(other != to.cargo.end());
        RC_ASSERT(other->value == c.value && other->source == from.rank && other->tag == d.tag);
        RC_ASSERT(other->uses > 0 || !other->fills.empty());
      }
    }
  std::uint64_t out = 0, in = 0, bytes_out = 0, bytes_in = 0;
  for (const RankPlan& p : plans) {
    std::set<int> mailboxes;
    std::set<std::pair<int, int>> tags;
    std::uint64_t deliveries = 0;
    for (const Cargo& c : p.cargo) {
      deliveries += c.deliveries.size();
      if (c.source < 0) continue;
      RC_ASSERT(mailboxes.insert(c.mailbox).second && tags.insert({c.source, c.tag}).second);
    }
    RC_ASSERT(mailboxes.size() == static_cast<std::size_t>(p.mailboxes));
    RC_ASSERT(p.messages_in == mailboxes.size() && p.messages_out == deliveries);
    out += p.messages_out;
    in += p.messages_in;
    bytes_out += p.bytes_out;
    bytes_in += p.bytes_in;
  }
  RC_ASSERT(out == in && bytes_out == bytes_in);
}

// Every PE is run once, every part kept once, and all that is needed is kept, made here or comes.
void expect_complete(const Traced& t, const Placement& placement, const std::vector<RankPlan>& plans) {
  std::set<int> elements;
  std::set<std::pair<int, std::int64_t>> parts;
  std::uint64_t messages = 0;
  for (const RankPlan& p : plans) {
    std::set<int> made;
    for (const PlannedElement& e : p.elements) {
      RC_ASSERT(elements.insert(e.element).second);
      RC_ASSERT(placement.rank_of[static_cast<std::size_t>(e.element)] == p.rank);
      for (const Parting& m : e.makes)
        if (m.cargo >= 0) RC_ASSERT(made.insert(m.cargo).second);
    }
    for (const OwnedPart& o : p.parts) RC_ASSERT(parts.insert({o.tensor, o.part}).second);
    std::vector<int> uses(p.cargo.size());
    for (const PlannedElement& e : p.elements)
      for (const Need& n : e.needs) {
        messages += n.bytes > 0 ? 1 : 0;
        if (n.cargo >= 0) ++uses.at(static_cast<std::size_t>(n.cargo));
      }
    for (std::size_t c = 0; c < p.cargo.size(); ++c) {
      RC_ASSERT(p.cargo[c].uses == uses[c]);
      const int ways =
          (p.cargo[c].source >= 0) + (p.cargo[c].part >= 0) + static_cast<int>(made.count(static_cast<int>(c)));
      RC_ASSERT(ways == 1);
    }
  }
  std::size_t all_parts = 0;
  for (const Memory& m : t.program.tensors) all_parts += static_cast<std::size_t>(parts_of(m));
  RC_ASSERT(parts.size() == all_parts);
  RC_ASSERT(messages == t.trace.messages);
}

RC_GTEST_PROP(Plan, PlansOfAllRanksFitTogether, ()) {
  const int rows = *rc::gen::inRange(1, 5), columns = *rc::gen::inRange(1, 5), steps = *rc::gen::inRange(1, 4);
  const std::vector<std::string> texts = {output_stationary(rows, columns, steps),
                                          weight_stationary(rows, columns, steps, rows > 1), triangular_solve(rows + 1),
                                          chain("[i]_x * 2.0"), chain("")};
  const Traced t(*rc::gen::elementOf(texts));
  RC_ASSERT(t.trace.problem.empty());
  const int ranks = *rc::gen::inRange(1, 7);
  std::vector<int> rank_of = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(t.executable.elements()),
                                                                   rc::gen::inRange(0, ranks));
  const Placement placement = placed(std::move(rank_of), ranks);
  const auto plans = plans_of(t, placement);
  expect_ends_to_meet(plans);
  expect_complete(t, placement, plans);
}

} // namespace
} // namespace cyclotron::pe
