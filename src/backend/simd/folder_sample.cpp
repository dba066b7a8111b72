// SPDX-License-Identifier: MIT
// The self-test: sample data and what must come out as arrays of C, and a program that compares.
#include "backend/c/names.hpp"
#include "backend/simd/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::backend::simd {

std::string self_test_text(const FolderSource& source, const FolderNames& names) {
  const c::Parameters& parameters = names.parameters();
  std::string arrays, rooms, checks, frees;
  std::vector<std::string> arguments;
  for (const std::string& size : parameters.sizes) arguments.push_back(fmt::format("{}", source.sizes.at(size)));
  for (const code::Memory& m : parameters.memories) {
    const c::SampleArray& a = c::sample_of(source, m.name);
    if (a.kind != c::SampleArray::Kind::between) arrays += c::array_text(a);
    if (a.kind == c::SampleArray::Kind::input) {
      arguments.push_back("sample_" + a.name);
      continue;
    }
    const std::string got = "got_" + a.name;
    rooms += fmt::format("  {0} *const {1} = calloc({2} + 1, sizeof *{1});\n  ok = ok && {1};\n",
                         parameter_type(m.scalar), got, c::count_of(a.values));
    if (a.kind == c::SampleArray::Kind::result) checks += fmt::format("  ok = ok && {};\n", c::agreement_call(a, got));
    frees += fmt::format("  free({});\n", got);
    arguments.push_back(got);
  }
  return fmt::format(
             "// Self-test of {0}: {1}.\n//\n// Computes with sample data ({2}) and compares with what "
             "Cyclotron's interpreter made of it.\n#include \"{0}.h\"\n\n#include <math.h>\n#include <stdio.h>\n"
             "#include <stdlib.h>\n\n",
             source.name, c::made_by, c::harmless(source.origin)) +
         arrays + c::agreement_functions(source) +
         fmt::format("int main(void) {{\n  int ok = 1;\n  puts(\"{}: self-test{}\");\n", source.name,
                     c::size_texts(source)) +
         rooms + fmt::format("  const int64_t answer = ok ? {}({}) : -1;\n", source.name, fmt::join(arguments, ", ")) +
         "  if (answer != 0) {\n    printf(\"  the kernels answer %lld\\n\", (long long)answer);\n    ok = 0;\n  }\n" +
         checks + frees + "  puts(ok ? \"passed\" : \"FAILED\");\n  return ok ? 0 : 1;\n}\n";
}

} // namespace cyclotron::backend::simd
