// SPDX-License-Identifier: MIT
// What stands between passes, as text for people, and what is wrong with it. Both are empty where a stage has nothing
// of its own to show or to break.
#pragma once

#include "driver/compile_array.hpp"
#include "driver/compile_kernel.hpp"
#include "driver/compile_lanes.hpp"
#include "driver/compile_stream.hpp"

namespace cyclotron::driver {

// A program that was parsed, its names without a meaning yet: nothing holds of it.
struct Parsed {
  frontend::Unit unit;
};

std::string text_of(const Parsed& parsed);
std::string text_of(const frontend::Unit& unit);
std::string text_of(const frontend::Checked& checked);
std::string text_of(const KernelStage& kernel);
std::string text_of(const PlacedLoops& placed);
std::string text_of(const backend::c::Written& written);
std::string text_of(const MappedProgram& mapped);
std::string text_of(const ArrayDataflow& array);
std::string text_of(const CompiledArray& array);
std::string text_of(const CompiledLanes& made);
std::string text_of(const LoweredStream& stream);
std::string text_of(const SamProgram& program);

inline std::string problem_of(const Parsed&) { return ""; }
std::string problem_of(const frontend::Unit& unit);
std::string problem_of(const frontend::Checked& checked);
std::string problem_of(const KernelStage& kernel);
std::string problem_of(const PlacedLoops& placed);
inline std::string problem_of(const backend::c::Written&) { return ""; }
std::string problem_of(const MappedProgram& mapped);
std::string problem_of(const ArrayDataflow& array);
std::string problem_of(const CompiledArray& array);
std::string problem_of(const CompiledLanes& made);
std::string problem_of(const LoweredStream& stream);
std::string problem_of(const SamProgram& program);

} // namespace cyclotron::driver
