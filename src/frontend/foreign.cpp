// SPDX-License-Identifier: MIT
#include "frontend/foreign.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace cyclotron::frontend {

namespace {

struct ForeignWord {
  std::string_view written;
  std::string_view hint;
};

std::string_view hint_in(std::initializer_list<ForeignWord> table, std::string_view word) {
  const auto* row = std::find_if(table.begin(), table.end(), [&](const ForeignWord& w) { return w.written == word; });
  return row == table.end() ? "" : row->hint;
}

constexpr std::string_view power = "for a power write `pow(x, y)`";
constexpr std::string_view element_by_element =
    "operators work on elements, and these are named by their indices: `x(i) * y(i)`";
constexpr std::string_view matrix_product = "write a matrix product as `sum[k](A(i,k) * B(k,j))`";
constexpr std::string_view all_instances = "an equation holds for all its indices: `y(i) = x(i)` needs no loop, and "
                                           "constraints stand behind it: `y(i) = x(i) : 1 <= i`";
constexpr std::string_view declare_tensors = "a tensor is declared as `tensor x(n)`, with a type as `tensor x(n): f32`";
constexpr std::string_view from_indices = "indices and sizes need no declaration: a name in a dimension is a size, "
                                          "a name that indexes a tensor is an index";
constexpr std::string_view constraints_behind =
    "constraints stand behind the equation: `y(i) = x(i) : 1 <= i, i < n-1`";
constexpr std::string_view choose =
    "write `select(condition, x, y)`, or an equation for each case: `y(i) = x(i) : i < k`";
constexpr std::string_view remainder =
    "there is no remainder; give each case an equation, as `y(2*i) = …` for even and `y(2*i+1) = …` for odd places";
constexpr std::string_view no_such_function =
    "there is no such function; the functions are min, max, sqrt, abs, exp, log, pow and select";
constexpr std::string_view position =
    "positions are not computed yet; `max[i](…)` and `min[i](…)` give the largest and the smallest value";
constexpr std::string_view names_are_plain = "a name has letters from a to z and A to Z, digits and `_`";

// Longer ones stand before those that they begin with.
constexpr std::array foreign_symbols{
    ForeignSymbol{"**", "", power},
    ForeignSymbol{"//", "", "`/` divides, and the quotient is a real number; comments start with `#`"},
    ForeignSymbol{"/*", "", "comments start with `#` and end with their line"},
    ForeignSymbol{"||", "or", "write `or`"},
    ForeignSymbol{"|", "", "write `or` between conditions, and `abs(x)` for the absolute value"},
    ForeignSymbol{"&&", "and", "write `and`"},
    ForeignSymbol{"&", "and", "write `and`"},
    ForeignSymbol{"!", "not", "write `not`"},
    ForeignSymbol{"~=", "!=", "write `!=`"},
    ForeignSymbol{"~", "not", "write `not`"},
    ForeignSymbol{"<>", "!=", "write `!=`"},
    ForeignSymbol{"=<", "<=", "write `<=`"},
    ForeignSymbol{":=", "", "write `=`"},
    ForeignSymbol{"%", "", remainder},
    ForeignSymbol{"?", "", choose},
    ForeignSymbol{"@", "", matrix_product},
    ForeignSymbol{"\\", "",
                  "symbols are written plainly, as in `sum[k](x(k))`; a system of equations is solved by "
                  "equations for its unknowns, as in examples/triangular_solve.cyc"},
    ForeignSymbol{"'", "", "a transpose is written with the indices swapped, `A(j,i)`; text stands between `\"`"},
    ForeignSymbol{".*", "*", element_by_element},
    ForeignSymbol{"./", "/", element_by_element},
    ForeignSymbol{".+", "+", element_by_element},
    ForeignSymbol{".-", "-", element_by_element},
    ForeignSymbol{".^", "", power},
    ForeignSymbol{".", "", "no element or function stands behind a point; a statement ends with its line"},
    ForeignSymbol{"×", "*", "write `*`"},
    ForeignSymbol{"·", "*", "write `*`"},
    ForeignSymbol{"⋅", "*", "write `*`"},
    ForeignSymbol{"∗", "*", "write `*`"},
    ForeignSymbol{"÷", "/", "write `/`"},
    ForeignSymbol{"−", "-", "write `-`"},
    ForeignSymbol{"–", "-", "write `-`"},
    ForeignSymbol{"≤", "<=", "write `<=`"},
    ForeignSymbol{"⩽", "<=", "write `<=`"},
    ForeignSymbol{"≥", ">=", "write `>=`"},
    ForeignSymbol{"⩾", ">=", "write `>=`"},
    ForeignSymbol{"≠", "!=", "write `!=`"},
    ForeignSymbol{"∧", "and", "write `and`"},
    ForeignSymbol{"∨", "or", "write `or`"},
    ForeignSymbol{"¬", "not", "write `not`"},
    ForeignSymbol{"∞", "inf", "write `inf`"},
    ForeignSymbol{"∑", "sum", "write `sum[k](…)`"},
    ForeignSymbol{"Σ", "sum", "write `sum[k](…)`"},
    ForeignSymbol{"∏", "prod", "write `prod[k](…)`"},
    ForeignSymbol{"Π", "prod", "write `prod[k](…)`"},
    ForeignSymbol{"√", "sqrt", "write `sqrt(…)`"},
    ForeignSymbol{"∈", "", "write the range as a constraint: `0 <= i < n`"},
    ForeignSymbol{"∀", "", all_instances},
    ForeignSymbol{"²", "", "for a power write `pow(x, 2)`"},
    ForeignSymbol{"³", "", "for a power write `pow(x, 3)`"},
    ForeignSymbol{"ᵀ", "", "a transpose is written with the indices swapped: `A(j,i)`"},
    ForeignSymbol{"→", "", "write `=`, with the result on the left"},
    ForeignSymbol{"←", "", "write `=`"},
    ForeignSymbol{"“", "", "text stands between `\"`"},
    ForeignSymbol{"”", "", "text stands between `\"`"},
    ForeignSymbol{"‘", "", "text stands between `\"`"},
    ForeignSymbol{"’", "", "text stands between `\"`"},
    ForeignSymbol{"\u00a0", " ", "this blank is another character than that of the space bar; write a plain one"},
};

// The first bytes of letters with accents, and of Greek and Cyrillic ones, in UTF-8.
bool begins_a_letter(unsigned char c) { return (c >= 0xC3 && c <= 0xC9) || (c >= 0xCD && c <= 0xD3); }

} // namespace

