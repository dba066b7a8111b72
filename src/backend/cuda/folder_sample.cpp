// SPDX-License-Identifier: MIT
// The self-test: sample data and what must come out as C++ arrays, and a program that compares.
#include "backend/c/names.hpp"
#include "backend/cuda/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

namespace cyclotron::backend::cuda {

namespace {

std::string literal(double v) {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v < 0 ? "-INFINITY" : "INFINITY";
  return fmt::format("{}", v);
}
std::string literal(float v) {
  if (!std::isfinite(v)) return literal(static_cast<double>(v));
  const std::string digits = fmt::format("{}", v);
  return digits + (digits.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}
std::string literal(std::int64_t v) {
  return v == std::numeric_limits<std::int64_t>::min() ? "(-9223372036854775807ll - 1)" : fmt::format("{}ll", v);
}
std::string literal(std::int32_t v) { return fmt::format("{}", v); }
std::string literal(std::int16_t v) { return fmt::format("{}", v); }
std::string literal(std::uint8_t v) { return fmt::format("{}", v); }

std::string type_text(const Values& values) {
  constexpr const char* types[] = {"unsigned char", "i16", "i32", "i64", "f32", "f64"};
  return types[values.index()];
}

std::size_t count_of(const Values& values) {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

std::string array_text(const SampleArray& array) {
  std::string out = fmt::format("static const {} sample_{}[] = {{", type_text(array.values), array.name), line;
  std::visit(
      [&](const auto& list) {
        for (const auto& v : list) {
          const std::string text = literal(v) + ", ";
          if (line.size() + text.size() > 110) {
            out += "\n    " + line.substr(0, line.size() - 1);
            line.clear();
          }
          line += text;
        }
      },
      array.values);
  if (line.empty()) line = "0, "; // C++ has no empty arrays
  return out + fmt::format("\n    {}\n}};\n\n", line.substr(0, line.size() - 2));
}

// Whole numbers are equal; others differ by little of the largest, for sums may be taken in another order.
constexpr const char* compare_text =
    R"(template <class T> static bool agrees(const char *name, const T *got, const T *wanted, size_t count, double allowed) {
  double largest = 1, worst = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite((double)wanted[i]) && fabs((double)wanted[i]) > largest) largest = fabs((double)wanted[i]);
  for (size_t i = 0; i < count; i++) {
    const double a = (double)got[i], b = (double)wanted[i];
    const double apart = got[i] == wanted[i] || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);
    if (!(apart <= allowed * largest) || (allowed == 0 && got[i] != wanted[i])) {
      printf("  %s: value %zu is %.17g, but should be %.17g\n", name, i, a, b);
      return false;
    }
    if (apart > worst) worst = apart;
  }
  printf("  %s: %zu values, off by at most %.2g\n", name, count, worst);
  return true;
}

static bool good(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return true;
  printf("  %s: %s\n", what, cudaGetErrorString(error));
  return false;
}

)";

// How an array of the sample gets to the GPU.
std::string bring_text(const SampleArray& a, const std::string& device_type) {
  std::string out = fmt::format("  {0} *at_{1} = nullptr;\n  const size_t bytes_{1} = {2} * sizeof({0});\n"
                                "  ok = ok && good(cudaMalloc(&at_{1}, bytes_{1}), \"memory for {1}\");\n",
                                device_type, a.name, count_of(a.values));
  if (a.kind == SampleArray::Kind::input)
    out += fmt::format(
        "  ok = ok && good(cudaMemcpy(at_{0}, sample_{0}, bytes_{0}, cudaMemcpyHostToDevice), \"{0}\");\n", a.name);
  else out += fmt::format("  ok = ok && good(cudaMemset(at_{0}, 0, bytes_{0}), \"{0}\");\n", a.name);
  return out;
}

std::string check_text(const SampleArray& a) {
  const double allowed = a.values.index() == 4 ? 1e-4 : a.values.index() == 5 ? 1e-9 : 0;
  return fmt::format("  {{\n    {1} *got = ({1} *)malloc(bytes_{0} + 1);\n"
                     "    ok = ok && good(cudaMemcpy(got, at_{0}, bytes_{0}, cudaMemcpyDeviceToHost), \"{0}\");\n"
                     "    ok = ok && agrees(\"{0}\", got, sample_{0}, {2}, {3});\n    free(got);\n  }}\n",
                     a.name, type_text(a.values), count_of(a.values), allowed);
}

} // namespace

std::string self_test_text(const FolderSource& source) {
  const Parameters parameters = parameters_of(source.kernels);
  const auto sample_of = [&](const std::string& name) -> const SampleArray& {
    for (const SampleArray& a : source.sample)
      if (a.name == name) return a;
    bug(fmt::format("no sample of the memory `{}`", name));
  };
  std::string arrays, brings, checks, frees, sizes;
  std::vector<std::string> arguments;
  for (const std::string& size : parameters.sizes) {
    arguments.push_back(fmt::format("{}ll", source.sizes.at(size)));
    sizes += fmt::format("{}{} = {}", sizes.empty() ? " with " : ", ", size, source.sizes.at(size));
  }
  for (const code::Memory& m : parameters.memories) {
    const SampleArray& a = sample_of(m.name);
    if (a.kind != SampleArray::Kind::between) arrays += array_text(a);
    brings += bring_text(a, std::string(code::name_of(m.scalar)));
    if (a.kind == SampleArray::Kind::result) checks += check_text(a);
    frees += fmt::format("  cudaFree(at_{});\n", a.name);
    arguments.push_back("at_" + a.name);
  }
  arguments.push_back("&answer");
  return fmt::format("// Self-test of {0}: {1}.\n//\n// Computes with sample data ({2}) and compares with what "
                     "Cyclotron's interpreter made of it.\n#ifdef ON_CPU\n#include \"cuda_runtime_on_cpu.hpp\"\n#else\n"
                     "#include <cuda_runtime.h>\n#endif\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
                     "#include \"{0}.cuh\"\n\n",
                     source.name, c::made_by, c::harmless(source.origin)) +
         arrays + compare_text +
         fmt::format("int main() {{\n  bool ok = true;\n  int answer = 0;\n  puts(\"{}: self-test{}\");\n", source.name,
                     sizes) +
         brings +
         fmt::format("  ok = ok && good({}({}), \"the kernels\");\n", source.name, fmt::join(arguments, ", ")) +
         "  if (ok && answer != 0) {\n    printf(\"  the kernels answer %d\\n\", answer);\n    ok = false;\n  }\n" +
         checks + frees + "  puts(ok ? \"passed\" : \"FAILED\");\n  return ok ? 0 : 1;\n}\n";
}

} // namespace cyclotron::backend::cuda
