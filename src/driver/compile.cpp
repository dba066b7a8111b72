// SPDX-License-Identifier: MIT
// `cyclotron check` and `cyclotron compile`: what the compiler knows about a program, without running it.
#include "driver/commands.hpp"

#include "backend/cuda/print_cuda.hpp"
#include "backend/rda/print_spatial.hpp"
#include "backend/simd/kernel.hpp"
#include "dataflow/dependences.hpp"
#include "driver/compile_array.hpp"
#include "driver/compile_kernel.hpp"
#include "driver/compile_pattern.hpp"
#include "driver/compile_stream.hpp"
#include "driver/diagnostics_json.hpp"
#include "driver/lanes_code.hpp"
#include "driver/session.hpp"
#include "driver/summary.hpp"
#include "lanes_report/picture.hpp"
#include "lower/loops/explain.hpp"
#include "recurrence/isl_limit.hpp"
#include "schedule/targets.hpp"
#include "stream/dot.hpp"
#include "stream/json.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <isl/ctx.h>

#include <algorithm>
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
std::vector<std::string> searches(const frontend::Checked& checked, const Session& session) {
  Sources sources;
  Diagnostics unheard(sources);
  KernelRequest request{&checked, session.schedule()};
  request.options.loops = session.loops();
  const auto written = to_c(std::move(request), unheard);
  return written ? written->emitted.searches : std::vector<std::string>{};
}

// Valid JSON whatever the outcome.
int check_as_json(const frontend::Checked* checked, Session& session) {
  nlohmann::ordered_json json;
  json["program"] = session.base_name();
  json["right"] = checked != nullptr;
  if (checked) {
    describe_program(*checked, json);
    json["slow"] = searches(*checked, session);
  }
  const TimedPass showing("show-results");
  json["diagnostics"] = to_json(session.diagnostics());
  fmt::print("{}\n", print_json_text(json));
  return session.finish();
}

int check_program(const CommonOptions& options) {
  Session session(options);
  const frontend::Checked* checked = session.load(true);
  if (options.json) return check_as_json(checked, session);
  if (!checked) return session.finish();
  const Program& program = checked->program();
  const std::vector<std::string> slow = searches(*checked, session);
  const TimedPass showing("show-results");
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
  for (const std::string& text : slow) fmt::print("  slow       {}\n", text);
  const bool proven = checked->order == frontend::Order::proven;
  fmt::print("for all sizes: each element is defined at most once, every read is in bounds, {}\n",
             proven ? "and an order of computation exists"
                    : "but whether an order of computation exists is decided at run time");
  return session.finish();
}

} // namespace

int check(const CommonOptions& options) {
  return with_pass_times(options, [&] { return check_program(options); });
}

const std::vector<EmitHelp>& emit_help() {
  static const std::vector<EmitHelp> list = {
      {"recurrence", "the program with every sum explicit, as the language writes it", ""},
      {"domains", "the set of points of each equation, reduction and read", ""},
      {"dependences",
       "which instance of which equation needs which; as vectors, links and steps where the schedule says `space` or "
       "`spacetime`",
       ""},
      {"c", "the C code for the schedule and the formats", "c"},
      {"dataflow", "the equations over iteration spaces, with the place and time of every point", "array"},
      {"pe", "a program for every role of processing elements, at the sizes of the inputs; -o FILE.pe keeps it",
       "array"},
      {"lanes", "the array of one axis in the lanes of vectors: strips, workers, and the dataflow in step", "simd"},
      {"code", "loops over vectors of lanes, for the inputs that are given", "simd"},
      {"simd", "these loops as C with vectors", "simd"},
      {"cuda", "these loops as CUDA C++", "cuda"},
      {"stream", "the graph of dataflow blocks that exchange streams (Graphviz)", "sam"},
      {"stream-json", "the same as JSON", "sam"},
      {"pattern", "parallel patterns over explicit memories: what is on the chip, and when it is loaded", ""},
      {"spatial", "these patterns as Spatial, the language of a reconfigurable dataflow architecture", ""},
      {"loops",
       "the program with its loops, in the order that the schedule gives or that was chosen; -o FILE.loops keeps it",
       "c"},
  };
  return list;
}

namespace {

// What `--emit` asks for, as text; "" where an error was reported.
class Emitter {
public:
  Emitter(const CompileOptions& options, Session& session, const frontend::Checked& checked)
      : options_(options), session_(session), checked_(checked) {}

