// SPDX-License-Identifier: MIT
#include "unit/lanes/compiled.hpp"

#include "driver/compile_lanes.hpp"
#include "driver/pipelines.hpp"
#include "lanes/reads.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace cyclotron::lanes {

std::optional<Program> compiled(const std::string& text, const Wanted& wanted, std::string* messages) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto front = driver::run_front_end(sources.add("x.cyc", text), {}, diagnostics);
  std::optional<Program> result;
  if (front.checked && !diagnostics.failed()) {
    driver::ArrayRequest request;
    request.checked = &*front.checked;
    for (const schedule::Schedule& s : front.checked->unit->schedules)
      if (s.name.name == wanted.schedule) request.schedule = &s;
    request.machine.emplace();
    request.machine->lanes = wanted.lanes;
    for (const recurrence::TensorDecl* t : front.checked->program().outputs())
      if (!wanted.outputs.empty() && !wanted.outputs.count(t->name.name)) request.options.unwanted.insert(t->name.name);
    auto made = driver::compile_lanes(std::move(request), diagnostics);
    if (made) result = std::move(made->program);
  }
  if (messages) *messages = diagnostics.render(false);
  return result;
}

std::string example(const std::string& name) {
  const std::ifstream file(std::string(CYCLOTRON_ROOT) + "/examples/" + name + ".cyc");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

namespace {

std::string way_of(const Read& read) {
  if (read.fetch == Fetch::here) return "at once";
  if (read.fetch == Fetch::table) return "from memory";
  std::string way = read.distance == 0 ? "stays" : fmt::format("moves {:+}", read.distance);
  if (read.fetch == Fetch::held) way += ", held";
  else way += fmt::format(", {} step{} back", read.back, read.back == 1 ? "" : "s");
  if (read.edge == Edge::load) way += ", loaded at the edge";
  if (read.edge == Edge::memory) way += ", from memory at the edge";
  return way;
}

} // namespace

std::string ways_of(const Program& program) {
  const Reads reads = reads_of(program);
  std::string out;
  for (std::size_t v = 0; v < program.flow.values.size(); ++v) {
    const dataflow::Value& value = program.flow.values[v];
    std::set<std::string> ways;
    for (const Read& r : reads.reads)
      if (r.flow.what.space == value.space && r.flow.what.value == value.name) ways.insert(way_of(r));
    out += fmt::format("{}:{}", value.name, program.copies[v] ? " copy" : "");
    for (const std::string& way : ways) out += "; " + way;
    if (reads.keeps[v].coalesced) out += "; coalesced";
    out += fmt::format("; {} register{}\n", reads.keeps[v].registers(), reads.keeps[v].registers() == 1 ? "" : "s");
  }
  return out;
}

} // namespace cyclotron::lanes
