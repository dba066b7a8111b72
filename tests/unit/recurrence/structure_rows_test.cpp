// SPDX-License-Identifier: MIT
// Structures made row by row from the storage of the operands, against the slow way; and which rules are left to
// others.
#include "recurrence/structure_rows.hpp"

#include "driver/pipelines.hpp"
#include "fuzz/property.hpp"
#include "naive_structure.hpp"
#include "recurrence/structure.hpp"
#include "recurrence/structure_solve.hpp"
#include "tensor/walk.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cyclotron::recurrence {
namespace {

struct RowsCase {
  explicit RowsCase(const std::string& text)
      : front_end(driver::run_front_end(sources.add("program.cyc", text), {}, diagnostics)) {}
  const Program& program() const { return front_end.checked->program(); }
  const Domains& domains() const { return front_end.checked->domains; }

  Sources sources;
  Diagnostics diagnostics{sources};
  driver::FrontEndResult front_end;
};

// Elements here and there, in some rows none.
Bindings random_bindings(RowsCase& c, std::mt19937_64& draw) {
  Bindings bindings;
  for (const Binder& s : c.program().sizes) bindings.sizes[s.name] = std::array{0, 1, 2, 4, 7}[draw() % 5];
  for (const TensorDecl* t : c.program().inputs()) {
    tensor::Entries entries;
    std::int64_t count = 1;
    for (const Expr& d : t->dims) {
      entries.dims.push_back(
          accepted_affine(d, c.program()).evaluate([&](const std::string& n) { return bindings.sizes.at(n); }));
      count *= entries.dims.back();
    }
    entries.coordinates.resize(entries.dims.size());
    const double density = std::array{0.0, 0.02, 0.15, 0.5, 1.0}[draw() % 5];
    const double rows = std::array{0.3, 1.0}[draw() % 2]; // of which there is something
    std::map<std::int64_t, bool> has_some;
    std::size_t stored = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = i * entries.dims[0] / count;
      if (!has_some.count(row)) has_some[row] = std::uniform_real_distribution<>(0, 1)(draw) < rows;
      if (!has_some[row] || std::uniform_real_distribution<>(0, 1)(draw) >= density) continue;
      std::int64_t rest = i;
      for (std::size_t d = entries.dims.size(); d-- > 0; rest /= entries.dims[d])
        entries.coordinates[d].push_back(rest % entries.dims[d]);
      ++stored;
    }
    entries.values = tensor::make_values(t->type, stored);
    auto made = tensor::pack(std::move(entries), t->format, c.diagnostics);
    bindings.tensors.emplace(t->name.name, std::move(*made));
  }
  return bindings;
}

// The head of the last rule, row by row.
std::optional<tensor::Tensor> made_by_rows(RowsCase& c, const Bindings& bindings) {
  auto rules = structure::make_rules(c.program(), c.domains(), bindings, c.diagnostics);
  if (!rules || rules->rules.empty()) return std::nullopt;
  structure::Store store(rules->relations);
  if (!structure::solve(*rules, *c.domains().context, store, c.diagnostics))
    return std::nullopt; // simplifies the rules
  const int head = rules->rules.back().head.relation;
  return structure::rows_of(store.relation(head), structure::rules_of({head}, rules->rules),
                            [&](int r) { return store.stored(r); });
}

// Matrices in each of these formats, one by one.
const std::vector<std::string> row_formats = {"csr", "dcsr", "coo"};

