// SPDX-License-Identifier: MIT
// Structures against the slow way to find them, against values, and against what is known by heart.
#include "recurrence/structure.hpp"

#include "driver/pipelines.hpp"
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"
#include "naive_structure.hpp"
#include "recurrence/interpret.hpp"
#include "tensor/walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cyclotron::recurrence {
namespace {

class Case {
public:
  explicit Case(const std::string& text) {
    front_end_ = driver::run_front_end(sources_.add("program.cyc", text), {}, diagnostics_);
  }
  bool accepted() const { return front_end_.checked.has_value(); }
  const Program& program() const { return front_end_.checked->program(); }
  const Domains& domains() const { return front_end_.checked->domains; }
  auto structure(const Bindings& bindings) {
    return find_structure(program(), front_end_.checked->types, domains(), bindings, diagnostics_);
  }
  auto interpreted(const Bindings& bindings) {
    return interpret(program(), front_end_.checked->types, domains(), bindings, {}, diagnostics_);
  }
  Diagnostics& diagnostics() { return diagnostics_; }
  std::string messages() const { return diagnostics_.render(false); }

private:
  Sources sources_;
  Diagnostics diagnostics_{sources_};
  driver::FrontEndResult front_end_;
};

using Coordinates = std::vector<std::int64_t>;

// The elements of a tensor that stores these, all 1.
tensor::Tensor tensor_of(const TensorDecl& decl, const Coordinates& dims, const std::vector<Coordinates>& elements) {
  tensor::Entries entries;
  entries.dims = dims;
  entries.coordinates.resize(dims.size());
  for (const Coordinates& e : elements)
    for (std::size_t d = 0; d < dims.size(); ++d) entries.coordinates[d].push_back(e[d]);
  entries.values = tensor::make_values(decl.type, elements.size());
  std::visit([](auto& v) { std::fill(v.begin(), v.end(), 1); }, entries.values);
  const Sources no_sources;
  Diagnostics diagnostics(no_sources);
  return *tensor::pack(std::move(entries), decl.format, diagnostics);
}

Coordinates dims_of(const TensorDecl& decl, const Program& program, const Bindings& bindings) {
  Coordinates dims;
  for (const Expr& d : decl.dims)
    dims.push_back(accepted_affine(d, program).evaluate([&](const std::string& n) { return bindings.sizes.at(n); }));
  return dims;
}

// Every input with elements here and there; square ones with their diagonal, so that factorizations have pivots.
Bindings random_bindings(const Program& program, std::int64_t size, double density, std::mt19937_64& draw) {
  Bindings bindings;
  for (const Binder& s : program.sizes) bindings.sizes[s.name] = size;
  for (const TensorDecl* t : program.inputs()) {
    const Coordinates dims = dims_of(*t, program, bindings);
    std::vector<Coordinates> elements;
    std::int64_t count = 1;
    for (std::int64_t d : dims) count *= d;
    for (std::int64_t i = 0; i < count; ++i) {
      Coordinates at(dims.size());
      std::int64_t rest = i;
      for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d]) at[d] = rest % dims[d];
      const bool diagonal = dims.size() == 2 && at[0] == at[1];
      if (diagonal || std::uniform_real_distribution<>(0, 1)(draw) < density) elements.push_back(at);
    }
    bindings.tensors.emplace(t->name.name, tensor_of(*t, dims, elements));
  }
  return bindings;
}

// Formats in which a dense level under a sparse one stores more than was asked for.
bool stores_exactly(const tensor::Format& format) { return format.levels.back() != tensor::LevelKind::dense; }

// Empty where the structure is what the slow way finds, in a tensor that is sound.
std::string compare(Case& c, const Bindings& bindings) {
  const auto found = c.structure(bindings);
  if (!found) return c.messages();
  const Presence expected = naive_structure(c.program(), c.domains(), bindings);
  for (const TensorDecl* t : c.program().outputs()) {
    const std::string& name = t->name.name;
    if (tensor::is_dense(t->format) != (found->count(name) == 0)) return name + " should have a structure or not";
    if (tensor::is_dense(t->format)) continue;
    const tensor::Tensor& tensor = found->at(name);
    if (const std::string problem = tensor::problem_of(tensor); !problem.empty()) return name + ": " + problem;
    if (tensor.format != t->format || tensor.type() != t->type || tensor::nonzeros(tensor) != 0)
      return name + " is not of zeros, or not as it is declared";
    const std::vector<bool> stored = stored_elements(tensor);
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (expected.at(name)[i] != stored[i] && (expected.at(name)[i] || stores_exactly(t->format)))
        return name + " at element " + std::to_string(i) + (stored[i] ? " has too much" : " misses something");
  }
  return "";
}

