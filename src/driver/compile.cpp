// SPDX-License-Identifier: MIT
// `cyclotron check` and `cyclotron compile`: what the compiler knows about a program, without running it.
#include "driver/commands.hpp"

#include "backend/c/kernel.hpp"
#include "driver/compile_array.hpp"
#include "driver/diagnostics_json.hpp"
#include "driver/run_sam.hpp"
#include "driver/session.hpp"
#include "driver/summary.hpp"
#include "lower/loops/explain.hpp"
#include "lower/loops/recurrence_to_loops.hpp"
#include "lower/stream/recurrence_to_stream.hpp"
#include "schedule/targets.hpp"
#include "stream/dot.hpp"
#include "stream/json.hpp"
#include "support/nearest.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

std::string names_of(const std::vector<const TensorDecl*>& list) {
  std::string out;
  for (const TensorDecl* t : list)
    out += (out.empty() ? "" : ", ") + recurrence::print(*t).substr(7); // without `tensor `
  return out.empty() ? "none" : out;
}

void describe_program(const frontend::Checked& checked, nlohmann::ordered_json& json) {
  const Program& program = checked.program();
  json["inputs"] = nlohmann::ordered_json::array();
  json["outputs"] = nlohmann::ordered_json::array();
  json["sizes"] = nlohmann::ordered_json::array();
  json["schedules"] = nlohmann::ordered_json::array();
  for (const TensorDecl* t : program.inputs()) json["inputs"].push_back(t->name.name);
  for (const TensorDecl* t : program.outputs()) json["outputs"].push_back(t->name.name);
  for (const recurrence::Binder& s : program.sizes) json["sizes"].push_back(s.name);
  for (const schedule::Schedule& s : checked.unit->schedules) json["schedules"].push_back(s.name.name);
  json["well_founded"] = checked.order == frontend::Order::proven ? "proven" : "decided at run time";
}

// What native code would have to look up, in the order of loops that the schedule gives or that would be chosen. A
// program that it cannot do is none the less right.
std::vector<std::string> searches(const frontend::Checked& checked, const schedule::Schedule* schedule) {
  Sources sources;
  Diagnostics unheard(sources);
  const auto kernel = backend::c::Kernel::prepare(checked, schedule, {}, unheard);
  const auto emitted = kernel ? kernel->emitted(false, false, unheard) : std::nullopt;
  return emitted ? emitted->searches : std::vector<std::string>{};
}

// Valid JSON whatever the outcome.
int check_as_json(const frontend::Checked* checked, Session& session) {
  nlohmann::ordered_json json;
  json["program"] = session.base_name();
  json["right"] = checked != nullptr;
  if (checked) {
    describe_program(*checked, json);
    json["slow"] = searches(*checked, session.schedule());
  }
  json["diagnostics"] = to_json(session.diagnostics());
  fmt::print("{}\n", print_json_text(json));
  return session.finish();
}

} // namespace

int check(const CommonOptions& options) {
  Session session(options);
  const frontend::Checked* checked = session.load();
  if (options.json) return check_as_json(checked, session);
  if (!checked) return session.finish();
  const Program& program = checked->program();
  std::string sizes;
  for (const recurrence::Binder& s : program.sizes) sizes += (sizes.empty() ? "" : ", ") + s.name;
  fmt::print("{} is right\n", session.base_name());
  fmt::print("  inputs     {}\n  outputs    {}\n  sizes      {}\n", names_of(program.inputs()),
             names_of(program.outputs()), sizes.empty() ? "none" : sizes);
  if (!checked->unit->schedules.empty()) {
    std::string names;
    for (const schedule::Schedule& s : checked->unit->schedules) names += (names.empty() ? "" : ", ") + s.name.name;
    fmt::print("  schedules  {}\n", names);
  }
  for (const std::string& text : searches(*checked, session.schedule())) fmt::print("  slow       {}\n", text);
  const bool proven = checked->order == frontend::Order::proven;
  fmt::print("for all sizes: each element is defined at most once, every read is in bounds, {}\n",
             proven ? "and an order of computation exists"
                    : "but whether an order of computation exists is decided at run time");
  return session.finish();
}

