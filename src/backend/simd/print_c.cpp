// SPDX-License-Identifier: MIT
// A file of kernels, and what stands around the statements of each.
#include "backend/simd/print_c.hpp"

#include "backend/simd/kernel_printer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::backend::simd {

using namespace code;

KernelPrinter::KernelPrinter(const code::Kernel& kernel, const std::string& function, const PrintOptions& options,
                             LaneFunctions& functions)
    : kernel_(kernel), function_(function), options_(options), scope_(kernel),
      expressions_(kernel, options.register_bytes, scope_, names_, functions), functions_(functions) {
  for (const char* ours : {"sizes", "memories", "room", "room_bytes", "own", "share", "found"}) names_.reserve(ours);
  names_.reserve(function);
  any_statement(kernel.body, [&](const Statement& s) {
    if (const Assign* a = std::get_if<Assign>(&s.kind)) assigned_.insert(a->name);
    fails_ |= std::holds_alternative<Fail>(s.kind);
    return false;
  });
}

std::string KernelPrinter::run() {
  names_.open();
  for (const std::string& size : kernel_.sizes) names_.declare(size);
  for (const Memory& m : kernel_.memories) names_.declare(m.name);
  find_rooms();
  body(kernel_.body);
  line(fails_ ? "return failed == INT64_MAX ? 0 : failed;" : "return 0;");
  return fmt::format("{}/* The kernel `{}`, of {} lane{}. */\nint64_t {}(const int64_t *sizes, void *const *memories, "
                     "void *room, int64_t room_bytes, int threads) {{\n{}{}}}\n",
                     loops_, kernel_.name, kernel_.lanes, kernel_.lanes == 1 ? "" : "s", function_, head(out_), out_);
}

// Only what the statements mention, so that no compiler complains.
std::string KernelPrinter::head(const std::string& statements) const {
  std::string text;
  const auto used = [&](const std::string& name) { return c::mentions(rooms_ + statements, name); };
  for (std::size_t s = 0; s < kernel_.sizes.size(); ++s)
    if (const std::string& name = names_.of(kernel_.sizes[s]); used(name))
      text += fmt::format("  const int64_t {} = sizes[{}];\n", name, s);
  std::size_t place = 0;
  for (const Memory& m : kernel_.memories) {
    if (m.role == Role::scratch || m.role == Role::shared) continue;
    if (const std::string& name = names_.of(m.name); used(name))
      text += fmt::format("  {}{} *const {} = memories[{}];\n", m.role == Role::in ? "const " : "",
                          c_type(element_of(m.scalar)), name, place);
    ++place;
  }
  text += rooms_;
  if (fails_) text += "  int64_t failed = INT64_MAX;\n";
  std::vector<std::string> unused;
  for (const char* parameter : {"sizes", "memories", "room", "room_bytes", "threads"})
    if (!c::mentions(text + statements, parameter)) unused.push_back(fmt::format("(void){}", parameter));
  return unused.empty() ? text : text + fmt::format("  {};\n", fmt::join(unused, ", "));
}

// Where the memories of a thread lie in its room.
void KernelPrinter::find_rooms() {
  std::string before = "0";
  for (const Role role : {Role::scratch, Role::shared})
    for (const Memory& m : kernel_.memories) {
      if (m.role != role) continue;
      const std::string begin = names_.declare(m.name + " begin", names_.of(m.name) + "_begin");
      rooms_ += fmt::format("  const int64_t {} = {};\n", begin, before);
      before = fmt::format("{} + {}({}, {})", begin, functions_.room(), expressions_.whole(m.elements),
                           code::bytes_of(m.scalar));
    }
}

CFile print_c(const std::vector<code::Kernel>& kernels, const PrintOptions& options) {
  LaneFunctions functions;
  CNames names;
  CFile file;
  std::string texts;
  for (const code::Kernel& kernel : kernels) {
    file.functions.push_back(names.function(kernel.name));
    texts += "\n" + KernelPrinter(kernel, file.functions.back(), options, functions).run();
  }
  file.text = fmt::format("/* Written by Cyclotron, for vector registers of {} bytes. Compile with -fwrapv. */\n",
                          options.register_bytes);
  // Parts of vectors may go unused, and functions where there is an instruction.
  file.text +=
      "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n\n";
  file.text += "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n";
  if (options.threads) file.text += "\n#include <omp.h>\n";
  file.text += "\n" + functions.text();
  if (options.threads) file.text += "int cyclotron_threads(void) {\n  return omp_get_max_threads();\n}\n";
  file.text += texts;
  return file;
}

} // namespace cyclotron::backend::simd
