// SPDX-License-Identifier: MIT
#include "backend/simd/folder.hpp"

#include "backend/c/names.hpp"
#include "backend/simd/lane_functions.hpp"
#include "backend/simd/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::backend::simd {

namespace {

std::string makefile_text(const FolderSource& source) {
  return fmt::format(R"(# {0}: {1}.
#   make        the library lib{2}.a
#   make test   builds and runs the self-test
CFLAGS = -O2 -march=native
ALL_CFLAGS = -std=c11 -Wall -Wextra -Wno-psabi -fwrapv -ffp-contract=fast -fno-math-errno{3} $(CFLAGS)

lib{2}.a: {2}.o
{4}$(AR) rcs $@ $<

{2}.o: {2}.c {2}.h
{4}$(CC) $(ALL_CFLAGS) -c -o $@ {2}.c

{2}_test: {2}_test.c {2}.h lib{2}.a
{4}$(CC) $(ALL_CFLAGS) -o $@ {2}_test.c lib{2}.a -lm

test: {2}_test
{4}./{2}_test

clean:
{4}rm -f {2}.o lib{2}.a {2}_test

.PHONY: test clean
)",
                     c::harmless(source.title), c::made_by, source.name, source.threads ? " -fopenmp" : "", '\t');
}

std::string readme_text(const FolderSource& source) {
  return fmt::format(R"(<!-- {0}: {1}. -->
# {2}

C with vectors for this, on its own: it needs gcc or clang, and nothing else.

{3}
| file | what it is |
| --- | --- |
| `{2}.h` | the function to call, and what each argument is |
| `{2}.c` | the kernels |
| `{2}_test.c` | a self-test: sample data ({4}) and what must come out |
| `Makefile` | how to build it |

Build it and run its self-test:

    make test

It was written for vector registers of {5} bytes. With others it computes the same, only slower.

To use it, include `{2}.h` and link with `lib{2}.a -lm{6}`; `{2}_test.c` shows a whole call.

If you compile `{2}.c` yourself, give the
compiler `-fwrapv`: whole numbers wrap around where the kernels look for those that do not fit.
)",
                     c::harmless(source.title), c::made_by, source.name, c::indented(source.comment, "    "),
                     c::harmless(source.origin), source.register_bytes, source.threads ? " -fopenmp" : "");
}

std::string header_text(const FolderSource& source, const FolderNames& names) {
  std::string guard = source.name + "_H_BY_CYCLOTRON", inputs, results, answers;
  for (std::size_t i = 0; i < source.answers.size(); ++i)
    answers += fmt::format("//   {}: {}\n", i + 1, c::harmless(source.answers[i]));
  for (std::size_t m = 0; m < names.parameters().memories.size(); ++m) {
    std::string& list = names.parameters().memories[m].role == code::Role::in ? inputs : results;
    list += (list.empty() ? "`" : ", `") + names.of_memory(m) + "`";
  }
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char ch) { return static_cast<char>(std::toupper(ch)); });
  return fmt::format(R"(// {0}: {1}.
//
{2}//
// Inputs: {3}. Results: {4}. All are dense arrays in row-major order, and do not overlap; elements of results
// that the equations do not define stay as they are.
//
// Returns 0, or why there is no result:
//   -1: there is not enough memory for workspaces
{5}// It may be called from several threads at once.
#ifndef {6}
#define {6}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

{7};

#ifdef __cplusplus
}}
#endif

#endif
)",
                     c::harmless(source.title), c::made_by, c::indented(source.comment, "//   "),
                     inputs.empty() ? "none" : inputs, results.empty() ? "none" : results, answers, guard,
                     names.prototype());
}

} // namespace

std::string_view parameter_type(code::Scalar scalar) {
  return scalar == code::Scalar::boolean ? "uint8_t" : c_type(element_of(scalar));
}

FolderNames::FolderNames(const FolderSource& source, const std::vector<std::string>& functions)
    : source_(source), parameters_(c::parameters_of(source.kernels)) {
  CNames names;
  for (const std::string& f : functions) names.reserve(f);
  for (const char* ours : {"answer", "found", "sizes", "memories", "ok"}) names.reserve(ours);
  names.reserve(source.name);
  for (const std::string& size : parameters_.sizes) sizes_.push_back(names.declare("size " + size, size));
  for (const code::Memory& m : parameters_.memories) memories_.push_back(names.declare("memory " + m.name, m.name));
}

std::string FolderNames::prototype() const {
  std::vector<std::string> list;
  for (const std::string& size : sizes_) list.push_back("int64_t " + size);
  for (std::size_t m = 0; m < memories_.size(); ++m)
    list.push_back(fmt::format("{}{} *{}", parameters_.memories[m].role == code::Role::in ? "const " : "",
                               parameter_type(parameters_.memories[m].scalar), memories_[m]));
  return fmt::format("int64_t {}({})", source_.name, list.empty() ? "void" : fmt::format("{}", fmt::join(list, ", ")));
}

std::optional<std::vector<c::FolderFile>> folder_files(const FolderSource& source, Diagnostics& diagnostics) {
  if (!c::fits_source(source, "C", diagnostics)) return std::nullopt;
  const CFile file = print_c(source.kernels, {source.register_bytes, source.threads, true});
  const FolderNames names(source, file.functions);
  const std::string& name = source.name;
  return std::vector<c::FolderFile>{{name + ".c", kernels_text(source, file, names)},
                                    {name + ".h", header_text(source, names)},
                                    {name + "_test.c", self_test_text(source, names)},
                                    {"Makefile", makefile_text(source)},
                                    {"README.md", readme_text(source)}};
}

} // namespace cyclotron::backend::simd
