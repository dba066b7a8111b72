// SPDX-License-Identifier: MIT
#include "backend/simd/lane_functions.hpp"

#include "backend/simd/intrinsics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace cyclotron::backend::simd {

using code::BinaryOp;
using code::Scalar;
using code::UnaryOp;

namespace {

struct ElementRow {
  std::string_view name, c_name;
  std::int64_t bytes;
};
constexpr std::array<ElementRow, 6> element_rows{{{"i8", "int8_t", 1},
                                                  {"i16", "int16_t", 2},
                                                  {"i32", "int32_t", 4},
                                                  {"i64", "int64_t", 8},
                                                  {"f32", "float", 4},
                                                  {"f64", "double", 8}}};
const ElementRow& row_of(Element element) { return element_rows[static_cast<std::size_t>(element)]; }

bool is_real(Element element) { return element == Element::f32 || element == Element::f64; }

std::string_view word_of(UnaryOp op) {
  switch (op) {
  case UnaryOp::absolute: return "abs";
  case UnaryOp::sqrt: return "sqrt";
  case UnaryOp::exp: return "exp";
  case UnaryOp::log: return "log";
  default: bug("an operator that C has");
  }
}

std::string_view word_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::min: return "min";
  case BinaryOp::max: return "max";
  case BinaryOp::div: return "div";
  case BinaryOp::floor_div: return "floor_div";
  case BinaryOp::mod: return "mod";
  case BinaryOp::pow: return "pow";
  default: bug("an operator that C has");
  }
}

} // namespace

Element element_of(Scalar scalar) { return static_cast<Element>(scalar); }

Element whole_element(std::int64_t bytes) {
  return bytes == 1 ? Element::i8 : bytes == 2 ? Element::i16 : bytes == 4 ? Element::i32 : Element::i64;
}

std::int64_t bytes_of(Element element) { return row_of(element).bytes; }

std::string_view c_type(Element element) { return row_of(element).c_name; }

std::string_view c_type(Scalar scalar) { return scalar == Scalar::boolean ? "bool" : c_type(element_of(scalar)); }

std::string name_of(Vector v) { return fmt::format("{}x{}", row_of(v.element).name, v.lanes); }

Vector mask_of(Vector v) { return {whole_element(bytes_of(v.element)), v.lanes}; }

// In head and body V is the vector, E its elements, M truth values about it, N the number of lanes.
void LaneFunctions::function(Vector v, const std::string& head, const std::string& body) {
  const Vector mask = mask_of(v);
  type(v);
  type(mask);
  std::string text;
  const std::string pattern = "static inline " + head + " {\n" + body + "}\n\n";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)); };
    const bool alone =
        (i == 0 || !is_letter(pattern[i - 1])) && (i + 1 == pattern.size() || !is_letter(pattern[i + 1]));
    if (alone && pattern[i] == 'V') text += name_of(v);
    else if (alone && pattern[i] == 'E') text += c_type(v.element);
    else if (alone && pattern[i] == 'M') text += name_of(mask);
    else if (alone && pattern[i] == 'N') text += std::to_string(v.lanes);
    else text += pattern[i];
  }
  text_ += text;
}

std::string LaneFunctions::type(Vector v) {
  const std::string name = name_of(v);
  if (is_new(name))
    types_ += fmt::format("typedef {} {} __attribute__((vector_size({})));\n", c_type(v.element), name,
                          v.lanes * bytes_of(v.element));
  return name;
}

std::string LaneFunctions::all(Vector v) {
  const std::string name = name_of(v) + "_all";
  // What both compilers know to be one instruction. Zero less zero is zero, and -0 stays what it is.
  if (is_new(name)) function(v, "V V_all(E one)", "  return one - (V){0};\n");
  return name;
}

std::string LaneFunctions::lanes_from(Vector v) {
  const std::string name = name_of(v) + "_lanes_from";
  if (is_new(name))
    function(v, "V V_lanes_from(E first)", "  return first + (V){" + for_each_lane(v.lanes, "$") + "};\n");
  return name;
}

namespace {

// With `^`, of which both compilers make one instruction; `|` gcc turns into something longer.
std::string chosen(Vector v) {
  return is_real(v.element) ? "  return (V)((on & (M)a) ^ (~on & (M)b));\n" : "  return (on & a) ^ (~on & b);\n";
}

} // namespace

