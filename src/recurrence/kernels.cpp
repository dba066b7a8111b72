// SPDX-License-Identifier: MIT
#include "recurrence/kernels.hpp"

#include <cmath>

namespace cyclotron::recurrence {

namespace {

Tile zero_tile(std::int64_t m, std::int64_t n) {
  return {{m, n}, std::vector<double>(static_cast<std::size_t>(m * n))};
}

Tile transpose(const Tile& a) {
  Tile t = zero_tile(a.dims[1], a.dims[0]);
  for (std::int64_t i = 0; i < a.dims[0]; ++i)
    for (std::int64_t j = 0; j < a.dims[1]; ++j) t.at(j, i) = a.at(i, j);
  return t;
}

Tile multiply(const Tile& a, const Tile& b) {
  Tile c = zero_tile(a.dims[0], b.dims[1]);
  for (std::int64_t i = 0; i < a.dims[0]; ++i)
    for (std::int64_t j = 0; j < b.dims[1]; ++j)
      for (std::int64_t k = 0; k < a.dims[1]; ++k) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

double divided(double a, double pivot, Failure& failure) {
  if (pivot == 0 && failure == Failure::none) failure = Failure::divides_by_zero;
  return a / pivot;
}

double root(double a, Failure& failure) {
  if (a < 0 && failure == Failure::none) failure = Failure::root_of_negative;
  return std::sqrt(a);
}

// X with L X = B for lower triangular L; the strict upper part of L is not read. With `unit`, nor the diagonal.
Tile solve_lower(const Tile& l, Tile b, bool unit, Failure& failure) {
  for (std::int64_t j = 0; j < b.dims[1]; ++j)
    for (std::int64_t i = 0; i < l.dims[0]; ++i) {
      for (std::int64_t k = 0; k < i; ++k) b.at(i, j) -= l.at(i, k) * b.at(k, j);
      if (!unit) b.at(i, j) = divided(b.at(i, j), l.at(i, i), failure);
    }
  return b;
}

// X with U X = B for upper triangular U; the strict lower part of U is not read.
Tile solve_upper(const Tile& u, Tile b, Failure& failure) {
  for (std::int64_t j = 0; j < b.dims[1]; ++j)
    for (std::int64_t i = u.dims[0] - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < u.dims[0]; ++k) b.at(i, j) -= u.at(i, k) * b.at(k, j);
      b.at(i, j) = divided(b.at(i, j), u.at(i, i), failure);
    }
  return b;
}

Tile as_column(const Tile& v) { return {{v.dims[0], 1}, v.values}; }
Tile as_vector(const Tile& column) { return {{column.dims[0]}, column.values}; }

// L with L Lᵀ = A, L lower triangular; only the lower part of A is read.
Tile cholesky(const Tile& a, Failure& failure) {
  Tile l = zero_tile(a.dims[0], a.dims[0]);
  for (std::int64_t j = 0; j < a.dims[0]; ++j)
    for (std::int64_t i = j; i < a.dims[0]; ++i) {
      double s = a.at(i, j);
      for (std::int64_t k = 0; k < j; ++k) s -= l.at(i, k) * l.at(j, k);
      l.at(i, j) = i == j ? root(s, failure) : divided(s, l.at(j, j), failure);
    }
  return l;
}

// L and U of A = L U in one tile: U on and above the diagonal, L (unit diagonal not stored) below. No pivoting.
Tile factor_lu(Tile a, Failure& failure) {
  for (std::int64_t k = 0; k < a.dims[0]; ++k)
    for (std::int64_t i = k + 1; i < a.dims[0]; ++i) {
      a.at(i, k) = divided(a.at(i, k), a.at(k, k), failure);
      for (std::int64_t j = k + 1; j < a.dims[0]; ++j) a.at(i, j) -= a.at(i, k) * a.at(k, j);
    }
  return a;
}

// The parts of L and U in one tile.
Tile unit_lower(Tile a) {
  for (std::int64_t i = 0; i < a.dims[0]; ++i)
    for (std::int64_t j = i; j < a.dims[0]; ++j) a.at(i, j) = i == j ? 1 : 0;
  return a;
}

Tile upper(Tile a) {
  for (std::int64_t i = 0; i < a.dims[0]; ++i)
    for (std::int64_t j = 0; j < i; ++j) a.at(i, j) = 0;
  return a;
}

using Args = const std::vector<Tile>&;

} // namespace

const std::vector<Kernel>& kernel_table() {
  static const std::vector<Kernel> table = {
      {"GEMM",
       {"mk", "kn"},
       "mn",
       "A B",
       "C(i,j) = sum[l](A(i,l) * B(l,j))",
       {"mkn"},
       [](Args t, Failure&) { return multiply(t[0], t[1]); }},
      {"GEMM_NT",
       {"mk", "nk"},
       "mn",
       "A Bᵀ",
       "C(i,j) = sum[l](A(i,l) * B(j,l))",
       {"mkn"},
       [](Args t, Failure&) { return multiply(t[0], transpose(t[1])); }},
      {"GEMM_TN",
       {"km", "kn"},
       "mn",
       "Aᵀ B",
       "C(i,j) = sum[l](A(l,i) * B(l,j))",
       {"mkn"},
       [](Args t, Failure&) { return multiply(transpose(t[0]), t[1]); }},
      {"GEMV",
       {"mk", "k"},
       "m",
       "A x",
       "C(i) = sum[l](A(i,l) * B(l))",
       {"mk"},
       [](Args t, Failure&) { return as_vector(multiply(t[0], as_column(t[1]))); }},
      {"GEMV_T",
       {"km", "k"},
       "m",
       "Aᵀ x",
       "C(i) = sum[l](A(l,i) * B(l))",
       {"mk"},
       [](Args t, Failure&) { return as_vector(multiply(transpose(t[0]), as_column(t[1]))); }},
      {"GER",
       {"m", "n"},
       "mn",
       "x yᵀ",
       "C(i,j) = A(i) * B(j)",
       {"mn"},
       [](Args t, Failure&) { return multiply(as_column(t[0]), transpose(as_column(t[1]))); }},
      {"SYRK",
       {"mk"},
       "mm",
       "A Aᵀ",
       "C(i,j) = sum[l](A(i,l) * A(j,l))",
       {"mmk"},
       [](Args t, Failure&) { return multiply(t[0], transpose(t[0])); }},
      {"TRSM",
       {"mm", "mn"},
       "mn",
       "L⁻¹ B, L lower triangular",
       "C(i,j) = (B(i,j) - sum[l](A(i,l) * C(l,j))) / A(i,i) : l < i",
       {"mmn", 1.0 / 2},
       [](Args t, Failure& f) { return solve_lower(t[0], t[1], false, f); }},
      {"TRSM_LLU",
       {"mm", "mn"},
       "mn",
       "L⁻¹ B, L lower triangular with unit diagonal",
       "C(i,j) = B(i,j) - sum[l](A(i,l) * C(l,j)) : l < i",
       {"mmn", 1.0 / 2},
       [](Args t, Failure& f) { return solve_lower(t[0], t[1], true, f); }},
      {"TRSM_LLT",
       {"mm", "mn"},
       "mn",
       "L⁻ᵀ B, L lower triangular",
       "C(i,j) = (B(i,j) - sum[l](A(l,i) * C(l,j))) / A(i,i) : l > i",
       {"mmn", 1.0 / 2},
       [](Args t, Failure& f) { return solve_upper(transpose(t[0]), t[1], f); }},
      {"TRSM_LUN",
       {"mm", "mn"},
       "mn",
       "U⁻¹ B, U upper triangular",
       "C(i,j) = (B(i,j) - sum[l](A(i,l) * C(l,j))) / A(i,i) : l > i",
       {"mmn", 1.0 / 2},
       [](Args t, Failure& f) { return solve_upper(t[0], t[1], f); }},
      {"TRSM_RLN",
       {"nn", "mn"},
       "mn",
       "B L⁻¹ of (L, B), L lower triangular",
       "C(i,j) = (B(i,j) - sum[l](C(i,l) * A(l,j))) / A(j,j) : l > j",
       {"mnn", 1.0 / 2},
       [](Args t, Failure& f) { return transpose(solve_upper(transpose(t[0]), transpose(t[1]), f)); }},
      {"TRSM_RLT",
       {"nn", "mn"},
       "mn",
       "B L⁻ᵀ of (L, B), L lower triangular",
       "C(i,j) = (B(i,j) - sum[l](C(i,l) * A(j,l))) / A(j,j) : l < j",
       {"mnn", 1.0 / 2},
       [](Args t, Failure& f) { return transpose(solve_lower(t[0], transpose(t[1]), false, f)); }},
      {"TRSM_RUN",
       {"nn", "mn"},
       "mn",
       "B U⁻¹ of (U, B), U upper triangular",
       "C(i,j) = (B(i,j) - sum[l](C(i,l) * A(l,j))) / A(j,j) : l < j",
       {"mnn", 1.0 / 2},
       [](Args t, Failure& f) { return transpose(solve_lower(transpose(t[0]), transpose(t[1]), false, f)); }},
      {"TRSV",
       {"mm", "m"},
       "m",
       "L⁻¹ b, L lower triangular",
       "C(i) = (B(i) - sum[l](A(i,l) * C(l))) / A(i,i) : l < i",
       {"mm", 1.0 / 2},
       [](Args t, Failure& f) { return as_vector(solve_lower(t[0], as_column(t[1]), false, f)); }},
      {"TRSV_LU",
       {"mm", "m"},
       "m",
       "L⁻¹ b, L lower triangular with unit diagonal",
       "C(i) = B(i) - sum[l](A(i,l) * C(l)) : l < i",
       {"mm", 1.0 / 2},
       [](Args t, Failure& f) { return as_vector(solve_lower(t[0], as_column(t[1]), true, f)); }},
      {"TRSV_UN",
       {"mm", "m"},
       "m",
       "U⁻¹ b, U upper triangular",
       "C(i) = (B(i) - sum[l](A(i,l) * C(l))) / A(i,i) : l > i",
       {"mm", 1.0 / 2},
       [](Args t, Failure& f) { return as_vector(solve_upper(t[0], as_column(t[1]), f)); }},
      {"POTRF",
       {"mm"},
       "mm",
       "the lower Cholesky factor of A",
       "C(i,j) = (A(i,j) - sum[l](C(i,l) * C(j,l))) / C(j,j) : l < j, j < i\n"
       "C(i,i) = sqrt(A(i,i) - sum[l](C(i,l) * C(i,l))) : l < i",
       {"mmm", 1.0 / 6},
       [](Args t, Failure& f) { return cholesky(t[0], f); }},
      {"GETRF",
       {"mm"},
       "mm",
       "L and U of A = L U in one tile, without pivoting",
       "C(i,j) = A(i,j) - sum[l](C(i,l) * C(l,j)) : l < i, i <= j\n"
       "C(i,j) = (A(i,j) - sum[l](C(i,l) * C(l,j))) / C(j,j) : l < j, j < i",
       {"mmm", 1.0 / 3},
       [](Args t, Failure& f) { return factor_lu(t[0], f); }},
      {"GETRF_L",
       {"mm"},
       "mm",
       "L of A = L U, with unit diagonal, without pivoting",
       "C(i,j) = (A(i,j) - sum[l](C(i,l) * D(l,j))) / D(j,j) : l < j, j < i\n"
       "C(i,i) = 1\n"
       "D(i,j) = A(i,j) - sum[l](C(i,l) * D(l,j)) : l < i, i <= j",
       {"mmm", 1.0 / 3},
       [](Args t, Failure& f) { return unit_lower(factor_lu(t[0], f)); }},
      {"GETRF_U",
       {"mm"},
       "mm",
       "U of A = L U, without pivoting",
       "C(i,j) = A(i,j) - sum[l](D(i,l) * C(l,j)) : l < i, i <= j\n"
       "D(i,j) = (A(i,j) - sum[l](D(i,l) * C(l,j))) / C(j,j) : l < j, j < i\n"
       "D(i,i) = 1",
       {"mmm", 1.0 / 3},
       [](Args t, Failure& f) { return upper(factor_lu(t[0], f)); }},
      {"TRANSPOSE", {"mn"}, "nm", "Aᵀ", "C(i,j) = A(j,i)", {"", 0}, [](Args t, Failure&) { return transpose(t[0]); }},
  };
  return table;
}

std::string definition_program(const Kernel& kernel) {
  const auto declared = [](const std::string& name, std::string_view letters) {
    std::string dims;
    for (char letter : letters) dims += (dims.empty() ? "" : ", ") + std::string(1, letter);
    return "tensor " + name + "(" + dims + ")\n";
  };
  std::string text;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) text += declared(i == 0 ? "A" : "B", kernel.arguments[i]);
  text += declared("C", kernel.result);
  if (kernel.definition.find("D(") != std::string_view::npos) text += declared("D", kernel.result);
  return text + std::string(kernel.definition) + "\n";
}

