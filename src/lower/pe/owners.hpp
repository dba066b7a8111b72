// SPDX-License-Identifier: MIT
// Which rank owns which part of a tensor, as `distribute` says it:
//
//   distribute A block(i, k)   with   C(i,j) = sum[k](A(i,k) * …)   -->   A in blocks of both of its dimensions
#pragma once

#include "lower/mapping.hpp"
#include "pe/ir.hpp"

namespace cyclotron::lower {

// The indices are those by which the equations of `program` read or write the tensor. False where an error was
// reported.
bool set_owners(pe::Program& to, const std::vector<Owners>& owners, const recurrence::Program& program,
                Diagnostics& diagnostics);

} // namespace cyclotron::lower