// The body of min and max. NaN wins, so that a bad value is never hidden: the instructions take b where one is NaN.
std::string LaneFunctions::extreme(Vector v, BinaryOp op) {
  const bool real = is_real(v.element);
  const std::string less = op == BinaryOp::min ? "a < b" : "b < a";
  const std::string on = real ? fmt::format("({}) | (a != a)", less) : less;
  const std::string choice = fmt::format("  const M on = (M)({});\n{}", on, chosen(v));
  const auto x86 = intrinsics_for(v);
  if (!x86) return choice;
  include_intrinsics();
  const std::string a = fmt::format("({})a", x86->type), b = fmt::format("({})b", x86->type), &p = x86->prefix,
                    &kind = x86->kind;
  std::string body(if_avx512);
  if (real) {
    body += fmt::format("  return (V){0}_mask_{1}_{2}({3}, {0}_cmp_{2}_mask({3}, {3}, _CMP_ORD_Q), {3}, {4});\n", p,
                        word_of(op), kind, a, b);
    if (x86->bits <= 256)
      body += fmt::format("#elif defined(__AVX__)\n  return (V){0}_blendv_{2}({0}_{1}_{2}({3}, {4}), {3}, "
                          "{0}_cmp_{2}({3}, {3}, _CMP_UNORD_Q));\n",
                          p, word_of(op), kind, a, b);
  } else {
    const std::string line = fmt::format("  return (V){}_{}_{}({}, {});\n", p, word_of(op), kind, a, b);
    body += line;
    if (x86->each < 64 && x86->bits <= 256)
      body += (x86->bits == 256 ? "#elif defined(__AVX2__)\n" : "#elif defined(__SSE4_1__)\n") + line;
  }
  return body + "#else\n" + choice + "#endif\n";
}

std::string LaneFunctions::select(Vector v) {
  const std::string name = name_of(v) + "_select";
  if (is_new(name)) function(v, "V V_select(M on, V a, V b)", chosen(v));
  return name;
}

std::string LaneFunctions::unary(Vector v, UnaryOp op) {
  const std::string name = fmt::format("{}_{}", name_of(v), word_of(op));
  if (written_.count(name)) return name;
  const std::string head = "V " + name + "(V a)";
  if (op == UnaryOp::absolute && is_real(v.element)) { // all bits but the sign
    is_new(name);
    function(v, head, fmt::format("  return (V)((M)a & INT{}_MAX);\n", 8 * bytes_of(v.element)));
  } else if (op == UnaryOp::absolute) { // a ^ -1 is -1 - a
    is_new(name);
    function(v, head, "  const V below = a < 0;\n  return (a ^ below) - below;\n");
  } else {
    const std::string c_function = std::string(word_of(op)) + (v.element == Element::f32 ? "f" : "");
    is_new(name);
    function(v, head, "  V all;\n  for (int l = 0; l < N; l++) all[l] = " + c_function + "(a[l]);\n  return all;\n");
  }
  return name;
}

std::string LaneFunctions::binary(Vector v, BinaryOp op) {
  const std::string name = fmt::format("{}_{}", name_of(v), word_of(op));
  if (written_.count(name)) return name;
  const std::string head = "V " + name + "(V a, V b)";
  if (op == BinaryOp::min || op == BinaryOp::max) {
    const std::string body = extreme(v, op);
    is_new(name);
    function(v, head, body);
    return name;
  }
  const bool real = is_real(v.element); // then it is `pow`
  const std::string one =
      real ? (v.element == Element::f32 ? "powf" : "pow") : scalar_binary(static_cast<Scalar>(v.element), op);
  is_new(name);
  function(v, head, "  return (V){" + for_each_lane(v.lanes, one + "(a[$], b[$])") + "};\n");
  return name;
}

std::string LaneFunctions::at(Vector v) {
  const std::string name = name_of(v) + "_at";
  if (is_new(name)) function(v, "E V_at(V all, int64_t lane)", "  return all[lane];\n");
  return name;
}

