// SPDX-License-Identifier: MIT
// Which way a result takes into its file; and NumPy files, in which every rank writes the bytes of its own elements.
#include "backend/mpi/data/write.hpp"

#include "backend/mpi/data/agree.hpp"
#include "backend/mpi/data/pieces.hpp"
#include "backend/mpi/data/words.hpp"
#include "backend/mpi/data/write_rounds.hpp"
#include "tensor/io/writers.hpp"

#include <fmt/format.h>

#include <cstring>

namespace cyclotron::mpi {

namespace {

void write_own(SharedFile& file, const Declaration& tensor, const std::vector<Part>& parts, std::int64_t header) {
  const std::vector<Run> runs = runs_of(pieces_of(parts, {}), tensor.dims, false, most_at_once);
  with_type(tensor.type, [&](auto kind) {
    using T = decltype(kind);
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    std::vector<T> values;
    for_each_stretch(runs, most_at_once,
                     [&](std::int64_t position, std::int64_t length, std::size_t first, std::size_t last) {
                       values.clear();
                       for (std::size_t r = first; r < last; ++r)
                         for (std::int64_t i = 0; i < runs[r].length; ++i)
                           values.push_back(value_of<T>(runs[r].values[i * runs[r].stride]));
                       return file.write(values.data(), length * bytes, header + position * bytes);
                     });
  });
}

bool write_numpy(SharedFile& file, const Declaration& tensor, const std::vector<Part>& parts, MPI_Comm comm,
                 Diagnostics& mine, Diagnostics& agreed) {
  const std::string header = tensor::numpy_header(tensor.dims, tensor.type);
  const auto length = static_cast<std::int64_t>(header.size());
  if (rank_of(comm) == 0) {
    file.set_size(length + tensor::element_count(tensor.dims) * tensor::size_of(tensor.type));
    file.write(header.data(), length, 0);
  }
  if (!agree(mine, agreed, comm)) return false;
  write_own(file, tensor, parts, length);
  return true; // `commit` agrees on the rest
}

// Whether the parts make up the tensor.
void check_cover(const Declaration& tensor, const std::vector<Part>& parts, Diagnostics& mine, MPI_Comm comm) {
  std::int64_t held = elements_of(parts);
  MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_INT64_T, MPI_SUM, comm);
  if (const std::int64_t all = tensor::element_count(tensor.dims); held != all)
    mine.error(fmt::format("the parts of all ranks have {} elements, but `{}` is {} with {}", held, tensor.name,
                           tensor::describe(tensor.dims, tensor.type), all));
}

} // namespace

bool write(const std::string& path, const Declaration& tensor, const std::vector<Part>& parts, MPI_Comm comm,
           Diagnostics& diagnostics, std::int64_t elements) {
  Diagnostics mine(diagnostics.sources());
  expect_same(fmt::format("`{}`", tensor.name),
              fmt::format("{} for `{}`", tensor::describe(tensor.dims, tensor.type), path), mine, comm);
  const std::string problem = problem_of(parts, tensor);
  if (!problem.empty()) mine.error(problem);
  if (rank_of(comm) == 0) tensor::check_writable(path, static_cast<int>(tensor.dims.size()), mine);
  if (!agree(mine, diagnostics, comm)) return false;
  check_cover(tensor, parts, mine, comm);
  if (!agree(mine, diagnostics, comm)) return false;
  const tensor::FileKind kind = *tensor::file_kind(path);
  const bool gzipped = path.ends_with(".gz");
  SharedFile file(path, mine, comm);
  if (!file.open(diagnostics)) return false;
  const bool written = kind == tensor::FileKind::numpy && !gzipped
                           ? write_numpy(file, tensor, parts, comm, mine, diagnostics)
                           : write_rounds(file, kind, gzipped, tensor, parts, elements, comm, mine, diagnostics);
  return written && file.commit(diagnostics);
}

} // namespace cyclotron::mpi
