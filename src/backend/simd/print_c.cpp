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
  return fmt::format(
      "{}/* The kernel `{}`, of {} lane{}. */\n{}int64_t {}(const int64_t *sizes, void *const *memories, "
      "void *room, int64_t room_bytes, int threads) {{\n{}{}}}\n",
      loops_, kernel_.name, kernel_.lanes, kernel_.lanes == 1 ? "" : "s", options_.is_part ? "static " : "", function_,
      head(out_), out_);
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
  room_end_ = before;
}

namespace {

// The number of elements of a memory in floating point, which does not overflow: at least as large, or nearly.
std::string magnitude(const Expr& e, const CNames& names) {
  if (const Number* n = ir::as<Number>(e)) return fmt::format("{}.0", n->whole);
  const Binary* b = ir::as<Binary>(e);
  if (!b) return "(double)" + names.of(ir::as<Variable>(e)->name);
  const std::string left = magnitude(b->lhs, names), right = magnitude(b->rhs, names);
  switch (b->op) {
  case BinaryOp::add: return fmt::format("({} + {})", left, right);
  case BinaryOp::sub: return fmt::format("({} - {})", left, right);
  case BinaryOp::mul: return fmt::format("{} * {}", left, right);
  case BinaryOp::div:
  case BinaryOp::floor_div: return fmt::format("({} / {})", left, right);
  case BinaryOp::mod: return right;
  case BinaryOp::min: return fmt::format("fmin({}, {})", left, right);
  case BinaryOp::max: return fmt::format("fmax({}, {})", left, right);
  default: bug("an operator in the number of elements of scratch");
  }
}

} // namespace

std::string KernelPrinter::room_function() const {
  if (rooms_.empty()) return "";
  std::string sizes, all;
  for (const Memory& m : kernel_.memories)
    if (m.role == Role::scratch || m.role == Role::shared)
      all += fmt::format("{}{} * {}.0", all.empty() ? "" : " + ", magnitude(m.elements, names_), bytes_of(m.scalar));
  for (std::size_t s = 0; s < kernel_.sizes.size(); ++s)
    if (const std::string& name = names_.of(kernel_.sizes[s]); c::mentions(rooms_ + room_end_, name))
      sizes += fmt::format("  const int64_t {} = sizes[{}];\n", name, s);
  return fmt::format("/* The bytes that `{}` needs for each thread. */\nstatic int64_t {}(const int64_t *sizes) {{\n{}"
                     "  if ({} > 1e18) return INT64_MAX;\n{}  return {};\n}}\n",
                     kernel_.name, room_name(), sizes.empty() ? "  (void)sizes;\n" : sizes, all, rooms_, room_end_);
}

CFile print_c(const std::vector<code::Kernel>& kernels, const PrintOptions& options) {
  LaneFunctions functions;
  CNames names;
  CFile file;
  std::string texts;
  for (const code::Kernel& kernel : kernels) {
    file.functions.push_back(names.function(kernel.name));
    KernelPrinter printer(kernel, file.functions.back(), options, functions);
    texts += "\n" + printer.run();
    if (!options.is_part) continue;
    file.rooms.push_back(printer.room_name());
    if (!file.rooms.back().empty()) texts += "\n" + printer.room_function();
  }
  file.text = fmt::format("/* Written by Cyclotron, for vector registers of {} bytes. Compile with -fwrapv. */\n",
                          options.register_bytes);
  // Parts of vectors may go unused, and functions where there is an instruction.
  file.text +=
      "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n\n";
  file.text += "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n";
  if (options.threads) file.text += "\n#include <omp.h>\n";
  file.text += "\n" + functions.text();
  if (options.threads && !options.is_part)
    file.text += "int cyclotron_threads(void) {\n  return omp_get_max_threads();\n}\n";
  file.text += texts;
  return file;
}

} // namespace cyclotron::backend::simd
