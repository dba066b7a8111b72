// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/descriptors.hpp"

#include <algorithm>

namespace cyclotron::mpi::scalapack {

namespace {

constexpr int block_cyclic = 1;

// How a family of routines numbers the entries of a descriptor.
struct EntryNumbers {
  int row_block, column_block, row_source, column_source, leading;
};
constexpr int type_entry = 1, rows_entry = 3, columns_entry = 4;
constexpr EntryNumbers in_pblas{5, 6, 9, 10, 11}, in_scalapack{5, 6, 7, 8, 9};

bool empty(const Operand& operand) { return operand.rows.value == 0 || operand.columns.value == 0; }

bool leading_too_small(const Descriptor& descriptor, const GridPlace& place) {
  if (descriptor.leading < 1) return true;
  if (share_of(descriptor.columns, descriptor.column_block, place.column, descriptor.column_source, place.columns) == 0)
    return false;
  return descriptor.leading <
         share_of(descriptor.rows, descriptor.row_block, place.row, descriptor.row_source, place.rows);
}

bool outside(int source, int processes) { return source < 0 || source >= processes; }

} // namespace

Descriptor Descriptor::of(const int* entries) {
  return {entries[0], entries[1], entries[2], entries[3], entries[4], entries[5], entries[6], entries[7], entries[8]};
}

CyclicView Operand::view(const double* data, const GridPlace& place) const {
  return {{row - 1, rows.value, descriptor.row_block, descriptor.row_source, place.rows},
          {column - 1, columns.value, descriptor.column_block, descriptor.column_source, place.columns},
          false,
          place,
          {const_cast<double*>(data), 1, descriptor.leading}};
}

int ArgumentErrors::info() const {
  if (!any()) return 0;
  return smallest % 100 == 0 ? -smallest / 100 : -smallest;
}

void ArgumentErrors::agree(const std::vector<Shared>& values, MPI_Comm communicator) {
  std::vector<int> least{smallest}; // minima of the values, and of their opposites, by which we know the maxima
  for (const Shared& shared : values) {
    least.push_back(shared.value);
    least.push_back(~shared.value); // unlike -value always there
  }
  MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_INT, MPI_MIN, communicator);
  smallest = least[0];
  for (std::size_t i = 0; i < values.size(); ++i)
    if (least[1 + 2 * i] != ~least[2 + 2 * i]) note(values[i].code);
}

void check_pblas(const Operand& operand, int context, const GridPlace& place, ArgumentErrors& errors) {
  const Descriptor& descriptor = operand.descriptor;
  const int position = operand.descriptor_position;
  if (operand.rows.value < 0) errors.argument(operand.rows.position);
  if (operand.columns.value < 0) errors.argument(operand.columns.position);
  if (operand.row < 1) errors.argument(position - 2);
  if (operand.column < 1) errors.argument(position - 1);
  if (descriptor.type != block_cyclic) return errors.entry(position, type_entry);
  if (descriptor.context != context) return errors.entry(position, context_entry);
  if (descriptor.row_block < 1) errors.entry(position, in_pblas.row_block);
  if (descriptor.column_block < 1) errors.entry(position, in_pblas.column_block);
  if (outside(descriptor.row_source, place.rows)) errors.entry(position, in_pblas.row_source);
  if (outside(descriptor.column_source, place.columns)) errors.entry(position, in_pblas.column_source);
  const int least = empty(operand) ? 0 : 1;
  if (descriptor.rows < least) errors.entry(position, rows_entry);
  if (descriptor.columns < least) errors.entry(position, columns_entry);
  if (empty(operand)) {
    if (descriptor.leading < 1) errors.entry(position, in_pblas.leading);
  } else if (descriptor.rows >= 1 && descriptor.columns >= 1) {
    if (operand.row - 1 > descriptor.rows - operand.rows.value) errors.argument(position - 2);
    if (operand.column - 1 > descriptor.columns - operand.columns.value) errors.argument(position - 1);
    if (!errors.any() && leading_too_small(descriptor, place)) errors.entry(position, in_pblas.leading);
  }
}

void check_scalapack(const Operand& operand, const GridPlace& place, ArgumentErrors& errors) {
  const Descriptor& descriptor = operand.descriptor;
  const int position = operand.descriptor_position;
  if (descriptor.type != block_cyclic) errors.entry(position, type_entry);
  else if (operand.rows.value < 0) errors.argument(operand.rows.position);
  else if (operand.columns.value < 0) errors.argument(operand.columns.position);
  else if (operand.row < 1) errors.argument(position - 2);
  else if (operand.column < 1) errors.argument(position - 1);
  else if (descriptor.row_block < 1) errors.entry(position, in_scalapack.row_block);
  else if (descriptor.column_block < 1) errors.entry(position, in_scalapack.column_block);
  else if (outside(descriptor.row_source, place.rows)) errors.entry(position, in_scalapack.row_source);
  else if (outside(descriptor.column_source, place.columns)) errors.entry(position, in_scalapack.column_source);
  else if (leading_too_small(descriptor, place)) errors.entry(position, in_scalapack.leading);

  if (empty(operand)) {
    if (descriptor.rows < 0) errors.entry(position, rows_entry);
    if (descriptor.columns < 0) errors.entry(position, columns_entry);
  } else if (descriptor.rows < 1) errors.entry(position, rows_entry);
  else if (descriptor.columns < 1) errors.entry(position, columns_entry);
  else if (operand.row > descriptor.rows) errors.argument(position - 2);
  else if (operand.column > descriptor.columns) errors.argument(position - 1);
  else {
    if (operand.row - 1 > descriptor.rows - operand.rows.value) errors.argument(operand.rows.position);
    if (operand.column - 1 > descriptor.columns - operand.columns.value) errors.argument(operand.columns.position);
  }
}

void share(const Operand& operand, std::vector<ArgumentErrors::Shared>& values) {
  const Descriptor& d = operand.descriptor;
  const int entry = operand.descriptor_position * 100;
  values.insert(values.end(), {{operand.rows.value, operand.rows.position * 100},
                               {operand.columns.value, operand.columns.position * 100},
                               {operand.row, entry - 200},
                               {operand.column, entry - 100},
                               {d.type, entry + type_entry},
                               {d.rows, entry + rows_entry},
                               {d.columns, entry + columns_entry},
                               {d.row_block, entry + in_scalapack.row_block},
                               {d.column_block, entry + in_scalapack.column_block},
                               {d.row_source, entry + in_scalapack.row_source},
                               {d.column_source, entry + in_scalapack.column_source}});
}

} // namespace cyclotron::mpi::scalapack
