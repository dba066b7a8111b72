// SPDX-License-Identifier: MIT
// Reductions other than single sums: extremes and products, several of them, one within another.
#include "families.hpp"

namespace cyclotron::fuzz {

namespace {

// Other reductions than sums, into results that may be sparse: a term that is zero counts.
std::vector<Family> extremes() {
  return {
      plain("greatest product", "tensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\nC(i,j) = max[l](A(i,l) * B(l,j))\n"),
      plain("least product, bounded", "tensor A(m,k)\ntensor B(k,n)\ntensor D(m,n)\ntensor C(m,n)\n"
                                      "C(i,j) = max(min[l](A(i,l) * B(l,j)), D(i,j))\n"),
      plain("product of products", "tensor X(m,n,k)\ntensor B(k,q)\ntensor Y(m,n,q)\n"
                                   "Y(i,j,p) = prod[l](X(i,j,l) * B(l,p))\n"),
      plain("greatest along a tensor", "tensor X(m,n,k)\ntensor B(k,q)\ntensor C(n,q)\ntensor Y(m,n,q)\n"
                                       "Y(i,j,p) = min(max[l](X(i,j,l) * B(l,p)), C(j,p) - X(i,j,0))\n"
                                       "assume 1 <= k\n"),
      plain("greatest of each half", "tensor A(n,n)\ntensor B(n,n)\ntensor C(n,n)\n"
                                     "C(i,j) = max[k](A(i,k) * B(k,j)) - min[l](A(j,l) * B(l,i)) : k <= i, l <= j\n"),
      plain("all in a row and a column", "tensor A(m,k): bool\ntensor B(k,n): bool\ntensor C(m,n): bool\n"
                                         "C(i,j) = all[l](A(i,l) or not B(l,j)) and any[l](A(i,l) and B(l,j))\n"),
      plain("whole numbers' extremes", "tensor A(m,k): i32\ntensor B(k,n): i64\ntensor C(m,n): i64\n"
                                       "C(i,j) = max[l](A(i,l) - B(l,j)) + min[l](A(i,l) * B(l,j))\n"
                                       "assume 1 <= k\n"),
      plain("cheapest way",
            "tensor W(n,n)\ntensor d(n)\n"
            "d^0(i) = select(i == 0, 0, inf)\n"
            "d^t(i) = min(d^(t-1)(i), min[j](select(W(j,i) > 0, d^(t-1)(j) + W(j,i), inf))) : 1 <= t <= T\n"),
  };
}

// Whole numbers whose sums and products leave their type on the way, in one order or another.
std::vector<Family> near_limits() {
  return {
      plain("large sums", "tensor A(m,k): i64\ntensor B(k,n): i32\ntensor C(m,n): i64\n"
                          "C(i,j) = sum[l](max(min(A(i,l) * B(l,j), 6), -6) * 1200000000000000000)\n"),
      plain("large sums of narrow numbers", "tensor A(m,k): i32\ntensor B(k,n): i32\ntensor C(m,n): i32\n"
                                            "C(i,j) = sum[l](max(min(A(i,l) * B(l,j), 5), -5) * 400000000)\n"),
      plain("products with zeros", "tensor A(m,k): i64\ntensor B(k,n): i64\ntensor C(m,n): i64\n"
                                   "C(i,j) = prod[l](A(i,l) * B(l,j) * 1000000)\n"),
      plain("narrow products with zeros", "tensor A(m,k): i32\ntensor y(m): i32\n"
                                          "y(i) = 3 - prod[l](A(i,l) * 1000)\n"),
      plain("a large chain", "tensor A(n,m): i64\ntensor x(n): i64\n"
                             "x(i) = max(min(sum[j](A(i,j) * 2000000000000000000) - x(i-1), 4000000000000000000), 0) : "
                             "i >= 1\n"),
      plain("roots of large sums", "tensor A(n,m): i64\ntensor y(n)\n"
                                   "y(i) = sqrt(sum[j](abs(max(min(A(i,j), 3), -3)) * 1000000000000000000))\n"),
  };
}

// Sums of which one may have elements that the result lacks.
std::vector<Family> several_sums() {
  return {
      plain("product of two sums", "tensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\n"
                                   "C(i,j) = sum[l](B(l,j)) * sum[l](A(i,l) * B(l,j))\n"),
      plain("sum of two sums", "tensor A(m,k)\ntensor B(k,n)\ntensor D(k,n)\ntensor C(m,n)\n"
                               "C(i,j) = sum[l](A(i,l) * B(l,j)) + 2 * sum[l](A(i,l) * D(l,j))\n"),
      plain("sums and a product of two", "tensor A(m,k)\ntensor B(k,n)\ntensor D(m,n)\ntensor C(m,n)\n"
                                         "C(i,j) = D(i,j) + sum[l](B(l,j)) * sum[l](A(i,l) * B(l,j))\n"),
      plain("one sum where another is large",
            "tensor A(m,k)\ntensor B(k,n)\ntensor D(k,n)\ntensor C(m,n)\n"
            "C(i,j) = select(sum[l](A(i,l) * B(l,j)) > 0, sum[l](A(i,l) * D(l,j)), 0)\n"),
      plain("least and sum", "tensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\n"
                             "C(i,j) = min[l](select(B(l,j) != 0, A(i,l), inf)) * sum[l](A(i,l) * B(l,j))\n"),
      plain("prod and sum", "tensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\n"
                            "C(i,j) = prod[l](1 + B(l,j)) * sum[l](A(i,l) * B(l,j))\n"),
      plain("any and any", "tensor A(m,k): bool\ntensor B(k,n): bool\ntensor D(k,n): bool\ntensor C(m,n): bool\n"
                           "C(i,j) = any[l](A(i,l) and B(l,j)) and any[l](A(i,l) and D(l,j))\n"),
  };
}

// A sum or an extreme of others, over variables that need not begin at 0 nor have any value.
std::vector<Family> nested() {
  return {
      plain("greatest of sums", "tensor A(m,n)\ntensor G(q,n,m)\ntensor H(p,q,n)\ntensor B(m,n)\n"
                                "B(i,j) = max[k](G(k,j,i) * sum[l](H(l,k,j) - A(i,j))) : i <= l < p\n"),
      plain("sum of greatest", "tensor A(m,n)\ntensor G(q,n)\ntensor H(p,q)\ntensor B(m,n)\n"
                               "B(i,j) = sum[k](G(k,j) * max[l](H(l,k) * A(i,j)))\n"),
      plain("least of products", "tensor A(m,n)\ntensor G(q,n)\ntensor H(p,q)\ntensor B(m,n)\n"
                                 "B(i,j) = A(i,j) * min[k](G(k,j) + prod[l](H(l,k) * A(i,j)))\n"),
      plain("all of any", "tensor A(m,n): bool\ntensor G(q,n): bool\ntensor H(p,q): bool\ntensor B(m,n): bool\n"
                          "B(i,j) = A(i,j) and all[k](G(k,j) or any[l](H(l,k) and A(i,j)))\n"),
      plain("any of all", "tensor A(m,n): bool\ntensor G(q,n): bool\ntensor H(p,q): bool\ntensor B(m,n): bool\n"
                          "B(i,j) = any[k](G(k,j) and all[l](H(l,k) or A(i,j)))\n"),
      plain("sum of greatest of sums", "tensor A(m,n)\ntensor G(q,n)\ntensor H(p,q)\ntensor E(r,p)\ntensor B(m,n)\n"
                                       "B(i,j) = sum[k](G(k,j) * max[l](H(l,k) * sum[o](E(o,l) * A(i,j))))\n"),
      plain("variables below zero", "tensor G(q+3)\ntensor H(p,n)\ntensor B(n)\n"
                                    "B(i) = sum[k](G(k+3) * max[l](H(l,i) * k)) : -3 <= k < q\n"),
      plain("variables from the middle on", "tensor G(q)\ntensor H(p,n)\ntensor B(n)\n"
                                            "B(i) = min[k](G(k) - sum[l](H(l,i) * k)) : 2 <= k < q-1\n"),
      plain("variables as far as a row",
            "tensor G(n+q)\ntensor H(p,n)\ntensor B(n)\n"
            "B(i) = max[k](G(k+i) * sum[l](H(l,i) + G(i+k) * l)) : -i <= k, k <= 2, k + i < n + q\n"),
  };
}

} // namespace

std::vector<Family> families_of_reductions() {
  std::vector<Family> all = extremes();
  for (const auto& part : {near_limits(), several_sums(), nested()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace cyclotron::fuzz
