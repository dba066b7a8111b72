// SPDX-License-Identifier: MIT
// The self-test of a kernel: sample data and expected results as C arrays, and a program that compares.
#include "backend/c/emitter.hpp"
#include "backend/c/folder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

constexpr std::size_t most_numbers = 1'000'000;

void report_too_large(Diagnostics& diagnostics) {
  diagnostics.error("the sample data is too large to be written out as C")
      .with_hint("give smaller inputs or sizes behind the program, such as `n=10`");
}

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
  if (v == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  const bool narrow = v >= -std::numeric_limits<std::int32_t>::max() && v <= std::numeric_limits<std::int32_t>::max();
  return narrow ? std::to_string(v) : fmt::format("INT64_C({})", v);
}

std::string literal(std::int32_t v) {
  return v == std::numeric_limits<std::int32_t>::min() ? "INT32_MIN" : std::to_string(v);
}
std::string literal(std::uint8_t v) { return std::to_string(v); }
std::string literal(std::uint64_t v) { return fmt::format("UINT64_C({:#x})", v); }

const tensor::Tensor& tensor_of(const std::string& name, const Sample& sample) {
  const auto output = sample.structure.find(name);
  return output != sample.structure.end() ? output->second : sample.bindings.tensors.at(name);
}

// How many numbers an argument has in the self-test; none for those of masks, which are made later.
std::size_t count_numbers(const Argument& a, const Sample& sample) {
  if (a.is_number() || a.mask >= 0) return 0;
  const tensor::Tensor& t = tensor_of(a.name, sample);
  const auto level = static_cast<std::size_t>(a.level);
  switch (a.kind) {
  case Argument::Kind::positions: return t.levels[level].positions.size();
  case Argument::Kind::coordinates: return t.levels[level].coordinates.size();
  case Argument::Kind::bits: return t.levels[level].bits.size();
  default: return static_cast<std::size_t>(t.stored());
  }
}

// Names in reach of the call begin with `cyc_` or are reserved: the kernel has the name of the user's file.
class SelfTest {
public:
  SelfTest(const FolderSource& source, const Sample& sample, Diagnostics& diagnostics)
      : source_(source), sample_(sample), diagnostics_(diagnostics) {}

  std::string run() {
    const std::string& name = source_.emitted.function;
    std::string call = fmt::format("  const int failed = {}(", name);
    for (const Argument& a : source_.emitted.arguments) call += argument(a) + ",\n      ";
    call += "&error);\n";
    if (!fits_) return "";
    std::string sizes;
    for (const Binder& s : source_.program.sizes)
      sizes += fmt::format("{}{} = {}", sizes.empty() ? " with " : ", ", s.name, sample_.bindings.sizes.at(s.name));
    std::string out =
        fmt::format("// Self-test of {}: {}.\n//\n// Computes with sample data ({}) and compares with what "
                    "Cyclotron's interpreter made of it.\n",
                    name, made_by, harmless(sample_.origin));
    out += fmt::format("#include \"{}.h\"\n\n#include <inttypes.h>\n#include <math.h>\n#include <stdio.h>\n#include "
                       "<string.h>\n\n",
                       name);
    out += arrays_;
    for (const char* type : {"f64", "f32", "i32", "i64", "bool"})
      if (checks_.find(fmt::format("cyc_check_{}(", type)) != std::string::npos) out += check_function(type);
    out += "int main(void) {\n  cyclotron_error error;\n  int cyc_good = 1;\n";
    out += fmt::format("  puts(\"{}: self-test{}\");\n", name, sizes);
    out += "  // Whatever was in memory before must not matter.\n" + spoiling_ + call;
    out +=
        "  if (failed) {\n    printf(\"  it returned %d, in equation %d\\n\", failed, error.equation);\n    return 1;\n"
        "  }\n";
    out += checks_ + "  puts(cyc_good ? \"passed\" : \"FAILED\");\n  return cyc_good ? 0 : 1;\n}\n";
    return out;
  }

private:
  // Adds an array and gives its name.
  template <class T> std::string array(const std::string& name, const std::string& type, const std::vector<T>& list) {
    numbers_ += list.size();
    if (numbers_ > most_numbers && fits_) {
      fits_ = false;
      report_too_large(diagnostics_);
    }
    if (!fits_) return name;
    arrays_ += fmt::format("static const {} {}[] = {{", type, name);
    std::string line;
    for (const T& v : list) {
      const std::string text = literal(v) + ", ";
      if (line.size() + text.size() > 110) {
        arrays_ += "\n    " + line.substr(0, line.size() - 1);
        line.clear();
      }
      line += text;
    }
    // C has no empty arrays.
    if (list.empty()) line = "0, ";
    arrays_ += fmt::format("\n    {}\n}};\n\n", line.substr(0, line.size() - 2));
    return name;
  }

  std::string indices(const std::string& name, const std::vector<std::int64_t>& list) {
    return array(name, "int32_t", std::vector<std::int32_t>(list.begin(), list.end()));
  }

