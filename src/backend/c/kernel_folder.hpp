// SPDX-License-Identifier: MIT
// What folders of kernels that stand alone are made of, in whatever language the kernels are written: what is known of
// the kernels, and the parts of a self-test that are the same in C and in C++.
#pragma once

#include "code/ir.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace cyclotron::backend::c {

using SampleValues = std::variant<std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                                  std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

// One array of the self-test. Inputs have their values here, results what must come out; what only lies between two
// kernels has as many elements as values. Results and what lies between begin as zeros.
struct SampleArray {
  enum class Kind { input, result, between } kind = Kind::input;
  std::string name;
  SampleValues values;
};

struct KernelFolder {
  std::string name;    // of the function and the files
  std::string title;   // the program's file
  std::string comment; // what it computes: lines, none of which ends with a backslash
  std::string origin;  // of the sample data: "the program's defaults"
  std::vector<code::Kernel> kernels;
  std::map<std::string, std::int64_t> sizes; // of the sample
  std::vector<SampleArray> sample;           // every memory of the kernels
  std::vector<std::string> answers;          // what `fail 1`, `fail 2`, ... mean
};

// Sizes and memories of all kernels, each once, in the order of the function's parameters.
struct Parameters {
  std::vector<std::string> sizes;
  std::vector<code::Memory> memories; // a result where some kernel writes it
};
Parameters parameters_of(const std::vector<code::Kernel>& kernels);

// False, with an error, where there are more numbers than a source file should have. `language`: "C".
bool fits_source(const KernelFolder& folder, const std::string& language, Diagnostics& diagnostics);

// Parts of texts.
const SampleArray& sample_of(const KernelFolder& folder, const std::string& memory);
std::int64_t count_of(const SampleValues& values);
std::string type_text(const SampleValues& values);                            // "int32_t", "double"
std::string array_text(const SampleArray& array);                             // static const double sample_x[] = {...};
std::string size_texts(const KernelFolder& folder);                           // " with n = 40, r = 3"
std::string indented(const std::string& text, const std::string& with);       // every line
std::string agreement_functions(const KernelFolder& folder);                  // that compare results
std::string agreement_call(const SampleArray& array, const std::string& got); // of one of them

} // namespace cyclotron::backend::c