const std::vector<EmitHelp>& emit_help() {
  static const std::vector<EmitHelp> list = {
      {"recurrence", "the program with every sum explicit, as the language writes it", ""},
      {"domains", "the set of points of each equation, reduction and read", ""},
      {"dependences", "which instance of which equation needs which", ""},
      {"c", "the C code for the schedule and the formats", "c"},
      {"dataflow", "the equations over iteration spaces, with the place and time of every point", "array"},
      {"pe", "a program for every role of processing elements, at the sizes of the inputs; -o FILE.pe keeps it",
       "array"},
      {"stream", "the graph of dataflow blocks that exchange streams (Graphviz)", "sam"},
      {"stream-json", "the same as JSON", "sam"},
      {"loops", "the loop nest in the order that the schedule gives, or that was chosen", "c"},
  };
  return list;
}

namespace {

// What `--emit` shows is on the way to a target, and a schedule must be for that target.
bool takes_schedule(const std::string& emit, Session& session) {
  for (const EmitHelp& e : emit_help())
    if (e.name == emit && !e.target.empty())
      return schedule::check_target(session.schedule(), e.target, session.diagnostics());
  return true;
}

} // namespace

int compile(const CompileOptions& options) {
  Session session(options.common);
  if (options.explain && options.emit != "loops") {
    session.diagnostics().error("`--explain` shows how loops were placed").with_hint("write `--emit=loops --explain`");
    session.finish();
    return wrong_usage;
  }
  const frontend::Checked* checked = session.load();
  if (!checked || !takes_schedule(options.emit, session)) return session.finish();
  std::string text;
  if (options.emit == "recurrence") {
    text = frontend::print(*checked->unit);
  } else if (options.emit == "domains") {
    text = recurrence::print(checked->domains);
  } else if (options.emit == "c") {
    backend::c::KernelOptions kernel_options;
    kernel_options.title = session.base_name();
    kernel_options.name = kernel_options.title.substr(0, kernel_options.title.find('.'));
    kernel_options.unwanted = session.unwanted();
    text = backend::c::source_of(*checked, session.schedule(), kernel_options, session.diagnostics());
    if (text.empty()) return session.finish();
  } else if (options.emit == "dataflow") {
    std::shared_ptr<frontend::Checked> lifted;
    const auto lowered = compile_dataflow(*checked, session.schedule(), lifted, session.diagnostics());
    if (!lowered) return session.finish();
    text = dataflow::print(lowered->program);
    if (const std::string problem = dataflow::problem_of(lowered->program); !problem.empty()) bug(problem);
  } else if (options.emit == "pe") {
    const auto inputs = bind_inputs(checked->program(), options.inputs, session.folder(), stderr_is_terminal(),
                                    session.sources(), session.diagnostics());
    if (!inputs) return session.finish();
    const auto array = compile_array(*checked, session.schedule(), inputs->bindings.sizes,
                                     {session.base_name(), {}, session.unwanted()}, session.diagnostics());
    if (!array) return session.finish();
    text = pe::print(array->program);
  } else if (options.emit == "stream" || options.emit == "stream-json") {
    std::map<std::string, std::int64_t> sizes;
    if (!options.inputs.empty() || lower::stream_needs_sizes(*checked, session.schedule())) {
      const auto inputs = bind_inputs(checked->program(), options.inputs, session.folder(), stderr_is_terminal(),
                                      session.sources(), session.diagnostics());
      if (!inputs) return session.finish();
      sizes = inputs->bindings.sizes;
    }
    const auto program = compile_sam(*checked, session.schedule(), sizes, session.diagnostics());
    if (!program) return session.finish();
    text = options.emit == "stream" ? stream::print_dot(program->phases) : stream::print_json(program->phases);
  } else if (options.emit == "loops") {
    const auto precomputed = lower::precompute(*checked, session.schedule(), session.diagnostics());
    if (!precomputed) return session.finish();
    const frontend::Checked& own = precomputed->checked ? *precomputed->checked : *checked;
    std::set<std::string> internal = backend::c::internal_of(checked->program(), session.unwanted());
    for (const lower::Workspace& w : precomputed->workspaces) internal.insert(w.name);
    const auto lowered =
        lower::recurrence_to_loops(own, session.schedule(), session.diagnostics(), internal, precomputed->workspaces);
    if (!lowered) return session.finish();
    text = options.explain ? lower::explain(*lowered, own.domains) : loops::print(lowered->nest, own.program());
  } else {
    text = recurrence::to_string(isl::union_map(dependences(checked->domains).coalesce())) + "\n";
  }
  if (options.output.empty()) {
    fmt::print("{}", text);
    return session.finish();
  }
  std::ofstream out(options.output, std::ios::binary);
  out << text;
  out.close();
  if (!out) session.diagnostics().error(fmt::format("cannot write `{}`", options.output));
  return session.finish();
}

} // namespace cyclotron::driver
