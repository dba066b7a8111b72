// SPDX-License-Identifier: MIT
#include "unit/lower/placed.hpp"

#include "driver/pipelines.hpp"
#include "frontend/parse.hpp"
#include "fuzz/repository.hpp"
#include "lower/loops/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cyclotron::lower {

const std::string cholesky = "tensor A(n, n)\ntensor L(n, n)\n"
                             "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
                             "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i\n";

TestProgram::TestProgram(const std::string& text) {
  if (auto result = driver::run_front_end(sources.add("a.cyc", text), {}, diagnostics).checked)
    checked = std::move(*result);
}

std::optional<LoweredLoops> TestProgram::lowered(const std::string& commands) {
  const auto unit = frontend::parse(sources.add("s.cyc", "schedule s {\n" + commands + "\n}\n"), diagnostics);
  return recurrence_to_loops(checked, &unit.schedules.at(0), diagnostics);
}

std::optional<loops::Nest> TestProgram::parsed(const std::string& nest) {
  return loops::parse(sources.add("nest", nest), checked.program(), checked.types, diagnostics);
}

std::string TestProgram::messages() const {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += (out.empty() ? "" : "; ") + d.main.message;
  return out;
}

namespace {

struct PlacedExample {
  std::string what;
  TestProgram* program;
  loops::Nest nest;
};

// Placing takes longer than what the tests do with it, so it is done once.
struct PlacedExamples {
  std::vector<std::unique_ptr<TestProgram>> programs;
  std::vector<PlacedExample> list;

  PlacedExamples() {
    for (const fuzz::StoredProgram& example : fuzz::programs_in({"examples"})) {
      auto program = std::make_unique<TestProgram>(example.text);
      if (program->diagnostics.failed()) continue; // the mistakes
      add(example.name, *program);
      programs.push_back(std::move(program));
    }
  }

  void add(const std::string& name, TestProgram& program) {
    const frontend::Checked& checked = program.checked;
    const Parts parts = make_parts(checked.program(), checked.types, checked.domains, {}, {});
    PlaceMemory memory(parts, checked.program(), *checked.domains.context);
    std::vector<std::string> order = all_variables(checked.domains);
    std::sort(order.begin(), order.end());
    int tried = 0;
    do {
      recurrence::Types types;
      PlaceResult placed = place(
          parts, order, checked.program(), memory, [](const auto&, const auto&) { return true; }, types);
      if (!placed.body) continue;
      list.push_back({fmt::format("{} in the order {}", name, fmt::join(order, ", ")),
                      &program,
                      {std::move(*placed.body), parts.temporaries, std::move(types)}});
    } while (++tried < 24 && std::next_permutation(order.begin(), order.end()));
    if (auto chosen = recurrence_to_loops(checked, nullptr, program.diagnostics))
      list.push_back({name + " as chosen", &program, std::move(chosen->nest)});
  }
};

} // namespace

void each_placed_example(const std::function<void(const std::string&, TestProgram&, const loops::Nest&)>& f) {
  static PlacedExamples all;
  for (const PlacedExample& p : all.list) f(p.what, *p.program, p.nest);
}

} // namespace cyclotron::lower
