// SPDX-License-Identifier: MIT
#include "driver/compile_kernel.hpp"

#include "support/progress.hpp"

namespace cyclotron::driver {

using backend::c::Form;
using backend::c::Kernel;
using backend::c::KernelProgram;
using backend::c::Written;

namespace {

// What there is to say of a kernel is said with the first of its forms: the others have the same loops, so they repeat
// every warning. Errors are always told.
class FormWriter {
public:
  explicit FormWriter(const PipelineOptions& options) : options_(options) {}

  std::optional<Written> operator()(const KernelProgram& program, Form form, Diagnostics& diagnostics) {
    const Progress progress("making loops and C of the program");
    if (first_) {
      first_ = false;
      return kernel_program_to_c({program, form, options_}, diagnostics);
    }
    Diagnostics own(diagnostics.sources());
    auto written = kernel_program_to_c({program, form, options_}, own);
    for (const Diagnostic& d : own.all())
      if (d.main.severity != Severity::warning) diagnostics.error(d.main.message) = d;
    return written;
  }

private:
  PipelineOptions options_;
  bool first_ = true;
};

} // namespace

std::shared_ptr<const Kernel> make_kernel(KernelRequest request, Diagnostics& diagnostics) {
  auto kernel = to_kernel_program(std::move(request), diagnostics);
  if (!kernel) return nullptr;
  return Kernel::make(std::move(kernel->program), FormWriter(kernel->pipeline), diagnostics);
}

std::shared_ptr<Kernel> unbuilt_kernel(KernelRequest request, Diagnostics& diagnostics) {
  auto kernel = to_kernel_program(std::move(request), diagnostics);
  if (!kernel) return nullptr;
  return Kernel::unbuilt(std::move(kernel->program), FormWriter(kernel->pipeline));
}

} // namespace cyclotron::driver