const ForeignSymbol* foreign_symbol_at(std::string_view text) {
  for (const ForeignSymbol& row : foreign_symbols)
    if (text.starts_with(row.written)) return &row;
  static constexpr ForeignSymbol letter{"", "", names_are_plain};
  return !text.empty() && begins_a_letter(static_cast<unsigned char>(text[0])) ? &letter : nullptr;
}

std::string_view foreign_comment_at(std::string_view line) {
  for (std::string_view opening : {"//", "/*", "--", "%", "!"})
    if (line.starts_with(opening) && !line.starts_with("!=") && (opening != "--" || line.starts_with("-- ")))
      return opening;
  return "";
}

std::string_view hint_for_foreign_statement(std::string_view first_word) {
  return hint_in({{"for", all_instances},
                  {"foreach", all_instances},
                  {"forall", all_instances},
                  {"do", all_instances},
                  {"loop", all_instances},
                  {"while", "steps are written as superscripts: "
                            "`x^t(i) = x^(t-1)(i) / 2 : t <= T`"},
                  {"if", choose},
                  {"when", choose},
                  {"int", declare_tensors},
                  {"long", declare_tensors},
                  {"float", declare_tensors},
                  {"double", declare_tensors},
                  {"real", declare_tensors},
                  {"bool", declare_tensors},
                  {"var", declare_tensors},
                  {"f64", declare_tensors},
                  {"f32", declare_tensors},
                  {"i32", declare_tensors},
                  {"i64", declare_tensors},
                  {"matrix", declare_tensors},
                  {"vector", declare_tensors},
                  {"array", declare_tensors},
                  {"input", declare_tensors},
                  {"output", declare_tensors},
                  {"const", "a constant is written `let c = 2`"},
                  {"constant", "a constant is written `let c = 2`"},
                  {"param", from_indices},
                  {"parameter", from_indices},
                  {"size", from_indices},
                  {"index", from_indices},
                  {"indices", from_indices},
                  {"return", "a tensor that an equation defines is an output; nothing returns it"},
                  {"def", "a program is its equations; there are no functions to define"},
                  {"function", "a program is its equations; there are no functions to define"},
                  {"import", "a program is one file; it includes no other"},
                  {"include", "a program is one file; it includes no other"},
                  {"using", "a program is one file; it includes no other"}},
                 first_word);
}

