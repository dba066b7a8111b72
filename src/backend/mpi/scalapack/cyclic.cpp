// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/cyclic.hpp"

#include <algorithm>
#include <utility>

namespace cyclotron::mpi::scalapack {

long share_of(long count, int block, int process, int source, int processes) {
  const long whole = count / block;
  const long turn = (process - source + processes) % processes; // when its first block is dealt
  const long share = whole / processes * block;
  if (turn < whole % processes) return share + block;
  return turn == whole % processes ? share + count % block : share;
}

long local_index(long index, int block, int processes) {
  return index / (static_cast<long>(block) * processes) * block + index % block;
}

int owner_of(long index, int block, int source, int processes) {
  return static_cast<int>((index / block + source) % processes);
}

Axis Axis::part(long begin, long end) const {
  Axis axis = *this;
  axis.first = backwards ? first + extent - end : first + begin;
  axis.extent = end - begin;
  return axis;
}

std::vector<Run> Axis::runs(long begin, long end, int process) const {
  std::vector<Run> found;
  for (long at = begin; at < end;) {
    const long global = first + (backwards ? extent - 1 - at : at);
    const long left_in_block = backwards ? global % block + 1 : block - global % block;
    const long length = std::min(left_in_block, end - at);
    if (owner_of(global, block, source, processes) == process) {
      // Neighbours in two blocks of one process: it has all blocks, and they are neighbours in memory, too.
      if (!found.empty() && found.back().at + found.back().length == at) found.back().length += length;
      else found.push_back({at, local_index(global, block, processes), length});
    }
    at += length;
  }
  return found;
}

Strided<double> CyclicView::in_memory(const Run& row, const Run& column) const {
  const Strided<double> first = local.at(row.local, column.local);
  return {first.data, first.row * rows.step(), first.column * columns.step()};
}

int CyclicView::rank(int row, int column) const {
  return transposed ? column * place.columns + row : row * place.columns + column;
}

CyclicView CyclicView::part(long first_row, long end_row, long first_column, long end_column) const {
  CyclicView view = *this;
  view.rows = rows.part(first_row, end_row);
  view.columns = columns.part(first_column, end_column);
  return view;
}

CyclicView CyclicView::transpose() const {
  CyclicView view = *this;
  std::swap(view.rows, view.columns);
  std::swap(view.local.row, view.local.column);
  view.transposed = !transposed;
  return view;
}

CyclicView CyclicView::reversed_rows() const {
  CyclicView view = *this;
  view.rows.backwards = !rows.backwards;
  return view;
}

CyclicView CyclicView::reversed_columns() const { return transpose().reversed_rows().transpose(); }

} // namespace cyclotron::mpi::scalapack
