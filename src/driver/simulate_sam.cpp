// SPDX-License-Identifier: MIT
#include "driver/simulate_sam.hpp"

#include "backend/sam_report/chrome_trace.hpp"
#include "backend/sam_report/graph_picture.hpp"
#include "backend/sam_report/json.hpp"
#include "backend/sam_report/text.hpp"
#include "backend/sam_report/timeline_picture.hpp"
#include "driver/check_values.hpp"
#include "driver/run_sam.hpp"
#include "driver/session.hpp"
#include "driver/summary.hpp"
#include "driver/targets.hpp"
#include "stream/counts.hpp"
#include "stream/dot.hpp"
#include "stream/ports.hpp"
#include "stream/verify.hpp"
#include "support/pass_clock.hpp"
#include "support/progress.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

// What the graphs of a file need, as a program would declare it: every index is a size.
Program inputs_of(const std::vector<stream::Graph>& phases) {
  Program program;
  std::vector<std::string> computed;
  const auto add_size = [&](const std::string& name) {
    if (!program.is_size(name)) program.sizes.push_back({name, {}});
  };
  for (const stream::Graph& g : phases) {
    for (const stream::Operand& o : g.operands) {
      for (const std::string& i : o.indices) add_size(i);
      if (o.tensor.empty() || program.tensor(o.tensor) || std::ranges::count(computed, o.tensor)) continue;
      TensorDecl decl;
      decl.name.name = o.tensor;
      decl.format = o.format;
      for (const std::string& i : o.indices) decl.dims.push_back(Expr(Name{i, NameKind::size}));
      program.tensors.push_back(std::move(decl));
    }
    for (const std::string& i : g.result.indices) add_size(i);
    computed.push_back(g.result.tensor);
  }
  return program;
}

nlohmann::ordered_json token_json(const sam::TimedToken& t, stream::Wire wire) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array({t.time});
  switch (t.token.kind()) {
  case sam::TokenKind::data:
    if (wire == stream::Wire::repsig) json.push_back("R");
    else if (wire == stream::Wire::val) json.push_back(t.token.payload.real);
    else json.push_back(t.token.payload.whole);
    break;
  case sam::TokenKind::stop:
    json.push_back(wire == stream::Wire::repsig ? "S" : fmt::format("S{}", t.token.level()));
    break;
  case sam::TokenKind::empty: json.push_back("N"); break;
  case sam::TokenKind::done: json.push_back("D"); break;
  }
  return json;
}

nlohmann::ordered_json tokens_json(const stream::Graph& graph,
                                   const std::vector<std::vector<sam::TimedToken>>& traces) {
  nlohmann::ordered_json json{{"equation", graph.title},
                              {"blocks", nlohmann::ordered_json::array()},
                              {"wires", nlohmann::ordered_json::array()}};
  const std::vector<std::string> labels = stream::labels_of(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const stream::Node& node = graph.nodes[n];
    json["blocks"].push_back({{"label", labels[n]},
                              {"block", stream::name_of(node.block)},
                              {"index", node.index},
                              {"operand", node.operand}});
    if (node.block == stream::Block::alu) json["blocks"].back()["operation"] = stream::name_of(node.operation);
  }
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const stream::Edge& edge = graph.edges[e];
    const auto out =
        stream::outputs_of(graph.nodes[static_cast<std::size_t>(edge.from)])[static_cast<std::size_t>(edge.from_port)];
    const auto in =
        stream::inputs_of(graph.nodes[static_cast<std::size_t>(edge.to)])[static_cast<std::size_t>(edge.to_port)];
    nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
    for (const sam::TimedToken& t : traces[e]) tokens.push_back(token_json(t, out.wire));
    json["wires"].push_back(
        {{"from", {edge.from, out.name}}, {"to", {edge.to, in.name}}, {"tokens", std::move(tokens)}});
  }
  return json;
}

class SamSimulator {
public:
  explicit SamSimulator(const SimulateOptions& options) : options_(options), session_(options.common) {}

  int run() {
    run_options_.capacity = static_cast<std::size_t>(options_.machine.fifo_depth);
    run_options_.memory_latency = std::max<sam::Time>(1, options_.machine.memory_latency);
    run_options_.tokens = !options_.tokens.empty();
    return target_of_file(options_.common.program) == "sam" ? run_file() : run_program();
  }

private:
  int run_program() {
    const frontend::Checked* checked = session_.load();
    if (!checked) return session_.finish();
    auto inputs = bind(checked->program());
    if (!inputs) return session_.finish();
    const auto program = compile_sam({checked, session_.schedule(), inputs->bindings.sizes, session_.pipeline()},
                                     session_.diagnostics());
    if (!program) return session_.finish();
    if (!options_.common.json) print_plan(inputs->bindings, *program);
    run_options_.records = records(inputs->bindings);
    const auto result = run_sam(*program, inputs->bindings, run_options_, session_.diagnostics());
    if (!result) return session_.finish();
    std::string verdict = "not checked";
    if (options_.check) {
      std::map<std::string, tensor::Tensor> outputs;
      for (const TensorDecl* t : checked->program().outputs()) outputs[t->name.name] = result->results.at(t->name.name);
      const auto agreement =
          check_values(*checked, inputs->bindings, outputs, session_.unwanted(), "the graph", session_.diagnostics());
      if (!agreement) return session_.finish();
      verdict = *agreement;
    }
    report(*program, *result, verdict);
    write_outputs(*result);
    return session_.finish();
  }

