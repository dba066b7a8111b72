// SPDX-License-Identifier: MIT
// CXSparse on our arrays: nothing is copied.
#pragma once

#include "sparse.hpp"

#include <cs.h>

#include <memory>

namespace cyclotron::bench {

// A view of a csc matrix; of a csr matrix, it is that of the transpose.
inline cs_di as_cxsparse(Sparse& s) {
  cs_di m{};
  m.nzmax = static_cast<int>(s.stored());
  m.m = m.n = s.rows();
  m.p = s.pos().data();
  m.i = s.crd().data();
  m.x = s.values.data();
  m.nz = -1;
  return m;
}

template <auto Free> struct Freed {
  template <class T> void operator()(T* t) const { Free(t); }
};
using OwnedMatrix = std::unique_ptr<cs_di, Freed<cs_di_spfree>>;
using OwnedSymbolic = std::unique_ptr<cs_dis, Freed<cs_di_sfree>>;
using OwnedNumeric = std::unique_ptr<cs_din, Freed<cs_di_nfree>>;

} // namespace cyclotron::bench
