// SPDX-License-Identifier: MIT
#include "study/runner.hpp"

#include "driver/check_values.hpp"
#include "driver/pipelines.hpp"
#include "tensor/generate.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

namespace cyclotron::study {

using namespace recurrence;

namespace {

const schedule::Schedule* schedule_of(const frontend::Checked& checked) {
  return checked.unit->schedules.empty() ? nullptr : &checked.unit->schedules.front();
}

} // namespace

void StudyRunner::begin(const char* points, std::int64_t count) {
  done_ = 0;
  progress_ = std::make_unique<Progress>("study " + options_.name, Amount{count, points});
}

void StudyRunner::advance() { progress_->advance_to(++done_); }

std::optional<frontend::Checked> StudyRunner::check(const std::string& program) {
  return driver::run_front_end(sources_.add("a program of the study", program), {}, diagnostics_).checked;
}

std::optional<driver::SamProgram> StudyRunner::graphs_of(const std::string& program) {
  const auto checked = check(program);
  return checked ? driver::compile_sam({&*checked, schedule_of(*checked)}, diagnostics_) : std::nullopt;
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

std::optional<StudyRunner::Prepared> StudyRunner::prepare(const std::string& program, const StudyInputs& inputs) {
  auto checked = check(program);
  auto bindings = checked ? bind(checked->program(), inputs) : std::nullopt;
  if (!bindings) return std::nullopt;
  return Prepared{std::move(*checked), std::move(*bindings)};
}

std::optional<StudyRun> StudyRunner::simulate(const Prepared& prepared, const sam::Options& options) {
  auto compiled =
      driver::compile_sam({&prepared.checked, schedule_of(prepared.checked), prepared.bindings.sizes}, diagnostics_);
  auto result = compiled ? driver::run_sam(*compiled, prepared.bindings, options, diagnostics_) : std::nullopt;
  if (!result) return std::nullopt;
  return StudyRun{std::move(*compiled), std::move(*result)};
}

bool StudyRunner::compare(const Prepared& prepared, const std::string& program,
                          const std::map<std::string, tensor::Tensor>& outputs) {
  const std::string who = fmt::format("the graph of\n{}", program);
  return driver::check_values(prepared.checked, prepared.bindings, outputs, {}, who, diagnostics_).has_value();
}

std::optional<StudyRun> StudyRunner::run(const std::string& program, const StudyInputs& inputs,
                                         const sam::Options& options) {
  const auto prepared = prepare(program, inputs);
  auto run = prepared ? simulate(*prepared, options) : std::nullopt;
  if (!run) return std::nullopt;
  std::map<std::string, tensor::Tensor> outputs;
  for (const TensorDecl* t : prepared->checked.program().outputs())
    outputs[t->name.name] = run->result.results.at(t->name.name);
  if (!compare(*prepared, program, outputs)) return std::nullopt;
  return run;
}

std::optional<StudyRun> StudyRunner::run_unchecked(const std::string& program, const StudyInputs& inputs,
                                                   const sam::Options& options) {
  const auto prepared = prepare(program, inputs);
  return prepared ? simulate(*prepared, options) : std::nullopt;
}

bool StudyRunner::check_outputs(const std::string& program, const StudyInputs& inputs,
                                std::map<std::string, tensor::Entries> outputs) {
  const auto prepared = prepare(program, inputs);
  if (!prepared) return false;
  std::map<std::string, tensor::Tensor> packed;
  for (auto& [name, entries] : outputs) {
    auto output = tensor::pack(std::move(entries), prepared->checked.program().tensor(name)->format, diagnostics_);
    if (!output) return false;
    packed.emplace(name, std::move(*output));
  }
  return compare(*prepared, program, packed);
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
  if (tensor::file_kind(source)) return tensor::read(source, {{-1, -1}}, diagnostics_);
  const auto recipe = tensor::parse_recipe(source, diagnostics_);
  return recipe ? tensor::generate(*recipe, {{-1, -1}, tensor::ValueType::f64, "B"}, diagnostics_) : std::nullopt;
}

} // namespace cyclotron::study
