// SPDX-License-Identifier: MIT
// Sums and products of sparse matrices, whose results are sparse: with finding their structure, and without.
#include "inputs.hpp"
#include "program.hpp"
#include "rivals.hpp"
#include "suites.hpp"

namespace cyclotron::bench {

namespace {

struct Case {
  std::string program, group, input;
  std::vector<Sparse> operands; // B, C, D
  Sizes sizes;
  std::string remark;
};

Difference same_values(const std::vector<double>& got, const std::vector<double>& expected) {
  if (got.size() != expected.size())
    return "there are " + std::to_string(got.size()) + " nonzeros instead of " + std::to_string(expected.size());
  return compare_values(got.data(), expected.data(), got.size(), 1e-12);
}

Rival rival_for(const MatrixLibrary& library, Case& c) {
  if (c.program == "spgemm") return library.product(c.operands[0], c.operands[1]);
  std::vector<Sparse*> terms;
  for (Sparse& s : c.operands) terms.push_back(&s);
  return library.sum(terms);
}

void measure_case(Bench& bench, Case c) {
  const Row whole{c.group + ", assembled", c.input, "", 1, c.remark}, values{c.group + ", values only", c.input, "", 1};
  if (!bench.wants(whole.group, c.input) && !bench.wants(values.group, c.input)) return;
  bench.attempt(whole, [&] {
    const Program program(bench, c.program, "rows", {}, true);
    recurrence::Bindings bindings{c.sizes, {}};
    Views views;
    for (std::size_t k = 0; k < c.operands.size(); ++k) {
      const std::string name(1, static_cast<char>('B' + k));
      bindings.tensors[name] = c.operands[k].tensor();
      views[name] = c.operands[k].view();
    }
    auto outputs = program.kernel().analyse(bindings, program.diagnostics());
    if (!outputs) program.fail();
    Sparse x = narrow(outputs->at("X"));
    views["X"] = x.view();
    const Side assembled{[&] {
      outputs = program.kernel().analyse(bindings, program.diagnostics());
      if (!outputs || !program.kernel().compute(bindings, *outputs, program.diagnostics())) program.fail();
    }};
    const Side computed{[&] { program.call(c.sizes, views); }};
    for (const MatrixLibrary& library : {eigen(), graphblas()}) {
      Row first = whole, second = values;
      first.rival = second.rival = library.name;
      bench.attempt(first, [&] {
        const Rival rival = rival_for(library, c);
        bench.compare(first, assembled, {rival.run}, [&] {
          return same_values(std::get<std::vector<double>>(outputs->at("X").values), rival.values());
        });
        bench.compare(second, computed, {rival.run}, [&] { return same_values(x.values, rival.values()); });
      });
    }
  });
}

} // namespace

void sparse_results(Bench& bench) {
  const std::int64_t n = bench.quick() ? 20'000 : 100'000;
  const auto random = [](std::int64_t size, unsigned seed) { return uniform({size, size}, 10 * size, seed, "csr"); };
  const auto wants = [&](const std::string& group) {
    const std::string input = group == "SpGEMM" ? "k^2, 10 a row" : "uniform, 10 a row";
    return bench.wants(group + ", assembled", input) || bench.wants(group + ", values only", input);
  };
  const std::string other = "TACO in another run, on like input: ";
  const Sizes square{{"m", n}, {"n", n}, {"p", n}};
  if (wants("Plus2"))
    measure_case(bench,
                 {"plus2", "Plus2", "uniform, 10 a row", {random(n, 1), random(n, 2)}, square, other + "15.3 ms"});
  if (wants("Plus3"))
    measure_case(
        bench,
        {"plus3", "Plus3", "uniform, 10 a row", {random(n, 1), random(n, 2), random(n, 3)}, square, other + "42.6 ms"});
  if (wants("SpGEMM"))
    for (const std::int64_t size : bench.quick() ? std::vector{n} : std::vector{std::int64_t{20'000}, n}) {
      measure_case(bench, {"spgemm",
                           "SpGEMM",
                           std::to_string(size / 1000) + "k^2, 10 a row",
                           {random(size, 7), random(size, 8)},
                           {{"m", size}, {"n", size}, {"p", size}},
                           other + (size == 20'000 ? "62 ms" : "484 ms")});
    }
}

} // namespace cyclotron::bench
