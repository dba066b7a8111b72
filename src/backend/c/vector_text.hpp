// SPDX-License-Identifier: MIT
// Statements on members of vectors, as text: written member by member, then put together.
//
//   txy_i[0] += L_vals[p] * xy[j][0];
//   txy_i[1] += L_vals[p] * xy[j][1];     -->     txy_i += L_vals[p] * xy[j];
//
// While code is written, a member is a mark after the vector's name. The mark also says how many members the vector
// has, which `[0]` does not.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::backend::c {

std::string member_mark(std::size_t member, std::size_t width);

// A name with something behind it, in front of its mark.
std::string with_suffix(const std::string& name, const std::string& suffix);

std::string without_mark(const std::string& name);

// What is written for all members, member 0 first, as text on whole vectors; nothing where the texts differ in more
// than the member.
std::optional<std::string> on_whole_vectors(const std::vector<std::string>& texts);

// Code without marks: assignments that stand side by side for all members are one, other members are elements.
std::string without_member_marks(const std::string& code);

} // namespace cyclotron::backend::c
