// SPDX-License-Identifier: MIT
// NumPy files: every rank reads the bytes of its own elements; a gzipped one is unpacked by rank 0 and sent on.
#include "backend/mpi/data/input.hpp"
#include "tensor/io/numpy_elements.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace cyclotron::mpi {

using tensor::ByteSource;
using tensor::NumpyHeader;

namespace {

void decode(const unsigned char* bytes, const NumpyHeader& header, const Run& run) {
  const bool as_it_is =
      header.kind == 'f' && header.bytes == 8 && !header.big_endian && std::endian::native == std::endian::little;
  if (as_it_is && run.stride == 1) {
    std::memcpy(run.values, bytes, static_cast<std::size_t>(run.length) * sizeof(Word));
    return;
  }
  with_type(tensor::type_of(header), [&](auto kind) {
    for (std::int64_t i = 0; i < run.length; ++i)
      run.values[i * run.stride] = word_of(tensor::element_at<decltype(kind)>(bytes + i * header.bytes, header));
  });
}

bool read_bytes(int descriptor, unsigned char* bytes, std::int64_t size, std::int64_t offset, const std::string& path,
                Diagnostics& mine) {
  while (size > 0) {
    const ssize_t got = ::pread(descriptor, bytes, static_cast<std::size_t>(size), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      mine.error(Place{path, 0, 0, ""}, fmt::format("the file cannot be read: {}",
                                                    got < 0 ? std::strerror(errno) : "it ended while it was read"));
      return false;
    }
    bytes += got;
    size -= got;
    offset += got;
  }
  return true;
}

void read_own(const Input& input, const std::string& path, const NumpyHeader& header, Diagnostics& mine) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    mine.error(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
    return;
  }
  const std::vector<Run> runs =
      runs_of(pieces_of(input.parts, input.cuts), header.shape, header.fortran_order, most_at_once);
  std::vector<unsigned char> bytes;
  for_each_stretch(runs, most_at_once,
                   [&](std::int64_t position, std::int64_t length, std::size_t first, std::size_t last) {
                     bytes.resize(static_cast<std::size_t>(length * header.bytes));
                     if (!read_bytes(descriptor, bytes.data(), length * header.bytes,
                                     header.length + position * header.bytes, path, mine))
                       return false;
                     for (std::size_t r = first; r < last; ++r)
                       decode(bytes.data() + (runs[r].position - position) * header.bytes, header, runs[r]);
                     return true;
                   });
  ::close(descriptor);
}

// The next elements of a file that can only be read from its beginning, each with its coordinates.
class ElementStream {
public:
  ElementStream(ByteSource& source, const NumpyHeader& header, std::int64_t at_once)
      : source_(source), header_(header), at_once_(at_once), count_(tensor::element_count(header.shape)) {}

  std::optional<tensor::Entries> next(bool& more) {
    const std::int64_t length = std::min(at_once_, count_ - done_);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(length * header_.bytes));
    const std::size_t got = source_.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    if (got < bytes.size()) {
      check_length(source_, header_, done_ * header_.bytes + static_cast<std::int64_t>(got));
      return std::nullopt;
    }
    tensor::Entries entries;
    entries.dims = header_.shape;
    entries.values = tensor::make_values(tensor::type_of(header_), static_cast<std::size_t>(length));
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          for (std::int64_t i = 0; i < length; ++i)
            values[static_cast<std::size_t>(i)] = tensor::element_at<T>(bytes.data() + i * header_.bytes, header_);
        },
        entries.values);
    add_coordinates(entries, length);
    done_ += length;
    more = done_ < count_;
    if (more) return entries;
    char extra = 0;
    const auto behind = static_cast<std::int64_t>(source_.read(&extra, 1));
    return check_length(source_, header_, count_ * header_.bytes + behind) ? std::optional(entries) : std::nullopt;
  }

private:
  void add_coordinates(tensor::Entries& entries, std::int64_t length) const {
    const std::size_t rank = header_.shape.size();
    entries.coordinates.resize(rank);
    for (std::int64_t i = 0; i < length; ++i) {
      std::int64_t rest = done_ + i;
      for (std::size_t k = 0; k < rank; ++k) {
        const std::size_t d = header_.fortran_order ? k : rank - 1 - k;
        entries.coordinates[d].push_back(rest % header_.shape[d]);
        rest /= header_.shape[d];
      }
    }
  }

  ByteSource& source_;
  const NumpyHeader& header_;
  std::int64_t at_once_, count_, done_ = 0;
};

} // namespace

bool read_numpy(const Input& input, const std::string& path) {
  Diagnostics mine(input.agreed.sources());
  const std::unique_ptr<ByteSource> source = ByteSource::open(path, mine);
  const std::optional<NumpyHeader> header = source ? read_numpy_header(*source) : std::nullopt;
  if (header && check_shape(*source, *header, input.source.dims)) {
    check_rank(input, path, header->shape, mine);
    if (source->plain() && !mine.failed()) check_length(*source, *header, source->file_size() - header->length);
  }
  if (!agree(mine, input.agreed, input.comm)) return false;
  const tensor::ValueType type = tensor::type_of(*header);
  expect_same(fmt::format("`{}`", path),
              fmt::format("{} in {} bytes", tensor::describe(header->shape, type), source->file_size()), mine,
              input.comm);
  if (!agree(mine, input.agreed, input.comm)) return false;
  if (!source->plain()) {
    ElementStream stream(*source, *header, input.elements_at_once());
    return deliver(input, type, -1, mine,
                   [&](bool& more) { return rank_of(input.comm) == 0 ? stream.next(more) : std::nullopt; });
  }
  read_own(input, path, *header, mine);
  if (!agree(mine, input.agreed, input.comm)) return false;
  convert(input.parts, input.tensor, type, input.maker(), input.comm, mine);
  return agree(mine, input.agreed, input.comm);
}

} // namespace cyclotron::mpi
