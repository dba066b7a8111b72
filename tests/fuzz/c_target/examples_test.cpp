// SPDX-License-Identifier: MIT
// Every example with its matrices dense, by rows and by columns, in every order of its loops, at odd sizes and on real
// matrices. By day a sample, and all orders of Cholesky and LU; all orders of all examples with CYCLOTRON_NIGHTLY=1.
#include "fuzz/property.hpp"
#include "fuzz/repository.hpp"
#include "judge.hpp"
#include "recurrence/ir.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::fuzz {
namespace {

using Strings = std::vector<std::string>;

StoredProgram example(const std::string& name) {
  for (const StoredProgram& p : programs_in({"examples"}))
    if (p.name == "examples/" + name + ".cyc") return p;
  ADD_FAILURE() << "there is no example " << name;
  return {};
}

// The variables of all equations, in the order of their first appearance.
Strings variables_of(const recurrence::Program& program) {
  Strings list;
  const auto add = [&](const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  const auto look = [&](const recurrence::Expr& root) {
    ir::walk<recurrence::ExprNode>(root, [&](const recurrence::Expr& e) {
      const auto* name = recurrence::as<recurrence::Name>(e);
      if (name && name->kind == recurrence::NameKind::index) add(name->id);
    });
  };
  for (const recurrence::Equation& e : program.equations) {
    look(e.target);
    look(e.value);
  }
  return list;
}

// Permutation number `n` of the list, so that a sample can be drawn of many.
Strings permuted(Strings list, std::int64_t n) {
  Strings result;
  while (!list.empty()) {
    const auto at = n % static_cast<std::int64_t>(list.size());
    n /= static_cast<std::int64_t>(list.size());
    result.push_back(list[static_cast<std::size_t>(at)]);
    list.erase(list.begin() + at);
  }
  return result;
}

std::int64_t permutations(std::size_t count) {
  std::int64_t product = 1;
  for (std::size_t i = 2; i <= count; ++i) product *= static_cast<std::int64_t>(i);
  return product;
}

const std::vector<std::pair<std::string, tensor::Format>>& matrix_formats() {
  using tensor::LevelKind;
  static const std::vector<std::pair<std::string, tensor::Format>> list{
      {"dense", {{LevelKind::dense, LevelKind::dense}, {0, 1}}},
      {"csr", {{LevelKind::dense, LevelKind::compressed}, {0, 1}}},
      {"csc", {{LevelKind::dense, LevelKind::compressed}, {1, 0}}}};
  return list;
}

std::map<std::string, tensor::Format> all_matrices(const recurrence::Program& program, const tensor::Format& format) {
  std::map<std::string, tensor::Format> formats;
  for (const recurrence::TensorDecl& t : program.tensors)
    if (t.dims.size() == 2) formats.emplace(t.name.name, format);
  return formats;
}

// Inputs by the example's own generators at several sizes, each size another one; where some come from its data, with
// the others changed one by one.
std::vector<Compiled::Bound> bindings_of(Compiled& compiled) {
  std::vector<Compiled::Bound> list;
  const auto add = [&](const std::map<std::string, std::string>& given) {
    compiled.forget_messages();
    auto bound = compiled.bind(given);
    if (bound) list.push_back(std::move(*bound));
    return bound.has_value();
  };
  for (const std::vector<int>& values : {std::vector<int>{0}, {1}, {7, 5, 3, 2, 4}}) {
    std::map<std::string, std::string> given;
    for (const recurrence::Binder& s : compiled.program().sizes)
      given[s.name] = std::to_string(values[given.size() % values.size()]);
    if (add(given)) continue;
    for (const auto& [name, value] : given) add({{name, value}});
  }
  if (list.empty()) add({});
  return list;
}

// Each of the real matrices for all inputs that are matrices at once, where the program takes it.
std::vector<Compiled::Bound> real_bindings_of(Compiled& compiled) {
  std::vector<Compiled::Bound> list;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(CYCLOTRON_ROOT) / "tests/matrices")) {
    if (file.path().extension() != ".mtx") continue;
    std::map<std::string, std::string> given;
    for (const recurrence::TensorDecl* t : compiled.program().inputs())
      if (t->dims.size() == 2) given[t->name.name] = file.path().string();
    compiled.forget_messages();
    if (given.empty()) continue;
    if (auto bound = compiled.bind(given)) list.push_back(std::move(*bound));
  }
  return list;
}

using BindingsOf = std::vector<Compiled::Bound> (*)(Compiled&);

