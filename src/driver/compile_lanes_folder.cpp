// SPDX-License-Identifier: MIT
// `cyclotron compile --target=simd -o DIR` and `--target=cuda`: a folder that stands alone, with a self-test on sample
// data.
#include "driver/commands.hpp"

#include "backend/c/names.hpp"
#include "backend/cuda/folder.hpp"
#include "backend/simd/folder.hpp"
#include "backend/simd/registers.hpp"
#include "driver/lanes_code.hpp"
#include "driver/session.hpp"
#include "lower/code/names.hpp"
#include "lower/code/operations.hpp"
#include "recurrence/interpret.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

namespace {

using backend::c::SampleArray;

// File names have no limit that C names need.
constexpr std::size_t longest_name = 60;

class LanesFolder {
public:
  LanesFolder(const CompileOptions& options, Session& session, const frontend::Checked& checked)
      : options_(options), session_(session), checked_(checked), diagnostics_(session.diagnostics()) {}

  void write_simd() {
    backend::simd::FolderSource source;
    const auto made = fill_in(source, simd_target());
    if (!made) return;
    source.register_bytes = backend::simd::register_bytes();
    source.threads = made->compiled.says_threads();
    write(backend::simd::folder_files(source, diagnostics_));
  }

  void write_cuda() {
    backend::cuda::FolderSource source;
    if (fill_in(source, cuda_target())) write(backend::cuda::folder_files(source, diagnostics_));
  }

private:
  const recurrence::Program& program() const { return checked_.program(); }

  // All that the folders of both targets have. The kernels are for all inputs, not for those of the sample: whole
  // numbers are checked.
  std::optional<LaneKernels> fill_in(backend::c::KernelFolder& folder, const LaneTarget& target) {
    const auto inputs = bind_inputs(program(), options_.inputs, session_.folder(), session_.sources(), diagnostics_);
    if (!inputs) return std::nullopt;
    ArrayRequest request{
        &checked_, session_.schedule(), {}, {}, {session_.base_name(), {}, session_.unwanted(), session_.pipeline()},
        {}};
    auto made = make_lanes_code(std::move(request), target, nullptr, diagnostics_, options_.lanes.value_or(0));
    if (!made) return std::nullopt;
    const recurrence::Bindings& bindings = inputs->bindings;
    const auto expected = interpret(program(), checked_.types, checked_.domains, bindings, {}, diagnostics_);
    if (!expected) return std::nullopt;
    describe(folder);
    folder.kernels = made->code.kernels;
    for (const auto& [name, called] : made->code.sizes) folder.sizes[called] = bindings.sizes.at(name);
    for (const recurrence::TensorDecl* t : program().inputs())
      add(folder, SampleArray::Kind::input, made->code, bindings.tensors.at(t->name.name), t->name.name);
    for (const recurrence::TensorDecl* t : program().outputs())
      add(folder, kind_of(t->name.name), made->code, expected->at(t->name.name), t->name.name);
    if (diagnostics_.failed()) return std::nullopt;
    return made;
  }

  void describe(backend::c::KernelFolder& folder) const {
    folder.title = session_.base_name();
    const std::string word = folder.title.substr(0, std::min(folder.title.find('.'), longest_name));
    folder.name = backend::c::NameTable().function(lower::FreshNames()(word));
    folder.origin = options_.inputs.empty() ? "the defaults of the program" : "inputs as given";
    for (const recurrence::Equation& e : program().equations)
      folder.comment += (folder.comment.empty() ? "" : "\n") + recurrence::print(e);
    folder.answers.resize(std::max(lower::overflow_code, lower::undefined_code));
    folder.answers[lower::overflow_code - 1] = "a whole number does not fit its type";
    folder.answers[lower::undefined_code - 1] = "something is divided by zero";
  }

  // A result that nobody wants is not computed as a whole.
  SampleArray::Kind kind_of(const std::string& output) const {
    return session_.unwanted().count(output) ? SampleArray::Kind::between : SampleArray::Kind::result;
  }

  void add(backend::c::KernelFolder& folder, SampleArray::Kind kind, const lower::LanesCode& code,
           const tensor::Tensor& given, const std::string& name) {
    const auto memory = code.memories.find(name);
    if (memory == code.memories.end()) return; // nothing of it is computed
    const auto dense = tensor::convert(given, tensor::dense_format(given.rank()), diagnostics_);
    if (!dense) return;
    std::visit(
        [&](const auto& values) {
          folder.sample.push_back({kind, memory->second, backend::c::SampleValues(values)});
        },
        dense->values);
  }

  void write(const std::optional<std::vector<backend::c::FolderFile>>& files) {
    const TimedPass writing("write-results");
    if (!files || !backend::c::write_folder(options_.output, *files, diagnostics_)) return;
    fmt::print("wrote {}/\n", options_.output.substr(0, options_.output.find_last_not_of('/') + 1));
    for (const backend::c::FolderFile& f : *files) fmt::print("  {}\n", f.name);
  }

  const CompileOptions& options_;
  Session& session_;
  const frontend::Checked& checked_;
  Diagnostics& diagnostics_;
};

int write_lanes_folder(const CompileOptions& options, void (LanesFolder::*write)()) {
  return with_pass_times(options.common, [&] {
    Session session(options.common);
    if (const frontend::Checked* checked = session.load()) {
      LanesFolder folder(options, session, *checked);
      (folder.*write)();
    }
    return session.finish();
  });
}

} // namespace

int compile_simd_folder(const CompileOptions& options) { return write_lanes_folder(options, &LanesFolder::write_simd); }
int compile_cuda_folder(const CompileOptions& options) { return write_lanes_folder(options, &LanesFolder::write_cuda); }

} // namespace cyclotron::driver
