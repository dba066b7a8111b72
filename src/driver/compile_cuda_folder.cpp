// SPDX-License-Identifier: MIT
// `cyclotron compile --target=cuda -o DIR`: a folder of CUDA that stands alone, with a self-test on sample data.
#include "driver/commands.hpp"

#include "backend/cuda/folder.hpp"
#include "driver/lane_arrays.hpp"
#include "driver/lanes_code.hpp"
#include "driver/session.hpp"
#include "lower/code/names.hpp"
#include "lower/code/operations.hpp"
#include "recurrence/interpret.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

namespace {

using backend::cuda::SampleArray;

class CudaFolderMaker {
public:
  CudaFolderMaker(const CompileOptions& options, Session& session, const frontend::Checked& checked)
      : options_(options), session_(session), checked_(checked), diagnostics_(session.diagnostics()) {}

  void run() {
    const auto inputs = bind_inputs(program(), options_.inputs, session_.folder(), session_.sources(), diagnostics_);
    if (!inputs) return;
    // The kernels are for all inputs, not for those of the sample: whole numbers are checked.
    ArrayRequest request{
        &checked_, session_.schedule(), {}, {}, {session_.base_name(), {}, session_.unwanted(), session_.pipeline()},
        {}};
    const auto made = make_lanes_code(std::move(request), cuda_target(), nullptr, diagnostics_);
    if (!made) return;
    auto source = source_of(made->code, inputs->bindings);
    if (!source) return;
    const TimedPass writing("write-results");
    const auto files = backend::cuda::folder_files(*source, diagnostics_);
    if (!files || !backend::c::write_folder(options_.output, *files, diagnostics_)) return;
    fmt::print("wrote {}/\n", options_.output.substr(0, options_.output.find_last_not_of('/') + 1));
    for (const backend::c::FolderFile& f : *files) fmt::print("  {}\n", f.name);
  }

private:
  const recurrence::Program& program() const { return checked_.program(); }

  std::optional<backend::cuda::FolderSource> source_of(const lower::LanesCode& code,
                                                       const recurrence::Bindings& bindings) {
    const auto expected = interpret(checked_.program(), checked_.types, checked_.domains, bindings, {}, diagnostics_);
    if (!expected) return std::nullopt;
    backend::cuda::FolderSource source;
    source.title = session_.base_name();
    source.name = lower::FreshNames()(source.title.substr(0, source.title.find('.')));
    source.origin = options_.inputs.empty() ? "the defaults of the program" : "inputs as given";
    for (const recurrence::Equation& e : program().equations)
      source.comment += (source.comment.empty() ? "" : "\n") + recurrence::print(e);
    source.kernels = code.kernels;
    for (const auto& [name, called] : code.sizes) source.sizes[called] = bindings.sizes.at(name);
    source.answers = answers();
    for (const recurrence::TensorDecl* t : program().inputs())
      add(source, SampleArray::Kind::input, code, bindings.tensors.at(t->name.name), t->name.name);
    for (const recurrence::TensorDecl* t : program().outputs())
      add(source, kind_of(t->name.name), code, expected->at(t->name.name), t->name.name);
    if (diagnostics_.failed()) return std::nullopt;
    return source;
  }

  // A result that nobody wants is not computed as a whole.
  SampleArray::Kind kind_of(const std::string& output) const {
    return session_.unwanted().count(output) ? SampleArray::Kind::between : SampleArray::Kind::result;
  }

  void add(backend::cuda::FolderSource& source, SampleArray::Kind kind, const lower::LanesCode& code,
           const tensor::Tensor& given, const std::string& name) {
    const auto dense = tensor::convert(given, tensor::dense_format(given.rank()), diagnostics_);
    if (!dense) return;
    std::visit(
        [&](const auto& values) {
          source.sample.push_back({kind, code.memories.at(name), backend::cuda::Values(values)});
        },
        dense->values);
  }

  static std::vector<std::string> answers() {
    std::vector<std::string> list(std::max(lower::overflow_code, lower::undefined_code));
    list[lower::overflow_code - 1] = "a whole number does not fit its type";
    list[lower::undefined_code - 1] = "something is divided by zero";
    return list;
  }

  const CompileOptions& options_;
  Session& session_;
  const frontend::Checked& checked_;
  Diagnostics& diagnostics_;
};

} // namespace

int compile_cuda_folder(const CompileOptions& options) {
  return with_pass_times(options.common, [&] {
    Session session(options.common);
    if (const frontend::Checked* checked = session.load()) CudaFolderMaker(options, session, *checked).run();
    return session.finish();
  });
}

} // namespace cyclotron::driver