// One example in one format and one order.
Verdict judge_order(const StoredProgram& example, const tensor::Format& format, const Strings& order,
                    BindingsOf bindings) {
  Compiled compiled(example.text);
  const std::string text = with_formats(compiled.program(), all_matrices(compiled.program(), format),
                                        order.empty() ? "" : fmt::format("  order {}\n", fmt::join(order, ", ")));
  Contest contest(text, {"-O0"});
  Verdict verdict = contest.start();
  if (verdict.kind == Verdict::Kind::differs) verdict.what = text + verdict.what;
  if (verdict.kind != Verdict::Kind::agrees) return verdict;
  int runs = 0;
  for (const Compiled::Bound& bound : bindings(compiled)) {
    Tensors inputs;
    Sources sources;
    Diagnostics diagnostics(sources);
    for (const auto& [name, tensor] : bound.tensors) {
      auto converted = tensor::convert(tensor, contest.program().tensor(name)->format, diagnostics);
      if (!converted) return {Verdict::Kind::differs, diagnostics.render(false)};
      inputs.emplace(name, std::move(*converted));
    }
    verdict = contest.run(bound.sizes, inputs);
    if (verdict.kind == Verdict::Kind::differs) verdict.what = with_inputs(text, bound.sizes, inputs) + verdict.what;
    if (verdict.kind != Verdict::Kind::agrees) return verdict;
    ++runs;
  }
  if (runs == 0) return {Verdict::Kind::rejected, "no inputs could be made"};
  return verdict;
}

Verdict judge_order_isolated(const StoredProgram& example, const tensor::Format& format, const Strings& order,
                             BindingsOf bindings = bindings_of) {
  return isolated([&] { return judge_order(example, format, order, bindings); }, 60);
}

TEST(Examples, CholeskyAndLuRunInAllSixOrders) {
  for (const char* name : {"cholesky", "lu"}) {
    const StoredProgram own = example(name);
    const Strings variables = variables_of(Compiled(own.text).program());
    ASSERT_EQ(variables.size(), 3U) << name;
    for (const auto& [format_name, format] : matrix_formats())
      for (std::int64_t n = 0; n < 6; ++n) {
        const Strings order = permuted(variables, n);
        const Verdict verdict = judge_order_isolated(own, format, order);
        EXPECT_EQ(name_of(verdict.kind), "agrees")
            << fmt::format("{} {} in the order {}\n", name, format_name, fmt::join(order, ", ")) << verdict.what;
      }
  }
}

TEST(Examples, AgreeInTheOrdersThatAreLegal) {
  constexpr std::int64_t most_orders = 120; // of one example in one format
  Tally tally;
  std::int64_t draw = 0;
  int failures = 0;
  for (const StoredProgram& own : programs_in({"examples"})) {
    if (own.name.find("mistake_") != std::string::npos) continue;
    const Strings variables = variables_of(Compiled(own.text).program());
    const std::int64_t all = permutations(variables.size());
    for (const auto& [format_name, format] : matrix_formats()) {
      std::vector<std::int64_t> numbers;
      if (nightly())
        for (std::int64_t n = 0; n < std::min(all, most_orders); ++n)
          numbers.push_back(all <= most_orders ? n : n * (all / most_orders) + n % (all / most_orders));
      else numbers = {(draw += 7) % all};
      for (std::int64_t n : numbers) {
        const Strings order = permuted(variables, n);
        const std::string problem = tally.add(judge_order_isolated(own, format, order));
        EXPECT_EQ(problem, "") << own.name << " " << format_name << " in the order "
                               << fmt::format("{}", fmt::join(order, ", "));
        if (!problem.empty() && ++failures == 10) FAIL() << "and so on";
      }
    }
  }
  if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) fmt::print("orders of examples: {}", tally.report());
  EXPECT_EQ(tally.of(Verdict::Kind::rejected), 0) << tally.report();
  EXPECT_GE(tally.of(Verdict::Kind::agrees) * 3, tally.all()) << tally.report();
}

TEST(Examples, AgreeOnRealMatrices) {
  Tally tally;
  for (const StoredProgram& own : programs_in({"examples"})) {
    // An exponential of such large numbers says more of how its argument was rounded than of the program.
    if (own.name.find("mistake_") != std::string::npos || own.text.find("exp(") != std::string::npos) continue;
    for (const auto& [format_name, format] : matrix_formats()) {
      const std::string problem = tally.add(judge_order_isolated(own, format, {}, real_bindings_of));
      EXPECT_EQ(problem, "") << own.name << " " << format_name;
    }
  }
  if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) fmt::print("real matrices: {}", tally.report());
  EXPECT_GE(tally.of(Verdict::Kind::agrees), 30) << tally.report();
}

} // namespace
} // namespace cyclotron::fuzz
