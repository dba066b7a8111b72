// SPDX-License-Identifier: MIT
// Which way an input takes.
#include "backend/mpi/data/read.hpp"

#include "backend/mpi/data/input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::mpi {

namespace {

std::string describe(const Source& source, const Declaration& tensor) {
  const std::string shape = tensor::describe(tensor.dims, tensor.type);
  if (const auto* path = std::get_if<std::string>(&source)) return fmt::format("{} from `{}`", shape, *path);
  if (const auto* recipe = std::get_if<tensor::Recipe>(&source))
    return fmt::format("{} from `{}`", shape, to_string(*recipe));
  const tensor::Tensor& given = *std::get<const tensor::Tensor*>(source);
  return fmt::format("{} from {}", shape, tensor::describe(given.dims, given.type()));
}

// Undoes `tiles`, and those within them.
std::optional<Source> uncut(Source source, Declaration& tensor, Cuts& cuts, Diagnostics& mine) {
  while (const auto* recipe = std::get_if<tensor::Recipe>(&source)) {
    if (recipe->name != "tiles") return source;
    const auto whole = tensor::uncut(*recipe, {tensor.dims, tensor.type, tensor.name}, mine);
    if (!whole) return std::nullopt;
    cuts.insert(cuts.begin(), whole->tiles);
    tensor.dims = whole->request.dims;
    source = std::visit([](const auto& inner) { return Source(inner); }, whole->source);
  }
  return source;
}

bool cut(const Input& input, const tensor::Tensor& given) {
  Diagnostics mine(input.agreed.sources());
  if (given.dims != input.tensor.dims)
    mine.error(fmt::format("`{}` is {}, not {}", input.tensor.name, tensor::describe(given.dims),
                           tensor::describe(input.tensor.dims)));
  for (const Part& part : input.parts)
    if (!mine.failed())
      for_each_row(part.box, [&](const std::int64_t* first, std::int64_t offset, std::int64_t length) {
        std::vector<std::int64_t> at(first, first + given.rank());
        for (std::int64_t i = 0; i < length; ++i) {
          const std::int64_t position = locate(given, at.data());
          part.values[offset + i] =
              position < 0 ? Word{.whole = 0}
                           : std::visit([&](const auto& v) { return word_of(v[static_cast<std::size_t>(position)]); },
                                        given.values);
          if (!at.empty()) ++at.back();
        }
      });
  if (!agree(mine, input.agreed, input.comm)) return false;
  convert(input.parts, input.tensor, given.type(), "", input.comm, mine);
  return agree(mine, input.agreed, input.comm);
}

bool read_file(const Input& input, const std::string& path) {
  const std::optional<tensor::FileKind> kind = tensor::file_kind(path);
  if (!kind) {
    input.agreed.error(fmt::format("`{}={}`: the ending of this file is not known", input.tensor.name, path))
        .with_hint("data files end in .mtx, .tns or .npy, each also with .gz");
    return false;
  }
  return *kind == tensor::FileKind::numpy ? read_numpy(input, path) : read_text(input, path, *kind);
}

} // namespace

void check_rank(const Input& input, const std::string& path, const std::vector<std::int64_t>& found,
                Diagnostics& mine) {
  const std::size_t rank = input.source.dims.size();
  if (found.size() == rank) return;
  mine.error(fmt::format("`{}` has {} dimension{}, but `{}` ({}) has {}", input.tensor.name, rank, rank == 1 ? "" : "s",
                         input.tensor.name, path,
                         found.empty() ? "none" : fmt::format("{} ({})", found.size(), fmt::join(found, " x "))));
}

bool read(const Source& source, const Declaration& tensor, const std::vector<Part>& parts, MPI_Comm comm,
          Diagnostics& diagnostics, const Limits& limits) {
  Diagnostics mine(diagnostics.sources());
  expect_same(fmt::format("`{}`", tensor.name), describe(source, tensor), mine, comm);
  const std::string problem = problem_of(parts, tensor);
  if (!problem.empty()) mine.error(problem);
  Input input{tensor, parts, comm, limits, diagnostics, tensor, {}};
  const std::optional<Source> whole = uncut(source, input.source, input.cuts, mine);
  if (!agree(mine, diagnostics, comm)) return false;
  if (const auto* path = std::get_if<std::string>(&*whole)) return read_file(input, *path);
  if (const auto* recipe = std::get_if<tensor::Recipe>(&*whole)) return make(input, *recipe);
  return cut(input, *std::get<const tensor::Tensor*>(*whole));
}

} // namespace cyclotron::mpi
