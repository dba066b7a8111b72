// SPDX-License-Identifier: MIT
// Every operation on every type that has it, for one number and for every number of lanes.
#include "unit/backend/simd/agreement.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::simd {
namespace {

constexpr int all_lanes[] = {1, 2, 4, 8, 16, 32, 64};

struct Operation {
  std::string type, result, text; // of `a` and `b`; `L(…)` is `lanes(…)` where there are lanes
};

std::vector<Operation> operations() {
  std::vector<Operation> list;
  for (const std::string type : {"i16", "i32", "i64", "f32", "f64"}) {
    const bool real = type[0] == 'f';
    const std::string one = type == "i64" ? "1" : type == "f64" ? "1.0" : type == "f32" ? "1.0f" : "1" + type;
    for (const char* text :
         {"a + b", "a - b", "a * b", "min(a, b)", "max(a, b)", "-a", "abs(a)", "select(a < b, a, b)"})
      list.push_back({type, type, text});
    for (const char* text : {"a < b", "a <= b", "a == b", "a != b", "not (a < b) and a != b or b < a",
                             "(a < b) == (b < a)", "(a < b) != (b < a)", "select(a < b, b == a, a == a)", "bool(a)"})
      list.push_back({type, "bool", text});
    if (real) {
      for (const char* text : {"a / b", "sqrt(abs(a))", "exp(a)", "log(abs(a))", "pow(abs(a), b)"})
        list.push_back({type, type, text});
    } else {
      for (const std::string& text :
           {std::string("a & b"), std::string("a | b"), std::string("a ^ b"), "a / (b | L(" + one + "))",
            "a // ((b & L(" + one + ")) + L(" + one + "))", "a % ((b & L(" + one + ")) + L(" + one + "))"})
        list.push_back({type, type, text});
      const std::string eight = type == "i64" ? "8" : "8" + type, seven = type == "i64" ? "7" : "7" + type;
      for (const std::string& n : {eight, seven})
        for (const char* op : {"//", "%"}) list.push_back({type, type, fmt::format("a {} L({})", op, n)});
    }
    for (const std::string to : {"bool", "i16", "i32", "i64", "f32", "f64"}) {
      const std::string fits = fmt::format("max(min(select(a == a, a, b - b), L({0}(30000))), L({0}(-30000)))", type);
      list.push_back({type, to,
                      real && to[0] == 'i'
                          ? fmt::format("{}(select({} == {}, {}, L({}(0))))", to, fits, fits, fits, type)
                          : to + "(a)"});
    }
  }
  for (const std::string to : {"i16", "i32", "i64", "f32", "f64"}) list.push_back({"bool", to, to + "(a)"});
  for (const char* text : {"a and b", "a or b", "not a", "a == b", "a != b", "select(a, b, a)", "bool(a)"})
    list.push_back({"bool", "bool", text});
  return list;
}

std::string spelled(std::string text, bool lanes) {
  const std::string to = lanes ? "lanes(" : "(";
  for (std::size_t at = 0; (at = text.find("L(", at)) != std::string::npos; at += to.size()) text.replace(at, 2, to);
  return text;
}

// All operations on one type, with so many lanes, or on one number after the other where there are none.
code::Kernel kernel_of_type(const std::string& type, int lanes) {
  const std::string suffix = fmt::format("{}_{}", type, lanes);
  std::string head =
      fmt::format("kernel operations_{} lanes {}\nin x: {}\nin v: {}\n", suffix, std::max(lanes, 1), type, type);
  std::string body;
  int number = 0;
  for (const Operation& o : operations()) {
    if (o.type != type) continue;
    const std::string out = fmt::format("y{}", number++);
    head += fmt::format("out {}: {}\n", out, o.result);
    body += lanes > 0 ? fmt::format("  store {}[i : 1] = {}\n", out, spelled(o.text, true))
                      : fmt::format("  store {}[i] = {}\n", out, spelled(o.text, false));
  }
  const std::string kind = lanes > 0 ? " lanes" : "", place = lanes > 0 ? "i : 1" : "i";
  return kernel_of(
      head +
      fmt::format("workers w = 0 .. {2}\n  var i: i64 = w * {3}\n  var a: {0}{1} = x[{4}]\n  var b: {0}{1} = v[{4}]\n",
                  type, kind, lanes > 0 ? 4 : 128, std::max(lanes, 1), place) +
      body);
}

class SimdOperations : public ::testing::TestWithParam<const char*> {};

TEST_P(SimdOperations, AgreeWithTheInterpreter) {
  Trials trials;
  const auto add = [&](int lanes) {
    const code::Kernel kernel = kernel_of_type(GetParam(), lanes);
    std::map<std::string, std::int64_t> elements;
    for (const code::Memory& m : kernel.memories) elements[m.name] = lanes > 0 ? 4 * lanes : 128;
    trials.push_back({kernel, {{{}, elements, Contents::any, 1}, {{}, elements, Contents::small, 2}}});
  };
  add(0);
  for (const int lanes : all_lanes) add(lanes);
  expect_agreement(trials, {1, true}); // `a == a` and the like
}

INSTANTIATE_TEST_SUITE_P(Types, SimdOperations, ::testing::Values("bool", "i16", "i32", "i64", "f32", "f64"),
                         [](const auto& type) { return std::string(type.param); });

} // namespace
} // namespace cyclotron::backend::simd
