// SPDX-License-Identifier: MIT
// `cyclotron run`: bind the inputs, compute, show and write the outputs.
#include "driver/commands.hpp"

#include "driver/session.hpp"
#include "driver/summary.hpp"
#include "driver/targets.hpp"
#include "schedule/targets.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"
#include "support/terminal.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

class Runner {
public:
  explicit Runner(const RunOptions& options) : options_(options), session_(options.common) {}

  int run() {
    const Target* target = target_named(options_.target);
    if (!target || !target->run) bug(fmt::format("nothing runs on `{}`", options_.target));
    const frontend::Checked* checked = session_.load(true);
    if (!checked || !is_for(*target) || !check_outputs(checked->program())) return session_.finish();
    auto inputs =
        bind_inputs(checked->program(), options_.inputs, session_.folder(), session_.sources(), session_.diagnostics());
    if (!inputs) return session_.finish();
    auto result = target->run({options_, session_, *checked, inputs->bindings});
    if (!result) {
      note_patterns(*inputs, session_.diagnostics());
      return session_.finish();
    }
    for (const std::string& name : session_.unwanted()) result->outputs.erase(name);
    if (!write_outputs(result->outputs)) return session_.finish();
    const TimedPass showing("show-results");
    if (options_.common.json) print_json(checked->program(), *inputs, *result);
    else print_text(checked->program(), *inputs, *result);
    return session_.finish();
  }

private:
  // The schedule of a file of loops is for these loops, which the interpreter does not look at.
  bool is_for(const Target& target) {
    return session_.loops() || schedule::check_target(session_.schedule(), target.name, session_.diagnostics());
  }

  bool write_outputs(const Outputs& outputs) {
    const TimedPass writing("write-results");
    return std::all_of(options_.outputs.begin(), options_.outputs.end(), [&](const Assignment& o) {
      return tensor::write(o.value, outputs.at(o.name), session_.diagnostics());
    });
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

  std::string file_of(const std::string& output) const {
    for (const Assignment& o : options_.outputs)
      if (o.name == output) return o.value;
    return "";
  }

  void print_text(const Program& program, const BoundInputs& inputs, const TargetResult& result) const {
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
    if (!result.schedule.empty()) {
      fmt::print("\n{}{}\n", paint("1;36", "schedule"),
                 result.schedule_is.empty() ? "" : " (" + result.schedule_is + ")");
      for (std::size_t at = 0; at < result.schedule.size();) {
        const std::size_t end = result.schedule.find('\n', at);
        fmt::print("  {}\n", result.schedule.substr(at, end - at));
        at = end + 1;
      }
    }
    fmt::print("\n{} ({})\n", paint("1;36", "out"), result.how);
    for (const TensorDecl* t : program.outputs()) {
      if (!result.outputs.count(t->name.name)) continue; // left out by `--only`
      const tensor::Tensor& value = result.outputs.at(t->name.name);
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

  void print_json(const Program& program, const BoundInputs& inputs, const TargetResult& result) const {
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
      if (!result.outputs.count(t->name.name)) continue;
      json["outputs"][t->name.name] = to_json(result.outputs.at(t->name.name));
      if (const std::string file = file_of(t->name.name); !file.empty()) json["outputs"][t->name.name]["file"] = file;
    }
    json["seconds"] = {{"front_end", session_.front_end_seconds()}, {"compute", result.seconds}};
    for (const auto& [name, figure] : result.figures)
      std::visit([&, key = name](auto number) { json[options_.target][key] = number; }, figure);
    fmt::print("{}\n", print_json_text(json));
  }

  const RunOptions& options_;
  Session session_;
};

} // namespace

int run(const RunOptions& options) {
  return with_pass_times(options.common, [&] { return Runner(options).run(); });
}

} // namespace cyclotron::driver
