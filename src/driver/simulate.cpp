// SPDX-License-Identifier: MIT
// `cyclotron simulate`: a program on an array of processing elements, cycle by cycle. Says what will happen before it
// does, checks the values, and shows where the time went.
#include "driver/simulate.hpp"

#include "backend/array_report/chrome_trace.hpp"
#include "backend/array_report/grid_picture.hpp"
#include "backend/array_report/json.hpp"
#include "backend/array_report/spacetime_picture.hpp"
#include "backend/array_report/text.hpp"
#include "backend/array_report/utilisation_profile.hpp"
#include "driver/check_values.hpp"
#include "driver/session.hpp"
#include "driver/summary.hpp"
#include "pe/predict.hpp"
#include "pe/rehearse.hpp"
#include "schedule/targets.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"
#include "support/progress.hpp"
#include "support/terminal.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

// A picture is an .svg by itself or a page around it.
using Picture = std::string (*)(const array::Statistics&);

class Simulator {
public:
  explicit Simulator(const SimulateOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!check_files()) return session_.finish();
    if (options_.common.program.ends_with(".pe")) return run_file();
    if (options_.common.program.ends_with(".dataflow")) return run_dataflow();
    const frontend::Checked* checked = session_.load();
    if (!checked || !schedule::check_target(session_.schedule(), options_.target, session_.diagnostics()))
      return session_.finish();
    auto inputs =
        bind_inputs(checked->program(), options_.inputs, session_.folder(), session_.sources(), session_.diagnostics());
    if (!inputs) return session_.finish();
    const ArrayOptions array_options{session_.base_name(), options_.torus, session_.unwanted(), session_.pipeline()};
    const auto compiled = compile_array({checked, session_.schedule(), {}, inputs->bindings.sizes, array_options},
                                        session_.diagnostics());
    if (!compiled || !check_torus(compiled->dataflow.program.axes)) return session_.finish();
    if (!options_.cluster.ranks.empty()) return run_cluster(compiled->program);
    if (!options_.common.json) print_plan(*checked, inputs->bindings.sizes, *compiled);
    auto result = simulate_array(compiled->program, inputs->bindings.tensors, options_.machine, records(),
                                 session_.diagnostics());
    if (!result) {
      note_patterns(*inputs, session_.diagnostics());
      return session_.finish();
    }
    result->statistics.schedule = session_.schedule() ? session_.schedule()->name.name : "";
    std::string verdict = "not checked";
    if (options_.check) {
      const auto difference = check_values(*checked, inputs->bindings, result->outputs, session_.unwanted(),
                                           "the array", session_.diagnostics());
      if (!difference) return session_.finish();
      verdict = *difference;
    }
    report(result->statistics, verdict);
    write_outputs(*result);
    return session_.finish();
  }

