// SPDX-License-Identifier: MIT
// Which reader or writer a path asks for, and whether it can be written at all.
#include "tensor/io.hpp"

#include "tensor/capacity.hpp"
#include "tensor/io/numpy_elements.hpp"
#include "tensor/io/readers.hpp"
#include "tensor/io/text_entries.hpp"
#include "tensor/io/writers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cyclotron::tensor {

namespace fs = std::filesystem;

std::optional<FileKind> file_kind(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".mtx")) return FileKind::matrix_market;
  if (name.ends_with(".tns")) return FileKind::frostt;
  if (name.ends_with(".npy")) return FileKind::numpy;
  return std::nullopt;
}

void as_vector(Entries& entries) {
  if (entries.dims.size() != 2) return;
  const std::size_t drop = entries.dims[1] == 1 ? 1 : entries.dims[0] == 1 ? 0 : 2;
  if (drop == 2) return;
  entries.dims.erase(entries.dims.begin() + static_cast<std::ptrdiff_t>(drop));
  if (!entries.dense) entries.coordinates.erase(entries.coordinates.begin() + static_cast<std::ptrdiff_t>(drop));
}

bool agrees(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& known) {
  if (found.size() != known.size()) return false;
  for (std::size_t d = 0; d < known.size(); ++d)
    if (known[d] >= 0 && known[d] != found[d]) return false;
  return true;
}

std::string describe_shape(const std::vector<std::int64_t>& known) {
  if (known.empty()) return "a scalar";
  if (known.size() == 1) return known[0] < 0 ? "a vector" : fmt::format("a vector of size {}", known[0]);
  std::vector<std::string> sizes;
  for (std::int64_t size : known) sizes.push_back(size < 0 ? "?" : std::to_string(size));
  return fmt::format("{} {} tensor", article_for(known[0]), fmt::join(sizes, " x "));
}

namespace {

std::optional<FileKind> known_kind(const std::string& path, Diagnostics& diagnostics) {
  const std::optional<FileKind> kind = file_kind(path);
  if (kind) return kind;
  std::string ending = fs::path(path).extension().string();
  if (ending == ".gz") ending = fs::path(path).stem().extension().string() + ending;
  const std::string found = ending.empty() ? "none" : fmt::format("`{}`", ending);
  diagnostics.error(fmt::format("expected a file ending that says the kind of `{}`, found {}", path, found))
      .with_hint("`.mtx` (Matrix Market), `.tns` (FROSTT) and `.npy` (NumPy) are known, each also with `.gz`");
  return std::nullopt;
}

bool check_rank(FileKind kind, const std::string& path, int rank, Diagnostics& diagnostics) {
  const bool matrix_market = kind == FileKind::matrix_market;
  if (kind == FileKind::numpy || (rank >= 1 && (rank <= 2 || !matrix_market))) return true;
  diagnostics
      .error(fmt::format("`{}` cannot hold {}: a {} file needs {}", path,
                         rank == 0 ? std::string("a scalar") : fmt::format("a tensor of {} dimensions", rank),
                         matrix_market ? "Matrix Market" : "FROSTT",
                         matrix_market ? "one or two dimensions" : "at least one dimension"))
      .with_hint(rank == 0 ? "write it as `.npy`" : "write it as `.tns` or `.npy`");
  return false;
}

bool check_folder(const std::string& path, Diagnostics& diagnostics) {
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(target, error)) target = fs::weakly_canonical(target, error);
  if (fs::is_directory(target, error)) {
    diagnostics.error(fmt::format("cannot write `{}`: it is a folder", path)).with_hint("name a file in it");
    return false;
  }
  // A pipe or a device would be replaced by a file of its name, not written to.
  const fs::file_type type = fs::status(target, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found && type != fs::file_type::none) {
    diagnostics.error(fmt::format("cannot write `{}`: it is not a file", path))
        .with_hint("a pipe or a device would be replaced, not written to; name a file");
    return false;
  }
  const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  if (!fs::is_directory(folder, error)) {
    diagnostics.error(fmt::format("cannot write `{}`: there is no folder `{}`", path, folder.string()))
        .with_hint("create the folder first");
    return false;
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    diagnostics.error(fmt::format("cannot write `{}`: {}", path, std::strerror(errno)))
        .with_hint(fmt::format("the folder `{}` must be writable", folder.string()));
    return false;
  }
  return true;
}

} // namespace

std::optional<Entries> read(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics) {
  const std::optional<FileKind> kind = known_kind(path, diagnostics);
  if (!kind) return std::nullopt;
  const std::unique_ptr<ByteSource> source = ByteSource::open(path, diagnostics);
  if (!source) return std::nullopt;
  switch (*kind) {
  case FileKind::matrix_market: return read_matrix_market(*source, options);
  case FileKind::frostt: return read_frostt(*source, options);
  case FileKind::numpy: return read_numpy(*source, options);
  }
  bug("unknown file kind");
}

namespace {

std::optional<std::vector<std::int64_t>> numpy_dims(ByteSource& source, const ReadOptions& options) {
  const std::optional<NumpyHeader> header = read_numpy_header(source);
  if (!header || !check_shape(source, *header, options.dims)) return std::nullopt;
  if (source.plain() && !check_length(source, *header, source.file_size() - header->length)) return std::nullopt;
  return header->shape;
}

std::optional<std::vector<std::int64_t>> matrix_market_dims(ByteSource& source, const ReadOptions& options) {
  TextLines lines(source);
  const std::optional<MatrixMarketHeader> header = read_header(lines);
  const auto shape = header ? shape_of(lines, *header, options.dims) : std::nullopt;
  return shape ? std::optional(shape->dims) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> frostt_dims(ByteSource& source, const ReadOptions& options) {
  TextLines lines(source);
  const std::unique_ptr<TextEntries> entries = frostt_entries(lines, options.dims);
  constexpr std::int64_t batch = 1 << 16;
  while (true) {
    const std::optional<Entries> some = entries->next(batch);
    if (!some) return std::nullopt;
    if (some->count() == 0) return entries->check_end() ? std::optional(some->dims) : std::nullopt;
  }
}

} // namespace

std::optional<std::vector<std::int64_t>> read_dims(const std::string& path, const ReadOptions& options,
                                                   Diagnostics& diagnostics) {
  const std::optional<FileKind> kind = known_kind(path, diagnostics);
  const std::unique_ptr<ByteSource> source = kind ? ByteSource::open(path, diagnostics) : nullptr;
  if (!source) return std::nullopt;
  switch (*kind) {
  case FileKind::matrix_market: return matrix_market_dims(*source, options);
  case FileKind::frostt: return frostt_dims(*source, options);
  case FileKind::numpy: return numpy_dims(*source, options);
  }
  bug("unknown file kind");
}

bool check_writable(const std::string& path, int rank, Diagnostics& diagnostics) {
  const std::optional<FileKind> kind = known_kind(path, diagnostics);
  return kind && check_rank(*kind, path, rank, diagnostics) && check_folder(path, diagnostics);
}

bool write(const std::string& path, const Tensor& tensor, Diagnostics& diagnostics) {
  if (!check_writable(path, tensor.rank(), diagnostics)) return false;
  const std::unique_ptr<FileSink> sink = FileSink::open(path, diagnostics);
  if (!sink) return false;
  switch (*file_kind(path)) {
  case FileKind::matrix_market: write_matrix_market(*sink, tensor); break;
  case FileKind::frostt: write_frostt(*sink, tensor); break;
  case FileKind::numpy:
    if (!write_numpy(*sink, tensor, diagnostics)) return false;
    break;
  }
  return sink->commit();
}

} // namespace cyclotron::tensor