const std::vector<std::string> by_rows = {
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor x(n, m): csr\nx(i,j) = A(i,j) + B(i,j)\n",
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor x(n, m): dcsr\nx(i,j) = 2 * A(i,j) - B(i,j)\n",
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor C(n, m): dcsr\ntensor D(n, m): coo\ntensor E(n, m): csr\n"
    "tensor F(n, m): csr\ntensor x(n, m): csr\n"
    "x(i,j) = A(i,j) + B(i,j) * C(i,j) + D(i,j) + E(i,j) * A(i,j) + F(i,j) + C(i,j)\n",
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor x(n, m): dcsr\nx(i,j) = A(i,j) * B(i,j)\n",
    "tensor A(n, m): %A\ntensor v(m): {compressed}\ntensor x(n, m): csr\nx(i,j) = A(i,j) * v(j)\n",
    "tensor A(n, m): %A\ntensor v(n): {compressed}\ntensor x(n, m): csr\nx(i,j) = A(i,j) * v(i)\n",
    "tensor A(n, m): %A\ntensor B(m, p): %B\ntensor x(n, p): csr\nx(i,j) = A(i,k) * B(k,j)\n",
    "tensor A(n, m): %A\ntensor B(m, p): %B\ntensor x(n, p): dcsr\nx(i,j) = A(i,k) * B(k,j)\n",
    "tensor A(n, m): %A\ntensor B(m, p): %B\ntensor C(n, p): csr\ntensor x(n, p): csr\n"
    "x(i,j) = C(i,j) + A(i,k) * B(k,j)\n",
    "tensor A(n, m): %A\ntensor B(m, p): %B\ntensor C(p, q): csr\ntensor x(n, q): csr\n"
    "x(i,j) = sum[k](A(i,k) * sum[l](B(k,l) * C(l,j)))\n",
    "tensor A(n, m): %A\ntensor C(n, p)\ntensor D(m, p)\ntensor x(n, m): csr\nx(i,j) = A(i,j) * C(i,k) * D(j,k)\n",
    "tensor A(n, m): %A\ntensor B(n, p): %B\ntensor x(n, m): csr\nx(i,j) = A(i,j) * sum[k](B(i,k))\n",
    "tensor A(n, m): %A\ntensor x(n): {compressed}\nx(i) = sum[j](A(i,j))\n",
    "tensor A(n, m): %A\ntensor v(n): {compressed}\ntensor x(m): {compressed}\nx(j) = v(i) * A(i,j)\n",
    "tensor a(n): {compressed}\ntensor b(m): {compressed}\ntensor x(n, m): %A\nx(i,j) = a(i) * b(j)\n",
    "tensor A(n, m, p): csf\ntensor c(p)\ntensor x(n, m): %A\nx(i,j) = A(i,j,k) * c(k)\n",
    "tensor A(n, m, p): coo\ntensor c(p): {compressed}\ntensor x(n, m): csr\nx(i,j) = A(i,j,k) * c(k)\n",
    "tensor A(n, m, p): csf\ntensor B(n, m, p): coo\ntensor C(n, m, p): {dense, compressed, compressed}\n"
    "tensor x(n, m, p): csf\nx(i,j,k) = A(i,j,k) + B(i,j,k) * C(i,j,k)\n",
    "tensor A(n, m, p): csf\ntensor B(n, m, p): csf\ntensor x(n, m, p): {dense, dense, compressed}\n"
    "x(i,j,k) = A(i,j,k) + B(i,j,k)\n",
    "tensor A(n, m, p): csf\ntensor B(p, q): %A\ntensor x(n, m, q): csf\nx(i,j,l) = A(i,j,k) * B(k,l)\n",
    // Lists that stand at the same places in all operands.
    "tensor A(n, m, p): {dense, dense, compressed}\ntensor B(n, m, p): {dense, dense, compressed}\n"
    "tensor x(n, m, p): {dense, dense, compressed}\nx(i,j,k) = A(i,j,k) - 3 * B(i,j,k)\n",
    "tensor A(n, m): csr\ntensor B(n, m): csr\ntensor C(n, m): csr\ntensor x(n, m): csr\n"
    "x(i,j) = A(i,j) + B(i,j) + C(i,j)\n",
    "tensor A(m, n): csc\ntensor B(m, n): csc\ntensor x(m, n): csc\nx(i,j) = A(i,j) + B(i,j)\n",
    // A result that is an operand.
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor y(n, m): csr\ntensor x(n, m): csr\n"
    "y(i,j) = A(i,j) + B(i,j)\nx(i,j) = y(i,j) * A(i,j)\n",
};

std::string with_formats(std::string text, const std::string& a, const std::string& b) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%'))
    text.replace(at, 2, text[at + 1] == 'A' ? a : b);
  return text;
}

TEST(StructureRows, IsWhatTheSlowWayFinds) {
  std::mt19937_64 draw(3);
  for (const std::string& marked : by_rows) {
    int most = 0; // empty ranges have no rules
    for (const std::string& a : row_formats)
      for (const std::string& b : row_formats) {
        const std::string text = with_formats(marked, a, b);
        if (text.find("x(n, m): coo") != std::string::npos) continue;
        int made = 0;
        for (int round = 0; round < fuzz::cases(4); ++round) {
          RowsCase c(text);
          ASSERT_TRUE(c.front_end.checked) << text << c.diagnostics.render(false);
          const Bindings bindings = random_bindings(c, draw);
          made += made_by_rows(c, bindings).has_value();
          const auto found =
              find_structure(c.program(), c.front_end.checked->types, c.domains(), bindings, c.diagnostics);
          ASSERT_TRUE(found) << text << c.diagnostics.render(false);
          const tensor::Tensor& x = found->at("x");
          ASSERT_EQ(tensor::problem_of(x), "") << text;
          ASSERT_EQ(stored_elements(x), naive_structure(c.program(), c.domains(), bindings).at("x")) << text;
        }
        most += made;
      }
    EXPECT_GE(most, 6) << marked;
  }
}

