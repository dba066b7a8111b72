// SPDX-License-Identifier: MIT
// The entries of a text file in batches, so that several readers may share a file: each confines its lines to a
// stretch of the bytes, and learns from the others how much stands before it.
#pragma once

#include "tensor/io/matrix_market_header.hpp"
#include "tensor/tensor.hpp"

#include <memory>

namespace cyclotron::tensor {

class TextEntries {
public:
  virtual ~TextEntries() = default;

  // How many entries the lines ahead list, which are not read otherwise.
  virtual std::int64_t count_ahead() = 0;
  // How many entries stand before those that are read next.
  virtual void begin_at(std::int64_t entries_before) = 0;
  // The next entries with their coordinates, about `most` of them, with their mirror images where the matrix is
  // symmetric; none where the lines end. Nothing after an error.
  virtual std::optional<Entries> next(std::int64_t most) = 0;
  // Behind the last line of the file: whether it lists what it says. False with an error.
  virtual bool check_end() = 0;
};

std::unique_ptr<TextEntries> matrix_market_entries(TextLines& lines, const MatrixMarketHeader& header);
std::unique_ptr<TextEntries> frostt_entries(TextLines& lines, const std::vector<std::int64_t>& dims);

// The shape that a Matrix Market file is taken for: a matrix of one row or column may be wanted as a vector, and then
// dimension `dropped` of its entries goes. Nothing, with an error, where it does not fit what is known.
struct MatrixMarketShape {
  std::vector<std::int64_t> dims;
  int dropped = -1;
};
std::optional<MatrixMarketShape> shape_of(TextLines& lines, const MatrixMarketHeader& header,
                                          const std::vector<std::int64_t>& known);

} // namespace cyclotron::tensor
