// SPDX-License-Identifier: MIT
// One input on its way: what all the ways of reading are handed.
#pragma once

#include "backend/mpi/data/delivery.hpp"
#include "backend/mpi/data/pieces.hpp"
#include "backend/mpi/data/read.hpp"
#include "backend/mpi/data/words.hpp"
#include "tensor/cast.hpp"
#include "tensor/io.hpp"

namespace cyclotron::mpi {

struct Input {
  const Declaration& tensor;
  const std::vector<Part>& parts;
  MPI_Comm comm;
  Limits limits;
  Diagnostics& agreed; // the same on all ranks
  Declaration source;  // the tensor before it was cut into tiles
  Cuts cuts;

  std::int64_t elements_at_once() const { return limits.elements > 0 ? limits.elements : elements_per_round(comm); }
  // Who made the values, where that is no file.
  std::string maker() const { return cuts.empty() ? "" : "`tiles` for `" + tensor.name + "`"; }
};

// Collective; false where any rank found an error.
bool read_numpy(const Input& input, const std::string& path);
bool read_text(const Input& input, const std::string& path, tensor::FileKind kind);
bool make(const Input& input, const tensor::Recipe& recipe);

// An error where a file has not as many dimensions as the tensor; the readers compare the sizes themselves.
void check_rank(const Input& input, const std::string& path, const std::vector<std::int64_t>& found, Diagnostics& mine);

// Collective. Sends the entries that produce(more) finds on each rank to their owners, round by round, until `more` is
// false everywhere, and converts them from `type`. Their dimension `dropped`, if any, does not count.
template <class Produce>
bool deliver(const Input& input, tensor::ValueType type, int dropped, Diagnostics& mine, Produce produce) {
  const Directory directory(input.parts, input.tensor, mine, input.comm);
  if (!agree(mine, input.agreed, input.comm)) return false;
  // What is cut into tiles is cast before entries with the same coordinates are summed.
  const tensor::ValueType sent = input.cuts.empty() ? type : input.tensor.type;
  Delivery delivery(directory, input.parts, input.tensor, sent, input.comm);
  std::vector<std::int64_t> at;
  for (bool more = true; more;) {
    more = false;
    std::optional<tensor::Entries> batch = produce(more);
    std::int64_t failed = -1;
    if (batch && sent != type) {
      tensor::Values cast = tensor::cast_values(batch->values, sent, failed);
      if (failed < 0) batch->values = std::move(cast);
      else report_made(input.maker(), tensor::float_at(batch->values, failed), sent, mine);
    }
    if (batch && failed < 0)
      std::visit(
          [&](const auto& values) {
            for (std::size_t i = 0; i < values.size(); ++i) {
              at.clear();
              for (std::size_t d = 0; d < batch->coordinates.size(); ++d)
                if (static_cast<int>(d) != dropped) at.push_back(batch->coordinates[d][i]);
              cut_coordinates(at, input.cuts);
              delivery.add(at.data(), word_of(values[i]));
            }
          },
          batch->values);
    if (!delivery.exchange(more, mine, input.agreed)) return false;
  }
  convert(input.parts, input.tensor, sent, "", input.comm, mine);
  return agree(mine, input.agreed, input.comm);
}

} // namespace cyclotron::mpi