// Empty where every value other than zero lies in the structure.
std::string compare_values(Case& c, const Bindings& bindings) {
  const auto found = c.structure(bindings);
  if (!found) return c.messages();
  const auto values = c.interpreted(bindings);
  if (!values) return ""; // an integer overflows
  for (const auto& [name, tensor] : *found) {
    const std::vector<bool> stored = stored_elements(tensor);
    std::string problem;
    tensor::walk(values->at(name), [&](std::int64_t position, const std::int64_t* at) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < tensor.dims.size(); ++d) offset = offset * tensor.dims[d] + at[d];
      const double value = tensor::float_at(values->at(name).values, position);
      // Not a number is what 0/0 gives, and that counts as 0/1 here.
      if (value != 0 && !std::isnan(value) && !stored[static_cast<std::size_t>(offset)])
        problem = name + " is " + std::to_string(value) + " at element " + std::to_string(offset);
    });
    if (!problem.empty()) return problem;
  }
  return "";
}

// One line per element of the structure of output `x`: "0 1\n2 2\n".
std::string structure_of(const std::string& text, const std::map<std::string, std::int64_t>& sizes,
                         const std::map<std::string, std::vector<Coordinates>>& inputs) {
  Case c(text);
  if (!c.accepted()) return c.messages();
  Bindings bindings{sizes, {}};
  for (const TensorDecl* t : c.program().inputs())
    bindings.tensors.emplace(t->name.name, tensor_of(*t, dims_of(*t, c.program(), bindings), inputs.at(t->name.name)));
  const auto found = c.structure(bindings);
  if (!found) return c.messages();
  std::string lines;
  tensor::walk(found->at("x"), [&](std::int64_t, const std::int64_t* at) {
    for (std::size_t d = 0; d < found->at("x").dims.size(); ++d) lines += (d == 0 ? "" : " ") + std::to_string(at[d]);
    lines += "\n";
  });
  return lines;
}

const std::string sparse_cholesky = "tensor A(n, n): csr\n"
                                    "tensor x(n, n): csr\n"
                                    "x(i,j) = (A(i,j) - sum[k](x(i,k) * x(j,k))) / x(j,j) : k < j, j < i\n"
                                    "x(i,i) = sqrt(A(i,i) - sum[k](x(i,k) * x(i,k))) : k < i\n";

TEST(Structure, FillOfCholesky) {
  // An arrow that points up fills everything; one that points down, and a band of one, fill nothing.
  EXPECT_EQ(
      structure_of(sparse_cholesky, {{"n", 4}}, {{"A", {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 2}, {3, 0}, {3, 3}}}}),
      "0 0\n1 0\n1 1\n2 0\n2 1\n2 2\n3 0\n3 1\n3 2\n3 3\n");
  EXPECT_EQ(
      structure_of(sparse_cholesky, {{"n", 4}}, {{"A", {{0, 0}, {1, 1}, {2, 2}, {3, 0}, {3, 1}, {3, 2}, {3, 3}}}}),
      "0 0\n1 1\n2 2\n3 0\n3 1\n3 2\n3 3\n");
  EXPECT_EQ(
      structure_of(sparse_cholesky, {{"n", 3}}, {{"A", {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}}}),
      "0 0\n1 0\n1 1\n2 1\n2 2\n");
  // Without a diagonal in A there is one in the factor only where something is to its left.
  EXPECT_EQ(structure_of(sparse_cholesky, {{"n", 3}}, {{"A", {{2, 0}}}}), "2 0\n2 2\n");
}

TEST(Structure, NothingAndOne) {
  EXPECT_EQ(structure_of(sparse_cholesky, {{"n", 0}}, {{"A", {}}}), "");
  EXPECT_EQ(structure_of(sparse_cholesky, {{"n", 1}}, {{"A", {}}}), "");
  EXPECT_EQ(structure_of(sparse_cholesky, {{"n", 1}}, {{"A", {{0, 0}}}}), "0 0\n");
  const std::string constant = "tensor x(n): {compressed}\nx(i) = 1\n";
  EXPECT_EQ(structure_of(constant, {{"n", 0}}, {}), "");
  EXPECT_EQ(structure_of(constant, {{"n", 2}}, {}), "0\n1\n");
  EXPECT_EQ(structure_of("tensor x(n): {compressed}\nx(i) = 0\n", {{"n", 2}}, {}), "");
}

