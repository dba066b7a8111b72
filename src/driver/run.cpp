// SPDX-License-Identifier: MIT
// `cyclotron run`: bind the inputs, compute, show and write the outputs.
#include "driver/commands.hpp"

#include "driver/choose_for_ranks.hpp"
#include "driver/compile_kernel.hpp"
#include "driver/run_sam.hpp"
#include "driver/session.hpp"
#include "driver/simulate.hpp"
#include "driver/summary.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"
#include "support/terminal.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

using Outputs = std::map<std::string, tensor::Tensor>;

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

class Runner {
public:
  explicit Runner(const RunOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (options_.target != "c" && options_.target != "interpret" &&
        !session_.takes_loops(fmt::format("`--target={}`", options_.target)))
      return session_.finish();
    const frontend::Checked* checked = session_.load(true);
    if (!checked || !check_target() || !check_outputs(checked->program())) return session_.finish();
    auto inputs =
        bind_inputs(checked->program(), options_.inputs, session_.folder(), session_.sources(), session_.diagnostics());
    if (!inputs) return session_.finish();
    auto outputs = options_.target == "c"       ? run_c(*checked, inputs->bindings)
                   : options_.target == "array" ? run_array(*checked, inputs->bindings)
                   : options_.target == "mpi"   ? run_mpi(*checked, inputs->bindings)
                   : options_.target == "sam"   ? run_sam(*checked, inputs->bindings)
                                                : run_interpreter(*checked, inputs->bindings);
    if (!outputs) return session_.finish();
    for (const std::string& name : session_.unwanted()) outputs->erase(name);
    if (!write_outputs(*outputs)) return session_.finish();
    const TimedPass showing("show-results");
    if (options_.common.json) print_json(checked->program(), *inputs, *outputs);
    else print_text(checked->program(), *inputs, *outputs);
    return session_.finish();
  }

private:
  bool write_outputs(const Outputs& outputs) {
    const TimedPass writing("write-results");
    return std::all_of(options_.outputs.begin(), options_.outputs.end(), [&](const Assignment& o) {
      return tensor::write(o.value, outputs.at(o.name), session_.diagnostics());
    });
  }

  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  std::optional<Outputs> run_interpreter(const frontend::Checked& checked, const Bindings& bindings) {
    const TimedPass interpreting("interpret");
    const auto start = Clock::now();
    const InterpretOptions options{{options_.all_steps.begin(), options_.all_steps.end()}};
    auto outputs =
        interpret(checked.program(), checked.types, checked.domains, bindings, options, session_.diagnostics());
    seconds_ = since(start);
    return outputs;
  }

  std::optional<Outputs> run_c(const frontend::Checked& checked, const Bindings& bindings) {
    auto start = Clock::now();
    backend::c::KernelOptions options;
    options.title = session_.base_name();
    options.name = options.title.substr(0, options.title.find('.'));
    options.all_steps = {options_.all_steps.begin(), options_.all_steps.end()};
    options.unwanted = session_.unwanted();
    options.loops = session_.loops();
    options.wide = true; // tensors are used once, as they are
    const auto kernel =
        make_kernel({&checked, session_.schedule(), options, session_.pipeline()}, session_.diagnostics());
    if (!kernel) return std::nullopt;
    compile_seconds_ = since(start);
    order_ = kernel->order();
    for (const TensorDecl* t : checked.program().outputs()) any_sparse_ |= !tensor::is_dense(t->format);
    start = Clock::now();
    auto outputs = kernel->analyse(bindings, session_.diagnostics());
    if (!outputs) return std::nullopt;
    analyse_seconds_ = since(start);
    start = Clock::now();
    if (!kernel->compute(bindings, *outputs, session_.diagnostics())) return std::nullopt;
    seconds_ = since(start);
    return outputs;
  }

