// SPDX-License-Identifier: MIT
// What happens around a pass: isl's exceptions become errors, what was made is printed only where it was made.
#include "driver/run_passes.hpp"

#include <gtest/gtest.h>

namespace cyclotron::driver {
namespace {

using frontend::Unit;

constexpr ir::Pass<Unit, Unit> keep{"keep", "", [](const Unit& u, Diagnostics&) { return u; }};
constexpr ir::Lowering<Unit, Unit> too_hard{"too-hard", "", [](Unit&& u, Diagnostics&) -> std::optional<Unit> {
                                              const recurrence::IslContext context;
                                              const isl::set made(context.get(), "no set");
                                              return std::move(u);
                                            }};

TEST(RunPasses, AnExceptionOfIslIsAnErrorOfThePass) {
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(run_passes(keep >> too_hard >> keep, Unit{}, {}, diagnostics));
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_TRUE(diagnostics.only_unsupported());
  const Diagnostic& d = diagnostics.all().front();
  EXPECT_EQ(d.main.message.rfind("the index sets of this program are too complicated for the pass `too-hard` (", 0), 0u)
      << d.main.message;
  EXPECT_EQ(d.hint, "simplify its constraints and indices, or leave commands of the schedule out");
}

TEST(RunPasses, EveryPassIsTimed) {
  const PassClock clock;
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_TRUE(run_passes(keep >> keep, Unit{}, {}, diagnostics));
  std::vector<std::pair<std::string, int>> rows;
  for (const PassClock::Row& r : clock.rows()) rows.emplace_back(r.name, r.runs);
  EXPECT_EQ(rows, (std::vector<std::pair<std::string, int>>{{"start", 1}, {"keep", 2}, {"verify", 2}}));
}

} // namespace
} // namespace cyclotron::driver
