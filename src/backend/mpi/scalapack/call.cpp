// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/call.hpp"

#include "backend/mpi/scalapack/grid.hpp"
#include "backend/mpi/scalapack/refuse.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

namespace cyclotron::mpi::scalapack {

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

bool Option::is_legal() const { return letter != '\0' && std::strchr(legal, upper(letter)); }

namespace {

// What must be the same on all ranks, in integers.
std::vector<ArgumentErrors::Shared> shared_values(const std::vector<Option>& options,
                                                  const std::vector<Number>& numbers,
                                                  const std::vector<Operand>& operands) {
  std::vector<ArgumentErrors::Shared> values;
  for (const Option& option : options) values.push_back({option.is_first(), option.position * 100});
  for (const auto& [number, position] : numbers) {
    int halves[2];
    static_assert(sizeof halves == sizeof number);
    std::memcpy(halves, &number, sizeof number);
    for (const int half : halves) values.push_back({half, position * 100});
  }
  for (const Operand& operand : operands) share(operand, values);
  return values;
}

} // namespace

std::optional<Caller> accept(const char* routine, const char* const* names, const std::vector<Option>& options,
                             const std::vector<Number>& numbers, const std::vector<Operand>& operands) {
  const int context = operands.front().descriptor.context;
  const GridPlace place = grid_place(context);
  ArgumentErrors errors;
  const auto refused = [&](const char* why) {
    refuse_parameter(routine, names, context, errors.info(), why);
    return std::nullopt;
  };
  if (place.rows == -1) {
    errors.entry(operands.front().descriptor_position, context_entry);
    return refused("is no context of this process");
  }
  for (const Option& option : options)
    if (!option.is_legal()) errors.argument(option.position);
  for (const Operand& operand : operands) check_pblas(operand, context, place, errors);
  if (errors.any()) return refused("has an illegal value");

  const MPI_Comm communicator = grid_communicator(context, place);
  if (communicator == MPI_COMM_NULL) {
    refuse(routine, context, no_communicator);
    return std::nullopt;
  }
  errors.agree(shared_values(options, numbers, operands), communicator);
  if (errors.any()) return refused("is not the same on all processes of the grid");
  return Caller{place, communicator};
}

namespace {

// view = value + beta * view
void set(const CyclicView& view, double value, double beta) {
  for (const Run& row : view.rows.runs(0, view.rows.extent, view.row_process()))
    for (const Run& column : view.columns.runs(0, view.columns.extent, view.column_process()))
      copy_rectangle(row.length, column.length, {&value, 0, 0}, view.in_memory(row, column), 1, beta);
}

} // namespace

void scale(const CyclicView& view, double beta) { set(view, 0, beta); }

void fill(const CyclicView& view, double value) { set(view, value, 0); }

int first_on_diagonal(const Tiles& tiles, const Caller& caller, bool (*is_bad)(double)) {
  constexpr int none = std::numeric_limits<int>::max();
  int first = none;
  each_on_diagonal(tiles, caller, [&](double value, long number) {
    if (first == none && is_bad(value)) first = static_cast<int>(number) + 1;
  });
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, caller.communicator);
  return first == none ? 0 : first;
}

} // namespace cyclotron::mpi::scalapack
