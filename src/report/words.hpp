// SPDX-License-Identifier: MIT
// Figures and names as the words of a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cyclotron::report {

std::string percent(double share);                                    // 36.4 %
std::string bytes_text(std::uint64_t bytes);                          // 3.5 KiB
std::string count_text(std::uint64_t count, const std::string& what); // 1 link, 2 links

std::size_t characters_in(const std::string& text); // of UTF-8

// Its first line, cut to so many characters.
std::string shortened(const std::string& text, std::size_t most);

} // namespace cyclotron::report
