// SPDX-License-Identifier: MIT
// Your arrays as tensors. A view borrows: nothing is copied, and the arrays must live as long as it is used.
//
// Positions and coordinates are 32 or 64 bits wide; all sparse views of one call must agree. Arrays of const may only
// be inputs. Lengths that are known (of vectors, spans) are checked; where only a pointer is given they must be right.
#pragma once

#include "cyclotron/format.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cyclotron {

namespace detail {

template <class T> consteval Type type_for() {
  using V = std::remove_cv_t<T>;
  if constexpr (std::same_as<V, double>) return f64;
  else if constexpr (std::same_as<V, float>) return f32;
  else if constexpr (std::same_as<V, bool> || std::same_as<V, unsigned char>) return boolean;
  else if constexpr (std::signed_integral<V> && sizeof(V) == 4) return i32;
  else {
    static_assert(std::signed_integral<V> && sizeof(V) == 8,
                  "values are double, float, bool, unsigned char (as bool), or signed integers of 32 or 64 bits");
    return i64;
  }
}

template <class I>
concept IndexInteger = std::signed_integral<I> &&(sizeof(I) == 4 || sizeof(I) == 8);

// An array and its length, -1 where that is not known.
struct Array {
  const void* data = nullptr;
  std::int64_t count = -1;
};

template <class T> Array array_of(T* data) { return {data, -1}; }
template <std::ranges::contiguous_range R> Array array_of(R& range) {
  return {std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range))};
}
inline Array array_of(Array array) { return array; }

template <class P> struct element_of { using type = std::remove_reference_t<std::ranges::range_reference_t<P>>; };
template <class T> struct element_of<T*> { using type = T; };
template <class T> using Element = typename element_of<std::remove_reference_t<T>>::type;
template <class T> using Plain = std::remove_cv_t<Element<T>>;

struct LevelArrays {
  Array positions, coordinates, bits;
};

struct DeviceTensorState;

} // namespace detail

class View {
public:
  struct Data {
    std::vector<std::int64_t> dims;
    Format format{"dense"};
    Type type = f64;
    bool read_only = false;
    int index_bits = 0; // 0 where there is no index array
    std::vector<detail::LevelArrays> levels = {};
    detail::Array values = {};
    bool on_device = false; // the values are in the memory of a GPU: see device.hpp
    std::shared_ptr<const detail::DeviceTensorState> memory = nullptr; // that we keep there
  };
  explicit View(Data data) : data_(std::move(data)) {}
  const Data& data() const { return data_; }

private:
  Data data_;
};

// A dense tensor, row-major unless the format says otherwise: `view(a.data(), {m, n})`, `view(a, {m, n})`, `view(a)`
// for a vector.
template <class T> View view(T* data, std::vector<std::int64_t> dims, Format format = dense) {
  return View({std::move(dims), format, detail::type_for<T>(), std::is_const_v<T>, 0, {}, {data, -1}});
}
template <std::ranges::contiguous_range R> View view(R&& range, std::vector<std::int64_t> dims, Format format = dense) {
  using T = detail::Element<R>;
  return View({std::move(dims), format, detail::type_for<T>(), std::is_const_v<T>, 0, {}, detail::array_of(range)});
}
template <std::ranges::contiguous_range R> View view(R&& range) {
  return view(range, {static_cast<std::int64_t>(std::ranges::size(range))});
}

// The arrays of one level of a general format; those that its kind does not have stay empty.
template <detail::IndexInteger I> struct LevelView {
  std::span<const I> positions;
  std::span<const I> coordinates;
  std::span<const std::uint64_t> bits;
};

// Any format: one LevelView per level, in storage order.
template <detail::IndexInteger I, class V>
View sparse_view(std::vector<std::int64_t> dims, const Format& format, const std::vector<LevelView<I>>& levels,
                 V&& values) {
  using T = detail::Element<V>;
  View::Data data{std::move(dims),    format, detail::type_for<T>(),   std::is_const_v<T>,
                  8 * int(sizeof(I)), {},     detail::array_of(values)};
  for (const LevelView<I>& l : levels)
    data.levels.push_back({detail::array_of(l.positions), detail::array_of(l.coordinates), detail::array_of(l.bits)});
  return View(std::move(data));
}