std::string_view hint_for_foreign_word(std::string_view word) {
  return hint_in({{"where", constraints_behind},
                  {"for", constraints_behind},
                  {"with", constraints_behind},
                  {"when", constraints_behind},
                  {"if", "constraints stand behind the equation: `y(i) = x(i) : 1 <= i`; within an expression write "
                         "`select(condition, x, y)`"},
                  {"then", choose},
                  {"else", choose},
                  {"in", "write a range as a constraint behind the equation: `y(i) = x(i) : 0 <= i < n`"},
                  {"mod", remainder},
                  {"rem", remainder},
                  {"div", "`/` divides, and the quotient is a real number"},
                  {"xor", "write `a != b`"},
                  {"is", "compare with `==`"}},
                 word);
}

std::string_view hint_for_foreign_function(std::string_view name) {
  return hint_in({{"tanh", "write `1 - 2 / (exp(2*x) + 1)`"},
                  {"sigmoid", "write `1 / (1 + exp(-x))`"},
                  {"relu", "write `max(x, 0)`"},
                  {"square", "write `x * x` or `pow(x, 2)`"},
                  {"power", "write `pow(x, y)`"},
                  {"rsqrt", "write `1 / sqrt(x)`"},
                  {"fabs", "write `abs(x)`"},
                  {"fmin", "write `min(x, y)`"},
                  {"fmax", "write `max(x, y)`"},
                  {"ln", "write `log(x)`"},
                  {"log2", "write `log(x) / log(2)`"},
                  {"log10", "write `log(x) / log(10)`"},
                  {"exp2", "write `pow(2, x)`"},
                  {"clip", "write `min(max(x, low), high)`"},
                  {"clamp", "write `min(max(x, low), high)`"},
                  {"if", "write `select(condition, x, y)`"},
                  {"where", "write `select(condition, x, y)`"},
                  {"ifelse", "write `select(condition, x, y)`"},
                  {"sign", "write `select(x < 0, -1, select(x > 0, 1, 0))`"},
                  {"transpose", "a transpose is written with the indices swapped: `A(j,i)`"},
                  {"dot", "write `sum[k](x(k) * y(k))`"},
                  {"matmul", matrix_product},
                  {"einsum", "write the equation itself: `C(i,j) = sum[k](A(i,k) * B(k,j))`"},
                  {"norm", "write `sqrt(sum[k](x(k) * x(k)))`"},
                  {"mean", "write `sum[k](x(k)) / n`"},
                  {"argmax", position},
                  {"argmin", position},
                  {"mod", remainder},
                  {"sin", no_such_function},
                  {"cos", no_such_function},
                  {"tan", no_such_function},
                  {"floor", no_such_function},
                  {"ceil", no_such_function},
                  {"round", no_such_function}},
                 name);
}

std::string_view hint_for_foreign_reduction(std::string_view name) {
  return hint_in({{"argmax", position},
                  {"argmin", position},
                  {"mean", "write `sum[k](x(k)) / n`"},
                  {"average", "write `sum[k](x(k)) / n`"},
                  {"norm", "write `sqrt(sum[k](x(k) * x(k)))`"},
                  {"count", "write `sum[k](select(condition, 1, 0))`"},
                  {"product", "write `prod[k](…)`"},
                  {"maximum", "write `max[k](…)`"},
                  {"minimum", "write `min[k](…)`"},
                  {"exists", "write `any[k](…)`"},
                  {"or", "write `any[k](…)`"},
                  {"forall", "write `all[k](…)`"},
                  {"and", "write `all[k](…)`"}},
                 name);
}

} // namespace cyclotron::frontend
