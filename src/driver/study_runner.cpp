// SPDX-License-Identifier: MIT
#include "driver/study_runner.hpp"

#include "driver/check_values.hpp"
#include "driver/pipelines.hpp"
#include "tensor/generate.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

const schedule::Schedule* schedule_of(const frontend::Checked& checked) {
  return checked.unit->schedules.empty() ? nullptr : &checked.unit->schedules.front();
}

} // namespace

void StudyRunner::begin(const std::string& what, std::int64_t steps) {
  done_ = 0;
  progress_ = std::make_unique<Progress>(what, steps, stderr_is_terminal());
}

void StudyRunner::advance() { progress_->advance_to(++done_); }

std::optional<frontend::Checked> StudyRunner::check(const std::string& program) {
  return run_front_end(sources_.add("a program of the study", program), {}, diagnostics_).checked;
}

std::optional<SamProgram> StudyRunner::graphs_of(const std::string& program) {
  const auto checked = check(program);
  return checked ? compile_sam(*checked, schedule_of(*checked), {}, diagnostics_) : std::nullopt;
}

std::optional<Bindings> StudyRunner::bind(const Program& program, const StudyInputs& inputs) {
  Bindings bindings;
  bindings.sizes = inputs.sizes;
  for (const TensorDecl* t : program.inputs()) {
    const auto found = inputs.tensors.find(t->name.name);
    if (found == inputs.tensors.end()) bug(fmt::format("the study gives no tensor `{}`", t->name.name));
    tensor::Entries entries = found->second;
    if (!tensor::is_dense(t->format)) tensor::drop_zeros(entries);
    auto packed = tensor::pack(std::move(entries), t->format, diagnostics_);
    if (!packed) return std::nullopt;
    bindings.tensors.emplace(t->name.name, std::move(*packed));
  }
  return bindings;
}

std::optional<StudyRun> StudyRunner::run(const std::string& program, const StudyInputs& inputs,
                                         const sam::Options& options) {
  const auto checked = check(program);
  if (!checked) return std::nullopt;
  const auto bindings = bind(checked->program(), inputs);
  if (!bindings) return std::nullopt;
  auto compiled = compile_sam(*checked, schedule_of(*checked), bindings->sizes, diagnostics_);
  if (!compiled) return std::nullopt;
  auto result = run_sam(*compiled, *bindings, options, diagnostics_);
  if (!result) return std::nullopt;
  std::map<std::string, tensor::Tensor> outputs;
  for (const TensorDecl* t : checked->program().outputs()) outputs[t->name.name] = result->results.at(t->name.name);
  if (!check_values(*checked, *bindings, outputs, {}, fmt::format("the graph of\n{}", program), diagnostics_))
    return std::nullopt;
  return StudyRun{std::move(*compiled), std::move(*result)};
}

std::optional<tensor::Entries> StudyRunner::random(const std::vector<std::int64_t>& dims, double density,
                                                   std::uint64_t use) {
  const std::uint64_t seed = options_.seed * 1000 + use;
  const auto recipe =
      tensor::parse_recipe(fmt::format("random:low=0.1,density={},seed={}", density, seed), diagnostics_);
  return recipe ? tensor::generate(*recipe, {dims, tensor::ValueType::f64, "a tensor of the study"}, diagnostics_)
                : std::nullopt;
}

std::optional<tensor::Entries> StudyRunner::matrix(const std::string& source) {
  if (tensor::file_kind(source)) return tensor::read(source, {{-1, -1}, stderr_is_terminal()}, diagnostics_);
  const auto recipe = tensor::parse_recipe(source, diagnostics_);
  return recipe ? tensor::generate(*recipe, {{-1, -1}, tensor::ValueType::f64, "B"}, diagnostics_) : std::nullopt;
}

} // namespace cyclotron::driver
