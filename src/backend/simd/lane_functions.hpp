// SPDX-License-Identifier: MIT
// The small C functions that printed kernels call, and the types of vectors: each is written down where it is asked
// for, so that a file begins with what it uses and nothing else.
//
//   functions.load({f32, 16})   -->   "f32x16_load", and in front of the kernels
//
//     typedef float f32x16 __attribute__((vector_size(64)));
//     static inline f32x16 f32x16_load(const float *from) { … }
//
// Vectors are those of gcc and clang, never wider than a register of the machine. A vector of truth values is one of
// whole numbers, all bits set for true, as comparisons give it: as wide as the numbers that it is about.
#pragma once

#include "code/ir.hpp"

#include <set>
#include <string>

namespace cyclotron::backend::simd {

enum class Element { i8, i16, i32, i64, f32, f64 };

struct Vector {
  Element element = Element::i64;
  std::int64_t lanes = 1;
};

Element element_of(code::Scalar scalar); // as it lies in memory: i8 of truth values
Element whole_element(std::int64_t bytes);
std::int64_t bytes_of(Element element);
std::string_view c_type(Element element);
std::string_view c_type(code::Scalar scalar); // of a variable: bool of truth values
std::string name_of(Vector vector);           // "f32x16"
Vector mask_of(Vector vector);                // of truth values about its lanes

// `text` once for each lane, the number of the lane for every `$`.
std::string for_each_lane(std::int64_t lanes, const std::string& text);

// How lanes of a memory are addressed.
enum class Way { next_to_each_other, same, stride, index32, index64 };

class LaneFunctions {
public:
  std::string type(Vector v);
  std::string all(Vector v);                         // (e): the same in every lane
  std::string lanes_from(Vector v);                  // (first): first, first + 1, …
  std::string load(Vector v, Way way, bool masked);  // (from, [stride or index], [on])
  std::string store(Vector v, Way way, bool masked); // (to, [stride or index], value, [on])
  std::string select(Vector v);                      // (on, a, b)
  std::string unary(Vector v, code::UnaryOp op);     // (a): all but `-` and `not`
  std::string binary(Vector v, code::BinaryOp op);   // (a, b): those that C has not
  std::string across(Vector v, std::int64_t first);  // (a, b): the lanes from the first on, of a and then b
  std::string join(Vector half);                     // (a, b): twice as many lanes
  std::string part(Vector whole, std::int64_t first, std::int64_t lanes); // (a): those lanes
  std::string at(Vector v);                                               // (a, lane)
  std::string any(Vector v);                                              // (on)

  std::string scalar_unary(code::Scalar scalar, code::UnaryOp op); // (a)
  std::string scalar_binary(code::Scalar scalar,
                            code::BinaryOp op); // (a, b): those that C has not, or not for all numbers
  std::string share();                          // (iterations, threads): how many a thread takes at a time
  std::string room();                           // (elements, bytes of each): the bytes of a memory of a thread's own
  std::string unroll(std::int64_t times);       // a line before a loop

  // All that was asked for: headers, types, then functions.
  std::string text() const { return headers_ + types_ + "\n" + text_; }

private:
  bool is_new(const std::string& name) { return written_.insert(name).second; }
  std::string any_by_signs(Vector v, const std::string& loop);
  std::string same_for_all(Vector v, bool masked);
  std::string masked_move(Vector v, const std::string& loop, bool loads);
  std::string extreme(Vector v, code::BinaryOp op);
  void include_intrinsics();
  void function(Vector v, const std::string& head, const std::string& body);

  std::set<std::string> written_;
  std::string headers_, types_, text_;
};

} // namespace cyclotron::backend::simd