namespace detail {

template <class P, class C, class V>
View compressed_view(std::vector<std::int64_t> dims, const Format& format, P& positions, C& coordinates, V& values) {
  using T = Element<V>;
  using I = Plain<P>;
  static_assert(IndexInteger<I> && std::same_as<I, Plain<C>>,
                "positions and coordinates are signed integers of one type, of 32 or 64 bits");
  return View({std::move(dims),
               format,
               type_for<T>(),
               std::is_const_v<T>,
               8 * int(sizeof(I)),
               {{}, {array_of(positions), array_of(coordinates), {}}},
               array_of(values)});
}

} // namespace detail

// Compressed rows: `positions` has rows + 1 entries, `coordinates` the columns, sorted within each row. Each array is
// a pointer, a vector or a span.
template <class P, class C, class V>
View csr_view(std::int64_t rows, std::int64_t columns, P&& positions, C&& coordinates, V&& values) {
  return detail::compressed_view({rows, columns}, csr, positions, coordinates, values);
}

// Compressed columns: `positions` has columns + 1 entries.
template <class P, class C, class V>
View csc_view(std::int64_t rows, std::int64_t columns, P&& positions, C&& coordinates, V&& values) {
  return detail::compressed_view({rows, columns}, csc, positions, coordinates, values);
}

// Coordinates, one array per dimension, sorted by the first, then the second, …; no point twice. `positions` holds two
// entries, 0 and the number of points.
template <detail::IndexInteger I, class V>
View coo_view(std::vector<std::int64_t> dims, std::span<const I> positions,
              const std::vector<std::span<const I>>& coordinates, V&& values) {
  std::vector<LevelView<I>> levels;
  for (const std::span<const I>& c : coordinates) levels.push_back({{}, c, {}});
  if (!levels.empty()) levels[0].positions = positions;
  return sparse_view<I>(std::move(dims), coo, levels, values);
}

// What a name stands for in a call: a view, a vector or span (a tensor of one dimension), or a number (a size, or an
// input without dimensions).
class Argument {
public:
  Argument(View view) : view_(std::move(view)) {}
  template <class R>
  requires(std::ranges::contiguous_range<R> && !std::same_as<std::remove_cvref_t<R>, std::string>) Argument(R&& range)
      : view_(cyclotron::view(range)) {}
  // One that 64 bits with a sign cannot hold is a number like any other, but not a whole one.
  template <std::integral T>
  Argument(T number)
      : number_(static_cast<double>(number)), whole_(static_cast<std::int64_t>(number)),
        kind_(std::is_unsigned_v<T> && whole_ < 0 ? Kind::real : Kind::whole) {}
  template <std::floating_point T> Argument(T number) : number_(static_cast<double>(number)), kind_(Kind::real) {}

  enum class Kind { view, whole, real };
  Kind kind() const { return kind_; }
  const View& view() const { return view_; }
  std::int64_t whole() const { return whole_; }
  double number() const { return number_; }

private:
  View view_{View::Data{}};
  double number_ = 0;
  std::int64_t whole_ = 0;
  Kind kind_ = Kind::view;
};

// Names and what they stand for: `{{"A", a}, {"b", b}}`.
class Arguments {
public:
  Arguments() = default;
  Arguments(std::initializer_list<std::pair<std::string, Argument>> list) : list_(list) {}
  Arguments& add(std::string name, Argument argument) {
    list_.emplace_back(std::move(name), std::move(argument));
    return *this;
  }
  const std::vector<std::pair<std::string, Argument>>& list() const { return list_; }

private:
  std::vector<std::pair<std::string, Argument>> list_;
};

} // namespace cyclotron
