// SPDX-License-Identifier: MIT
// Conditions of the text form in isl's syntax: affine, with `mod` and `floor(x/2)`.
#pragma once

#include "dataflow/text_parser.hpp"

#include <functional>
#include <string>

namespace cyclotron::dataflow {

// `affine` gives a formula its meaning; `fail` reports what is none, and does not return.
std::string isl_text_of(const TextDomain& domain, const std::function<Affine(const Expr&)>& affine,
                        const std::function<void(Span, std::string)>& fail);

} // namespace cyclotron::dataflow
