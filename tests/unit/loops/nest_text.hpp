// SPDX-License-Identifier: MIT
// A program and a nest of it, both from text.
#pragma once

#include "driver/pipelines.hpp"
#include "loops/ir.hpp"

#include <string>

namespace cyclotron::loops {

struct NestText {
  Sources sources;
  Diagnostics diagnostics{sources};
  frontend::Checked checked;
  std::optional<Nest> nest;

  NestText(const std::string& program_text, const std::string& nest_text) {
    auto result = driver::run_front_end(sources.add("a.cyc", program_text), {}, diagnostics).checked;
    if (!result) bug(diagnostics.render(false));
    checked = std::move(*result);
    nest = parse(sources.add("nest", nest_text), checked.program(), checked.types, diagnostics);
  }

  const recurrence::Program& program() const { return checked.program(); }
  Loop& loop(std::size_t i) { return std::get<Loop>(nest->body.at(i).kind); }
  Statement& statement(std::vector<Node>& body, std::size_t i) { return std::get<Statement>(body.at(i).kind); }
  std::string problem() const { return problem_of(*nest, program()); }
};

} // namespace cyclotron::loops