  std::string text() {
    if (options_.emit == "recurrence") return frontend::print(*checked_.unit);
    if (options_.emit == "domains") return recurrence::print(checked_.domains);
    if (options_.emit == "c") return c();
    if (options_.emit == "dataflow") return dataflow();
    if (options_.emit == "pe") return pe();
    if (options_.emit == "lanes") return lanes();
    if (options_.emit == "code" || options_.emit == "simd" || options_.emit == "cuda") return lanes_code();
    if (options_.emit == "loops") return loops();
    if (options_.emit == "stream" || options_.emit == "stream-json") return stream();
    if (options_.emit == "pattern" || options_.emit == "spatial") return patterns();
    if (is_for_array()) return dependences_on_array();
    const TimedPass finding("find-dependences");
    return recurrence::to_string(isl::union_map(dependences(checked_.domains).coalesce())) + "\n";
  }

private:
  KernelRequest kernel_request() const {
    backend::c::KernelOptions kernel;
    kernel.title = session_.base_name();
    kernel.name = kernel.title.substr(0, kernel.title.find('.'));
    kernel.unwanted = session_.unwanted();
    kernel.loops = session_.loops();
    return {&checked_, session_.schedule(), kernel, session_.pipeline()};
  }

  std::string c() {
    const auto written = to_c(kernel_request(), session_.diagnostics());
    return written ? written->emitted.text() : "";
  }

  std::string loops() {
    const auto placed = to_loops(kernel_request(), session_.diagnostics());
    if (!placed) return "";
    const frontend::Checked& own = placed->kernel.program.checked();
    if (options_.explain) return lower::explain(placed->loops, own.domains);
    return print_loops_file(checked_, session_.schedule(), session_.only(), placed->loops, own.program());
  }

  ArrayRequest array_request() const {
    return {
        &checked_, session_.schedule(), {}, {}, {session_.base_name(), {}, session_.unwanted(), session_.pipeline()},
        {}};
  }

  std::string dataflow() {
    const auto made = compile_dataflow(array_request(), session_.diagnostics());
    return made ? dataflow::print(made->lowered.program) : "";
  }

  // Whether the schedule gives points a place and a time.
  bool is_for_array() const {
    if (!session_.schedule()) return false;
    const auto& commands = session_.schedule()->commands;
    return std::any_of(commands.begin(), commands.end(),
                       [](const schedule::Command& c) { return c.name == "space" || c.name == "spacetime"; });
  }

  std::string dependences_on_array() {
    const auto made = compile_dataflow(array_request(), session_.diagnostics());
    if (!made) return "";
    const TimedPass finding("find-dependences");
    const recurrence::Question asked{session_.schedule()->span, "the dependences of this array",
                                     "choose other axes, or fewer commands"};
    return recurrence::within_isl_limit(
               asked, session_.diagnostics(),
               [&] { return dataflow::print(dataflow::dependences_of(made->lowered.program), made->lowered.program); })
        .value_or("");
  }

  std::string pe() {
    const auto inputs = bind();
    if (!inputs) return "";
    ArrayRequest request = array_request();
    request.sizes = inputs->bindings.sizes;
    const auto array = compile_array(std::move(request), session_.diagnostics());
    return array ? pe::print(array->program) : "";
  }

  // Sizes only where somebody gives them: most lanes are the same for all.
  std::string lanes() {
    ArrayRequest request = array_request();
    request.machine.emplace();
    request.machine->lanes = options_.lanes.value_or(request.machine->lanes);
    if (!options_.inputs.empty() || !options_.picture.empty()) {
      const auto inputs = bind();
      if (!inputs) return "";
      request.sizes = inputs->bindings.sizes;
    }
    const lanes::Sizes sizes = request.sizes;
    const auto made = compile_lanes(std::move(request), session_.diagnostics());
    if (!made) return "";
    const Question asked{{}, "the domains of these lanes, for printing", "choose another axis"};
    isl_ctx_reset_operations(made->program.flow.context->get().get()); // choosing took some of what isl may do
    if (!options_.picture.empty()) write(options_.picture, lanes_report::picture(made->program, sizes));
    return within_isl_limit(asked, session_.diagnostics(), [&] { return lanes::print(made->program); }).value_or("");
  }

