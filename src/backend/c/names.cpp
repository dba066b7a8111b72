// SPDX-License-Identifier: MIT
#include "backend/c/names.hpp"

#include <cctype>

namespace cyclotron::backend::c {

namespace {

// Words of C11, of the headers that generated code includes, and of that code itself.
const std::set<std::string>& reserved() {
  static const std::set<std::string> words{
      "auto",    "break",    "case",      "char",     "const",  "continue", "default",  "do",       "double",
      "else",    "enum",     "extern",    "float",    "for",    "goto",     "if",       "inline",   "int",
      "long",    "register", "restrict",  "return",   "short",  "signed",   "sizeof",   "static",   "struct",
      "switch",  "typedef",  "union",     "unsigned", "void",   "volatile", "while",    "asm",      "typeof",
      "bool",    "true",     "false",     "main",     "abs",    "exp",      "log",      "pow",      "sqrt",
      "sqrtf",   "fabs",     "fabsf",     "isnan",    "isinf",  "malloc",   "calloc",   "free",     "memset",
      "memcpy",  "linux",    "unix",      "error",    "finish", "failed",   "overflow", "index_t",  "INFINITY",
      "NAN",     "NULL",     "y0",        "y1",       "yn",     "j0",       "j1",       "jn",       "gamma",
      "lgamma",  "tgamma",   "erf",       "cos",      "sin",    "tan",      "floor",    "ceil",     "round",
      "signgam", "div",      "exit",      "abort",    "rand",   "time",     "labs",     "index",    "rindex",
      "I",       "errno",    "stdin",     "stdout",   "stderr", "assert",   "threads",  "noreturn", "alignas",
      "complex", "log2",     "log10",     "exp2",     "fmin",   "fmax",     "fma",      "hypot",    "trunc",
      "near",    "far",      "remainder", "modf",     "frexp",  "ldexp",    "scalb",    "logb",     "significand",
      "drem",    "step",     "signbit",   "large"};
  return words;
}

} // namespace

std::string NameTable::fresh(const std::string& wanted) {
  std::string stem = wanted;
  if (reserved().count(stem) || stem.rfind("cyc_", 0) == 0 || stem.rfind("overflow_", 0) == 0 ||
      stem.rfind("_", 0) == 0 || stem.rfind("omp_", 0) == 0 || stem.empty())
    stem = "v_" + stem;
  std::string name = stem;
  for (int i = 2; !taken_.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
  return name;
}

std::string identifier(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') out += c;
    else if (c == '-') out += 'm';
    else if (c == '+') out += 'p';
  }
  return out;
}

} // namespace cyclotron::backend::c