  int run_file() {
    const auto file = session_.read_file(options_.common.program);
    if (!file) return session_.finish();
    auto phases = read_graphs(*file);
    if (!phases) return session_.finish();
    SamProgram program;
    program.phases = std::move(*phases);
    for (const stream::Graph& g : program.phases)
      if (const std::string problem = stream::problem_of(g); !problem.empty()) {
        session_.diagnostics().error(fmt::format("`{}`: {}", session_.base_name(), problem));
        return session_.finish();
      }
    auto inputs = bind(inputs_of(program.phases));
    if (!inputs) return session_.finish();
    program.extents.assign(program.phases.size(), inputs->bindings.sizes);
    run_options_.records = records(inputs->bindings);
    const auto result = run_sam(program, inputs->bindings, run_options_, session_.diagnostics());
    if (!result) return session_.finish();
    report(program, *result, "not checked: a graph does not say what they should be");
    write_outputs(*result);
    return session_.finish();
  }

  std::optional<std::vector<stream::Graph>> read_graphs(std::int32_t file) {
    const TimedPass reading("read-program");
    return stream::parse_dot(file, session_.diagnostics());
  }

  std::optional<BoundInputs> bind(const Program& program) {
    return bind_inputs(program, options_.inputs, session_.folder(), session_.sources(), session_.diagnostics());
  }

  // What every block did when takes memory; of large tensors, only where a picture is made of it.
  bool records(const Bindings& bindings) const {
    std::int64_t stored = 0;
    for (const auto& [name, t] : bindings.tensors) stored += t.stored();
    return stored < 100'000 || !options_.graph.empty() || !options_.timeline.empty() || !options_.trace.empty();
  }

  void print_plan(const Bindings& bindings, const SamProgram& program) {
    std::string with;
    for (const auto& [name, size] : bindings.sizes)
      with += fmt::format("{}{} = {}", with.empty() ? " with " : ", ", name, size);
    fmt::print("{}{}\n", session_.base_name(), with);
    for (const stream::Graph& g : program.phases)
      fmt::print("\n  {}\n  {}; {} blocks\n", g.title,
                 g.order.empty() ? "no loop" : fmt::format("loops {}", fmt::join(g.order, ", ")), g.nodes.size());
    flush_output();
  }

  void report(const SamProgram& program, const SamResult& result, const std::string& verdict) {
    const TimedPass showing("show-results");
    sam::Phases phases;
    for (std::size_t p = 0; p < program.phases.size(); ++p) phases.push_back({program.phases[p], result.runs[p]});
    if (options_.common.json) fmt::print("{}\n", sam::json(phases));
    else fmt::print("\n{}\nvalues {}\n", sam::summary(phases), verdict);
    if (!options_.tokens.empty()) write_tokens(program, result);
    if (!options_.graph.empty()) write_graph(phases);
    if (!options_.timeline.empty()) write_text(options_.timeline, sam::timeline_svg(phases));
    if (!options_.trace.empty()) write_text(options_.trace, sam::chrome_trace(phases));
  }

  // One picture for each phase: `graph.svg`, `graph-2.svg`, …
  void write_graph(const sam::Phases& phases) {
    if (!options_.graph.ends_with(".svg")) return write_text(options_.graph, sam::graph_dot(phases));
    const auto pictures = sam::graph_svgs(phases, session_.diagnostics());
    if (!pictures) return;
    const std::string stem = options_.graph.substr(0, options_.graph.size() - 4);
    for (std::size_t p = 0; p < pictures->size(); ++p)
      write_text(p == 0 ? options_.graph : fmt::format("{}-{}.svg", stem, p + 1), (*pictures)[p]);
  }

  // Every token of every wire with the cycle in which its consumer finds it.
  void write_tokens(const SamProgram& program, const SamResult& result) {
    nlohmann::ordered_json phases = nlohmann::ordered_json::array();
    for (std::size_t p = 0; p < program.phases.size(); ++p)
      phases.push_back(tokens_json(program.phases[p], result.runs[p].traces));
    write_text(options_.tokens, phases.dump() + "\n");
  }

  void write_text(const std::string& file, const std::string& text) {
    if (file.empty()) return;
    const Progress progress("writing " + file);
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) session_.diagnostics().error(fmt::format("cannot write `{}`", file));
    else if (!options_.common.json) fmt::print("written to {}\n", file);
  }

  void write_outputs(const SamResult& result) {
    const TimedPass writing("write-results");
    for (const Assignment& o : options_.outputs) {
      const auto found = result.results.find(o.name);
      if (found == result.results.end()) {
        session_.diagnostics().error(fmt::format("-o: the program has no output `{}`", o.name));
        return;
      }
      if (!tensor::write(o.value, found->second, session_.diagnostics())) return;
    }
  }

  const SimulateOptions& options_;
  Session session_;
  sam::Options run_options_;
};

} // namespace

int simulate_sam(const SimulateOptions& options) {
  return with_pass_times(options.common, [&] { return SamSimulator(options).run(); });
}

} // namespace cyclotron::driver
