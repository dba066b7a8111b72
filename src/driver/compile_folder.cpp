// SPDX-License-Identifier: MIT
// `cyclotron compile --target=c -o DIR`: a folder of C that stands alone, with a self-test on sample data.
#include "driver/commands.hpp"

#include "backend/c/folder.hpp"
#include "driver/compile_kernel.hpp"
#include "driver/session.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

// File names have no limit that C names need.
constexpr std::size_t longest_name = 60;

class FolderMaker {
public:
  FolderMaker(const CompileOptions& options, Session& session, const frontend::Checked& checked)
      : options_(options), session_(session), checked_(checked) {}

  void run() {
    Diagnostics& diagnostics = session_.diagnostics();
    backend::c::KernelOptions kernel_options;
    kernel_options.title = session_.base_name();
    kernel_options.name = kernel_options.title.substr(0, std::min(kernel_options.title.find('.'), longest_name));
    kernel_options.unwanted = session_.unwanted();
    const auto kernel =
        unbuilt_kernel({&checked_, session_.schedule(), kernel_options, session_.pipeline()}, diagnostics);
    if (!kernel) return;
    auto emitted = kernel->emitted({false, backend::c::Arithmetic::careful}, diagnostics);
    if (!emitted) return;
    const auto sample = choose_sample(*kernel, *emitted);
    if (!sample) return;
    const backend::c::FolderSource source{checked_.program(), checked_.domains, *kernel, std::move(*emitted),
                                          kernel_options.title};
    const TimedPass writing("write-results");
    const auto files = backend::c::folder_files(source, *sample, diagnostics);
    if (!files || !backend::c::write_folder(options_.output, *files, diagnostics)) return;
    fmt::print("wrote {}/\n", options_.output.substr(0, options_.output.find_last_not_of('/') + 1));
    for (const backend::c::FolderFile& f : *files) fmt::print("  {}\n", f.name);
  }

private:
  using Kernel = backend::c::Kernel;
  using Sample = backend::c::Sample;

  bool is_given(const std::string& name) const {
    const auto& defaults = checked_.program().defaults;
    return std::any_of(options_.inputs.begin(), options_.inputs.end(),
                       [&](const Assignment& a) { return a.name == name; }) ||
           std::any_of(defaults.begin(), defaults.end(), [&](const DefaultDecl& d) { return d.name.name == name; });
  }

  // One choice of data, and what was wrong with it.
  struct Attempt {
    std::vector<Assignment> inputs;
    Diagnostics diagnostics;
    bool bound = false; // then nothing was left open

    bool has(const std::vector<Assignment>& others) const {
      return std::equal(
          inputs.begin(), inputs.end(), others.begin(), others.end(),
          [](const Assignment& a, const Assignment& b) { return a.name == b.name && a.value == b.value; });
    }
  };

  // What was given and the defaults; where these leave something open, small data that the equations can take.
  std::optional<Sample> choose_sample(const Kernel& kernel, const backend::c::Emitted& emitted) {
    const Program& program = checked_.program();
    const bool complete = std::all_of(program.tensors.begin(), program.tensors.end(), [&](const TensorDecl& t) {
      return program.is_output(t.name.name) || is_given(t.name.name);
    });
    std::vector<Attempt> attempts;
    if (complete) {
      // Nothing is left open but sizes, perhaps.
      if (auto sample = try_sample(kernel, emitted, options_.inputs, attempts)) return sample;
      if (attempts[0].bound && !options_.inputs.empty()) return explain(attempts[0]);
    }
    for (const bool definite : {true, false})
      for (const int size : {0, 6, 5, 4, 8, 3, 2, 1, 16, 32})
        if (auto sample = try_sample(kernel, emitted, filled_in(size, definite), attempts)) return sample;
    // The first that has everything tells most; else, where all was free to choose, the first with sizes.
    const auto bound = std::find_if(attempts.begin(), attempts.end(), [](const Attempt& a) { return a.bound; });
    if (bound != attempts.end()) return explain(*bound);
    return explain(attempts[options_.inputs.empty() && attempts.size() > 1 ? 1 : 0]);
  }