  // What the kernel is given for one argument.
  std::string argument(const Argument& a) {
    const std::string name = "cyc_data_" + a.c_name;
    if (a.kind == Argument::Kind::size) return std::to_string(sample_.bindings.sizes.at(a.name));
    if (a.is_number()) {
      const auto steps = source_.kernel.steps_of(a.name, sample_.bindings.sizes);
      const bool first = a.kind == Argument::Kind::first_step;
      return std::to_string(steps ? (first ? steps->first : steps->second) : (first ? 0 : -1));
    }
    if (a.kind == Argument::Kind::values && a.written) return result(a);
    const tensor::Tensor& own = tensor_of(a.name, sample_);
    std::optional<tensor::Tensor> mask;
    if (a.mask >= 0) {
      mask =
          source_.kernel.make_mask(own, source_.kernel.masks()[static_cast<std::size_t>(a.mask)].format, diagnostics_);
      if (!mask) {
        fits_ = false;
        return name;
      }
    }
    const tensor::Tensor& t = mask ? *mask : own;
    const auto level = static_cast<std::size_t>(a.level);
    switch (a.kind) {
    case Argument::Kind::positions: return indices(name, t.levels[level].positions);
    case Argument::Kind::coordinates: return indices(name, t.levels[level].coordinates);
    case Argument::Kind::bits: return array(name, "uint64_t", t.levels[level].bits);
    case Argument::Kind::entries: return indices(name, std::get<std::vector<std::int64_t>>(t.values));
    default: return std::visit([&](const auto& v) { return array(name, c_type(t.type()), v); }, t.values);
    }
  }

  // Memory for a result, and how it is compared.
  std::string result(const Argument& a) {
    const tensor::Tensor& structure = sample_.structure.at(a.name);
    const std::string type = c_type(structure.type()), got = "cyc_got_" + a.c_name, want = "cyc_want_" + a.c_name;
    std::visit([&](const auto& v) { array(want, type, v); }, expected_values(a.name).values);
    arrays_ += fmt::format("static {} {}[{}];\n\n", type, got, std::max<std::int64_t>(structure.stored(), 1));
    spoiling_ += fmt::format("  memset({0}, 0x5a, sizeof {0});\n", got);
    checks_ += fmt::format("  cyc_good &= cyc_check_{}(\"{}\", {}, {}, {});\n", tensor::name_of(structure.type()),
                           a.name, got, want, structure.stored());
    return got;
  }

  // The expected values where the structure has entries, in its order.
  tensor::Tensor expected_values(const std::string& name) const {
    tensor::Tensor out = sample_.structure.at(name);
    const tensor::Tensor& expected = sample_.expected.at(name);
    tensor::Entries entries = tensor::unpack(out);
    tensor::spell_out(entries);
    std::vector<std::int64_t> at(out.dims.size());
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          for (std::size_t i = 0; i < values.size(); ++i) {
            for (std::size_t d = 0; d < at.size(); ++d) at[d] = entries.coordinates[d][i];
            const std::int64_t position = tensor::locate(expected, at.data());
            values[i] =
                position < 0 ? T{} : std::get<std::vector<T>>(expected.values)[static_cast<std::size_t>(position)];
          }
        },
        out.values);
    return out;
  }

  static std::string check_function(const std::string& type) {
    if (type != "f64" && type != "f32") {
      const std::string c = type == "bool" ? "uint8_t" : type == "i32" ? "int32_t" : "int64_t";
      return fmt::format(
          R"(static int cyc_check_{0}(const char *name, const {1} *got, const {1} *want, int64_t count) {{
  for (int64_t i = 0; i < count; i++)
    if (got[i] != want[i]) {{
      printf("  %s: value %" PRId64 " is %" PRId64 ", but should be %" PRId64 "\n", name, i, (int64_t)got[i],
             (int64_t)want[i]);
      return 0;
    }}
  printf("  %s: %" PRId64 " values, all equal\n", name, count);
  return 1;
}}

)",
          type, c);
    }
    return fmt::format(R"(// Off by at most {2} of the largest: sums may be taken in another order.
static int cyc_check_{0}(const char *name, const {1} *got, const {1} *want, int64_t count) {{
  double largest = 1, worst = 0;
  for (int64_t i = 0; i < count; i++)
    if (isfinite(want[i]) && fabs((double)want[i]) > largest) largest = fabs((double)want[i]);
  for (int64_t i = 0; i < count; i++) {{
    const double a = (double)got[i], b = (double)want[i];
    const double apart = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);
    if (!(apart <= {2} * largest)) {{
      printf("  %s: value %" PRId64 " is %.17g, but should be %.17g\n", name, i, a, b);
      return 0;
    }}
    if (apart > worst) worst = apart;
  }}
  printf("  %s: %" PRId64 " values, off by at most %.2g (allowed: %.2g)\n", name, count, worst, {2} * largest);
  return 1;
}}

)",
                       type, type == "f64" ? "double" : "float", type == "f64" ? "1e-9" : "1e-4");
  }

  const FolderSource& source_;
  const Sample& sample_;
  Diagnostics& diagnostics_;
  std::string arrays_, spoiling_, checks_;
  std::size_t numbers_ = 0;
  bool fits_ = true;
};

} // namespace

bool sample_fits(const Emitted& emitted, const Sample& sample, Diagnostics& diagnostics) {
  std::size_t numbers = 0;
  for (const Argument& a : emitted.arguments) numbers += count_numbers(a, sample);
  if (numbers > most_numbers) report_too_large(diagnostics);
  return numbers <= most_numbers;
}

std::string self_test_text(const FolderSource& source, const Sample& sample, Diagnostics& diagnostics) {
  return SelfTest(source, sample, diagnostics).run();
}

} // namespace cyclotron::backend::c