  std::optional<Outputs> run_array(const frontend::Checked& checked, const Bindings& bindings) {
    auto start = Clock::now();
    if (!options_.all_steps.empty()) {
      session_.diagnostics()
          .unsupported({}, "an array keeps only the last step of a tensor")
          .with_hint("leave `--all-steps` out");
      return std::nullopt;
    }
    const auto compiled =
        compile_array({&checked, session_.schedule(), {}, bindings.sizes, array_options()}, session_.diagnostics());
    if (!compiled) return std::nullopt;
    compile_seconds_ = since(start);
    start = Clock::now();
    auto result = simulate_array(compiled->program, bindings.tensors, {}, false, session_.diagnostics());
    if (!result) return std::nullopt;
    seconds_ = since(start);
    array_ = fmt::format("{} PEs, {} cycles", compiled->program.elements(), result->statistics.cycles);
    return in_declared_formats(checked.program(), std::move(result->outputs));
  }

  ArrayOptions array_options() const { return {session_.base_name(), {}, session_.unwanted(), session_.pipeline()}; }

  std::optional<Outputs> run_mpi(const frontend::Checked& checked, const Bindings& bindings) {
    const auto start = Clock::now();
    const auto compiled = compile_for_ranks(checked, bindings);
    if (!compiled) return std::nullopt;
    compile_seconds_ = since(start);
    auto result = driver::run_mpi(compiled->program, bindings.tensors, options_.mpi, session_.diagnostics());
    if (!result) return std::nullopt;
    seconds_ = result->seconds;
    array_ = fmt::format("{} PEs on {} ranks, {} messages of {} bytes between ranks", compiled->program.elements(),
                         options_.mpi.ranks, result->rank_messages, result->rank_bytes);
    if (!result->goes_on.empty()) array_ += "; " + result->goes_on;
    schedule_ = compiled->describe();
    mpi_ = {
        {"ranks", options_.mpi.ranks},  {"predicted_seconds", predicted_seconds_}, {"pe_messages", result->pe_messages},
        {"pe_bytes", result->pe_bytes}, {"rank_messages", result->rank_messages},  {"rank_bytes", result->rank_bytes}};
    return in_declared_formats(checked.program(), std::move(result->outputs));
  }

  std::optional<Outputs> run_sam(const frontend::Checked& checked, const Bindings& bindings) {
    auto start = Clock::now();
    const auto program =
        compile_sam({&checked, session_.schedule(), bindings.sizes, session_.pipeline()}, session_.diagnostics());
    if (!program) return std::nullopt;
    compile_seconds_ = since(start);
    start = Clock::now();
    sam::Options no_statistics;
    no_statistics.waiting = false;
    auto result = driver::run_sam(*program, bindings, no_statistics, session_.diagnostics());
    if (!result) return std::nullopt;
    seconds_ = since(start);
    std::size_t blocks = 0;
    for (const stream::Graph& g : program->phases) blocks += g.nodes.size();
    array_ = fmt::format("{} blocks, {} cycles, {} tokens", blocks, result->cycles, result->tokens);
    Outputs outputs;
    for (const TensorDecl* t : checked.program().outputs())
      outputs[t->name.name] = std::move(result->results.at(t->name.name));
    return outputs;
  }

  std::optional<CompiledArray> compile_for_ranks(const frontend::Checked& checked, const Bindings& bindings) {
    if (!options_.all_steps.empty()) {
      session_.diagnostics()
          .unsupported({}, "an array of processing elements keeps only the last step of a tensor")
          .with_hint("leave `--all-steps` out");
      return std::nullopt;
    }
    const auto machine = machine_for(options_.mpi, session_.diagnostics());
    if (!machine) return std::nullopt;
    auto chosen = choose_for_ranks(checked, session_.schedule(), bindings.sizes, options_.mpi.ranks, *machine,
                                   array_options(), session_.diagnostics());
    if (!chosen) return std::nullopt;
    predicted_seconds_ = chosen->predicted_seconds;
    if (!session_.schedule()) chosen_ = fmt::format("chosen of {} schedules", chosen->tried);
    return std::move(chosen->compiled);
  }

