// SPDX-License-Identifier: MIT
#include "driver/code_memory.hpp"

#include "driver/lanes_code.hpp"
#include "driver/pipelines.hpp"
#include "support/build_id.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cyclotron::driver {
namespace {

class CodeMemories : public testing::Test {
protected:
  CodeMemories() {
    const std::string text = "tensor x(m + 4): f32\ntensor w(5): f32\ntensor z(m): f32\nz(c) = x(c+q) * w(q)\n";
    front_end_ = run_front_end(sources_.add("conv.cyc", text), {}, diagnostics_);
    ArrayRequest request{&*front_end_->checked, nullptr, {}, {}, {"conv", {}, {}}, {}};
    backend::c::BuildOptions build;
    build.use_cache = false;
    made_ = make_lanes_code(request, {0, 8, 16}, nullptr, diagnostics_, 0, build);
  }

  CodeMemory memory(const backend::c::BuildOptions& build, lower::Arithmetic arithmetic = {}) const {
    return {made_->compiled.program, arithmetic, lower::CodeFor::core, build};
  }

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  std::optional<FrontEndResult> front_end_;
  std::optional<LaneKernels> made_;
};

std::string all_of(const lower::LanesCode& code) {
  std::string text;
  for (const code::Kernel& k : code.kernels) text += print(k);
  return text;
}

TEST_F(CodeMemories, KeepWhatLoopsAre) {
  lower::LanesCode code = made_->code;
  code.narrow = true;
  const auto read = lanes_code_from(text_of(code));
  ASSERT_TRUE(read);
  EXPECT_EQ(all_of(*read), all_of(code));
  EXPECT_EQ(read->memories, code.memories);
  EXPECT_EQ(read->sizes, code.sizes);
  EXPECT_TRUE(read->narrow);
}

TEST_F(CodeMemories, AreNothingWhereTheTextIsWrong) {
  const std::string text = text_of(made_->code);
  EXPECT_FALSE(lanes_code_from(""));
  EXPECT_FALSE(lanes_code_from("{}"));
  EXPECT_FALSE(lanes_code_from(text.substr(0, text.size() / 2)));
  std::string other = text;
  other.replace(other.find("store"), 5, "stare");
  EXPECT_FALSE(lanes_code_from(other));
}

TEST_F(CodeMemories, AreFoundAgainByTheSameQuestionOnly) {
  if (build_id().empty()) GTEST_SKIP() << "the linker gave no build id";
  const TemporaryFolder folder("code-memory");
  backend::c::BuildOptions build;
  build.cache_folder = folder.file("kernels");
  EXPECT_FALSE(memory(build).recall());
  memory(build).remember(made_->code);
  const auto found = memory(build).recall();
  ASSERT_TRUE(found);
  EXPECT_EQ(all_of(*found), all_of(made_->code));
  EXPECT_FALSE(memory(build, {false, false}).recall());
  build.use_cache = false;
  EXPECT_FALSE(memory(build).recall());
}

// What is no whole file of ours counts as none.
TEST_F(CodeMemories, ThatAreDamagedAreNotFound) {
  if (build_id().empty()) GTEST_SKIP() << "the linker gave no build id";
  const TemporaryFolder folder("code-memory");
  backend::c::BuildOptions build;
  build.cache_folder = folder.file("kernels");
  memory(build).remember(made_->code);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file("kernels")))
    if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::in | std::ios::out) << "{}";
  EXPECT_FALSE(memory(build).recall());
}

} // namespace
} // namespace cyclotron::driver
