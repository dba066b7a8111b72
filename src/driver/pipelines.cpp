// SPDX-License-Identifier: MIT
#include "driver/pipelines.hpp"

#include "driver/run_passes.hpp"
#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"
#include "lower/dataflow/fixed_sizes.hpp"
#include "lower/dataflow/unwanted.hpp"
#include "lower/lanes/dataflow_to_lanes.hpp"
#include "lower/loops/precompute.hpp"
#include "lower/pe/dataflow_to_pe.hpp"
#include "lower/pe/owners.hpp"
#include "lower/pe/predicted_cycles.hpp"
#include "pe/check_channels.hpp"
#include "support/progress.hpp"

#include <algorithm>
#include <chrono>

namespace cyclotron::driver {

using frontend::Checked;
using frontend::Unit;
using ir::Lowering;
using ir::Pass;

namespace {

template <class T> using Made = std::optional<T>;

// ---- Text to a verified program -------------------------------------------------------------------------------------

struct SourceFile {
  std::int32_t file;
};

constexpr Pass<SourceFile, Parsed> parse{"parse", "text to a program", [](const SourceFile& s, Diagnostics& d) {
                                           return Parsed{frontend::parse(s.file, d)};
                                         }};
constexpr Pass<Parsed, Unit> resolve{"resolve", "give every name its meaning",
                                     [](const Parsed& p, Diagnostics& d) { return frontend::resolve(p.unit, d); }};
constexpr Pass<Unit, Unit> expand_sums{"expand-sums", "make implied sums explicit", frontend::expand_sums};
constexpr Pass<Unit, Checked> infer{"infer", "find types, shapes and domains", frontend::infer};
constexpr Pass<Checked, Checked> check_definitions{"check-definitions", "each element is defined at most once",
                                                   frontend::check_definitions};
constexpr Pass<Checked, Checked> check_bounds{"check-bounds", "every read is inside its tensor", frontend::check_bounds,
                                              true};
constexpr Pass<Checked, Checked> check_schedules{"check-schedules", "schedules name what the program has",
                                                 frontend::check_schedules, true};
constexpr Pass<Checked, Checked> check_order{"check-order", "an order of computation exists", frontend::check_order};

constexpr auto front_end = parse >> resolve // names first: whether `n` is a size or an index decides what is summed
                           >> expand_sums   // before types: what a sum runs over has a domain
                           >> infer >> check_definitions >> check_bounds >>
                           check_schedules // each may find more mistakes
                           >> check_order; // last: a cycle through an element defined twice would only confuse

// ---- Native code ----------------------------------------------------------------------------------------------------

constexpr Lowering<KernelRequest, KernelStage> precompute{
    "precompute", "give expressions tensors of their own, as the schedule asks",
    [](KernelRequest&& r, Diagnostics& d) -> Made<KernelStage> {
      auto made = lower::precompute(*r.checked, r.schedule, d);
      if (!made) return std::nullopt;
      KernelStage stage{{r.checked, {}, std::move(r.options), std::move(*made), {}, {}, {}}, {}, r.pipeline};
      backend::c::KernelProgram& program = stage.program;
      if (r.schedule) program.schedule = *r.schedule;
      stage.form.wide = program.options.wide;
      program.internal = backend::c::internal_of(r.checked->program(), program.options.unwanted);
      for (const lower::Workspace& w : program.precomputed.workspaces) program.internal.insert(w.name);
      return stage;
    }};
constexpr Lowering<KernelStage, KernelStage> read_data_commands{
    "read-data-commands", "find the masks and the marching that the schedule asks for",
    [](KernelStage&& k, Diagnostics& d) -> Made<KernelStage> {
      if (!backend::c::read_data_commands(k.program, d)) return std::nullopt;
      return std::move(k);
    },
    true};
constexpr Lowering<KernelStage, PlacedLoops> recurrence_to_loops{
    "recurrence-to-loops", "choose an order of loops and place every statement in them",
    [](KernelStage&& k, Diagnostics& d) -> Made<PlacedLoops> {
      const backend::c::KernelProgram& p = k.program;
      if (p.options.loops) { // those of a file
        lower::LoweredLoops written = *p.options.loops;
        return PlacedLoops{std::move(k), std::move(written)};
      }
      auto loops = lower::recurrence_to_loops(p.checked(), p.own_schedule(), d, p.internal, p.precomputed.workspaces);
      if (!loops) return std::nullopt;
      return PlacedLoops{std::move(k), std::move(*loops)};
    }};
constexpr Lowering<PlacedLoops, backend::c::Written> loops_to_c{
    "loops-to-c", "write the loops as C, for the formats of the tensors", [](PlacedLoops&& p, Diagnostics& d) {
      return backend::c::write_kernel(p.kernel.program, p.loops, p.kernel.form, d);
    }};

constexpr auto to_loops_passes = precompute >> recurrence_to_loops; // loops are the same for all data
constexpr auto to_kernel_passes = precompute                        // workspaces are tensors like others
                                  >> read_data_commands;            // they may have masks
constexpr auto kernel_to_c_passes = recurrence_to_loops             // only now: a kernel may be remembered
                                    >> loops_to_c;                  // again for every form of the kernel
constexpr auto to_c_passes = to_kernel_passes >> kernel_to_c_passes;

// ---- Arrays of processing elements ----------------------------------------------------------------------------------

constexpr Lowering<ArrayRequest, MappedProgram> read_mapping{
    "read-mapping", "find what the schedule says about axes, steps and how operands travel",
    [](ArrayRequest&& r, Diagnostics& d) -> Made<MappedProgram> {
      auto mapping = r.mapping ? r.mapping : lower::mapping_of(r.schedule, "array", d);
      if (!mapping) return std::nullopt;
      return MappedProgram{std::move(r), std::move(*mapping), nullptr, std::nullopt};
    },
    true};
constexpr Lowering<MappedProgram, MappedProgram> lift_to_tiles{
    "lift-to-tiles", "make a program over tiles, where the schedule asks for one",
    [](MappedProgram&& p, Diagnostics& d) -> Made<MappedProgram> {
      if (!p.mapping.lift) return std::move(p);
      auto tiles = lower::tile_program(*p.request.checked, *p.mapping.lift, d);
      if (!tiles) return std::nullopt;
      p.tiles = std::make_shared<const lower::TileProgram>(std::move(*tiles));
      return std::move(p);
    }};
constexpr Lowering<MappedProgram, ArrayDataflow> recurrence_to_dataflow{
    "recurrence-to-dataflow", "give every point a place and a time, and every value a way",
    [](MappedProgram&& p, Diagnostics& d) -> Made<ArrayDataflow> {
      auto lowered = lower::recurrence_to_dataflow(p.checked(), p.mapping, d);
      if (!lowered) return std::nullopt;
      return ArrayDataflow{std::move(p), std::move(*lowered)};
    }};
constexpr Lowering<ArrayDataflow, ArrayDataflow> drop_unwanted{
    "drop-unwanted", "leave outputs that nobody wants in the array",
    [](ArrayDataflow&& a, Diagnostics&) {
      lower::drop_unwanted(a.lowered.program, a.source.request.options.unwanted);
      return Made<ArrayDataflow>(std::move(a));
    },
    true};

lower::ArraySizes array_sizes(const ArrayDataflow& a) {
  const ArrayRequest& request = a.source.request;
  lower::ArraySizes sizes;
  sizes.sizes = request.sizes;
  if (a.source.tiles) sizes = lower::tile_sizes(a.source.tiles->lifted, request.checked->program(), request.sizes);
  sizes.folds = a.source.mapping.folds;
  const std::vector<std::string>& torus = request.options.torus;
  for (const std::string& axis : a.lowered.program.axes)
    sizes.torus.push_back(std::count(torus.begin(), torus.end(), axis) > 0);
  return sizes;
}

constexpr Lowering<ArrayDataflow, CompiledArray> dataflow_to_pe{
    "dataflow-to-pe", "write a program for every role of processing elements, at fixed sizes",
    [](ArrayDataflow&& a, Diagnostics& d) -> Made<CompiledArray> {
      auto program = lower::dataflow_to_pe(a.lowered.program, array_sizes(a), d);
      if (!program) return std::nullopt;
      program->name = a.source.request.options.name;
      return CompiledArray{std::move(a.source), std::move(a.lowered), std::nullopt, std::move(*program)};
    }};
constexpr Lowering<CompiledArray, CompiledArray> distribute{
    "distribute", "say which rank owns which part of a tensor, as the schedule does",
    [](CompiledArray&& a, Diagnostics& d) -> Made<CompiledArray> {
      const MappedProgram& source = a.source;
      if (!lower::set_owners(a.program, source.mapping.owners, source.request.checked->program(), d))
        return std::nullopt;
      return std::move(a);
    },
    true};
constexpr Lowering<CompiledArray, CompiledArray> find_closed_form{
    "find-closed-form", "find the number of cycles as a formula of the sizes",
    [](CompiledArray&& a, Diagnostics&) {
      a.closed_form = lower::closed_form_of(a.dataflow);
      if (a.closed_form) lower::set_predicted_cycles(a.program, *a.closed_form, a.program.sizes);
      return Made<CompiledArray>(std::move(a));
    },
    true};
constexpr Lowering<CompiledArray, CompiledArray> check_channels{
    "check-channels", "all that is sent is received, and nobody waits for ever",
    [](CompiledArray&& a, Diagnostics& d) -> Made<CompiledArray> {
      const auto rehearsal = pe::check_channels(a.program, d);
      if (d.failed()) return std::nullopt;
      if (a.closed_form && rehearsal) lower::drop_form_if_wrong(a.program, *rehearsal);
      return std::move(a);
    },
    true};

constexpr auto to_mapped_passes = read_mapping >> lift_to_tiles; // axes are indices of the program over tiles
constexpr auto to_dataflow_passes = to_mapped_passes >> recurrence_to_dataflow;
constexpr auto with_axes_passes = recurrence_to_dataflow >> drop_unwanted // nothing is sent for what nobody wants
                                  >> dataflow_to_pe >> distribute >> find_closed_form >>
                                  check_channels; // last: its rehearsal also shows whether the formula is right

constexpr Lowering<MappedProgram, CompiledArray> try_axes{
    "try-axes", "all that follows, with the axes given or each choice of axes until one works",
    [](MappedProgram&& p, Diagnostics& d) {
      const WithAxes with_axes = [](MappedProgram tried, Diagnostics& own) {
        const PipelineOptions options = tried.request.options.pipeline;
        return run_passes(with_axes_passes, std::move(tried), options, own);
      };
      return choose_axes(std::move(p), with_axes, d);
    },
    true};

// Of a file: who wrote it has said what leaves the array, and where and when everything happens.
constexpr auto written_to_pe_passes = dataflow_to_pe >> find_closed_form >> check_channels;

constexpr auto to_pe_passes = to_mapped_passes >> try_axes;

// ---- Lanes of vectors -----------------------------------------------------------------------------------------------

constexpr Lowering<ArrayRequest, MappedProgram> read_lane_mapping{
    "read-lane-mapping", "find what the schedule says about lanes, and about the array behind them",
    [](ArrayRequest&& r, Diagnostics& d) -> Made<MappedProgram> {
      auto machine = lower::lane_machine_of(r.schedule, d, r.machine.value_or(lower::LaneMachine{}));
      if (!machine) return std::nullopt;
      std::optional<schedule::Schedule> about_arrays;
      if (r.schedule) about_arrays = lower::without_lane_commands(*r.schedule);
      auto mapping = r.mapping ? r.mapping : lower::mapping_of(about_arrays ? &*about_arrays : nullptr, "simd", d);
      if (!mapping) return std::nullopt;
      mapping->inputs_travel = false; // lanes load what they need, unless the schedule says otherwise
      mapping->steps_are_loops = true;
      if (!mapping->space_given && !mapping->spacetime && !machine->axis.empty()) { // `vectorize i` names the axis too
        mapping->space = {machine->axis};
        mapping->space_given = true;
        mapping->space_span = machine->axis_span;
      }
      return MappedProgram{std::move(r), std::move(*mapping), nullptr, std::move(machine)};
    },
    true};
constexpr Lowering<ArrayDataflow, CompiledLanes> dataflow_to_lanes{
    "dataflow-to-lanes", "do all elements of the array at once, in the lanes of vectors",
    [](ArrayDataflow&& a, Diagnostics& d) -> Made<CompiledLanes> {
      const lower::LaneMachine& machine = *a.source.machine;
      const auto& sizes = a.source.request.sizes;
      const auto& search = a.lowered.timing_search;
      auto program = lower::dataflow_to_lanes(a.lowered.program, machine, d, search);
      if (!program && !d.failed() && !sizes.empty())
        program = lower::dataflow_to_lanes(lower::with_fixed_sizes(a.lowered.program, sizes), machine, d, search);
      if (!program && !d.failed())
        d.unsupported({}, "which element of this array is the first depends on the sizes, and these are not known")
            .with_hint("give sizes, or inputs that have some: `n=100`");
      if (!program) return std::nullopt;
      program->name = a.source.request.options.name;
      return CompiledLanes{std::move(a.source), std::move(a.lowered), std::move(*program)};
    }};

constexpr auto with_mapping_passes = recurrence_to_dataflow >> drop_unwanted >> dataflow_to_lanes;

constexpr Lowering<MappedProgram, CompiledLanes> try_mappings{
    "try-mappings", "all that follows, with the axis given or with each choice of an axis",
    [](MappedProgram&& p, Diagnostics& d) {
      const WithMapping with_mapping = [](MappedProgram tried, Diagnostics& own) {
        const PipelineOptions options = tried.request.options.pipeline;
        return run_passes(with_mapping_passes, std::move(tried), options, own);
      };
      return choose_lanes(std::move(p), with_mapping, d);
    },
    true};

constexpr auto to_lanes_passes = read_lane_mapping >> try_mappings;

// ---- Graphs of streams ----------------------------------------------------------------------------------------------

constexpr Lowering<StreamRequest, LoweredStream> recurrence_to_stream{
    "recurrence-to-stream", "make a graph of blocks for every equation",
    [](StreamRequest&& r, Diagnostics& d) -> Made<LoweredStream> {
      auto lowered = lower::recurrence_to_stream(*r.checked, r.schedule, r.sizes, d);
      if (!lowered) return std::nullopt;
      return LoweredStream{std::move(r), std::move(*lowered)};
    }};
constexpr Lowering<LoweredStream, SamProgram> fix_extents{
    "fix-extents", "give indices and results their extents at the sizes of the run",
    [](LoweredStream&& s, Diagnostics&) { return Made<SamProgram>(at_sizes(std::move(s))); }};

constexpr auto to_stream_passes = recurrence_to_stream >> fix_extents; // graphs are the same for most sizes

template <class... Passes> std::vector<PassInfo> list(const ir::Pipeline<Passes...>& pipeline) {
  return std::apply(
      [](const auto&... passes) {
        return std::vector<PassInfo>{{passes.name, passes.summary}...};
      },
      pipeline.passes);
}

} // namespace

FrontEndResult run_front_end(std::int32_t file, const PipelineOptions& options, Diagnostics& diagnostics) {
  const Progress progress("checking the program");
  const auto start = std::chrono::steady_clock::now();
  FrontEndResult result;
  result.checked = run_passes(front_end, {file}, options, diagnostics);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::optional<PlacedLoops> to_loops(KernelRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.pipeline;
  return run_passes(to_loops_passes, std::move(request), options, diagnostics);
}

std::optional<backend::c::Written> to_c(KernelRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.pipeline;
  return run_passes(to_c_passes, std::move(request), options, diagnostics);
}

std::optional<KernelStage> to_kernel_program(KernelRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.pipeline;
  return run_passes(to_kernel_passes, std::move(request), options, diagnostics);
}

std::optional<backend::c::Written> kernel_program_to_c(KernelStage kernel, Diagnostics& diagnostics) {
  const PipelineOptions options = kernel.pipeline;
  return run_passes(kernel_to_c_passes, std::move(kernel), options, diagnostics);
}

std::optional<ArrayDataflow> compile_dataflow(ArrayRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.options.pipeline;
  return run_passes(to_dataflow_passes, std::move(request), options, diagnostics);
}

std::optional<CompiledArray> compile_array(ArrayRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.options.pipeline;
  return run_passes(to_pe_passes, std::move(request), options, diagnostics);
}

std::optional<CompiledArray> compile_written_dataflow(ArrayDataflow written, Diagnostics& diagnostics) {
  const PipelineOptions options = written.source.request.options.pipeline;
  return run_passes(written_to_pe_passes, std::move(written), options, diagnostics);
}

std::optional<CompiledLanes> compile_lanes(ArrayRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.options.pipeline;
  return run_passes(to_lanes_passes, std::move(request), options, diagnostics);
}

std::optional<MappedProgram> map_program(ArrayRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.options.pipeline;
  return run_passes(to_mapped_passes, std::move(request), options, diagnostics);
}

std::optional<SamProgram> compile_sam(StreamRequest request, Diagnostics& diagnostics) {
  const PipelineOptions options = request.pipeline;
  return run_passes(to_stream_passes, std::move(request), options, diagnostics);
}

std::vector<PipelineInfo> all_pipelines() {
  return {{"front end", "what every verb does first", list(front_end)},
          {"to_c", "for the target `c`", list(to_c_passes)},
          {"to_pe", "for the targets `array` and `mpi`", list(to_pe_passes)},
          {"with axes", "inside `try-axes`", list(with_axes_passes)},
          {"to_lanes", "for lanes of vectors", list(to_lanes_passes)},
          {"with a mapping", "inside `try-mappings`", list(with_mapping_passes)},
          {"to_stream", "for the target `sam`", list(to_stream_passes)}};
}

} // namespace cyclotron::driver
