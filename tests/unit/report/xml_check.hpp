// SPDX-License-Identifier: MIT
// Whether a text is well-formed XML, as far as our pictures use it: tags that nest and close, attributes in quotes and
// once each, only known entities.
#pragma once

#include <string>

namespace cyclotron::report {

// Empty where it is, else what is wrong.
std::string xml_problem(const std::string& text);

// How often a part occurs in a text.
std::size_t count_of(const std::string& text, const std::string& part);

} // namespace cyclotron::report