  std::optional<Outputs> in_declared_formats(const Program& program, Outputs outputs) {
    const TimedPass converting("convert-results");
    for (auto& [name, value] : outputs) {
      auto converted = tensor::convert(value, program.tensor(name)->format, session_.diagnostics());
      if (!converted) return std::nullopt;
      value = std::move(*converted);
    }
    return outputs;
  }

  bool check_target() {
    Diagnostics& d = session_.diagnostics();
    const std::vector<std::string> targets = {"c", "array", "mpi", "sam", "interpret"};
    if (std::find(targets.begin(), targets.end(), options_.target) == targets.end()) {
      d.error(fmt::format("there is no target `{}`", options_.target))
          .with_hint("the targets are `c`, `array`, `mpi`, `sam` and `interpret`");
      return false;
    }
    if (!session_.schedule() || session_.loops() || options_.target != "interpret") return true;
    for (const schedule::Command& c : session_.schedule()->commands)
      d.unsupported(c.span, fmt::format("the interpreter does not know the schedule command `{}`", c.name))
          .with_hint("leave `--schedule` out: a schedule never changes what a program computes");
    return !d.failed();
  }

  // Everything that can be said about outputs before computing them.
  bool check_outputs(const Program& program) {
    Diagnostics& d = session_.diagnostics();
    std::vector<std::string> names;
    for (const TensorDecl* t : program.outputs()) names.push_back(t->name.name);
    const auto is_known = [&](const std::string& name, std::string_view what) {
      if (program.is_output(name)) return true;
      std::string hint = did_you_mean(name, names);
      d.error(fmt::format("{}: the program has no output `{}`", what, name))
          .with_hint(hint.empty() ? "the outputs are " + join_names(names) : hint);
      return false;
    };
    const std::set<std::string> unwanted = session_.unwanted();
    const auto is_wanted = [&](const std::string& name, std::string_view what) {
      if (!unwanted.count(name)) return true;
      d.error(fmt::format("{}: `--only` leaves `{}` out", what, name));
      return false;
    };
    for (const std::string& name : options_.all_steps)
      if (is_known(name, "--all-steps") && is_wanted(name, "--all-steps") && !program.is_stepped(name))
        d.error(fmt::format("--all-steps: `{}` has no steps", name));
    std::vector<std::string> files;
    for (const Assignment& o : options_.outputs) {
      if (!is_known(o.name, "-o") || !is_wanted(o.name, "-o")) continue;
      const int extra = std::count(options_.all_steps.begin(), options_.all_steps.end(), o.name) > 0 ? 1 : 0;
      tensor::check_writable(o.value, static_cast<int>(program.tensor(o.name)->dims.size()) + extra, d);
      if (std::count_if(options_.outputs.begin(), options_.outputs.end(),
                        [&](const Assignment& other) { return &other < &o && other.name == o.name; }))
        d.error(fmt::format("-o: `{}` is given twice", o.name));
      if (std::count(files.begin(), files.end(), o.value))
        d.error(fmt::format("-o: two outputs would be written to `{}`", o.value));
      files.push_back(o.value);
    }
    return !d.failed();
  }

  std::string how() const {
    if (options_.target == "interpret") return fmt::format("(interpreted in {})", duration(seconds_));
    if (options_.target == "array" || options_.target == "sam")
      return fmt::format("({}; compiled in {}, simulated in {})", array_, duration(compile_seconds_),
                         duration(seconds_));
    if (options_.target == "mpi")
      return fmt::format("({}; compiled in {}, predicted {}, ran in {})", array_, duration(compile_seconds_),
                         duration(predicted_seconds_), duration(seconds_));
    const std::string order = order_.empty() ? "" : fmt::format("loops {}; ", fmt::join(order_, ", "));
    const std::string made = "compiled in " + duration(compile_seconds_);
    const std::string analysed = any_sparse_ ? fmt::format(", analysed in {}", duration(analyse_seconds_)) : "";
    return fmt::format("({}{}{}, computed in {})", order, made, analysed, duration(seconds_));
  }

  std::string file_of(const std::string& output) const {
    for (const Assignment& o : options_.outputs)
      if (o.name == output) return o.value;
    return "";
  }

