// SPDX-License-Identifier: MIT
// The self-test: sample data and what must come out as C++ arrays, and a program that compares.
#include "backend/c/names.hpp"
#include "backend/cuda/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::backend::cuda {

namespace {

constexpr const char* good_text =
    R"(static bool good(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return true;
  printf("  %s: %s\n", what, cudaGetErrorString(error));
  return false;
}

)";

// How an array of the sample gets to the GPU.
std::string bring_text(const c::SampleArray& a, const std::string& device_type) {
  std::string out = fmt::format("  {0} *at_{1} = nullptr;\n  const size_t bytes_{1} = {2} * sizeof({0});\n"
                                "  ok = ok && good(cudaMalloc(&at_{1}, bytes_{1}), \"memory for {1}\");\n",
                                device_type, a.name, c::count_of(a.values));
  if (a.kind == c::SampleArray::Kind::input)
    out += fmt::format(
        "  ok = ok && good(cudaMemcpy(at_{0}, sample_{0}, bytes_{0}, cudaMemcpyHostToDevice), \"{0}\");\n", a.name);
  else out += fmt::format("  ok = ok && good(cudaMemset(at_{0}, 0, bytes_{0}), \"{0}\");\n", a.name);
  return out;
}

std::string check_text(const c::SampleArray& a) {
  return fmt::format("  {{\n    {1} *got = ({1} *)malloc(bytes_{0} + 1);\n"
                     "    ok = ok && good(cudaMemcpy(got, at_{0}, bytes_{0}, cudaMemcpyDeviceToHost), \"{0}\");\n"
                     "    ok = ok && {2};\n    free(got);\n  }}\n",
                     a.name, c::type_text(a.values), c::agreement_call(a, "got"));
}

} // namespace

std::string self_test_text(const FolderSource& source) {
  const c::Parameters parameters = c::parameters_of(source.kernels);
  std::string arrays, brings, checks, frees;
  std::vector<std::string> arguments;
  for (const std::string& size : parameters.sizes) arguments.push_back(fmt::format("{}ll", source.sizes.at(size)));
  for (const code::Memory& m : parameters.memories) {
    const c::SampleArray& a = c::sample_of(source, m.name);
    if (a.kind != c::SampleArray::Kind::between) arrays += c::array_text(a);
    brings += bring_text(a, std::string(code::name_of(m.scalar)));
    if (a.kind == c::SampleArray::Kind::result) checks += check_text(a);
    frees += fmt::format("  cudaFree(at_{});\n", a.name);
    arguments.push_back("at_" + a.name);
  }
  arguments.push_back("&answer");
  return fmt::format("// Self-test of {0}: {1}.\n//\n// Computes with sample data ({2}) and compares with what "
                     "Cyclotron's interpreter made of it.\n#ifdef ON_CPU\n#include \"cuda_runtime_on_cpu.hpp\"\n#else\n"
                     "#include <cuda_runtime.h>\n#endif\n#include <math.h>\n#include <stdint.h>\n#include "
                     "<stdio.h>\n#include <stdlib.h>\n\n"
                     "#include \"{0}.cuh\"\n\n",
                     source.name, c::made_by, c::harmless(source.origin)) +
         arrays + c::agreement_functions(source) + good_text +
         fmt::format("int main() {{\n  bool ok = true;\n  int answer = 0;\n  puts(\"{}: self-test{}\");\n", source.name,
                     c::size_texts(source)) +
         brings +
         fmt::format("  ok = ok && good({}({}), \"the kernels\");\n", source.name, fmt::join(arguments, ", ")) +
         "  if (ok && answer != 0) {\n    printf(\"  the kernels answer %d\\n\", answer);\n    ok = false;\n  }\n" +
         checks + frees + "  puts(ok ? \"passed\" : \"FAILED\");\n  return ok ? 0 : 1;\n}\n";
}

} // namespace cyclotron::backend::cuda
