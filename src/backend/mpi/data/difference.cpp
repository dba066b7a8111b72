// SPDX-License-Identifier: MIT
#include "backend/mpi/data/difference.hpp"

#include "backend/mpi/data/delivery.hpp"
#include "backend/mpi/data/words.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::mpi {

namespace {

// Parts like others, with memory of their own.
struct Copies {
  explicit Copies(const std::vector<Part>& like) : words(static_cast<std::size_t>(elements_of(like))), parts(like) {
    Word* next = words.data();
    for (Part& part : parts) {
      part.values = next;
      next += part.box.elements();
    }
  }
  std::vector<Word> words;
  std::vector<Part> parts;
};

bool enough_for_copies(const std::vector<Part>& parts, const Declaration& tensor, MPI_Comm comm,
                       Diagnostics& diagnostics) {
  Diagnostics mine(diagnostics.sources());
  const std::string problem = problem_of(parts, tensor);
  if (!problem.empty()) mine.error(problem);
  else
    tensor::enough_memory(elements_of(parts), sizeof(Word), fmt::format("comparing `{}`", tensor.name), mine,
                          "use more ranks, or nodes with more memory");
  return agree(mine, diagnostics, comm);
}

double relative(double found, double expected) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
  if (!std::isfinite(found) || !std::isfinite(expected)) return std::numeric_limits<double>::infinity();
  return std::abs(found - expected) / std::max(1.0, std::abs(expected));
}

Difference compare(const std::vector<Part>& parts, const std::vector<Part>& expected, const Declaration& tensor) {
  Difference worst;
  const bool real = tensor::is_float(tensor.type);
  const auto number = [&](Word word) { return real ? word.real : static_cast<double>(word.whole); };
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::int64_t i = 0, all = parts[p].box.elements(); i < all; ++i) {
      const double found = number(parts[p].values[i]), right = number(expected[p].values[i]);
      const double difference = relative(found, right);
      if (difference > worst.largest) worst = {difference, coordinates_in(parts[p].box, i), found, right};
    }
  return worst;
}

// The worst of all ranks.
Difference reduce(const Difference& mine, const Declaration& tensor, MPI_Comm comm) {
  struct {
    double value;
    int rank;
  } worst{mine.largest, rank_of(comm)};
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  Difference result = mine;
  double numbers[2] = {mine.found, mine.expected};
  MPI_Bcast(numbers, 2, MPI_DOUBLE, worst.rank, comm);
  if (worst.value > 0) {
    result.at.resize(tensor.dims.size());
    MPI_Bcast(result.at.data(), static_cast<int>(result.at.size()), MPI_INT64_T, worst.rank, comm);
  }
  return {worst.value, result.at, numbers[0], numbers[1]};
}

} // namespace

std::optional<Difference> max_difference(const std::vector<Part>& parts, const Declaration& tensor,
                                         const Source& expected, MPI_Comm comm, Diagnostics& diagnostics,
                                         const Limits& limits) {
  if (!enough_for_copies(parts, tensor, comm, diagnostics)) return std::nullopt;
  const Copies right(parts);
  if (!read(expected, tensor, right.parts, comm, diagnostics, limits)) return std::nullopt;
  return reduce(compare(parts, right.parts, tensor), tensor, comm);
}

std::optional<Difference> max_difference(const std::vector<Part>& parts, const std::vector<Part>& expected,
                                         const Declaration& tensor, MPI_Comm comm, Diagnostics& diagnostics,
                                         const Limits& limits) {
  int same = std::equal(parts.begin(), parts.end(), expected.begin(), expected.end(),
                        [](const Part& a, const Part& b) { return a.box == b.box; });
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
  if (same) return reduce(compare(parts, expected, tensor), tensor, comm);
  if (!enough_for_copies(parts, tensor, comm, diagnostics)) return std::nullopt;
  const Copies right(parts);
  if (!redistribute(expected, right.parts, tensor, comm, diagnostics, limits)) return std::nullopt;
  return reduce(compare(parts, right.parts, tensor), tensor, comm);
}

bool redistribute(const std::vector<Part>& from, const std::vector<Part>& to, const Declaration& tensor, MPI_Comm comm,
                  Diagnostics& diagnostics, const Limits& limits) {
  Diagnostics mine(diagnostics.sources());
  const std::string problem = problem_of(from, tensor) + problem_of(to, tensor);
  if (!problem.empty()) mine.error(problem);
  if (!agree(mine, diagnostics, comm)) return false;
  const Directory directory(to, tensor, mine, comm);
  if (!agree(mine, diagnostics, comm)) return false;
  Delivery delivery(directory, to, tensor, tensor.type, comm);
  const std::int64_t at_once = limits.elements > 0 ? limits.elements : elements_per_round(comm);
  std::size_t part = 0;
  std::int64_t next = 0; // in that part
  for (bool more = true; more;) {
    for (std::int64_t added = 0; added < at_once && part < from.size();) {
      const std::int64_t length = std::min(at_once - added, from[part].box.elements() - next);
      for (std::int64_t i = next; i < next + length; ++i)
        delivery.add(coordinates_in(from[part].box, i).data(), from[part].values[i]);
      added += length;
      next += length;
      if (next < from[part].box.elements()) break;
      ++part;
      next = 0;
    }
    more = part < from.size();
    if (!delivery.exchange(more, mine, diagnostics)) return false;
  }
  if (const std::int64_t wanted = elements_of(to); delivery.arrived() != wanted)
    mine.error(fmt::format("rank {} needs {} elements of `{}`, but only {} of them are held by any rank", rank_of(comm),
                           wanted, tensor.name, delivery.arrived()));
  return agree(mine, diagnostics, comm);
}

} // namespace cyclotron::mpi
