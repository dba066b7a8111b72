// SPDX-License-Identifier: MIT
// The interpreter against the naive evaluator: on random programs and on the examples.
#include "fuzz/compiled.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/naive_evaluator.hpp"
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"
#include "fuzz/repository.hpp"

namespace cyclotron::fuzz {
namespace {

// Empty where both agree, or both say that an integer overflows.
std::string compare_at(Compiled& compiled, const SizeValues& sizes, const Tensors& inputs) {
  const NaiveResult expected = evaluate_naively(compiled.program(), sizes, inputs);
  const auto found = compiled.interpret(sizes, inputs);
  if (!found) {
    const std::string messages = compiled.messages();
    const bool overflow = messages.find("overflows") != std::string::npos;
    compiled.forget_messages();
    return overflow && expected.failure == "overflow" ? "" : "the interpreter says\n" + messages;
  }
  if (!expected.failure.empty()) return "the interpreter finds no " + expected.failure;
  for (const auto& [name, tensor] : expected.outputs)
    if (const std::string where = difference(tensor, found->at(name)); !where.empty()) return name + ": " + where;
  return "";
}

std::string describe(const SizeValues& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return out;
}

std::string compare(const RandomProgram& random) {
  Compiled compiled(random.text);
  if (!compiled.accepted()) return "rejected\n" + compiled.messages();
  for (int round = 0; round < 4; ++round) {
    const SizeValues sizes = random_sizes(compiled.program(), random, round);
    const std::string problem = compare_at(compiled, sizes, random_inputs(compiled.program(), sizes, random.seed));
    if (!problem.empty()) return "at " + describe(sizes) + ": " + problem;
  }
  return "";
}

TEST(Interpreter, AgreesWithNaiveEvaluatorOnRandomPrograms) {
  int total = 0, rejected = 0;
  std::string first_rejections;
  check_property(150, [&](const RandomProgram& random) {
    const Fate fate = run_isolated([&] { return compare(random); });
    if (!fate.problem.empty()) RC_FAIL(fate.problem);
    ++total;
    if (fate.result.starts_with("rejected")) {
      if (++rejected <= 10) first_rejections += random.text + fate.result + "\n";
    } else if (!fate.result.empty()) {
      RC_FAIL(fate.result);
    }
  });
  RecordProperty("programs", total);
  RecordProperty("rejected", rejected);
  EXPECT_GE((total - rejected) * 100, total * 80) << rejected << " of " << total << " programs are rejected\n"
                                                  << first_rejections;
  if (std::getenv("CYCLOTRON_SHOW_REJECTED"))
    std::printf("%d of %d rejected\n%s", rejected, total, first_rejections.c_str());
}

// --- examples ---

// Every size by name with a value, or nothing where all come from the defaults.
std::vector<std::map<std::string, std::string>> size_choices(const recurrence::Program& program) {
  std::vector<std::map<std::string, std::string>> list(4);
  for (std::size_t s = 0; s < program.sizes.size(); ++s) {
    list[1][program.sizes[s].name] = std::to_string(3 + s);
    list[2][program.sizes[s].name] = "1";
    list[3][program.sizes[s].name] = "0";
  }
  return list;
}

// How many choices of sizes could be run, or what went wrong.
std::string compare_example(const std::string& text) {
  Compiled compiled(text);
  if (!compiled.accepted()) return compiled.messages();
  int runs = 0;
  for (const auto& given : size_choices(compiled.program())) {
    const auto bound = compiled.bind(given);
    if (!bound && given.empty()) return "without arguments: " + compiled.messages();
    compiled.forget_messages();
    if (!bound) continue; // the sizes do not fit the data, or an assumption
    const std::string problem = compare_at(compiled, bound->sizes, bound->tensors);
    if (!problem.empty()) return "at " + describe(bound->sizes) + ": " + problem;
    ++runs;
  }
  return runs > 0 ? "" : "no sizes fit";
}

TEST(Interpreter, AgreesWithNaiveEvaluatorOnExamples) {
  const auto examples = programs_in({"examples"});
  EXPECT_GE(examples.size(), 40u);
  for (const StoredProgram& example : examples) {
    if (example.name.find("mistake_") != std::string::npos) continue;
    const Fate fate = run_isolated([&] { return compare_example(example.text); }, 60);
    EXPECT_EQ(fate.problem + fate.result, "") << example.name;
  }
}

} // namespace
} // namespace cyclotron::fuzz