// What would have to be searched, sorted, or gone through again and again.
TEST(StructureRows, LeavesTheRestToOthers) {
  const std::vector<std::string> others = {
      "tensor A(n, n): csc\ntensor x(n, n): csr\nx(i,j) = A(i,j)\n",
      "tensor A(n, n): csr\ntensor x(n, n): csr\nx(i,j) = A(j,i)\n",
      "tensor A(n, n): csr\ntensor B(n, n): csr\ntensor x(n, n): csr\nx(i,j) = A(i,k) * B(j,k)\n",
      "tensor A(n, n): csr\ntensor B(n, n): dcsr\ntensor x(n, n): csr\nx(i,j) = A(i,k) * B(j,k)\n",
      "tensor A(n, n): csr\ntensor B(n, n): csr\ntensor x(n, n): csr\nx(i,j) = A(k,i) * B(k,j)\n",
      "tensor A(n, n): csr\ntensor x(n, n): csr\nx(i,j) = A(i,j) : j < i\n",
      "tensor A(n, n): csr\ntensor x(n, n): coo\nx(i,j) = A(i,j)\n",
      "tensor A(n, n): {dense, bitvector}\ntensor x(n, n): csr\nx(i,j) = A(i,j)\n",
      "tensor A(n, n): csr\ntensor x(n): {compressed}\nx(i) = A(i,i)\n",
      "tensor A(n+1, n): csr\ntensor x(n, n): csr\nx(i,j) = A(i+1,j)\n",
      "tensor A(n, n): csr\ntensor x(n, n): csr\nx(i,j) = A(i,j) + x(i-1,j) : i >= 1\n",
  };
  for (const std::string& text : others) {
    RowsCase c(text);
    ASSERT_TRUE(c.front_end.checked) << text << c.diagnostics.render(false);
    Bindings bindings{{{"n", 5}}, {}};
    for (const TensorDecl* t : c.program().inputs()) {
      const std::int64_t rows = t->name.name == "A" && text.find("n+1") != std::string::npos ? 6 : 5;
      tensor::Entries entries{{rows, 5}, {{0, 2, 4}, {1, 2, 0}}, std::vector<double>{1, 1, 1}};
      bindings.tensors.emplace(t->name.name, *tensor::pack(std::move(entries), t->format, c.diagnostics));
    }
    EXPECT_FALSE(made_by_rows(c, bindings)) << text;
  }
}

// Rows of another operand are found quickly even where each has to be looked for among very many.
TEST(StructureRows, EnormousTensors) {
  const std::int64_t n = std::int64_t{1} << 30;
  RowsCase c("tensor A(n, n): dcsr\ntensor B(n, n): dcsr\ntensor v(n): {compressed}\ntensor x(n, n): dcsr\n"
             "x(i,j) = A(i,k) * B(k,j) + A(i,j) * v(j)\n");
  Bindings bindings{{{"n", n}}, {}};
  const auto add = [&](const char* name, std::vector<std::vector<std::int64_t>> coordinates) {
    const TensorDecl& decl = *c.program().tensor(name);
    const std::size_t count = coordinates[0].size();
    tensor::Entries entries{std::vector<std::int64_t>(coordinates.size(), n), std::move(coordinates),
                            std::vector<double>(count, 1)};
    bindings.tensors.emplace(name, *tensor::pack(std::move(entries), decl.format, c.diagnostics));
  };
  add("A", {{5, 5, 5, 5, 5, 900}, {3, 4, 6, 7, 8, 1000000000}});
  add("B", {{3, 4, 6, 7, 8, 1000000000}, {70, 60, 70, 50, 40, 9}});
  add("v", {{8, 1000000000}});
  EXPECT_TRUE(made_by_rows(c, bindings));
  const auto found = find_structure(c.program(), c.front_end.checked->types, c.domains(), bindings, c.diagnostics);
  ASSERT_TRUE(found);
  std::string lines;
  tensor::walk(found->at("x"), [&](std::int64_t, const std::int64_t* at) {
    lines += std::to_string(at[0]) + " " + std::to_string(at[1]) + "\n";
  });
  EXPECT_EQ(lines, "5 8\n5 40\n5 50\n5 60\n5 70\n900 9\n900 1000000000\n");
}

} // namespace
} // namespace cyclotron::recurrence
