// SPDX-License-Identifier: MIT
#include "naive_evaluator.hpp"

#include "naive_program.hpp"

#include <pthread.h>

#include <cmath>
#include <cstdlib>
#include <functional>

namespace cyclotron::fuzz {

using namespace recurrence;
using tensor::is_float;

namespace {

// Elements need each other in long chains, and each link is many calls deep.
void run_with_deep_stack(std::function<void()> function) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 30);
  pthread_t thread{};
  const auto enter = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, enter, &function) != 0) std::abort();
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

bool next_coordinates(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& dims) {
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (++at[d] < dims[d]) return true;
    at[d] = 0;
  }
  return false;
}

bool near_enough(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b));
}

} // namespace

NaiveResult evaluate_naively(const Program& program, const std::map<std::string, std::int64_t>& sizes,
                             const std::map<std::string, tensor::Tensor>& inputs) {
  NaiveResult result;
  run_with_deep_stack([&] {
    try {
      NaiveProgram naive(program, sizes, inputs);
      for (const TensorDecl* t : program.outputs()) result.outputs.emplace(t->name.name, naive.output(*t));
    } catch (const NaiveFailure& failure) {
      result.failure = failure.why;
      result.outputs.clear();
    }
  });
  return result;
}

std::string difference(const NaiveTensor& expected, const tensor::Tensor& found) {
  if (expected.dims != found.dims) return "the dimensions differ";
  if (expected.type != found.type()) return "the types differ";
  if (const std::string problem = tensor::problem_of(found); !problem.empty()) return problem;
  if (expected.values.empty()) return "";
  const double tolerance = expected.type == tensor::ValueType::f32 ? 1e-5 : 1e-12;
  std::vector<std::int64_t> at(expected.dims.size(), 0);
  std::size_t next = 0;
  do {
    const std::int64_t position = tensor::locate(found, at.data());
    const NaiveValue& want = expected.values[next++];
    const double real = position < 0 ? 0 : tensor::float_at(found.values, position);
    const std::int64_t whole = position < 0 || is_float(expected.type) ? 0 : tensor::integer_at(found.values, position);
    const bool same = is_float(expected.type) ? near_enough(want.real, real, tolerance) : want.whole == whole;
    if (same) continue;
    std::string place;
    for (std::int64_t x : at) place += (place.empty() ? "" : ",") + std::to_string(x);
    return "element (" + place + ") is " + (is_float(expected.type) ? std::to_string(real) : std::to_string(whole)) +
           ", expected " + (is_float(expected.type) ? std::to_string(want.real) : std::to_string(want.whole));
  } while (next_coordinates(at, expected.dims));
  return "";
}

} // namespace cyclotron::fuzz
