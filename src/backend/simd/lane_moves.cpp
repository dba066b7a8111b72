// SPDX-License-Identifier: MIT
// Between memory and lanes, and from lane to lane.
#include "backend/simd/intrinsics.hpp"
#include "backend/simd/lane_functions.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::simd {

std::string for_each_lane(std::int64_t lanes, const std::string& text) {
  std::string all;
  for (std::int64_t l = 0; l < lanes; ++l) {
    if (l > 0) all += ", ";
    for (const char c : text) all += c == '$' ? std::to_string(l) : std::string(1, c);
  }
  return all;
}

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The name of an access and its parameters: `load_at_i32_on`, `, i32x8 index`.
struct AccessForm {
  std::string name, parameters, place;
};

AccessForm form_of(Vector v, Way way) {
  switch (way) {
  case Way::next_to_each_other: return {"", "", "l"};
  case Way::same: return {"_same", "", "0"};
  case Way::stride: return {"_every", ", int64_t stride", "l * stride"};
  case Way::index32: return {"_at_i32", fmt::format(", i32x{} index", v.lanes), "index[l]"};
  case Way::index64: return {"_at_i64", fmt::format(", i64x{} index", v.lanes), "index[l]"};
  }
  bug("unknown way");
}

} // namespace

std::string LaneFunctions::load(Vector v, Way way, bool masked) {
  const AccessForm form = form_of(v, way);
  const std::string name = name_of(v) + "_load" + form.name + (masked ? "_on" : "");
  if (way == Way::index32 || way == Way::index64) type({way == Way::index32 ? Element::i32 : Element::i64, v.lanes});
  if (!is_new(name)) return name;
  const std::string head = "V " + name + "(const E *from" + form.parameters + (masked ? ", M on)" : ")");
  if (way == Way::same) {
    function(v, head, same_for_all(v, masked));
    return name;
  }
  const std::string element = "from[" + replaced(form.place, "l", "$") + "]";
  // Of lanes that are switched off another element is loaded: so there is nothing to jump over.
  const std::string loop = "  static const E none = 0;\n  return (V){" +
                           for_each_lane(v.lanes, "*(on[$] ? &" + element + " : &none)") + "};\n";
  if (masked) function(v, head, way == Way::next_to_each_other ? masked_move(v, loop, true) : loop);
  else if (way == Way::next_to_each_other)
    function(v, head, "  V all;\n  memcpy(&all, from, sizeof all);\n  return all;\n");
  else function(v, head, "  return (V){" + for_each_lane(v.lanes, element) + "};\n");
  return name;
}

// One number is loaded, if any lane wants it.
std::string LaneFunctions::same_for_all(Vector v, bool masked) {
  const std::string each = all(v);
  if (!masked) return "  return " + each + "(*from);\n";
  return fmt::format("  static const E none = 0;\n  return (V)(on & (M){}(*({}(on) ? from : &none)));\n", each,
                     any(mask_of(v)));
}

std::string LaneFunctions::store(Vector v, Way way, bool masked) {
  const AccessForm form = form_of(v, way);
  const std::string name = name_of(v) + "_store" + form.name + (masked ? "_on" : "");
  if (way == Way::index32 || way == Way::index64) type({way == Way::index32 ? Element::i32 : Element::i64, v.lanes});
  if (!is_new(name)) return name;
  const std::string head = "void " + name + "(E *to" + form.parameters + ", V all" + (masked ? ", M on)" : ")");
  const std::string loop = "  for (int l = 0; l < N; l++)" + std::string(masked ? "\n    if (on[l]) " : " ") + "to[" +
                           form.place + "] = all[l];\n";
  if (way != Way::next_to_each_other) function(v, head, loop);
  else function(v, head, masked ? masked_move(v, loop, false) : "  memcpy(to, &all, sizeof all);\n");
  return name;
}

void LaneFunctions::include_intrinsics() {
  if (is_new("immintrin.h")) headers_ += "#ifdef __SSE2__\n#include <immintrin.h>\n#endif\n\n";
}

// The body of a function that moves neighbouring elements, those that are switched on, where the processor can do that
// at once; elsewhere `loop`. Compilers make jumps of it, which takes several times as long.
std::string LaneFunctions::masked_move(Vector v, const std::string& loop, bool loads) {
  const auto x86 = intrinsics_for(v);
  if (!x86) return loop;
  include_intrinsics();
  const std::string& p = x86->prefix;
  const std::string on = fmt::format("({})on", x86->whole_type),
                    bits = fmt::format("{}_movepi{}_mask({})", p, x86->each, on);
  const std::string pointer = x86->kind == "epi32" ? "(int *)" : x86->kind == "epi64" ? "(long long *)" : "";
  std::string body(if_avx512);
  body += loads ? fmt::format("  return (V){}_maskz_loadu_{}({}, from);\n", p, x86->kind, bits)
                : fmt::format("  {}_mask_storeu_{}(to, {}, ({})all);\n", p, x86->kind, bits, x86->type);
  if (x86->bits <= 256 && x86->each >= 32) {
    body += "#elif defined(__AVX2__)\n";
    body += loads ? fmt::format("  return (V){}_maskload_{}({}from, {});\n", p, x86->kind,
                                replaced(pointer, "(", "(const "), on)
                  : fmt::format("  {}_maskstore_{}({}to, {}, ({})all);\n", p, x86->kind, pointer, on, x86->type);
  }
  return body + "#else\n" + loop + "#endif\n";
}

std::string LaneFunctions::across(Vector v, std::int64_t first) {
  const std::string name = fmt::format("{}_across_{}", name_of(v), first);
  if (!is_new(name)) return name;
  std::string places;
  for (std::int64_t l = 0; l < v.lanes; ++l) places += fmt::format(", {}", first + l);
  std::string body = "  return __builtin_shufflevector(a, b" + places + ");\n";
  const std::int64_t bytes = first * bytes_of(v.element);
  if (const auto x86 = intrinsics_for(v); x86 && x86->bits >= 256 && bytes % 4 == 0) { // gcc makes a permutation of it
    include_intrinsics();
    body = fmt::format("{0}  return (V){1}_alignr_epi32(({2})b, ({2})a, {3});\n#else\n{4}#endif\n", if_avx512,
                       x86->prefix, x86->whole_type, bytes / 4, body);
  }
  function(v, "V " + name + "(V a, V b)", body);
  return name;
}

std::string LaneFunctions::join(Vector half) {
  const Vector whole{half.element, 2 * half.lanes};
  const std::string name = name_of(whole) + "_join";
  if (!is_new(name)) return name;
  type(half);
  function(whole, fmt::format("V V_join({0} a, {0} b)", name_of(half)),
           "  return __builtin_shufflevector(a, b, " + for_each_lane(whole.lanes, "$") + ");\n");
  return name;
}

std::string LaneFunctions::part(Vector whole, std::int64_t first, std::int64_t lanes) {
  const Vector result{whole.element, lanes};
  const std::string name = fmt::format("{}_part_{}_of_{}", name_of(result), first, whole.lanes);
  if (!is_new(name)) return name;
  type(whole);
  std::string places;
  for (std::int64_t l = 0; l < lanes; ++l) places += fmt::format(", {}", first + l);
  function(result, fmt::format("V {}({} a)", name, name_of(whole)),
           "  return __builtin_shufflevector(a, a" + places + ");\n");
  return name;
}

} // namespace cyclotron::backend::simd