// Dimensions far beyond what could be gone through.
TEST(Structure, EnormousTensors) {
  const std::int64_t n = std::int64_t{1} << 30;
  const std::string product =
      "tensor A(n, n): coo\ntensor B(n, n): dcsr\ntensor x(n, n): dcsr\nx(i,j) = A(i,k)*B(k,j)\n";
  EXPECT_EQ(structure_of(product, {{"n", n}}, {{"A", {{5, 1000000000}}}, {"B", {{1000000000, 7}, {3, 3}}}}), "5 7\n");
  Case c("tensor A(n, n, n): coo\ntensor x(n, n, n): csf\nx(i,j,k) = A(i,j,k)\n");
  Bindings bindings{{{"n", n}}, {}};
  bindings.tensors.emplace("A", tensor_of(*c.program().inputs()[0], {n, n, n}, {}));
  EXPECT_FALSE(c.structure(bindings));
  EXPECT_TRUE(c.diagnostics().only_unsupported());
  EXPECT_NE(c.messages().find("`A` is too large to find where it can be other than zero"), std::string::npos)
      << c.messages();
}

TEST(Structure, TilesAreRefused) {
  Case c("tensor A(n, 2, 2)\ntensor x(n, 2, 2): {compressed, dense, dense}\nx(i) = A(i) + A(i)\n");
  ASSERT_TRUE(c.accepted()) << c.messages();
  Bindings bindings{{{"n", 1}}, {}};
  bindings.tensors.emplace("A", tensor_of(*c.program().inputs()[0], {1, 2, 2}, {}));
  EXPECT_FALSE(c.structure(bindings));
  EXPECT_TRUE(c.diagnostics().only_unsupported());
  EXPECT_NE(c.messages().find("the structure of a sparse result cannot be found through tiles"), std::string::npos);
}

// --- against the slow way ---

