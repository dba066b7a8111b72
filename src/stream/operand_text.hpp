// SPDX-License-Identifier: MIT
// Operands in a line of text: `B=B(i,j):ss:0,1`, name, tensor, indices, levels, order; and the published shorter form,
// `B=ss01`, which has no indices.
#pragma once

#include "stream/ir.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::stream {

std::string operand_text(const Operand& operand);
std::optional<Operand> operand_from(std::string_view text);

std::string published_format(const tensor::Format& format); // `ss01`, `none` of a scalar
std::optional<tensor::Format> format_from_published(std::string_view text);

// The pieces between separators; none of an empty text.
std::vector<std::string> pieces_of(std::string_view text, char separator);

} // namespace cyclotron::stream