  // Reports why there is no sample.
  std::nullopt_t explain(const Attempt& attempt) {
    Diagnostics& diagnostics = session_.diagnostics();
    if (!attempt.diagnostics.failed()) bug("data that does not do for a self-test, but for no reason");
    for (const Diagnostic& d : attempt.diagnostics.all()) diagnostics.error(d.main.message) = d;
    std::string made_up;
    for (std::size_t i = options_.inputs.size(); i < attempt.inputs.size(); ++i)
      made_up += fmt::format("{}{}={}", made_up.empty() ? "" : " ", attempt.inputs[i].name, attempt.inputs[i].value);
    if (made_up.empty()) return std::nullopt;
    Diagnostic& last = diagnostics.last().note(fmt::format("data for the self-test was made up: `{}`", made_up));
    if (last.hint.empty()) last.with_hint("give inputs and sizes behind the program, such as `A=a.mtx n=10`");
    return std::nullopt;
  }

  // Matrices that are square are made positive definite: factorizations need that, and nobody minds.
  std::vector<Assignment> filled_in(int size, bool definite) const {
    const Program& program = checked_.program();
    std::vector<Assignment> list = options_.inputs;
    if (size > 0)
      for (const Binder& s : program.sizes)
        if (!is_given(s.name)) list.push_back({s.name, std::to_string(size)});
    int seed = 0;
    for (const TensorDecl* t : program.inputs()) {
      ++seed;
      if (is_given(t->name.name)) continue;
      const bool sparse = !tensor::is_dense(t->format), real = tensor::is_float(t->type);
      const bool square = t->dims.size() == 2 && t->dims[0] == t->dims[1];
      std::string value =
          real ? "random:" : fmt::format("integers:high={},", t->type == tensor::ValueType::boolean ? 2 : 4);
      if (square && real && definite) value = "spd:";
      value += fmt::format("seed={}{}", seed, sparse ? ",density=0.5" : "");
      if (t->dims.empty()) value = "1";
      list.push_back({t->name.name, value});
    }
    return list;
  }

  // Nothing where the data does not do, or was tried before.
  std::optional<Sample> try_sample(const Kernel& kernel, const backend::c::Emitted& emitted,
                                   const std::vector<Assignment>& inputs, std::vector<Attempt>& attempts) {
    if (std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& a) { return a.has(inputs); }))
      return std::nullopt;
    Attempt& attempt = attempts.emplace_back(Attempt{inputs, Diagnostics(session_.sources())});
    Diagnostics& diagnostics = attempt.diagnostics;
    auto bound = bind_inputs(checked_.program(), inputs, session_.folder(), session_.sources(), diagnostics);
    if (!bound) return std::nullopt;
    attempt.bound = true;
    auto structure = kernel.analyse(bound->bindings, diagnostics);
    if (!structure) return std::nullopt;
    Sample sample{std::move(bound->bindings), std::move(*structure), {}, origin_of(inputs)};
    if (!backend::c::sample_fits(emitted, sample, diagnostics)) return std::nullopt;
    const TimedPass interpreting("interpret");
    auto expected = interpret(checked_.program(), checked_.types, checked_.domains, sample.bindings, {}, diagnostics);
    if (!expected) return std::nullopt;
    sample.expected = std::move(*expected);
    return sample;
  }

  std::string origin_of(const std::vector<Assignment>& inputs) const {
    if (inputs.size() > options_.inputs.size()) return "made up";
    return inputs.empty() ? "the defaults of the program" : "inputs as given";
  }

  const CompileOptions& options_;
  Session& session_;
  const frontend::Checked& checked_;
};

} // namespace

int compile_folder(const CompileOptions& options) {
  return with_pass_times(options.common, [&] {
    Session session(options.common);
    if (const frontend::Checked* checked = session.load()) FolderMaker(options, session, *checked).run();
    return session.finish();
  });
}

} // namespace cyclotron::driver