// %A, %B, ... stand for formats of matrices, %a for those of vectors, %t for those of tensors of rank 3.
const std::vector<std::string> programs = {
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor x(n, m): %C\nx(i,j) = A(i,j) + B(i,j)\n",
    "tensor A(n, m): %A\ntensor B(m, n): %B\ntensor x(n, m): %C\nx(i,j) = A(i,j) * B(j,i)\n",
    "tensor A(n, m): %A\ntensor B(m, p): %B\ntensor x(n, p): %C\nx(i,j) = A(i,k) * B(k,j)\n",
    "tensor A(m, n): %A\ntensor B(p, m): %B\ntensor x(n, p): %C\nx(i,j) = 2 * A(k,i) * B(j,k)\n",
    "tensor A(n, m): %A\ntensor B(m, p): %B\ntensor C(p, n): %B\ntensor x(n, n): %C\n"
    "x(i,j) = sum[k](A(i,k) * sum[l](B(k,l) * C(l,j)))\n",
    "tensor A(n, m): %A\ntensor C(n, p)\ntensor D(m, p)\ntensor x(n, m): %C\nx(i,j) = A(i,j) * C(i,k) * D(j,k)\n",
    "tensor A(n, m): %A\ntensor B(n, m): %B\ntensor x(n, m): %C\n"
    "x(i,j) = (A(i,j) + B(i,j)) * sum[k](A(i,k)) * sum[k](B(k,j))\n",
    "tensor A(n, m, p): %t\ntensor B(m, p): %B\ntensor x(n, m): %C\nx(i,j) = A(i,j,k) * B(j,k)\n",
    "tensor A(n, m, p): %t\ntensor B(p, q): %B\ntensor x(n, m, q): %t\nx(i,j,l) = A(i,j,k) * B(k,l)\n",
    "tensor A(n, m, p): %t\ntensor x(p, m, n): %t\nx(i,j,k) = A(k,j,i)\n",
    "tensor A(n, m): %A\ntensor x(n): %a\nx(i) = max[j](A(i,j)) : j < i\n",
    "tensor A(n, m): %A\ntensor x(n): %a\nx(i) = prod[j](A(i,j)) : 2*j < i\n",
    "tensor A(n, n): %A\ntensor x(n, n): %C\nx(i,j) = select(i < j, A(i,j), select(i == j, 1, A(j,i)))\n",
    "tensor A(n, n): %A\ntensor x(n, n): %C\nx(i,j) = select(A(i,j) > 0, A(i,j), A(j,i)) : i != j\n",
    "tensor A(n, n): %A\ntensor B(n, n): %B\ntensor x(n, n): %C\nx(i,j) = select(abs(A(i,j)) > 0, B(i,j) + 1, 0)\n",
    "tensor A(n, n): %A\ntensor x(n, n): %C\nx(i,j) = select(i < j or A(i,j) > 0 and not (i == 0), 1, 0)\n",
    "tensor A(n, n): %A: bool\ntensor x(n, n): %C: bool\nx(i,j) = A(i,j) or i == j\n",
    "tensor A(n+2, n): %A\ntensor x(n, n): %C\nx(i,j) = A(i,j) + A(i+1,j) + A(i+2,j)\n",
    "tensor w(n): %a\ntensor v(n+n): %a\ntensor x(n): %a\nx(i) = w(k) * v(i+k)\n",
    "tensor v(n): %a\ntensor x(2*n+1): %a\nx(2*i+1) = v(i)\nx(2*i) = v(i) * v(n-1-i) : i < n\n",
    "tensor A(n, n): %A\ntensor x(n): %a\nx(i) = A(i,i)\n",
    "tensor A(n, n): %A\ntensor x(n, n, n): %t\nx(i,j,k) = A(i,j) * A(j,k) * A(k,i)\n",
    // recursive
    "tensor A(n, n): %A\ntensor x(n, n): %C\n"
    "x(i,j) = (A(i,j) - sum[k](x(i,k) * x(j,k))) / x(j,j) : k < j, j < i\n"
    "x(i,i) = sqrt(A(i,i) - sum[k](x(i,k) * x(i,k))) : k < i\n",
    "tensor A(n, n): %A\ntensor L(n, n): %B\ntensor U(n, n): %C\n"
    "U(i,j) = A(i,j) - sum[k](L(i,k) * U(k,j)) : k < i, i <= j\n"
    "L(i,j) = (A(i,j) - sum[k](L(i,k) * U(k,j))) / U(j,j) : k < j, j < i\nL(i,i) = 1\n",
    // U D U^T from the last column on
    "tensor A(n, n): %A\ntensor x(n, n): %C\nx(i,j) = A(i,j) - sum[k](x(i,k) * x(j,k)) : k > j, i <= j\n",
    "tensor L(n, n): %A\ntensor b(n): %a\ntensor x(n): %a\nx(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n",
    "tensor U(n, n): %A\ntensor b(n): %a\ntensor x(n): %a\nx(i) = (b(i) - sum[j](U(i,j) * x(j))) / U(i,i) : j > i\n",
    "tensor L(n, n): %A\ntensor B(n, m): %B\ntensor x(n, m): %C\n"
    "x(i,j) = (B(i,j) - sum[k](L(i,k) * x(k,j))) / L(i,i) : k < i\n",
    "tensor b(n): %a\ntensor x(n): %a\nx(i) = b(i) + x(i+1) : i < n-1\nx(i) = b(i) : i == n-1\n",
    "tensor a(n): %a\ntensor b(n): %a\ntensor y(n): %a\ntensor x(n): %a\n"
    "x(i) = a(i) + y(i-1) : i >= 1\ny(i) = b(i) * x(i) + y(i-1) : i >= 1\n",
    "tensor A(n, m): %A\ntensor x(n, m): %C\nx(i,j) = A(i,j) + x(i-1,j) * x(i,j-1) : i >= 1, j >= 1\n",
    "tensor G(n, n): %A: bool\ntensor x(n, n): %C: bool\nx^(-1)(i,j) = G(i,j)\n"
    "x^k(i,j) = x^(k-1)(i,j) or (x^(k-1)(i,k) and x^(k-1)(k,j))\n",
    "assume n <= m\ntensor A(m, n): %A\ntensor Q(m, n): %B\ntensor R(n, n): %C\ntensor V(m, n): %B\n"
    "V^0(i,j) = A(i,j)\nV^k(i,j) = V^(k-1)(i,j) - Q(i,k-1) * R(k-1,j) : 1 <= k, k <= j\n"
    "R(j,j) = sqrt(sum[i](V^j(i,j) * V^j(i,j)))\nQ(i,j) = V^j(i,j) / R(j,j)\n"
    "R(k,j) = sum[i](Q(i,k) * V^k(i,j)) : k < j\n",
    "tensor G(n, n): %A: bool\ntensor x(n, n): %C: bool\n"
    "x(i,j) = any[k](x(i,k) and x(k+1,j)) : i <= k, k < j, i < j\nx(i,i) = G(i,i) and G(0,i)\n",
    "tensor A(n, n, n): %t\ntensor x(n, n, n): %t\nx(i,j,k) = A(i,j,k) + x(i-1,l,k) * x(i-1,j,l) : i >= 1\n"
    "x(0,j,k) = A(0,j,k)\n",
};

