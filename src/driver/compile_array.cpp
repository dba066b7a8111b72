// SPDX-License-Identifier: MIT
#include "driver/compile_array.hpp"

#include "dataflow/timing.hpp"
#include "lower/pe/dataflow_to_pe.hpp"
#include "lower/tiles/lift_to_tiles.hpp"
#include "pe/predict.hpp"
#include "pe/rehearse.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::driver {

namespace {

constexpr std::int64_t most_elements_by_choice = 4096; // who wants a larger array says so

// The program over tiles, checked like one that a user wrote.
struct TileProgram {
  std::shared_ptr<frontend::Checked> checked;
  lower::Lifted lifted;
};

std::optional<TileProgram> lift(const frontend::Checked& checked, const lower::Lift& how, Diagnostics& diagnostics) {
  auto lifted = lower::lift_to_tiles(checked.program(), how, diagnostics);
  if (!lifted) return std::nullopt;
  const frontend::Unit unit{lifted->program, {}};
  auto own = std::make_shared<frontend::Checked>(frontend::infer(unit, diagnostics));
  if (diagnostics.failed()) return std::nullopt;
  return TileProgram{std::move(own), std::move(*lifted)};
}

std::int64_t value_of(const recurrence::Affine& affine, const std::map<std::string, std::int64_t>& sizes) {
  return affine.evaluate([&](const std::string& name) { return sizes.at(name); });
}

// Tensors of tiles stay in memory as the user has them.
lower::ArraySizes tile_sizes(const lower::Lifted& lifted, const recurrence::Program& original,
                             const std::map<std::string, std::int64_t>& sizes) {
  lower::ArraySizes result;
  for (const recurrence::Binder& s : lifted.program.sizes) {
    const auto count = lifted.counts.find(s.name);
    if (count == lifted.counts.end()) {
      result.sizes[s.name] = sizes.at(s.name);
      continue;
    }
    const std::int64_t extent = value_of(count->second.size, sizes);
    result.sizes[s.name] = (extent + count->second.extent - 1) / count->second.extent;
  }
  for (const auto& [tensor, block] : lifted.blocks) {
    if (std::all_of(block.begin(), block.end(), [](std::int64_t b) { return b == 0; })) continue;
    std::vector<std::int64_t> dims;
    for (const recurrence::Expr& d : original.tensor(tensor)->dims)
      dims.push_back(value_of(recurrence::accepted_affine(d, original), sizes));
    result.memory[tensor] = {dims, {block.begin(), block.end()}};
  }
  return result;
}

void set_pass_cycles(std::vector<pe::Statement>& statements, std::int64_t cycles) {
  for (pe::Statement& s : statements) {
    if (pe::Pass* pass = std::get_if<pe::Pass>(&s.kind)) pass->cycles = cycles;
    if (pe::Loop* loop = std::get_if<pe::Loop>(&s.kind)) set_pass_cycles(loop->body, cycles);
    if (pe::If* condition = std::get_if<pe::If>(&s.kind)) set_pass_cycles(condition->body, cycles);
  }
}

// By the timing a step may come later than it does, as when the dependences that hold it back are not there for all
// points or sizes. So a formula that a rehearsal contradicts is not told.
void keep_form_if_right(pe::Program& program) {
  const auto rehearsal = pe::rehearse(program);
  if (!rehearsal || rehearsal->cycles == program.predicted_cycles) return;
  program.closed_form.clear();
  program.predicted_cycles.reset();
}

// The dimension of a tensor that an index runs over alone.
std::optional<int> dimension_of(const std::string& tensor, const std::string& index,
                                const recurrence::Program& program) {
  std::optional<int> found;
  const auto look = [&](const recurrence::Access& access) {
    if (access.tensor != tensor) return;
    for (std::size_t d = 0; d < access.indices.size() && !found; ++d)
      if (const auto* name = ir::as<recurrence::Name>(access.indices[d]); name && name->id == index)
        found = static_cast<int>(d);
  };
  for (const recurrence::Equation& e : program.equations) {
    look(e.access());
    ir::walk<recurrence::ExprNode>(e.value, [&](const recurrence::Expr& x) {
      if (const auto* access = ir::as<recurrence::Access>(x)) look(*access);
    });
  }
  return found;
}

bool set_owners(pe::Program& to, const lower::Mapping& mapping, const recurrence::Program& program,
                Diagnostics& diagnostics) {
  for (const lower::Owners& o : mapping.owners) {
    pe::Distribution made{o.cyclic, {}};
    for (const std::string& index : o.indices) {
      const auto dimension = dimension_of(o.tensor, index, program);
      if (!dimension || std::count(made.dims.begin(), made.dims.end(), *dimension)) {
        diagnostics
            .error(o.span, dimension ? fmt::format("two of these indices are the same dimension of `{}`", o.tensor)
                                     : fmt::format("`{}` is no index of `{}` anywhere in the program", index, o.tensor))
            .with_hint("name the indices that the equations use for its dimensions");
        return false;
      }
      made.dims.push_back(*dimension);
    }
    for (pe::Memory& m : to.tensors)
      if (m.name == o.tensor) m.distribution = made;
  }
  return true;
}

// Outputs that nobody wants do not leave the array.
void drop_exports(dataflow::Program& program, const std::set<std::string>& unwanted) {
  std::erase_if(program.exports, [&](const dataflow::Export& e) { return unwanted.count(e.tensor) > 0; });
  std::erase_if(program.constants, [&](const dataflow::Constant& c) { return unwanted.count(c.tensor) > 0; });
}

} // namespace

