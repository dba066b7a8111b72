// SPDX-License-Identifier: MIT
// Elements on their way to the ranks that own them, in rounds of a bounded size: whoever finds an element adds it, and
// every round hands over what was added since the last.
#pragma once

#include "backend/mpi/data/agree.hpp"
#include "backend/mpi/data/directory.hpp"

namespace cyclotron::mpi {

class Delivery {
public:
  // Values of type `type`, which need not be that of the declaration. Fills the parts with zeros.
  Delivery(const Directory& directory, const std::vector<Part>& parts, const Declaration& tensor,
           tensor::ValueType type, MPI_Comm comm);

  // An element that nobody owns is dropped.
  void add(const std::int64_t* at, Word value);

  // Collective. What several ranks added for one element is summed (or-ed for bools) in the order of the rounds, then
  // of the ranks, then of the calls: that of the file where each rank reads the stretch behind the previous rank's.
  // False where any rank had an error in `mine`. `more` becomes true where any rank has more to add.
  bool exchange(bool& more, Diagnostics& mine, Diagnostics& agreed);

  // How many elements of this rank have been handed over so far.
  std::int64_t arrived() const { return arrived_; }

private:
  struct Item {
    std::int64_t slot;
    Word value;
  };

  void send_and_receive();
  void store(const Item& item, Diagnostics& mine);
  bool sum(Word& into, Word value) const;

  const Directory& directory_;
  const std::vector<Part>& parts_;
  const Declaration& tensor_;
  tensor::ValueType type_;
  MPI_Comm comm_;
  std::vector<std::int64_t> starts_; // per part: slot of its first element; then the end
  std::size_t last_ = 0;             // the part that got an element last: the next is often for it, too
  std::vector<std::uint64_t> seen_;  // a bit per slot
  std::vector<int> to_;              // per item that is to be sent
  std::vector<Item> items_, received_;
  std::int64_t arrived_ = 0;
};

// About how many elements a rank may add per round, so that all of them fit a single rank.
std::int64_t elements_per_round(MPI_Comm comm);

} // namespace cyclotron::mpi