private:
  // A `.pe` file is all that a run needs; there is nothing to compare its values with.
  int run_file() {
    const auto file = session_.read_file(options_.common.program);
    if (!file) return session_.finish();
    const auto program = read_pe(*file);
    if (!program) return session_.finish();
    if (!options_.cluster.ranks.empty()) return run_cluster(*program);
    Program tensors; // its inputs, as a program would declare them
    for (const pe::Memory& m : program->tensors) {
      if (m.is_output) continue;
      TensorDecl decl;
      decl.name.name = m.name;
      decl.type = m.type;
      decl.format = tensor::dense_format(static_cast<int>(m.dims.size()));
      for (const std::int64_t d : m.dims) decl.dims.push_back(Expr(Number{static_cast<double>(d), d}));
      tensors.tensors.push_back(std::move(decl));
    }
    auto inputs = bind_inputs(tensors, options_.inputs, ".", session_.sources(), session_.diagnostics());
    if (!inputs) return session_.finish();
    return run_unchecked(*program, inputs->bindings.tensors,
                         "not checked: a .pe file does not say what they should be");
  }

  std::optional<pe::Program> read_pe(std::int32_t file) {
    const TimedPass reading("read-program");
    return pe::parse(file, session_.diagnostics());
  }

  // No values: how long it will take on the ranks of a cluster.
  int run_cluster(const pe::Program& program) {
    const TimedPass scaling("predict");
    const auto points = scale(program, options_.cluster, session_.diagnostics());
    if (!points) return session_.finish();
    fmt::print("{}", table_of(*points));
    if (!options_.cluster.plot.empty()) {
      std::ofstream file(options_.cluster.plot);
      file << scaling_picture(*points, program.name);
      if (!file.flush())
        session_.diagnostics().error(fmt::format("--scaling: `{}` cannot be written", options_.cluster.plot));
      else fmt::print("written to {}\n", options_.cluster.plot);
    }
    return session_.finish();
  }

  // Dataflow recurrences that a user wrote, with the place and time of every point.
  int run_dataflow() {
    const auto file = session_.read_file(options_.common.program);
    if (!file) return session_.finish();
    auto flow = read_dataflow(*file);
    if (!flow) return session_.finish();
    Program inputs_only = *flow->source;
    std::erase_if(inputs_only.tensors, [&](const TensorDecl& t) {
      const auto is_it = [&](const auto& x) { return x.tensor == t.name.name; };
      return std::any_of(flow->exports.begin(), flow->exports.end(), is_it) ||
             std::any_of(flow->constants.begin(), flow->constants.end(), is_it);
    });
    auto inputs =
        bind_inputs(inputs_only, options_.inputs, session_.folder(), session_.sources(), session_.diagnostics());
    if (!inputs) return session_.finish();
    ArrayDataflow written;
    written.lowered.program = std::move(*flow);
    written.source.request.sizes = inputs->bindings.sizes;
    written.source.request.options = {session_.base_name(), options_.torus, {}, session_.pipeline()};
    const auto compiled = compile_written_dataflow(std::move(written), session_.diagnostics());
    if (!compiled) return session_.finish();
    return run_unchecked(compiled->program, inputs->bindings.tensors,
                         "not checked: dataflow recurrences are all that says what they are");
  }

  std::optional<dataflow::Program> read_dataflow(std::int32_t file) {
    const TimedPass reading("read-program");
    auto flow = dataflow::parse(file, session_.diagnostics());
    if (!flow) return std::nullopt;
    if (const auto problem = dataflow::find_problem(*flow)) {
      session_.diagnostics().error(problem->span, problem->message).with_hint(problem->hint);
      return std::nullopt;
    }
    return flow;
  }

  int run_unchecked(const pe::Program& program, const std::map<std::string, tensor::Tensor>& inputs,
                    const std::string& verdict) {
    if (!options_.common.json) print_prediction(program, "plan\n", false);
    auto result = simulate_array(program, inputs, options_.machine, records(), session_.diagnostics());
    if (!result) return session_.finish();
    report(result->statistics, verdict);
    write_outputs(*result);
    return session_.finish();
  }

  void write_outputs(const array::Result& result) {
    const TimedPass writing("write-results");
    for (const Assignment& o : options_.outputs) {
      if (!result.outputs.count(o.name)) {
        session_.diagnostics().error(fmt::format("-o: the program has no output `{}`", o.name));
        return;
      }
      if (!tensor::write(o.value, result.outputs.at(o.name), session_.diagnostics())) return;
    }
  }

  bool records() const { return !options_.spacetime.empty() || !options_.trace.empty() || options_.record; }

  bool check_torus(const std::vector<std::string>& axes) {
    for (const std::string& name : options_.torus)
      if (!std::count(axes.begin(), axes.end(), name))
        session_.diagnostics()
            .error(fmt::format("--torus: the array has no axis `{}`", name))
            .with_hint("its axes are " + join_names(axes));
    return !session_.diagnostics().failed();
  }

  bool check_files() {
    for (const auto& [option, file] : {std::pair{"--grid", options_.grid},
                                       {"--spacetime", options_.spacetime},
                                       {"--utilisation", options_.utilisation}})
      if (!file.empty() && !file.ends_with(".svg") && !file.ends_with(".html"))
        session_.diagnostics().error(fmt::format("{}: a picture is an .svg or an .html, not `{}`", option, file));
    return !session_.diagnostics().failed();
  }

  void print_plan(const frontend::Checked& checked, const std::map<std::string, std::int64_t>& sizes,
                  const CompiledArray& compiled) {
    std::string with;
    for (const Binder& s : checked.program().sizes)
      with += fmt::format("{}{} = {}", with.empty() ? " with " : ", ", s.name, sizes.at(s.name));
    fmt::print("{}{}\n\n", session_.base_name(), with);
    for (const Equation& e : compiled.source.checked().program().equations) fmt::print("  {}\n", print(e));
    fmt::print("\n{}\n",
               compiled.dataflow.chosen ? "schedule (chosen: the program's axes were not given)" : "schedule");
    std::string lines = compiled.describe();
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      fmt::print("  {}\n", lines.substr(at, end - at));
      at = end + 1;
    }
    print_prediction(compiled.program, "\nplan\n", true);
    flush_output();
  }

  // What will happen, and a warning of what a machine could not do. `scheduled`: the user chose how operands travel.
  void print_prediction(const pe::Program& program, const char* heading, bool scheduled) {
    const TimedPass predicting("predict");
    const auto prediction = pe::predict(program);
    if (!prediction) return;
    fmt::print("{}{}", heading, pe::summary(*prediction, program));
    for (const auto& [tensor, count] : prediction->inner_loads)
      session_.diagnostics()
          .warning(Span{},
                   fmt::format("`{}` is loaded {} in the middle of the array, where memory is out of reach; here "
                               "these loads take no time",
                               tensor, count == 1 ? "once" : fmt::format("{} times", count)))
          .with_hint(scheduled ? hint_for_inner_loads(tensor, program.axes[0].name)
                               : "load it at an edge of the grid with `boundary`, and pass it on from PE to PE");
  }

  static std::string hint_for_inner_loads(const std::string& tensor, const std::string& axis) {
    return fmt::format(
        "`prefetch {0} along {1}` lets it come from the boundary; so do `stream` and `broadcast` along an "
        "axis that `{0}` does not have; `--loads N` then limits what a port loads in a cycle",
        tensor, axis);
  }

  void report(const array::Statistics& statistics, const std::string& verdict) {
    const TimedPass showing("show-results");
    if (options_.common.json) {
      fmt::print("{}\n", array_report::json(statistics));
    } else {
      array_report::TextOptions text;
      text.colour = color_on_stdout();
      fmt::print("\nrun\n{}\n{}\nvalues {}\n", array_report::summary(statistics, text),
                 array_report::heat_map(statistics, text), verdict);
    }
    write(options_.grid, statistics, array_report::grid_svg, array_report::grid_html);
    write(options_.spacetime, statistics, array_report::spacetime_svg, array_report::spacetime_html);
    write(options_.utilisation, statistics, array_report::utilisation_svg, array_report::utilisation_html);
    write(options_.trace, statistics, array_report::chrome_trace, array_report::chrome_trace);
  }

  void write(const std::string& file, const array::Statistics& statistics, Picture svg, Picture html) {
    if (file.empty()) return;
    const Progress progress("writing " + file);
    std::ofstream out(file, std::ios::binary);
    out << (file.ends_with(".html") ? html(statistics) : svg(statistics));
    out.close();
    if (!out) session_.diagnostics().error(fmt::format("cannot write `{}`", file));
    else if (!options_.common.json) fmt::print("written to {}\n", file);
  }

  const SimulateOptions& options_;
  Session session_;
};

} // namespace