std::optional<lower::LoweredDataflow> compile_dataflow(const frontend::Checked& checked,
                                                       const schedule::Schedule* schedule,
                                                       std::shared_ptr<frontend::Checked>& lifted,
                                                       Diagnostics& diagnostics) {
  auto mapping = lower::mapping_of(schedule, diagnostics);
  if (!mapping) return std::nullopt;
  if (!mapping->lift) return lower::recurrence_to_dataflow(checked, *mapping, diagnostics);
  const auto tiles = lift(checked, *mapping->lift, diagnostics);
  if (!tiles) return std::nullopt;
  lifted = tiles->checked;
  return lower::recurrence_to_dataflow(*lifted, *mapping, diagnostics);
}

bool check_channels(const pe::Program& program, Diagnostics& diagnostics) {
  if (const auto prediction = pe::predict(program); prediction && !prediction->problem.empty()) {
    diagnostics.error(fmt::format("the channels of this array do not match: {}", prediction->problem));
    return false;
  }
  const auto rehearsal = pe::rehearse(program);
  if (!rehearsal || rehearsal->stuck == 0) return true;
  diagnostics.error("with this schedule the processing elements would wait for each other for ever")
      .note(pe::describe(*rehearsal, program, 0))
      .with_hint("choose other axes with `space`, or another order of steps with `time`");
  return false;
}

namespace {

std::optional<CompiledArray> compile_with(const frontend::Checked& checked, const lower::Mapping& mapping,
                                          lower::ArraySizes array, const std::shared_ptr<frontend::Checked>& lifted,
                                          const ArrayOptions& options, Diagnostics& diagnostics) {
  auto dataflow = lower::recurrence_to_dataflow(lifted ? *lifted : checked, mapping, diagnostics);
  if (!dataflow) return std::nullopt;
  drop_exports(dataflow->program, options.unwanted);
  array.folds = mapping.folds;
  for (const std::string& axis : dataflow->program.axes)
    array.torus.push_back(std::count(options.torus.begin(), options.torus.end(), axis) > 0);
  auto program = lower::dataflow_to_pe(dataflow->program, array, diagnostics);
  if (!program) return std::nullopt;
  program->name = options.name;
  if (!set_owners(*program, mapping, checked.program(), diagnostics)) return std::nullopt;
  std::optional<lower::ClosedForm> form = lower::closed_form_of(*dataflow);
  if (form) {
    program->closed_form = form->text();
    program->predicted_cycles = form->cycles(array.sizes);
    if (!form->tiles.empty())
      for (pe::Role& r : program->roles) set_pass_cycles(r.body, form->pass_cycles(array.sizes));
    keep_form_if_right(*program);
  }
  if (!check_channels(*program, diagnostics)) return std::nullopt;
  return CompiledArray{lifted, std::move(*dataflow), std::move(form), std::move(*program)};
}

} // namespace

std::optional<CompiledArray> compile_array(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                           const std::map<std::string, std::int64_t>& sizes,
                                           const ArrayOptions& options, Diagnostics& diagnostics) {
  const auto mapping = lower::mapping_of(schedule, diagnostics);
  return mapping ? compile_array(checked, *mapping, sizes, options, diagnostics) : std::nullopt;
}

std::optional<CompiledArray> compile_array(const frontend::Checked& checked, const lower::Mapping& mapping,
                                           const std::map<std::string, std::int64_t>& sizes,
                                           const ArrayOptions& options, Diagnostics& diagnostics) {
  lower::ArraySizes array;
  array.sizes = sizes;
  std::shared_ptr<frontend::Checked> lifted;
  if (mapping.lift) {
    const auto tiles = lift(checked, *mapping.lift, diagnostics);
    if (!tiles) return std::nullopt;
    lifted = tiles->checked;
    array = tile_sizes(tiles->lifted, checked.program(), sizes);
  }
  if (mapping.space_given || mapping.spacetime)
    return compile_with(checked, mapping, array, lifted, options, diagnostics);
  // The first choice of axes that works on an array of a usual size; else the smallest array.
  const auto choices = lower::axis_choices(lifted ? *lifted : checked, mapping, diagnostics);
  if (diagnostics.failed()) return std::nullopt;
  std::optional<CompiledArray> smallest;
  for (const auto& choice : choices) {
    lower::Mapping tried = mapping;
    tried.space = choice;
    tried.space_given = true;
    Diagnostics attempt(diagnostics.sources());
    auto done = compile_with(checked, tried, array, lifted, options, attempt);
    if (!done) continue;
    done->dataflow.chosen = true;
    const bool usual = done->program.elements() <= most_elements_by_choice;
    if (!smallest || done->program.elements() < smallest->program.elements()) smallest = std::move(done);
    if (usual) break;
  }
  if (smallest) return smallest;
  lower::Mapping tried = mapping; // for its messages
  if (!choices.empty()) tried.space = choices.front();
  tried.space_given = true;
  return compile_with(checked, tried, array, lifted, options, diagnostics);
}

std::vector<std::vector<std::string>> axes_of(const frontend::Checked& checked, const lower::Mapping& mapping,
                                              Diagnostics& diagnostics) {
  if (!mapping.lift) return lower::axis_choices(checked, mapping, diagnostics);
  const auto tiles = lift(checked, *mapping.lift, diagnostics);
  if (!tiles) return {};
  return lower::axis_choices(*tiles->checked, mapping, diagnostics);
}

std::string CompiledArray::describe() const {
  std::string out = lower::print(dataflow.mapping);
  if (dataflow.program.timing) out += dataflow::print(*dataflow.program.timing) + "\n";
  return out;
}

} // namespace cyclotron::driver
