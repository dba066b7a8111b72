// SPDX-License-Identifier: MIT
// The function that launches the kernels, on memory of the GPU.
#include "backend/c/names.hpp"
#include "backend/cuda/folder.hpp"
#include "backend/cuda/printer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::backend::cuda {

namespace {

// As the kernel's parameters are called, but that a name means the same in all kernels.
std::string argument_text(const Argument& a) {
  switch (a.kind) {
  case Argument::Kind::size:
  case Argument::Kind::memory: return "&given_" + a.name;
  case Argument::Kind::failed: return "&failed";
  case Argument::Kind::scratch: return "&scratch";
  case Argument::Kind::scratch_bytes: return "&scratch_bytes";
  }
  bug("an argument of a kernel");
}

// The bytes of scratch of a group, computed by the host.
std::string scratch_text(const code::Kernel& kernel) {
  const Names names(kernel);
  const Facts facts(kernel);
  const code::Scope scope(kernel);
  Lines lines;
  Uses uses;
  ExpressionPrinter printer(kernel, names, facts, scope, lines, uses);
  std::vector<std::string> parts;
  for (const code::Memory& m : kernel.memories)
    if (m.role == code::Role::scratch)
      parts.push_back(fmt::format("padded(({}) * {})", printer.loose(m.elements), code::bytes_of(m.scalar)));
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::string launch_text(const FolderSource& source, const code::Kernel& kernel) {
  const std::int64_t threads = block_threads(kernel, source.print), shared = shared_bytes(kernel);
  const std::vector<Argument> arguments = arguments_of(kernel);
  std::vector<std::string> texts;
  for (const Argument& a : arguments) texts.push_back(argument_text(a));
  const bool has_scratch = std::any_of(arguments.begin(), arguments.end(),
                                       [](const Argument& a) { return a.kind == Argument::Kind::scratch; });
  const std::string function = function_name(kernel);
  std::string out = fmt::format("\n  // {}\n  if (error == cudaSuccess) {{\n", function);
  if (shared > 48 * 1024)
    out += fmt::format("    cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {});\n", function,
                       shared);
  out += fmt::format("    const int threads = {};\n    int resident = 1; // blocks of a multiprocessor\n"
                     "    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, {}, threads, {});\n"
                     "    const int blocks = multiprocessors * (resident > 0 ? resident : 1);\n",
                     threads, function, shared);
  if (has_scratch) {
    const Names names(kernel);
    for (const std::string& size : kernel.sizes)
      out += fmt::format("    const i64 {} = given_{};\n    (void){};\n", names(size), size, names(size));
    out += fmt::format("    i64 scratch_bytes = {}; // of a group\n    char *scratch = nullptr;\n"
                       "    if (error == cudaSuccess)\n"
                       "      error = cudaMalloc(&scratch, (size_t)(scratch_bytes * blocks * (threads / {})));\n",
                       scratch_text(kernel), kernel.lanes);
  }
  out += fmt::format("    void *arguments[] = {{{}}};\n",
                     texts.empty() ? "nullptr" : fmt::format("{}", fmt::join(texts, ", ")));
  out += fmt::format("    if (error == cudaSuccess)\n      error = cudaLaunchKernel({}, dim3(blocks), dim3(threads), "
                     "arguments, {}, nullptr);\n",
                     function, shared);
  if (has_scratch)
    out += "    const cudaError_t ended = cudaDeviceSynchronize();\n    if (error == cudaSuccess) error = ended;\n"
           "    cudaFree(scratch);\n";
  return out + "  }\n";
}

} // namespace

std::string host_text(const FolderSource& source) {
  const c::Parameters parameters = c::parameters_of(source.kernels);
  std::vector<std::string> list;
  for (const std::string& size : parameters.sizes) list.push_back("i64 given_" + size);
  for (const code::Memory& m : parameters.memories)
    list.push_back(
        fmt::format("{}{} *given_{}", m.role == code::Role::in ? "const " : "", code::name_of(m.scalar), m.name));
  list.push_back("int *answer");
  std::string out = fmt::format("// {}: {}.\n// Launches the kernels of {}.cu; include it there where you call it.\n"
                                "#pragma once\n\n#include \"{}.cu\"\n\n",
                                c::harmless(source.title), c::made_by, source.name, source.name);
  out += "#include <limits.h>\n\n// Arrays are on the GPU, and do not overlap. `answer` gets 0";
  for (std::size_t i = 0; i < source.answers.size(); ++i)
    out += fmt::format(", {}: {}", i + 1, c::harmless(source.answers[i]));
  out +=
      fmt::format(".\n// Any number of blocks computes the same; these fill the GPU.\ninline cudaError_t {}({}) {{\n",
                  source.name, fmt::join(list, ", "));
  out += "  int device = 0, multiprocessors = 1;\n  cudaError_t error = cudaGetDevice(&device);\n"
         "  if (error == cudaSuccess)\n"
         "    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);\n"
         "  int *failed = nullptr; // the smallest number of a failure\n  const int nothing_failed = INT_MAX;\n"
         "  if (error == cudaSuccess) error = cudaMalloc(&failed, sizeof(int));\n"
         "  if (error == cudaSuccess) error = cudaMemcpy(failed, &nothing_failed, sizeof(int), "
         "cudaMemcpyHostToDevice);\n";
  for (const code::Kernel& k : source.kernels) out += launch_text(source, k);
  out += "\n  const cudaError_t ended = cudaDeviceSynchronize();\n  if (error == cudaSuccess) error = ended;\n"
         "  if (error == cudaSuccess) error = cudaMemcpy(answer, failed, sizeof(int), cudaMemcpyDeviceToHost);\n"
         "  if (error == cudaSuccess && *answer == nothing_failed) *answer = 0;\n  cudaFree(failed);\n"
         "  return error;\n}\n";
  return out;
}

} // namespace cyclotron::backend::cuda
