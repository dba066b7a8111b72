// SPDX-License-Identifier: MIT
// The header of a kernel: for those who call it without knowing Cyclotron.
#include "backend/c/emitter.hpp"
#include "backend/c/folder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string type_text(const Argument& a, const Program& program) {
  switch (a.kind) {
  case Argument::Kind::size:
  case Argument::Kind::first_step:
  case Argument::Kind::last_step: return "int64_t ";
  case Argument::Kind::positions:
  case Argument::Kind::entries:
  case Argument::Kind::coordinates: return "const int32_t *";
  case Argument::Kind::bits: return "const uint64_t *";
  case Argument::Kind::values: return (a.written ? "" : "const ") + c_type(program.tensor(a.name)->type) + " *";
  }
  bug("unknown argument");
}

// What an array holds, in terms of levels: level 1 is the outermost.
std::string binding_text(const Argument& a, const FolderSource& source) {
  switch (a.kind) {
  case Argument::Kind::size: return "a size";
  case Argument::Kind::first_step:
    return fmt::format("the first of its steps: the least of {}", to_string(source.domains.steps.at(a.name)));
  case Argument::Kind::last_step: return "the last of them; smaller than the first where there is none";
  case Argument::Kind::positions:
    return a.level == 0
               ? "level 1 has the entries from [0] up to, not with, [1]"
               : fmt::format("entry p of level {} has the entries of level {} from [p] up to, not with, [p + 1]",
                             a.level, a.level + 1);
  case Argument::Kind::coordinates: return fmt::format("level {}: the index of each entry, from 0", a.level + 1);
  case Argument::Kind::bits:
    return fmt::format("level {}: (size + 63) / 64 words{}, a bit for each index that is there", a.level + 1,
                       a.level == 0 ? "" : fmt::format(" for each entry of level {}", a.level));
  case Argument::Kind::entries: return "for each entry of this mask, where its value stands";
  case Argument::Kind::values: {
    const TensorDecl& decl = *source.program.tensor(a.name);
    return decl.dims.empty()               ? "its value"
           : tensor::is_dense(decl.format) ? "all its elements"
                                           : "one value for each entry of the last level";
  }
  }
  bug("unknown argument");
}

std::string tensor_text(const TensorDecl& decl, const FolderSource& source) {
  const Program& program = source.program;
  std::string out = fmt::format("//\n// {} `{}`", program.is_output(decl.name.name) ? "Result" : "Input",
                                recurrence::print(decl).substr(7)); // without `tensor `
  const bool dense = tensor::is_dense(decl.format),
             plain = std::is_sorted(decl.format.order.begin(), decl.format.order.end());
  if (decl.dims.empty()) out += ": one number";
  else if (dense && plain) out += decl.dims.size() == 1 ? "" : ": row by row, the last index fastest";
  else {
    out += ":";
    for (std::size_t l = 0; l < decl.format.levels.size(); ++l)
      out += fmt::format("{} level {} is index {}, {}", l ? "," : "", l + 1, decl.format.order[l] + 1,
                         tensor::name_of(decl.format.levels[l]));
  }
  out += "\n";
  if (program.is_output(decl.name.name) && !dense)
    out += "//   Where it may be other than zero is given by the caller; the kernel computes the values there.\n";
  if (program.is_output(decl.name.name) && program.is_stepped(decl.name.name))
    out += "//   It is computed step by step; the values are those of the last step.\n";
  std::size_t width = 0;
  for (const Argument& a : source.emitted.arguments) width = std::max(width, a.c_name.size());
  for (const Argument& a : source.emitted.arguments)
    if (a.name == decl.name.name && program.tensor(a.name) && a.kind != Argument::Kind::size)
      out += fmt::format("//   {:<{}}  {}{}\n", a.c_name, width, a.mask < 0 ? "" : "mask: ", binding_text(a, source));
  return out;
}

} // namespace

std::string header_text(const FolderSource& source) {
  const Program& program = source.program;
  const std::string& name = source.emitted.function;
  std::string out = fmt::format("// {}: {}.\n//\n", harmless(source.title), made_by);
  int number = 0;
  for (const Equation& e : program.equations) out += fmt::format("//   {}: {}\n", number++, print(e));
  out +=
      "//\n// Returns 0, or else one of the CYC_ constants; `error` then says which of the equations failed, at which\n"
      "// element. It may be called from several threads at once. Arrays must not overlap.\n";
  std::string sizes;
  for (const Argument& a : source.emitted.arguments)
    if (a.kind == Argument::Kind::size) sizes += (sizes.empty() ? "" : ", ") + a.c_name;
  if (!sizes.empty()) out += "//\n// Sizes: " + sizes + "\n";
  for (const TensorDecl* t : program.inputs()) out += tensor_text(*t, source);
  for (const TensorDecl* t : program.outputs())
    if (!source.kernel.internal().count(t->name.name)) out += tensor_text(*t, source);
  const std::string guard = upper(name) + "_H_BY_CYCLOTRON";
  out += fmt::format(
      "#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", guard);
  out += "#ifndef CYCLOTRON_ERROR\n#define CYCLOTRON_ERROR\n" +
         source.emitted.declarations.substr(0, source.emitted.declarations.size() - 1) + "#endif\n\n";
  out += fmt::format("int {}(", name);
  for (const Argument& a : source.emitted.arguments) out += type_text(a, program) + a.c_name + ",\n    ";
  out += "cyclotron_error *error);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return out;
}

} // namespace cyclotron::backend::c
