// SPDX-License-Identifier: MIT
// NumPy files: the bytes of a dense array, either byte order, row-major or column-major.
#include "support/progress.hpp"
#include "tensor/capacity.hpp"
#include "tensor/io/numpy_header.hpp"
#include "tensor/io/readers.hpp"
#include "tensor/relayout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cyclotron::tensor {

namespace {

ValueType type_for(const NumpyHeader& header) {
  if (header.kind == 'b') return ValueType::boolean;
  if (header.kind == 'f') return header.bytes == 8 ? ValueType::f64 : ValueType::f32;
  const bool wide = header.bytes == 8 || (header.kind == 'u' && header.bytes == 4);
  return wide ? ValueType::i64 : ValueType::i32;
}

// Assembles an element from its bytes, so that neither the file's byte order nor ours matters.
std::uint64_t bits_at(const unsigned char* bytes, int size, bool big_endian) {
  std::uint64_t bits = 0;
  for (int i = 0; i < size; ++i) bits |= std::uint64_t{bytes[big_endian ? size - 1 - i : i]} << (8 * i);
  return bits;
}

template <class T> T decode(std::uint64_t bits, const NumpyHeader& header) {
  if constexpr (std::is_same_v<T, double>) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto half = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &half, sizeof value);
    return value;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return bits != 0 ? 1 : 0;
  } else {
    // Signed ones narrower than T: shift up and arithmetically down again to extend the sign.
    const int spare = 64 - 8 * header.bytes;
    if (header.kind == 'u') return static_cast<T>(bits);
    return static_cast<T>(static_cast<std::int64_t>(bits << spare) >> spare);
  }
}

class NumpyReader {
public:
  NumpyReader(ByteSource& source, const NumpyHeader& header, bool show_progress)
      : source_(source), header_(header), count_(element_count(header.shape)),
        progress_("reading " + source.path(), source.file_size(), show_progress) {}

  std::optional<Entries> run() {
    const ValueType type = type_for(header_);
    if (!enough_memory(count_, size_of(type), fmt::format("`{}`, {},", source_.path(), describe(header_.shape, type)),
                       source_.diagnostics(), "use a smaller array"))
      return std::nullopt;
    // A plain file tells its length before anything is read.
    if (source_.plain() && source_.file_size() - header_.length < count_ * header_.bytes)
      return report_cut(std::max<std::int64_t>(0, source_.file_size() - header_.length));
    Entries entries;
    entries.dims = header_.shape;
    entries.dense = true;
    entries.values = make_values(type);
    if (!std::visit([&](auto& values) { return read_all(values); }, entries.values)) return std::nullopt;
    if (!header_.fortran_order) return entries;
    const int rank = static_cast<int>(entries.dims.size());
    entries.values = relayout(std::move(entries.values), entries.dims, column_major(rank), row_major(rank));
    return entries;
  }

private:
  std::nullopt_t report_cut(std::int64_t found) {
    if (source_.failed()) return std::nullopt;
    source_.diagnostics()
        .error(Place{source_.path(), 0, 0, ""}, fmt::format("expected {} bytes of data for the shape {}, found {}",
                                                            count_ * header_.bytes, describe(header_.shape), found))
        .with_hint("the file is cut short: write or copy it again");
    return std::nullopt;
  }

  // Block by block, so that a gzipped file that promises too much costs no memory.
  template <class T> bool read_all(std::vector<T>& values) {
    constexpr std::int64_t block = std::int64_t{1} << 17;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(std::min(block, count_) * header_.bytes));
    if (source_.plain()) values.reserve(static_cast<std::size_t>(count_));
    for (std::int64_t done = 0; done < count_; done += block) {
      const auto wanted = static_cast<std::size_t>(std::min(block, count_ - done) * header_.bytes);
      const std::size_t got = source_.read(reinterpret_cast<char*>(bytes.data()), wanted);
      if (got < wanted) {
        report_cut(done * header_.bytes + static_cast<std::int64_t>(got));
        return false;
      }
      for (std::size_t i = 0; i < wanted; i += static_cast<std::size_t>(header_.bytes))
        values.push_back(decode<T>(bits_at(bytes.data() + i, header_.bytes, header_.big_endian), header_));
      progress_.advance_to(source_.consumed());
    }
    return at_end();
  }

  bool at_end() {
    char extra = 0;
    if (source_.read(&extra, 1) == 0) return !source_.failed();
    source_.diagnostics()
        .error(Place{source_.path(), 0, 0, ""}, fmt::format("expected {} bytes of data for the shape {}, found more",
                                                            count_ * header_.bytes, describe(header_.shape)))
        .with_hint("the file must hold one array");
    return false;
  }

  ByteSource& source_;
  const NumpyHeader& header_;
  std::int64_t count_;
  Progress progress_;
};

} // namespace

std::optional<Entries> read_numpy(ByteSource& source, const ReadOptions& options) {
  const std::optional<NumpyHeader> header = read_numpy_header(source);
  if (!header) return std::nullopt;
  if (header->shape.size() > most_dimensions) {
    source.diagnostics()
        .error(Place{source.path(), 0, 0, ""},
               fmt::format("expected at most {} dimensions, found {}", most_dimensions, header->shape.size()))
        .with_hint("reshape the array");
    return std::nullopt;
  }
  if (!options.dims.empty() && !agrees(header->shape, options.dims)) {
    source.diagnostics()
        .error(Place{source.path(), 0, 0, ""},
               fmt::format("expected {}, found {}", describe_shape(options.dims), describe_shape(header->shape)))
        .with_hint(other_sizes_hint);
    return std::nullopt;
  }
  return NumpyReader(source, *header, options.show_progress).run();
}

} // namespace cyclotron::tensor
