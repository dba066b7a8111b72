// SPDX-License-Identifier: MIT
// The loops over lanes that an earlier process has worked out: isl may take long over them, and they follow from the
// lanes alone.
//
// A memory is found by a hash of all that decides what these loops are: our own code, isl, the lanes, their arithmetic
// and what they are for. It lies beside the kernels, and where these are not kept there is none.
#pragma once

#include "backend/c/build.hpp"
#include "lower/code/lanes_to_code.hpp"

namespace cyclotron::driver {

class CodeMemory {
public:
  CodeMemory(const lanes::Program& program, const lower::Arithmetic& arithmetic, lower::CodeFor code_for,
             const backend::c::BuildOptions& build);

  std::optional<lower::LanesCode> recall() const;
  void remember(const lower::LanesCode& code) const;

private:
  std::string folder_, key_; // "": nothing is kept
  backend::c::CacheLimits limits_;
};

// As a memory has it. Nothing where a text is not what `text_of` makes.
std::string text_of(const lower::LanesCode& code);
std::optional<lower::LanesCode> lanes_code_from(const std::string& text);

} // namespace cyclotron::driver
