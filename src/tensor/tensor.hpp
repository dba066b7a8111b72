// SPDX-License-Identifier: MIT
// The one tensor container: level storage for any rank and format, with values of one of five types.
#pragma once

#include "support/diagnostics.hpp"
#include "tensor/format.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace cyclotron::tensor {

// Bools are stored as bytes so that every alternative is a plain array.
using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>,
                            std::vector<std::int64_t>, std::vector<std::uint8_t>>;

Values make_values(ValueType type, std::size_t count = 0);
ValueType type_of(const Values& values);
std::size_t size_of(const Values& values);

// Storage of one level. Which arrays are used depends on the kind (levels.hpp): positions are one more than the
// parents; bits take ceil(size / 64) words per parent.
struct Level {
  LevelKind kind = LevelKind::dense;
  std::int64_t size = 0;
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> coordinates;
  std::vector<std::uint64_t> bits;

  bool operator==(const Level&) const = default;
};

// How many entries a level has in all, below that many parents.
std::int64_t entry_count(const Level& level, std::int64_t parents);

struct Tensor {
  std::vector<std::int64_t> dims;
  Format format;
  std::vector<Level> levels; // in storage order; empty for a scalar
  Values values;

  int rank() const { return static_cast<int>(dims.size()); }
  ValueType type() const { return type_of(values); }
  std::int64_t stored() const { return static_cast<std::int64_t>(size_of(values)); }
  bool operator==(const Tensor&) const = default;
};

// Coordinates and values, one array per dimension: what readers and generators produce and packing takes.
// Entries may come in any order and repeat. A dense source (`.npy`, an array file, `ones`) sets `dense` instead:
// then the values are all elements in row-major order and `coordinates` is empty, which saves 8 bytes per
// element and dimension; its zeros are not entries and formats that are not dense drop them.
struct Entries {
  std::vector<std::int64_t> dims;
  std::vector<std::vector<std::int64_t>> coordinates; // [dimension][entry]
  Values values;
  bool dense = false;

  std::int64_t count() const { return static_cast<std::int64_t>(size_of(values)); }
};

// Fills in the coordinates of a dense list, which is then no longer `dense`; zeros stay. Others are left alone.
void spell_out(Entries& entries);

// Drops the zeros, and spells out the coordinates of what is left.
void drop_zeros(Entries& entries);

// Builds storage from entries. Repeated coordinates are summed (or-ed for bool). Formats without a dense
// leaf store exactly the distinct coordinates given, explicit zeros included.
// Packing in a format that needs more memory than there is reports an error and returns nothing.
std::optional<Tensor> pack(Entries entries, const Format& format, Diagnostics& diagnostics);

// All stored entries in storage order, explicit zeros of dense levels included.
Entries unpack(const Tensor& tensor);

// The same tensor in another format; entries that are zero are dropped where the new format is not dense.
std::optional<Tensor> convert(const Tensor& tensor, const Format& format, Diagnostics& diagnostics);

// The same tensor with values of another type. Floating-point values that are not whole, or out of range,
// cannot become integers, nor finite ones infinite in f32: an error that names the element. As bools, all values
// but zero are true.
std::optional<Tensor> convert_type(Tensor tensor, ValueType type, Diagnostics& diagnostics);

// A dense tensor of zeros in row-major order, if there is memory for it; `what` names it in the error.
std::optional<Tensor> zeros(std::vector<std::int64_t> dims, ValueType type, std::string_view what,
                            Diagnostics& diagnostics);

// Position of the value at these coordinates, or -1 where nothing is stored. Coordinates must be in range.
std::int64_t locate(const Tensor& tensor, const std::int64_t* coordinates);

// Value at a position, widened or cut short: for any type, as double or as int64 (bool: 0 or 1). integer_at is
// for integers and bools.
double float_at(const Values& values, std::int64_t position);
std::int64_t integer_at(const Values& values, std::int64_t position);

// How many stored values are not zero.
std::int64_t nonzeros(const Tensor& tensor);

// Empty where the storage is consistent (lengths, sorted coordinates in range, monotone positions); else what
// is wrong. Readers, packers and conversions are tested with it.
std::string problem_of(const Tensor& tensor);

} // namespace cyclotron::tensor
