// SPDX-License-Identifier: MIT
#include "backend/cuda/folder.hpp"

#include "backend/c/names.hpp"
#include "backend/cuda/embedded.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::cuda {

namespace {

std::string makefile_text(const FolderSource& source) {
  return fmt::format(R"(# {0}: {1}.
#   make test       builds the self-test with nvcc and runs it on the GPU
#   make emulated   builds it with a C++ compiler and runs it on the CPU, slowly
NVCC = nvcc
ARCH = native
NVCCFLAGS = -O3 -arch=$(ARCH)
CXXFLAGS = -O1 -Wall -Wextra
FILES = {2}_test.cu {2}.cuh {2}.cu

{2}_test: $(FILES)
{3}$(NVCC) -std=c++14 $(NVCCFLAGS) -o $@ {2}_test.cu

test: {2}_test
{3}./{2}_test

{2}_test_on_cpu: $(FILES) cuda_runtime_on_cpu.hpp cuda_on_cpu.hpp
{3}$(CXX) -std=c++14 -x c++ -DON_CPU -Wno-unknown-pragmas $(CXXFLAGS) -o $@ {2}_test.cu

emulated: {2}_test_on_cpu
{3}./{2}_test_on_cpu

clean:
{3}rm -f {2}_test {2}_test_on_cpu

.PHONY: test emulated clean
)",
                     c::harmless(source.title), c::made_by, source.name, '\t');
}

std::string readme_text(const FolderSource& source) {
  return fmt::format(R"(<!-- {0}: {1}. -->
# {2}

CUDA C++ for this, on its own: it needs `nvcc` and an NVIDIA GPU, and nothing else.

{3}
| file | what it is |
| --- | --- |
| `{2}.cu` | the kernels |
| `{2}.cuh` | the function to call, on memory of the GPU |
| `{2}_test.cu` | a self-test: sample data ({4}) and what must come out |
| `cuda_on_cpu.hpp`, `cuda_runtime_on_cpu.hpp` | let the same files run on a CPU |
| `Makefile` | how to build it |

Build it and run its self-test:

    make test

or without a GPU, with a C++ compiler, which checks every access to memory and every exchange between threads:

    make emulated

To use it, include `{2}.cuh` in a file that `nvcc` compiles; `{2}_test.cu` shows a whole call.
)",
                     c::harmless(source.title), c::made_by, source.name, c::indented(source.comment, "    "),
                     c::harmless(source.origin));
}

// Every file begins with the words by which it is known again.
std::string runtime_file(const std::string& name, std::string_view text) {
  return fmt::format("// {}: {}.\n{}", name, c::made_by, text);
}

} // namespace

std::optional<std::vector<c::FolderFile>> folder_files(const FolderSource& source, Diagnostics& diagnostics) {
  if (!check_printable(source.kernels, diagnostics) || !c::fits_source(source, "CUDA", diagnostics))
    return std::nullopt;
  const std::string& name = source.name;
  const std::string kernels =
      fmt::format("// {}: {}.\n//\n{}\n", c::harmless(source.title), c::made_by, c::indented(source.comment, "//   ")) +
      print_cuda(source.kernels, source.print);
  return std::vector<c::FolderFile>{
      {name + ".cu", kernels},
      {name + ".cuh", host_text(source)},
      {name + "_test.cu", self_test_text(source)},
      {"cuda_on_cpu.hpp", runtime_file("cuda_on_cpu.hpp", emulation_text)},
      {"cuda_runtime_on_cpu.hpp", runtime_file("cuda_runtime_on_cpu.hpp", emulated_runtime_text)},
      {"Makefile", makefile_text(source)},
      {"README.md", readme_text(source)}};
}

bool write_folder(const std::string& path, const FolderSource& source, Diagnostics& diagnostics) {
  const auto files = folder_files(source, diagnostics);
  return files && c::write_folder(path, *files, diagnostics);
}

} // namespace cyclotron::backend::cuda