// The signs of all lanes as one number, where the processor has that; elsewhere `loop`.
std::string LaneFunctions::any_by_signs(Vector v, const std::string& loop) {
  const auto x86 = intrinsics_for(v);
  if (!x86) return loop;
  include_intrinsics();
  const std::string& p = x86->prefix;
  std::string body(if_avx512);
  body += fmt::format("  return {}_movepi{}_mask(({})on) != 0;\n", p, x86->each, x86->whole_type);
  if (x86->bits <= 256)
    body += fmt::format("#elif defined({})\n  return {}_movemask_epi8(({})on) != 0;\n",
                        x86->bits == 256 ? "__AVX2__" : "__SSE2__", p, x86->whole_type);
  return body + "#else\n" + loop + "#endif\n";
}

std::string LaneFunctions::any(Vector v) {
  const std::string name = name_of(v) + "_any";
  if (!is_new(name)) return name;
  const std::string loop = "  E some = 0;\n  for (int l = 0; l < N; l++) some |= on[l];\n  return some != 0;\n";
  function(v, "bool V_any(V on)", any_by_signs(v, loop));
  return name;
}

namespace {

std::string scalar_body(Scalar scalar, BinaryOp op) {
  const bool real = code::is_float(scalar);
  const std::string cast = scalar == Scalar::i16 ? "(int16_t)" : "";
  switch (op) {
  case BinaryOp::min: return real ? "a != a || a < b ? a : b" : "a < b ? a : b";
  case BinaryOp::max: return real ? "a != a || b < a ? a : b" : "b < a ? a : b";
  case BinaryOp::pow: return scalar == Scalar::f32 ? "powf(a, b)" : "pow(a, b)";
  case BinaryOp::div: return cast + "(b == -1 ? 0 - a : a / b)"; // the least number has no opposite: C would stop there
  case BinaryOp::floor_div: return cast + "(a / b - (a % b < 0))";
  case BinaryOp::mod: return cast + "(a % b + (a % b < 0 ? b : 0))";
  default: bug("an operator that C has");
  }
}

} // namespace

std::string LaneFunctions::scalar_unary(Scalar scalar, UnaryOp op) {
  const std::string name = fmt::format("{}_{}", code::name_of(scalar), word_of(op));
  if (!is_new(name)) return name;
  const bool real = code::is_float(scalar);
  const std::string c_function =
      (op == UnaryOp::absolute ? "fabs" : std::string(word_of(op))) + (scalar == Scalar::f32 ? "f" : "");
  const std::string cast = scalar == Scalar::i16 ? "(int16_t)" : "";
  text_ += fmt::format("static inline {0} {1}({0} a) {{\n  return {2};\n}}\n\n", c_type(scalar), name,
                       real ? c_function + "(a)" : cast + "(a < 0 ? 0 - a : a)");
  return name;
}

std::string LaneFunctions::scalar_binary(Scalar scalar, BinaryOp op) {
  const std::string name = fmt::format("{}_{}", code::name_of(scalar), word_of(op));
  if (is_new(name))
    text_ += fmt::format("static inline {0} {1}({0} a, {0} b) {{\n  return {2};\n}}\n\n", c_type(scalar), name,
                         scalar_body(scalar, op));
  return name;
}

std::string LaneFunctions::share() {
  if (is_new("cyc_share"))
    text_ +=
        R"(/* How many iterations a thread takes at a time: few enough that none has to wait long for the others at the end. */
static inline int64_t cyc_share(int64_t iterations, int threads) {
  return iterations <= 0 ? 1 : iterations / (16 * (int64_t)threads) + 1;
}

)";
  return "cyc_share";
}

std::string LaneFunctions::room() {
  if (is_new("cyc_room"))
    text_ += fmt::format(R"(/* Every memory of a thread's own begins at a multiple of {0} bytes. */
static inline int64_t cyc_room(int64_t elements, int64_t size) {{
  return elements <= 0 ? 0 : (elements * size + {1}) / {0} * {0};
}}

)",
                         code::scratch_alignment, code::scratch_alignment - 1);
  return "cyc_room";
}

std::string LaneFunctions::unroll(std::int64_t times) {
  if (is_new("CYC_UNROLL"))
    types_ += R"(#define CYC_TEXT(x) #x
#ifdef __clang__
#define CYC_UNROLL(times) _Pragma(CYC_TEXT(clang loop unroll_count(times)))
#else
#define CYC_UNROLL(times) _Pragma(CYC_TEXT(GCC unroll times))
#endif
)";
  return fmt::format("CYC_UNROLL({})", std::min<std::int64_t>(times, 65534)); // no compiler takes more
}

} // namespace cyclotron::backend::simd