  // What `run` runs: of the inputs it depends whether whole numbers need to be checked.
  std::string lanes_code() {
    const auto inputs = bind();
    if (!inputs) return "";
    ArrayRequest request = array_request();
    request.sizes = inputs->bindings.sizes;
    const LaneTarget target = options_.emit == "cuda" ? cuda_target() : simd_target();
    const auto made = make_lanes_code(std::move(request), target, &inputs->bindings, session_.diagnostics(),
                                      options_.lanes.value_or(0));
    if (!made) return "";
    if (options_.emit == "simd") return backend::simd::source_of(made->code.kernels, {});
    if (options_.emit == "cuda")
      return backend::cuda::check_printable(made->code.kernels, session_.diagnostics())
                 ? backend::cuda::print_cuda(made->code.kernels)
                 : "";
    std::string text;
    for (const code::Kernel& kernel : made->code.kernels) text += (text.empty() ? "" : "\n") + code::print(kernel);
    return text;
  }

  void write(const std::string& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) session_.diagnostics().error(fmt::format("cannot write `{}`", path));
  }

  std::string stream() {
    StreamRequest request{&checked_, session_.schedule(), {}, session_.pipeline()};
    if (!options_.inputs.empty() || lower::stream_needs_sizes(checked_, session_.schedule())) {
      const auto inputs = bind();
      if (!inputs) return "";
      request.sizes = inputs->bindings.sizes;
    }
    const auto program = compile_sam(std::move(request), session_.diagnostics());
    if (!program) return "";
    return options_.emit == "stream" ? stream::print_dot(program->phases) : stream::print_json(program->phases);
  }

  std::string patterns() {
    const std::string file = session_.base_name();
    const auto made = compile_pattern(
        {&checked_, session_.schedule(), file.substr(0, file.find('.')), session_.unwanted()}, session_.diagnostics());
    if (!made) return "";
    const pattern::Program& program = made->lowered.program;
    return options_.emit == "pattern" ? pattern::print(program) : backend::rda::print_spatial(program);
  }

  std::optional<BoundInputs> bind() {
    return bind_inputs(checked_.program(), options_.inputs, session_.folder(), session_.sources(),
                       session_.diagnostics());
  }

  const CompileOptions& options_;
  Session& session_;
  const frontend::Checked& checked_;
};

// What `--emit` shows is on the way to a target, and a schedule must be for that target.
bool takes_schedule(const std::string& emit, Session& session) {
  if (session.loops()) return true; // its schedule is for them
  for (const EmitHelp& e : emit_help())
    if (e.name == emit && !e.target.empty())
      return schedule::check_target(session.schedule(), e.target, session.diagnostics());
  return true;
}

int emit(const CompileOptions& options) {
  Session session(options.common);
  if (options.explain && options.emit != "loops") {
    session.diagnostics().error("`--explain` shows how loops were placed").with_hint("write `--emit=loops --explain`");
    session.finish();
    return wrong_usage;
  }
  static const std::set<std::string_view> of_arrays_and_streams{"dataflow", "pe",   "lanes",  "code",
                                                                "simd",     "cuda", "stream", "stream-json"};
  if (of_arrays_and_streams.count(options.emit) && !session.takes_loops("`--emit=" + options.emit + "`"))
    return session.finish();
  static const std::set<std::string_view> of_lanes{"lanes", "code", "simd", "cuda"};
  if (!options.picture.empty() && options.emit != "lanes") {
    session.diagnostics()
        .error("`--picture` shows a design in lanes")
        .with_hint("write `--emit=lanes --picture FILE.svg`; `simulate --grid FILE.svg` draws an array");
    session.finish();
    return wrong_usage;
  }
  const bool power_of_two = !options.lanes || (*options.lanes > 0 && (*options.lanes & (*options.lanes - 1)) == 0);
  if (!power_of_two || (options.lanes && !of_lanes.count(options.emit))) {
    session.diagnostics()
        .error(power_of_two ? "`--lanes` says how long vectors are, and this has none"
                            : fmt::format("a vector has a power of two of lanes, not {}", *options.lanes))
        .with_hint("write `--emit=lanes --lanes 8`");
    session.finish();
    return wrong_usage;
  }
  if (options.explain && !session.takes_loops("`--explain`")) return session.finish();
  const frontend::Checked* checked = session.load(true);
  if (!checked || !takes_schedule(options.emit, session)) return session.finish();
  const std::string text = Emitter(options, session, *checked).text();
  if (session.diagnostics().failed()) return session.finish();
  const TimedPass showing("show-results");
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

} // namespace

int compile(const CompileOptions& options) {
  return with_pass_times(options.common, [&] { return emit(options); });
}

} // namespace cyclotron::driver
