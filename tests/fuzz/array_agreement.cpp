// SPDX-License-Identifier: MIT
#include "fuzz/array_agreement.hpp"

#include "backend/array/simulate.hpp"
#include "driver/compare.hpp"
#include "driver/compile_array.hpp"
#include "driver/pipelines.hpp"
#include "fuzz/random_program.hpp"
#include "lower/loops/recurrence_to_loops.hpp"
#include "pe/rehearse.hpp"
#include "recurrence/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::fuzz {

struct OnArray::State {
  Sources sources;
  Diagnostics diagnostics{sources};
  driver::FrontEndResult front_end;
};

OnArray::OnArray(const std::string& text) : state_(std::make_unique<State>()) {
  state_->front_end = driver::run_front_end(state_->sources.add("program.cyc", text), {}, state_->diagnostics);
}

OnArray::~OnArray() = default;

const frontend::Checked& OnArray::checked() const { return *state_->front_end.checked; }
bool OnArray::accepted() const { return state_->front_end.checked.has_value(); }
std::string OnArray::messages() const { return state_->diagnostics.render(false); }
const Sources& OnArray::sources() const { return state_->sources; }
const recurrence::Program& OnArray::program() const { return state_->front_end.checked->program(); }
const std::vector<schedule::Schedule>& OnArray::schedules() const { return state_->front_end.checked->unit->schedules; }
std::vector<std::string> OnArray::indices() const { return lower::all_variables(state_->front_end.checked->domains); }

bool OnArray::allows(const SizeValues& sizes) const {
  const auto value = [&](const std::string& name) { return sizes.at(name); };
  for (const recurrence::Assumption& a : program().assumptions)
    for (const recurrence::Condition& c : recurrence::conditions_of(a.constraint, program()))
      if (!recurrence::holds(c, value)) return false;
  return true;
}

namespace {

// A(i,i) of a square matrix, A(i,i,j,j) of one of square tiles.
bool is_diagonal(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& at) {
  if (dims.size() != 2 && dims.size() != 4) return false;
  for (std::size_t d = 0; d < dims.size(); d += 2)
    if (dims[d] != dims[d + 1] || at[d] != at[d + 1]) return false;
  return true;
}

// A sparse one has all of its diagonal then.
void strengthen_diagonal(tensor::Tensor& matrix, Diagnostics& diagnostics) {
  if (!tensor::is_float(matrix.type())) return;
  if (!tensor::is_dense(matrix.format)) {
    const tensor::Format format = matrix.format;
    matrix = *tensor::convert(matrix, tensor::dense_format(matrix.rank()), diagnostics);
    strengthen_diagonal(matrix, diagnostics);
    matrix = *tensor::convert(matrix, format, diagnostics);
    return;
  }
  std::int64_t count = 1;
  for (const std::int64_t d : matrix.dims) count *= d;
  std::vector<std::int64_t> at(matrix.dims.size());
  for (std::int64_t e = 0; e < count; ++e) {
    std::int64_t rest = e;
    for (std::size_t d = at.size(); d-- > 0; rest /= matrix.dims[d]) at[d] = rest % matrix.dims[d];
    if (!is_diagonal(matrix.dims, at)) continue;
    const std::int64_t where = tensor::locate(matrix, at.data());
    std::visit([&](auto& values) { values[static_cast<std::size_t>(where)] += 64; }, matrix.values);
  }
}

ArrayOutcome differs(std::string text) { return {ArrayOutcome::Kind::differs, std::move(text)}; }

// The file of a program is the program.
std::optional<pe::Program> read_back(const pe::Program& program, Sources& sources, std::string& problem) {
  Diagnostics diagnostics(sources);
  auto parsed = pe::parse(sources.add("program.pe", pe::print(program)), diagnostics);
  if (!parsed) problem = "the printed program is refused\n" + diagnostics.render(false);
  else if (!(*parsed == program)) problem = "the printed program is read as another one\n" + pe::print(program);
  return problem.empty() ? std::move(parsed) : std::nullopt;
}

// Empty where the rehearsal and the closed form say the same as the simulator.
std::string difference_in_cycles(const pe::Program& program, std::int64_t simulated, bool some_size_is_zero) {
  const auto rehearsal = pe::rehearse(program);
  if (!rehearsal) return "the rehearsal takes too long";
  if (rehearsal->stuck > 0) return "processing elements wait for ever\n" + pe::describe(*rehearsal, program, 0);
  if (rehearsal->cycles != simulated)
    return fmt::format("the simulator needs {} cycles, the rehearsal {}", simulated, rehearsal->cycles);
  if (program.predicted_cycles && !some_size_is_zero && *program.predicted_cycles != simulated)
    return fmt::format("the simulator needs {} cycles, `{}` is {}", simulated, program.closed_form,
                       *program.predicted_cycles);
  return "";
}

} // namespace

