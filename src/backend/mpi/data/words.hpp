// SPDX-License-Identifier: MIT
// Words from and to arrays of one type, and from one type to another.
#pragma once

#include "backend/mpi/data/part.hpp"
#include "support/diagnostics.hpp"
#include "tensor/tensor.hpp"

#include <mpi.h>

#include <type_traits>

namespace cyclotron::mpi {

template <class T> Word word_of(T value) {
  if constexpr (std::is_floating_point_v<T>) return tensor::real_word(static_cast<double>(value));
  else return tensor::whole_word(static_cast<std::int64_t>(value));
}

template <class T> T value_of(Word word) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(word.real);
  else return static_cast<T>(word.whole);
}

// Calls use(T{}) with the type that arrays of `type` hold.
template <class Use> auto with_type(tensor::ValueType type, Use use) {
  return std::visit([&](const auto& values) { return use(typename std::decay_t<decltype(values)>::value_type{}); },
                    tensor::make_values(type));
}

// Collective. The words hold values of type `from`; in the end those of the declaration. Reports in `mine`, on the rank
// that has it, the first value of the tensor that cannot be one of them. `maker` is who made them, where that is no
// file: "`tiles` for `A`".
void convert(const std::vector<Part>& parts, const Declaration& tensor, tensor::ValueType from,
             const std::string& maker, MPI_Comm comm, Diagnostics& mine);

// The error for a value that a recipe made and the type cannot hold.
void report_made(const std::string& maker, double value, tensor::ValueType type, Diagnostics& mine);

// The coordinates of an element of a box, counted row by row.
std::vector<std::int64_t> coordinates_in(const Box& box, std::int64_t offset);

} // namespace cyclotron::mpi
