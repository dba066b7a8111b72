// SPDX-License-Identifier: MIT
// Outputs: where they can be other than zero, and their values.
#pragma once

#include "cyclotron/format.hpp"
#include "cyclotron/view.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cyclotron {

namespace detail {

struct AnalysisState;
struct OutputState;

} // namespace detail

struct ReadOptions;

// One output, or a tensor from a file (file.hpp). It keeps what it shows alive.
class Output {
public:
  const std::string& name() const;
  Type type() const;
  const std::vector<std::int64_t>& dims() const;
  std::string format() const;  // "dense", "csr", …
  std::int64_t stored() const; // how many values
  int index_bits() const;      // 32 or 64: the width of positions and coordinates

  // Throws Error where T is not the type of the output.
  template <class T> std::span<const T> values() const {
    return {static_cast<const T*>(values_as(detail::type_for<T>())), static_cast<std::size_t>(stored())};
  }

  // Of a level, from 0. As they are, where I has the right width; or copied into 64 bits.
  template <detail::IndexInteger I> std::span<const I> positions(int level) const {
    const detail::Array a = index_array(level, false, 8 * int(sizeof(I)));
    return {static_cast<const I*>(a.data), static_cast<std::size_t>(a.count)};
  }
  template <detail::IndexInteger I> std::span<const I> coordinates(int level) const {
    const detail::Array a = index_array(level, true, 8 * int(sizeof(I)));
    return {static_cast<const I*>(a.data), static_cast<std::size_t>(a.count)};
  }
  std::vector<std::int64_t> positions(int level) const { return widened(level, false); }
  std::vector<std::int64_t> coordinates(int level) const { return widened(level, true); }
  std::span<const std::uint64_t> bits(int level) const;

  // The element at these indices, as a double; 0 where nothing is stored.
  template <std::convertible_to<std::int64_t>... I> double at(I... indices) const {
    return element({static_cast<std::int64_t>(indices)...});
  }

  // As an input of another kernel.
  View view() const;

  // This structure with values of your own, as an output of Kernel::compute. There must be room for stored() values.
  template <class T> View view(T* values) const {
    return with_values({values, -1}, detail::type_for<T>(), std::is_const_v<T>);
  }
  template <std::ranges::contiguous_range R> View view(R&& values) const {
    using T = detail::Element<R>;
    return with_values(detail::array_of(values), detail::type_for<T>(), std::is_const_v<T>);
  }

private:
  friend class Analysis;
  friend Output read(const std::string& path, const Format& format, const ReadOptions& options);
  explicit Output(std::shared_ptr<const detail::OutputState> state) : state_(std::move(state)) {}
  const void* values_as(Type type) const;
  detail::Array index_array(int level, bool coordinates, int bits) const;
  std::vector<std::int64_t> widened(int level, bool coordinates) const;
  double element(const std::vector<std::int64_t>& at) const;
  View with_values(detail::Array values, Type type, bool read_only) const;

  std::shared_ptr<const detail::OutputState> state_;
};

// What is known of a run before any value is: sizes, and the structure of sparse outputs. Made once, and used for all
// inputs with the structure it was made from. Copies share the structure; each has values of its own.
class Analysis {
public:
  Analysis(const Analysis& other);
  Analysis& operator=(const Analysis& other);
  Analysis(Analysis&&) noexcept = default;
  Analysis& operator=(Analysis&&) noexcept = default;

  std::int64_t size(const std::string& name) const;
  Output operator[](const std::string& name) const; // throws Error where there is no such output

private:
  friend class Kernel;
  friend class Result;
  explicit Analysis(std::shared_ptr<detail::AnalysisState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::AnalysisState> state_;
};

// All outputs of one run.
class Result {
public:
  std::int64_t size(const std::string& name) const { return all_.size(name); }
  Output operator[](const std::string& name) const { return all_[name]; }

private:
  friend class Kernel;
  explicit Result(Analysis analysis) : all_(std::move(analysis)) {}
  Analysis all_;
};

} // namespace cyclotron