namespace {

// Of the first argument that has it.
std::optional<std::int64_t> extent_of(char letter, const Kernel& kernel,
                                      const std::vector<std::vector<std::int64_t>>& dims) {
  for (std::size_t a = 0; a < kernel.arguments.size(); ++a)
    if (const std::size_t d = kernel.arguments[a].find(letter); d != std::string_view::npos && d < dims[a].size())
      return dims[a][d];
  return std::nullopt;
}

} // namespace

std::vector<std::int64_t> result_extents(const Kernel& kernel, const std::vector<std::vector<std::int64_t>>& dims) {
  std::vector<std::int64_t> result;
  for (const char letter : kernel.result) result.push_back(extent_of(letter, kernel, dims).value_or(0));
  return result;
}

double multiply_adds(const Kernel& kernel, const std::vector<std::vector<std::int64_t>>& dims) {
  double product = kernel.work.share;
  for (const char letter : kernel.work.extents) {
    const auto extent = extent_of(letter, kernel, dims);
    if (!extent) bug("the work of a kernel names an extent that no argument has");
    product *= static_cast<double>(*extent);
  }
  return product;
}

const Kernel* kernel_named(std::string_view name) {
  for (const Kernel& k : kernel_table())
    if (k.name == name) return &k;
  return nullptr;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Kernel& k : kernel_table()) names.emplace_back(k.name);
  return names;
}

} // namespace cyclotron::recurrence
