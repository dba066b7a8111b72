// SPDX-License-Identifier: MIT
#include "backend/c/kernel_folder.hpp"

#include "backend/c/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace cyclotron::backend::c {

namespace {

constexpr std::int64_t most_numbers = 1'000'000;

std::string literal_of(double v) {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v < 0 ? "-INFINITY" : "INFINITY";
  return fmt::format("{}", v);
}
std::string literal_of(float v) {
  if (!std::isfinite(v)) return literal_of(static_cast<double>(v));
  const std::string digits = fmt::format("{}", v);
  return digits + (digits.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}
std::string literal_of(std::int64_t v) {
  return v == std::numeric_limits<std::int64_t>::min() ? "(-9223372036854775807ll - 1)" : fmt::format("{}ll", v);
}
std::string literal_of(std::int32_t v) { return fmt::format("{}", v); }
std::string literal_of(std::int16_t v) { return fmt::format("{}", v); }
std::string literal_of(std::uint8_t v) { return fmt::format("{}", v); }

// Whole numbers are equal; others differ by little of the largest, for sums may be taken in another order.
constexpr const char* agreement_text =
    R"(static int agree_{0}(const char *name, const {0} *got, const {0} *wanted, size_t count, double allowed) {{
  double largest = 1, worst = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite((double)wanted[i]) && fabs((double)wanted[i]) > largest) largest = fabs((double)wanted[i]);
  for (size_t i = 0; i < count; i++) {{
    const double a = (double)got[i], b = (double)wanted[i];
    const double apart = got[i] == wanted[i] || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);
    if (!(apart <= allowed * largest) || (allowed == 0 && got[i] != wanted[i])) {{
      printf("  %s: value %zu is %.17g, but should be %.17g\n", name, i, a, b);
      return 0;
    }}
    if (apart > worst) worst = apart;
  }}
  printf("  %s: %zu values, off by at most %.2g\n", name, count, worst);
  return 1;
}}

)";

} // namespace

Parameters parameters_of(const std::vector<code::Kernel>& kernels) {
  Parameters result;
  for (const code::Kernel& k : kernels) {
    for (const std::string& size : k.sizes)
      if (!std::count(result.sizes.begin(), result.sizes.end(), size)) result.sizes.push_back(size);
    for (const code::Memory& m : k.memories) {
      if (m.role != code::Role::in && m.role != code::Role::out) continue;
      const auto known = std::find_if(result.memories.begin(), result.memories.end(),
                                      [&](const code::Memory& other) { return other.name == m.name; });
      if (known == result.memories.end()) result.memories.push_back(m);
      else if (m.role == code::Role::out) known->role = code::Role::out;
    }
  }
  return result;
}

bool fits_source(const KernelFolder& folder, const std::string& language, Diagnostics& diagnostics) {
  std::int64_t numbers = 0;
  for (const SampleArray& a : folder.sample) numbers += count_of(a.values);
  if (numbers <= most_numbers) return true;
  diagnostics.error(fmt::format("the sample data is too large to be written out as {}", language))
      .with_hint("give smaller inputs or sizes behind the program, such as `n=10`");
  return false;
}

const SampleArray& sample_of(const KernelFolder& folder, const std::string& memory) {
  for (const SampleArray& a : folder.sample)
    if (a.name == memory) return a;
  bug(fmt::format("no sample of the memory `{}`", memory));
}

std::int64_t count_of(const SampleValues& values) {
  return std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); }, values);
}

std::string type_text(const SampleValues& values) {
  constexpr const char* types[] = {"uint8_t", "int16_t", "int32_t", "int64_t", "float", "double"};
  return types[values.index()];
}

std::string array_text(const SampleArray& array) {
  std::string out = fmt::format("static const {} sample_{}[] = {{", type_text(array.values), array.name), line;
  std::visit(
      [&](const auto& list) {
        for (const auto& v : list) {
          const std::string text = literal_of(v) + ", ";
          if (line.size() + text.size() > 110) {
            out += "\n    " + line.substr(0, line.size() - 1);
            line.clear();
          }
          line += text;
        }
      },
      array.values);
  if (line.empty()) line = "0, "; // there are no empty arrays
  return out + fmt::format("\n    {}\n}};\n\n", line.substr(0, line.size() - 2));
}

std::string size_texts(const KernelFolder& folder) {
  std::string text;
  for (const std::string& size : parameters_of(folder.kernels).sizes)
    text += fmt::format("{}{} = {}", text.empty() ? " with " : ", ", size, folder.sizes.at(size));
  return text;
}

std::string indented(const std::string& text, const std::string& with) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += with + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string agreement_functions(const KernelFolder& folder) {
  std::set<std::string> types;
  for (const SampleArray& a : folder.sample)
    if (a.kind == SampleArray::Kind::result) types.insert(type_text(a.values));
  std::string text;
  for (const std::string& type : types) text += fmt::format(agreement_text, type);
  return text;
}

std::string agreement_call(const SampleArray& a, const std::string& got) {
  const double allowed = a.values.index() == 4 ? 1e-4 : a.values.index() == 5 ? 1e-9 : 0;
  return fmt::format("agree_{}(\"{}\", {}, sample_{}, {}, {})", type_text(a.values), a.name, got, a.name,
                     count_of(a.values), allowed);
}

} // namespace cyclotron::backend::c