// Replaces each mark by a format, and moves a type from behind it to the front, where the language wants it.
std::string with_formats(std::string text, std::mt19937_64& draw) {
  const std::vector<std::string> matrices = {"csr",
                                             "csc",
                                             "dcsr",
                                             "coo",
                                             "{dense, bitvector}",
                                             "{bitvector, compressed} order (1,0)",
                                             "{compressed, dense}",
                                             "{compressed, singleton} order (1,0)"};
  const std::vector<std::string> vectors = {"{compressed}", "{bitvector}"};
  const std::vector<std::string> cubes = {"csf", "coo", "{dense, compressed, dense}",
                                          "{dense, compressed, bitvector} order (2,0,1)"};
  std::map<char, std::string> chosen;
  for (const char mark : {'A', 'B', 'C', 'a', 't'}) {
    const auto& list = mark == 'a' ? vectors : mark == 't' ? cubes : matrices;
    chosen[mark] = list[draw() % list.size()];
  }
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%')) {
    const std::string type = text.compare(at + 2, 6, ": bool") == 0 ? "bool " : "";
    text.replace(at, type.empty() ? 2 : 8, type + chosen.at(text[at + 1]));
  }
  return text;
}

TEST(Structure, IsWhatTheSlowWayFinds) {
  std::mt19937_64 draw(1);
  for (const std::string& marked : programs)
    for (int round = 0; round < fuzz::cases(4); ++round) {
      const std::string text = with_formats(marked, draw);
      Case c(text);
      ASSERT_TRUE(c.accepted()) << text << c.messages();
      for (const std::int64_t size : {0, 1, 2, 5, 9}) {
        const double density = std::array{0.0, 0.1, 0.25, 0.6}[draw() % 4];
        const Bindings bindings = random_bindings(c.program(), size, density, draw);
        ASSERT_EQ(compare(c, bindings), "") << text << "size " << size;
        Case with_values(text); // of its own, because the interpreter may refuse the numbers
        const std::string problem = round == 0 ? compare_values(with_values, bindings) : "";
        ASSERT_EQ(problem, "") << text << "size " << size;
      }
    }
}

// --- random programs ---

// The program with every tensor but scalars in a format that is not dense.
std::string made_sparse(const std::string& text, std::mt19937_64& draw) {
  const std::vector<std::vector<std::string>> formats = {
      {}, {"{compressed}", "{bitvector}"}, {"csr", "csc", "dcsr", "coo"}, {"csf", "coo", "{dense, dense, compressed}"}};
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('('), close = line.find("): ");
    if (line.starts_with("tensor ") && open != std::string::npos && close != std::string::npos) {
      const auto rank =
          1 + static_cast<std::size_t>(std::count(line.begin() + static_cast<std::ptrdiff_t>(open),
                                                  line.begin() + static_cast<std::ptrdiff_t>(close), ','));
      const std::size_t type_end = line.find(' ', close + 3);
      if (rank < formats.size()) line = line.substr(0, type_end) + " " + formats[rank][draw() % formats[rank].size()];
    }
    out += line + "\n";
  }
  return out;
}

TEST(Structure, OfRandomPrograms) {
  int compared = 0;
  fuzz::check_property(100, [&](const fuzz::RandomProgram& random) {
    std::mt19937_64 draw(random.seed);
    const std::string text = made_sparse(random.text, draw);
    Case c(text);
    if (!c.accepted()) return;
    for (int round = 0; round < 4; ++round) {
      Bindings bindings{fuzz::random_sizes(c.program(), random, round), {}};
      bindings.tensors = fuzz::random_inputs(c.program(), bindings.sizes, random.seed);
      if (!c.structure(bindings)) {
        RC_ASSERT(c.diagnostics().only_unsupported());
        return;
      }
      const std::string problem = compare(c, bindings) + compare_values(c, bindings);
      if (!problem.empty()) RC_FAIL(text + problem);
    }
    ++compared;
  });
  EXPECT_GE(compared, 30);
}

} // namespace
} // namespace cyclotron::recurrence
