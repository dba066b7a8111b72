// SPDX-License-Identifier: MIT
// Who owns which element: the boxes of all ranks in a tree of bounding boxes. It takes memory in the number of boxes,
// never in that of elements.
#pragma once

#include "backend/mpi/data/part.hpp"
#include "support/diagnostics.hpp"

#include <mpi.h>

namespace cyclotron::mpi {

class Directory {
public:
  // Collective. Reports in `mine` where a part of this rank overlaps another part.
  Directory(const std::vector<Part>& parts, const Declaration& tensor, Diagnostics& mine, MPI_Comm comm);

  // The rank that owns an element, or -1, and the element's place in the rank's parts, one behind the other.
  struct Home {
    int rank = -1;
    std::int64_t slot = 0;
  };
  Home find(const std::int64_t* at) const;

private:
  struct Node {
    int begin, end;            // into order_
    int left = -1, right = -1; // none: a leaf
  };

  void gather(const std::vector<Part>& parts, MPI_Comm comm);
  int grow(int begin, int end);
  int find_box(int node, const std::int64_t* at) const;
  int find_overlap(int node, int box) const;
  bool holds(const std::int64_t* bounds, const std::int64_t* at) const;
  bool meet(const std::int64_t* a, const std::int64_t* b) const;
  const std::int64_t* bounds_of_box(int box) const {
    return bounds_.data() + static_cast<std::size_t>(box) * 2 * rank_;
  }
  const std::int64_t* bounds_of_node(int node) const {
    return node_bounds_.data() + static_cast<std::size_t>(node) * 2 * rank_;
  }

  std::size_t rank_;                 // of the tensor
  std::vector<std::int64_t> bounds_; // per box: where it begins, and where it ends, in each dimension
  std::vector<int> owner_;           // per box
  std::vector<std::int64_t> slot_;   // per box: of its first element
  std::vector<int> order_;           // boxes, near ones near each other
  std::vector<Node> nodes_;
  std::vector<std::int64_t> node_bounds_;
  mutable int last_ = -1; // the box found last: the next element is often in it, too
};

} // namespace cyclotron::mpi
