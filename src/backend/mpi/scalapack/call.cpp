// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/call.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace cyclotron::mpi {

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

bool is_one_of(char letter, std::initializer_list<char> letters) {
  return std::find(letters.begin(), letters.end(), letter) != letters.end();
}

void share(double number, int position, std::vector<ArgumentErrors::Shared>& values) {
  int halves[2];
  static_assert(sizeof halves == sizeof number);
  std::memcpy(halves, &number, sizeof number);
  for (const int half : halves) values.push_back({half, position * 100});
}

void scale(const CyclicView& view, double beta) {
  static const double zero = 0;
  for (const Run& row : view.rows.runs(0, view.rows.extent, view.row_process()))
    for (const Run& column : view.columns.runs(0, view.columns.extent, view.column_process()))
      copy_rectangle(row.length, column.length, {&zero, 0, 0}, view.local.at(row.local, column.local), 1, beta);
}

} // namespace cyclotron::mpi
