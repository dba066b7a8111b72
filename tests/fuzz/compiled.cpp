// SPDX-License-Identifier: MIT
#include "compiled.hpp"

#include "driver/bind.hpp"
#include "driver/pipelines.hpp"
#include "recurrence/interpret.hpp"

namespace cyclotron::fuzz {

struct Compiled::State {
  Sources sources;
  Diagnostics diagnostics{sources};
  driver::FrontEndResult front_end;
};

Compiled::Compiled(const std::string& text) : state_(std::make_unique<State>()) {
  const std::int32_t file = state_->sources.add("program.cyc", text);
  state_->front_end = driver::run_front_end(file, {}, state_->diagnostics);
}

Compiled::~Compiled() = default;

bool Compiled::accepted() const { return state_->front_end.checked.has_value(); }
const frontend::Unit& Compiled::unit() const { return *state_->front_end.checked->unit; }
std::string Compiled::messages() const { return state_->diagnostics.render(false); }
void Compiled::forget_messages() { state_->diagnostics = Diagnostics(state_->sources); }

std::optional<Compiled::Bound> Compiled::bind(const std::map<std::string, std::string>& given) {
  std::vector<driver::Assignment> assignments;
  for (const auto& [name, value] : given) assignments.push_back({name, value});
  auto bound = driver::bind_inputs(program(), assignments, "", state_->sources, state_->diagnostics);
  if (!bound) return std::nullopt;
  return Bound{std::move(bound->bindings.sizes), std::move(bound->bindings.tensors)};
}

std::optional<Tensors> Compiled::interpret(const SizeValues& sizes, const Tensors& inputs, bool all_steps) {
  const frontend::Checked& checked = *state_->front_end.checked;
  recurrence::InterpretOptions options;
  if (all_steps)
    for (const recurrence::TensorDecl* t : program().outputs())
      if (program().is_stepped(t->name.name)) options.all_steps.insert(t->name.name);
  return recurrence::interpret(program(), checked.types, checked.domains, {sizes, inputs}, options,
                               state_->diagnostics);
}

} // namespace cyclotron::fuzz