  void print_text(const Program& program, const BoundInputs& inputs, const Outputs& outputs) const {
    const bool color = color_on_stdout();
    const auto paint = [&](const char* code, const std::string& text) {
      return color ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
    };
    std::string sizes;
    for (const recurrence::Binder& s : program.sizes)
      sizes += fmt::format("{}{} = {}", sizes.empty() ? " with " : ", ", s.name, inputs.bindings.sizes.at(s.name));
    fmt::print("{}{}\n\n", paint("1", session_.base_name()), sizes);
    for (const Equation& e : program.equations) fmt::print("  {}\n", print(e));
    std::size_t width = 0;
    for (const TensorDecl& t : program.tensors) width = std::max(width, t.name.name.size());
    if (!program.inputs().empty()) fmt::print("\n{}\n", paint("1;36", "in"));
    for (const TensorDecl* t : program.inputs()) {
      const std::string& name = t->name.name;
      fmt::print("  {:<{}}  {}  from {}\n", name, width, headline(inputs.bindings.tensors.at(name)),
                 inputs.origin.at(name));
    }
    if (!schedule_.empty()) {
      fmt::print("\n{}{}\n", paint("1;36", "schedule"), chosen_.empty() ? "" : " (" + chosen_ + ")");
      for (std::size_t at = 0; at < schedule_.size();) {
        const std::size_t end = schedule_.find('\n', at);
        fmt::print("  {}\n", schedule_.substr(at, end - at));
        at = end + 1;
      }
    }
    fmt::print("\n{} {}\n", paint("1;36", "out"), how());
    for (const TensorDecl* t : program.outputs()) {
      if (!outputs.count(t->name.name)) continue; // left out by `--only`
      const tensor::Tensor& value = outputs.at(t->name.name);
      const std::string file = file_of(t->name.name);
      fmt::print("  {:<{}}  {}{}\n", t->name.name, width, headline(value), file.empty() ? "" : "  written to " + file);
      std::string lines = driver::describe(value);
      for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        fmt::print("  {:<{}}{}\n", "", width, lines.substr(at, end - at));
        at = end + 1;
      }
    }
  }

  void print_json(const Program& program, const BoundInputs& inputs, const Outputs& outputs) const {
    nlohmann::ordered_json json;
    json["program"] = session_.base_name();
    json["target"] = options_.target;
    json["sizes"] = nlohmann::ordered_json::object();
    for (const recurrence::Binder& s : program.sizes) json["sizes"][s.name] = inputs.bindings.sizes.at(s.name);
    json["inputs"] = nlohmann::ordered_json::object();
    for (const TensorDecl* t : program.inputs()) {
      json["inputs"][t->name.name] = to_json(inputs.bindings.tensors.at(t->name.name));
      json["inputs"][t->name.name]["from"] = inputs.origin.at(t->name.name);
    }
    json["outputs"] = nlohmann::ordered_json::object();
    for (const TensorDecl* t : program.outputs()) {
      if (!outputs.count(t->name.name)) continue;
      json["outputs"][t->name.name] = to_json(outputs.at(t->name.name));
      if (const std::string file = file_of(t->name.name); !file.empty()) json["outputs"][t->name.name]["file"] = file;
    }
    json["seconds"] = {{"front_end", session_.front_end_seconds()}, {"compute", seconds_}};
    if (!mpi_.empty()) json["mpi"] = mpi_;
    fmt::print("{}\n", print_json_text(json));
  }

  const RunOptions& options_;
  Session session_;
  std::vector<std::string> order_; // of the loops
  std::string array_;              // its size and how long it took
  nlohmann::ordered_json mpi_;     // what the ranks counted
  bool any_sparse_ = false;
  std::string schedule_, chosen_; // of the ranks
  double predicted_seconds_ = 0;
  double seconds_ = 0, compile_seconds_ = 0, analyse_seconds_ = 0;
};

} // namespace

int run(const RunOptions& options) {
  return with_pass_times(options.common, [&] { return Runner(options).run(); });
}

} // namespace cyclotron::driver
