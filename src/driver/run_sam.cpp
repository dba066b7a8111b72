// SPDX-License-Identifier: MIT
#include "driver/run_sam.hpp"

#include "driver/split_tensor.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

tensor::Tensor scalar(std::int64_t value) {
  tensor::Tensor t;
  t.format = tensor::dense_format(0);
  t.values = std::vector<std::int64_t>{value};
  return t;
}

// A number that stands alone in the equation is an array of one value.
tensor::Tensor scalar(const stream::Node& constant) {
  if (!tensor::is_float(constant.type)) return scalar(constant.constants[0].integer);
  tensor::Tensor t = scalar(0);
  t.values = std::vector<double>{constant.constants[0].value};
  return t;
}

bool is_list(const tensor::Format& format) {
  return std::ranges::any_of(format.levels,
                             [](tensor::LevelKind kind) { return tensor::properties_of(kind).branchless; });
}
lower::StreamSplit no_split(const tensor::Tensor& tensor) { return lower::StreamSplit(tensor.dims.size()); }

// Operands whose levels are split, and coordinate lists, as the graph walks through them, by the names of the operands.
bool split_operands(const stream::Graph& graph, const std::vector<lower::StreamSplits>& splits, std::size_t phase,
                    std::map<std::string, const tensor::Tensor*>& tensors, std::map<std::string, tensor::Tensor>& parts,
                    Diagnostics& diagnostics) {
  const TimedPass splitting("split-operands");
  const std::map<std::string, const tensor::Tensor*> whole =
      tensors; // an operand may have the name of another's tensor
  for (const stream::Operand& o : graph.operands) {
    const auto tensor = whole.find(o.tensor);
    if (tensor == whole.end()) continue; // the simulator says what it lacks
    tensors[o.name] = tensor->second;
    const bool is_split = !splits.empty() && splits[phase].count(o.name);
    if (!is_split && !is_list(tensor->second->format)) continue;
    auto made = split_tensor(*tensor->second, is_split ? splits[phase].at(o.name) : no_split(*tensor->second), o.format,
                             diagnostics);
    if (!made) return false;
    tensors[o.name] = &parts.emplace(o.name, std::move(*made)).first->second;
  }
  return true;
}

bool report_deadlock(const sam::Run& run, const stream::Graph& graph, const sam::Options& options,
                     Diagnostics& diagnostics) {
  if (!run.deadlock) return false;
  auto& d = diagnostics.error(fmt::format("the blocks of `{}` wait for each other for ever", graph.title));
  for (const std::string& line : run.deadlock->lines()) d.note(line);
  d.with_hint(options.capacity
                  ? fmt::format("wires that hold more than {} tokens; `--fifo-depth 0` sets no limit", options.capacity)
                  : "the graph itself is at fault: no wire has a limit");
  return true;
}

} // namespace

std::optional<SamResult> run_sam(const SamProgram& program, const Bindings& bindings, const sam::Options& options,
                                 Diagnostics& diagnostics) {
  SamResult all;
  std::map<std::string, tensor::Tensor> sizes;
  for (const auto& [name, size] : bindings.sizes) sizes.emplace(name, scalar(size));
  for (std::size_t p = 0; p < program.phases.size(); ++p) {
    const TimedPass simulating("simulate");
    const stream::Graph& graph = program.phases[p];
    std::map<std::string, const tensor::Tensor*> tensors;
    std::map<std::string, tensor::Tensor> constants;
    for (const stream::Node& n : graph.nodes)
      if (n.block == stream::Block::arrayvals && !n.constants.empty()) constants.emplace(n.operand, scalar(n));
    for (const auto& [name, t] : constants) tensors[name] = &t;
    for (const auto& [name, t] : sizes) tensors[name] = &t;
    for (const auto& [name, t] : bindings.tensors) tensors[name] = &t;
    for (const auto& [name, t] : all.results) tensors[name] = &t;
    std::map<std::string, tensor::Tensor> parts;
    if (!split_operands(graph, program.splits, p, tensors, parts, diagnostics)) return std::nullopt;
    std::vector<std::int64_t> dims;
    for (const std::string& index : graph.result.indices) dims.push_back(program.extents[p].at(index));
    auto run = sam::simulate(graph, tensors, dims, program.extents[p], options, diagnostics);
    if (!run || report_deadlock(*run, graph, options, diagnostics)) return std::nullopt;
    all.cycles += run->cycles;
    all.tokens += run->tokens;
    if (const auto whole = program.results.find(graph.result.tensor); whole != program.results.end()) {
      const auto split = program.splits[p].find(graph.result.name);
      auto joined = join_tensor(run->result, split == program.splits[p].end() ? no_split(run->result) : split->second,
                                whole->second.dims, whole->second.format, diagnostics);
      if (!joined) return std::nullopt;
      run->result = std::move(*joined);
    }
    all.results.insert_or_assign(graph.result.tensor, std::move(run->result));
    all.runs.push_back(std::move(*run));
  }
  return all;
}

} // namespace cyclotron::driver