Tensors with_their_precision(Tensors outputs, const recurrence::Program& program) {
  const auto& all = program.tensors;
  if (std::none_of(all.begin(), all.end(), [](const auto& t) { return t.type == tensor::ValueType::f32; }))
    return outputs;
  for (auto& [name, tensor] : outputs)
    if (const auto* wide = std::get_if<std::vector<double>>(&tensor.values))
      tensor.values = std::vector<float>(wide->begin(), wide->end());
  return outputs;
}

Tensors OnArray::inputs(const SizeValues& sizes, std::uint64_t seed) const {
  Tensors made = random_inputs(program(), sizes, seed);
  Diagnostics diagnostics(state_->sources);
  for (auto& [name, tensor] : made) strengthen_diagonal(tensor, diagnostics);
  return made;
}

std::optional<pe::Program> OnArray::compile(const schedule::Schedule& schedule, const SizeValues& sizes,
                                            const std::vector<std::string>& torus, Diagnostics& diagnostics) const {
  auto compiled =
      driver::compile_array({&*state_->front_end.checked, &schedule, {}, sizes, {"program", torus, {}}}, diagnostics);
  return compiled ? std::optional(std::move(compiled->program)) : std::nullopt;
}

ArrayOutcome OnArray::run(const schedule::Schedule& schedule, const SizeValues& sizes, std::uint64_t seed,
                          const std::vector<std::string>& torus) {
  const frontend::Checked& checked = *state_->front_end.checked;
  Diagnostics diagnostics(state_->sources);
  const auto compiled = compile(schedule, sizes, torus, diagnostics);
  if (!compiled) {
    if (!diagnostics.failed()) return differs("neither an array nor an error");
    return {ArrayOutcome::Kind::refused, diagnostics.render(false)};
  }
  if (const std::string problem = pe::problem_of(*compiled); !problem.empty()) return differs(problem);
  const Tensors inputs = this->inputs(sizes, seed);
  const auto expected =
      recurrence::interpret(checked.program(), checked.types, checked.domains, {sizes, inputs}, {}, diagnostics);
  const auto found = array::simulate(*compiled, inputs, {}, {}, diagnostics);
  if (!found || !expected) {
    const std::string messages = diagnostics.render(false);
    // Both overflow, or only the array: there, what a sum comes through on the way must fit, too.
    const bool overflow = messages.find("an integer overflows") != std::string::npos;
    if (!found && (!expected || overflow)) return {ArrayOutcome::Kind::refused, messages};
    return differs((expected ? "only the interpreter has values\n" : "only the array has values\n") + messages);
  }
  const driver::Comparison comparison = driver::compare(with_their_precision(found->outputs, checked.program()),
                                                        with_their_precision(*expected, checked.program()));
  if (!comparison.problem.empty()) return differs(comparison.problem);
  std::string problem;
  const auto again = read_back(*compiled, state_->sources, problem);
  if (!again) return differs(problem);
  array::SimulationSettings shuffled; // PEs take their turns in another order
  shuffled.shuffle = seed + 1;
  const auto repeated = array::simulate(*again, inputs, {}, shuffled, diagnostics);
  if (!repeated) return differs("the program that was read back fails\n" + diagnostics.render(false));
  const driver::Comparison same = driver::compare(repeated->outputs, found->outputs);
  if (same.largest != 0 || !same.problem.empty()) return differs("in another order of PEs: " + same.problem);
  const auto cycles = static_cast<std::int64_t>(found->statistics.cycles);
  if (static_cast<std::int64_t>(repeated->statistics.cycles) != cycles)
    return differs("the number of cycles depends on the order of PEs");
  const bool some_zero = std::any_of(sizes.begin(), sizes.end(), [](const auto& s) { return s.second == 0; });
  problem = difference_in_cycles(*compiled, cycles, some_zero);
  if (!problem.empty()) return differs(problem);
  return {ArrayOutcome::Kind::agrees, "", cycles, compiled->closed_form};
}

} // namespace cyclotron::fuzz