std::optional<array::Result> simulate_array(const pe::Program& program,
                                            const std::map<std::string, tensor::Tensor>& inputs,
                                            const array::Machine& machine, bool records, Diagnostics& diagnostics) {
  const TimedPass simulating("simulate");
  if (machine.fifo_depth > 0) {
    const auto check = pe::check_depth(program, static_cast<std::int64_t>(machine.fifo_depth));
    if (check && !check->problem.empty()) {
      diagnostics
          .error(fmt::format("with FIFOs of depth {} the processing elements would wait for each other for ever",
                             machine.fifo_depth))
          .note(check->problem)
          .with_hint(check->advice);
      return std::nullopt;
    }
  }
  // The engine takes dense inputs.
  std::map<std::string, tensor::Tensor> dense;
  for (const pe::Memory& m : program.tensors) {
    const auto given = inputs.find(m.name);
    if (given == inputs.end()) continue;
    auto converted = tensor::convert(given->second, tensor::dense_format(given->second.rank()), diagnostics);
    if (!converted) return std::nullopt;
    dense.emplace(m.name, std::move(*converted));
  }
  array::SimulationSettings settings;
  settings.records = records;
  settings.expected_steps = pe::steps_of(program);
  return array::simulate(program, dense, machine, settings, diagnostics);
}

int simulate_on_array(const SimulateOptions& options) {
  return with_pass_times(options.common, [&] { return Simulator(options).run(); });
}

int simulate_on_ranks(const SimulateOptions& options) {
  if (!options.cluster.ranks.empty()) return simulate_on_array(options);
  Session session(options.common);
  session.diagnostics()
      .error("`simulate --target=mpi` needs to know on how many ranks")
      .with_hint("write `--ranks 1,4,16`: the table has a line for each");
  session.finish();
  return wrong_usage;
}

} // namespace cyclotron::driver
