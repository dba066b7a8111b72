// SPDX-License-Identifier: MIT
#include "study/corpus.hpp"

namespace cyclotron::study {
namespace {

// An equation, then the formats that it is taken with, one choice a line. Vectors, matrices, tensors of three and four
// dimensions; products, sums, both; scalars; sparse and dense operands and results; operands stored by columns.
const char* const corpus_text = R"(
a(i) = b(i)
  a d, b d
  a s, b s
  a d, b s
a(i) = b(i) * c(i)
  a d, b d, c d
  a s, b s, c s
  a s, b s, c d
  a d, b s, c d
a(i) = b(i) + c(i)
  a d, b d, c d
  a s, b s, c s
  a d, b s, c d
a(i) = b(i) - c(i)
  a d, b d, c d
  a s, b s, c s
a(i) = b(i) + c(i) + d(i)
  a s, b s, c s, d s
  a d, b d, c d, d d
a(i) = b(i) * c(i) + d(i)
  a d, b s, c d, d d
  a s, b s, c s, d s
a(i) = alpha * b(i)
  a d, b d
  a s, b s
a(i) = alpha * b(i) + c(i)
  a d, b d, c d
  a d, b s, c d
a(i) = alpha * b(i) + beta * c(i)
  a d, b d, c d
  a s, b s, c s
a = b(i) * c(i)
  b d, c d
  b s, c s
  b s, c d
a = b(i)
  b d
  b s
a = b(i) * c(i) * d(i)
  b s, c d, d d
A(i,j) = b(i) * c(j)
  A dd, b d, c d
  A ss, b s, c s
y(i) = A(i,j) * x(j)
  y d, A dd, x d
  y d, A ds, x d
  y d, A ds10, x d
  y d, A ss, x d
  y s, A ss, x s
  y s, A ss, x d
  y d, A ds, x s
y(i) = A(j,i) * x(j)
  y d, A ds, x d
  y d, A ds10, x d
  y d, A dd, x d
  y s, A ss, x s
y(i) = alpha * A(i,j) * x(j)
  y d, A ds, x d
y(i) = A(i,j) * x(j) + z(i)
  y d, A ds, x d, z d
  y d, A dd, x d, z d
  y s, A ss, x s, z s
y(i) = b(i) - A(i,j) * x(j)
  y d, b d, A ds, x d
  y s, b s, A ss, x s
y(i) = alpha * A(i,j) * x(j) + beta * z(i)
  y d, A ds, x d, z d
  y s, A ss, x s, z s
  y d, A dd, x d, z d
y(i) = alpha * A(j,i) * x(j) + beta * z(i)
  y d, A ds10, x d, z d
y(i) = A(i,j) * x(j) + B(i,j) * z(j)
  y d, A ds, x d, B ds, z d
y(i) = d(i) * A(i,j) * x(j)
  y d, d d, A ds, x d
y(i) = A(i,j)
  y d, A ds
  y d, A dd
  y s, A ss
y(j) = A(i,j)
  y d, A ds
  y d, A ds10
y(i) = A(i,j) * B(j,k) * x(k)
  y d, A ds, B ds, x d
  y d, A ss, B ss, x s
a = x(i) * A(i,j) * y(j)
  x d, A ds, y d
  x d, A dd, y d
a = A(i,j)
  A ds
  A dd
a = A(i,j) * B(i,j)
  A dd, B dd
  A ss, B ss
  A ds, B dd
A(i,j) = B(i,j)
  A ss, B ss
  A ds, B ds
  A dd, B ds
  A dd, B dd
A(i,j) = B(j,i)
  A ds, B ds10
  A ss10, B ss
  A dd, B dd
A(i,j) = alpha * B(i,j)
  A ds, B ds
  A ss, B ss
A(i,j) = B(i,j) * C(i,j)
  A dd, B dd, C dd
  A ds, B ds, C ds
  A ss, B ss, C ss
  A ds, B ds, C dd
A(i,j) = B(i,j) + C(i,j)
  A dd, B dd, C dd
  A ds, B ds, C ds
  A ss, B ss, C ss
  A dd, B ds, C dd
A(i,j) = B(i,j) - C(i,j)
  A ds, B ds, C ds
A(i,j) = alpha * B(i,j) + beta * C(i,j)
  A ss, B ss, C ss
  A dd, B dd, C dd
A(i,j) = B(i,j) + C(j,i)
  A ds, B ds, C ds10
A(i,j) = B(i,j) + C(i,j) + D(i,j)
  A ds, B ds, C ds, D ds
  A ss, B ss, C ss, D ss
  A dd, B dd, C dd, D dd
A(i,j) = B(i,j) * c(j)
  A ds, B ds, c d
  A ss, B ss, c s
  A dd, B dd, c d
A(i,j) = b(i) * C(i,j)
  A ds, b d, C ds
  A dd, b d, C dd
A(i,j) = b(i) * C(i,j) * d(j)
  A ds, b d, C ds, d d
A(i,j) = B(i,k) * C(k,j)
  A dd, B dd, C dd
  A dd, B ds, C dd
  A dd, B dd, C ds
  A dd, B ds, C ds10
  A ds, B ds, C ds
  A ss, B ss, C ss
  A ss, B ss, C ss10
  A ss, B ss10, C ss
  A ss10, B ss10, C ss10
A(i,j) = B(i,k) * C(j,k)
  A dd, B ds, C dd
  A ss, B ss, C ss
A(i,j) = alpha * B(i,k) * C(k,j)
  A dd, B dd, C dd
  A dd, B ds, C dd
A(i,j) = B(i,k) * C(k,j) + D(i,j)
  A dd, B dd, C dd, D dd
  A dd, B ds, C dd, D dd
A(i,j) = B(i,k) * C(k,j) + D(i,k) * E(k,j)
  A dd, B ds, C dd, D ds, E dd
A(i,j) = B(i,j) * C(i,k) * D(k,j)
  A ds, B ds, C dd, D dd
  A ds, B ds, C dd, D dd10
  A ss, B ss, C ss, D ss10
A(i,j) = B(i,j) * C(i,k) * D(j,k)
  A ds, B ds, C dd, D dd
  A ss, B ss, C ss, D ss
A(i,l) = B(i,j) * C(j,k) * D(k,l)
  A dd, B ds, C dd, D dd
  A ss, B ss, C ss, D ss
A(i,j) = B(i,k) * c(k) * D(k,j)
  A dd, B ds, c d, D dd
A(i,j) = B(i,j,k) * c(k)
  A dd, B sss, c d
  A ss, B sss, c s
  A ss, B sss, c d
  A dd, B ddd, c d
  A ds, B dss, c d
A(i,k) = B(i,j,k) * c(j)
  A ss, B sss, c d
  A dd, B ddd, c d
a(i) = B(i,j,k) * c(j) * d(k)
  a d, B sss, c d, d d
  a s, B sss, c s, d s
A(i,j,k) = B(i,j,l) * C(k,l)
  A sss, B sss, C dd
  A sss, B sss, C ss
  A ddd, B ddd, C dd
  A ssd, B sss, C dd
A(i,j,k) = B(i,j,l) * C(l,k)
  A ssd, B sss, C dd
  A sss, B sss, C ss
A(i,j) = B(i,k,l) * C(k,j) * D(l,j)
  A dd, B sss, C dd, D dd
  A dd, B ddd, C dd, D dd
  A ss, B sss, C ss, D ss
A(i,j) = B(i,k,l) * C(j,k) * D(j,l)
  A dd, B sss, C dd, D dd
  A ss, B sss, C ss, D ss
A(i,j,k) = B(i,j,k)
  A sss, B sss
  A ddd, B sss
A(i,j,k) = B(i,j,k) + C(i,j,k)
  A sss, B sss, C sss
  A ddd, B ddd, C ddd
  A dss, B dss, C dss
A(i,j,k) = B(i,j,k) * C(i,j,k)
  A sss, B sss, C sss
  A sss, B sss, C ddd
A(i,j,k) = alpha * B(i,j,k)
  A sss, B sss
a = B(i,j,k) * C(i,j,k)
  B sss, C sss
  B ddd, C ddd
  B sss, C ddd
a(i) = B(i,j,k)
  a d, B sss
  a s, B sss
A(i,j,k) = b(i) * c(j) * d(k)
  A ddd, b d, c d, d d
A(i,j) = B(i,j,k) * C(i,j,k)
  A ss, B sss, C sss
A(i,j,l) = B(i,j,k) * C(k,l) + D(i,j,l)
  A ddd, B sss, C dd, D ddd
A(i,j,k) = B(i,k) * C(k,j)
  A sss021, B ss, C ss
A(i,j) = B(i,k,l,m) * C(k,j) * D(l,j) * E(m,j)
  A dd, B ssss, C dd, D dd, E dd
A(i,j,k,l) = B(i,j,k,m) * C(m,l)
  A sssd, B ssss, C dd
A(i,j,k) = B(i,j,k,l) * c(l)
  A sss, B ssss, c d
A(i,j,k,l) = B(i,j,k,l) + C(i,j,k,l)
  A ssss, B ssss, C ssss
A(i,j,m,n) = B(i,j,k,l) * C(k,l,m,n)
  A dddd, B dddd, C dddd
  A ddss, B ddss, C ddss
a = B(i,j,k,l) * C(i,j,k,l)
  B ssss, C ssss
)";

} // namespace

std::vector<Algorithm> corpus() {
  std::vector<Algorithm> all;
  std::string equation;
  const std::string lines = corpus_text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const std::string line = lines.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    if (line[0] != ' ') equation = line;
    else all.push_back({equation, line.substr(2)});
  }
  return all;
}

} // namespace cyclotron::study
