// SPDX-License-Identifier: MIT
#include "cyclotron/file.hpp"

#include "api/copy.hpp"
#include "api/inspect.hpp"
#include "api/layout.hpp"
#include "api/raise.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace cyclotron {

namespace {

std::shared_ptr<const detail::Structure> structure_of(const std::string& path, tensor::Tensor tensor, int index_bits) {
  const std::string name = std::filesystem::path(path).filename().string();
  auto structure = *api::structure_of(name, std::move(tensor), index_bits);
  if (tensor::is_dense(structure.format)) structure.levels.clear();
  return std::make_shared<const detail::Structure>(std::move(structure));
}

} // namespace

Output read(const std::string& path, const Format& format, const ReadOptions& options) {
  if (options.index_bits != 32 && options.index_bits != 64)
    api::raise(fmt::format("index arrays have 32 or 64 bits, not {}", options.index_bits));
  const Sources sources;
  Diagnostics diagnostics(sources);
  auto entries = tensor::read(path, {options.dims}, diagnostics);
  api::raise_if_failed(diagnostics);
  if (options.dims.size() == 1) tensor::as_vector(*entries);
  const auto rank = static_cast<int>(entries->dims.size());
  const auto own = api::internal(format, rank);
  if (!own)
    api::raise(fmt::format("`{}` holds a tensor of {} dimension{}, which cannot be {}", path, rank,
                           rank == 1 ? "" : "s", format.text()),
               "`csr`, `csc` and `dcsr` are for matrices; `dense`, `coo` and `csf` fit any rank from 1 up");
  for (std::size_t d = 0; d < std::min(options.dims.size(), entries->dims.size()); ++d)
    if (options.dims[d] >= 0 && options.dims[d] != entries->dims[d])
      api::raise(fmt::format("dimension {} of `{}` is {}, not {}", d + 1, path, entries->dims[d], options.dims[d]));
  auto tensor = tensor::pack(std::move(*entries), *own, diagnostics);
  if (tensor) tensor = tensor::convert_type(std::move(*tensor), api::internal(options.type), diagnostics);
  api::raise_if_failed(diagnostics);
  auto state = std::make_shared<detail::OutputState>();
  state->values = std::move(tensor->values);
  tensor->values = tensor::make_values(api::internal(options.type), tensor::size_of(state->values));
  state->structure = structure_of(path, std::move(*tensor), options.index_bits);
  return Output(std::move(state));
}

void write(const std::string& path, const View& tensor) {
  const View::Data& data = tensor.data();
  if (data.on_device)
    api::raise(fmt::format("what is to be written to `{}` is in the memory of a device", path),
               "download it first: `tensor.values<double>()`");
  const auto rank = static_cast<int>(data.dims.size());
  const auto format = api::internal(data.format, rank);
  if (!format)
    api::raise(fmt::format("a view of {} dimension{} cannot be {}", rank, rank == 1 ? "" : "s", data.format.text()));
  if (std::any_of(data.dims.begin(), data.dims.end(), [](std::int64_t d) { return d < 0; }))
    api::raise(fmt::format("the view for `{}` has a negative dimension", path));
  const api::Inspected seen = api::inspect(data, *format, true);
  if (!seen.problem.empty()) api::raise(fmt::format("the view for `{}`: {}", path, seen.problem));
  const Sources sources;
  Diagnostics diagnostics(sources);
  if (tensor::check_writable(path, rank, diagnostics)) {
    recurrence::TensorDecl decl;
    decl.type = api::internal(data.type);
    tensor::write(path, api::copy_of({&decl, *format, data, seen.stored, {}}, true), diagnostics);
  }
  api::raise_if_failed(diagnostics);
}

void write(const std::string& path, const Output& tensor) { write(path, tensor.view()); }

} // namespace cyclotron
