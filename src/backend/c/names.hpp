// SPDX-License-Identifier: MIT
// C identifiers for the user's names: the same wherever C allows it, never a word of C or a name of ours.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace cyclotron::backend::c {

class NameTable {
public:
  // A name that nobody has yet: `wanted`, or `wanted` with something behind it.
  std::string fresh(const std::string& wanted);
  // The same for a function that others call, and for its files: no name of the C library or of its headers either.
  std::string function(const std::string& wanted);
  void release(const std::string& name) { taken_.erase(name); }

private:
  std::set<std::string> taken_;
};

// Words of C and C++, macros, names that generated code uses itself; and what the C library exports (c_words.cpp).
bool is_reserved(std::string_view name);
bool is_library_name(std::string_view name);
// A file of ours by that name would be taken for another: `math.h` for <math.h>, `Makefile.c` for how to make Makefile.
bool is_file_name(std::string_view name);

// Whether a word stands in C text, as a word of its own; comments do not count.
bool mentions(const std::string& text, const std::string& word);

// Text from outside as part of a comment: nothing that could end the comment, join lines or hide what stands there.
std::string harmless(const std::string& text);

// Letters, digits and underscores of `text`, others dropped: for names made of accesses.
std::string identifier(const std::string& text);

} // namespace cyclotron::backend::c
