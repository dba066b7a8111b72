// SPDX-License-Identifier: MIT
// Schedules from text, before a program that has every name the examples of the command table use.
#pragma once

#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"

#include <string>

namespace cyclotron::schedule {

inline const std::string program_of_all_names =
    "tensor A(n, n)\ntensor B(n, n)\ntensor L(n, n)\ntensor x(n)\ntensor S(n, n)\n"
    "S(i,j) = sum[k](A(i,k) * B(k,j)) + L(i,j) * x(j)\n"
    "x(c) = sum[q, oc, cc](A(c,q) * B(oc,cc))\n";

struct ParsedSchedule {
  Sources sources;
  Diagnostics diagnostics{sources};
  frontend::Unit unit;

  explicit ParsedSchedule(const std::string& commands) {
    const std::string text = program_of_all_names + "schedule s {\n" + commands + "\n}\n";
    unit = frontend::parse(sources.add("a.cyc", text), diagnostics);
    if (!diagnostics.failed()) unit = frontend::resolve(unit, diagnostics);
  }
  const std::vector<Command>& commands() const { return unit.schedules.at(0).commands; }

  // What the checks report: the messages, one after the other.
  std::string check_messages() {
    check(unit.schedules, unit.program, diagnostics);
    std::string out;
    for (const Diagnostic& d : diagnostics.all()) out += (out.empty() ? "" : "; ") + d.main.message;
    return out;
  }
};

} // namespace cyclotron::schedule
