// SPDX-License-Identifier: MIT
// NumPy files: the bytes of a dense array, either byte order, row-major or column-major.
#include "support/progress.hpp"
#include "tensor/capacity.hpp"
#include "tensor/io/numpy_elements.hpp"
#include "tensor/io/readers.hpp"
#include "tensor/relayout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::tensor {

namespace {

class NumpyReader {
public:
  NumpyReader(ByteSource& source, const NumpyHeader& header)
      : source_(source), header_(header), count_(element_count(header.shape)),
        progress_("reading " + source.path(), {source.file_size()}) {}

  std::optional<Entries> run() {
    const ValueType type = tensor::type_of(header_);
    if (!enough_memory(count_, size_of(type), fmt::format("`{}`, {},", source_.path(), describe(header_.shape, type)),
                       source_.diagnostics(), "use a smaller array"))
      return std::nullopt;
    // A plain file tells its length before anything is read.
    if (source_.plain() && !check_length(source_, header_, source_.file_size() - header_.length)) return std::nullopt;
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
  // Block by block, so that a gzipped file that promises too much costs no memory.
  template <class T> bool read_all(std::vector<T>& values) {
    constexpr std::int64_t block = std::int64_t{1} << 17;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(std::min(block, count_) * header_.bytes));
    if (source_.plain()) values.reserve(static_cast<std::size_t>(count_));
    for (std::int64_t done = 0; done < count_; done += block) {
      const auto wanted = static_cast<std::size_t>(std::min(block, count_ - done) * header_.bytes);
      const std::size_t got = source_.read(reinterpret_cast<char*>(bytes.data()), wanted);
      if (got < wanted) return check_length(source_, header_, done * header_.bytes + static_cast<std::int64_t>(got));
      for (std::size_t i = 0; i < wanted; i += static_cast<std::size_t>(header_.bytes))
        values.push_back(element_at<T>(bytes.data() + i, header_));
      progress_.advance_to(source_.consumed());
    }
    char extra = 0;
    const auto more = static_cast<std::int64_t>(source_.read(&extra, 1));
    return !source_.failed() && check_length(source_, header_, count_ * header_.bytes + more);
  }

  ByteSource& source_;
  const NumpyHeader& header_;
  std::int64_t count_;
  Progress progress_;
};

} // namespace

bool check_length(ByteSource& source, const NumpyHeader& header, std::int64_t found) {
  if (source.failed()) return false;
  const std::int64_t wanted = saturating_product(element_count(header.shape), header.bytes);
  if (found == wanted) return true;
  const bool cut = found < wanted;
  source.diagnostics()
      .error(Place{source.path(), 0, 0, ""},
             fmt::format("expected {} bytes of data for the shape {}, found {}", wanted, describe(header.shape),
                         cut ? std::to_string(std::max<std::int64_t>(0, found)) : "more"))
      .with_hint(cut ? "the file is cut short: write or copy it again" : "the file must hold one array");
  return false;
}

bool check_shape(ByteSource& source, const NumpyHeader& header, const std::vector<std::int64_t>& known) {
  if (header.shape.size() > most_dimensions) {
    source.diagnostics()
        .error(Place{source.path(), 0, 0, ""},
               fmt::format("expected at most {} dimensions, found {}", most_dimensions, header.shape.size()))
        .with_hint("reshape the array");
    return false;
  }
  if (known.empty() || agrees(header.shape, known)) return true;
  source.diagnostics()
      .error(Place{source.path(), 0, 0, ""},
             fmt::format("expected {}, found {}", describe_shape(known), describe_shape(header.shape)))
      .with_hint(other_sizes_hint);
  return false;
}

std::optional<Entries> read_numpy(ByteSource& source, const ReadOptions& options) {
  const std::optional<NumpyHeader> header = read_numpy_header(source);
  if (!header || !check_shape(source, *header, options.dims)) return std::nullopt;
  return NumpyReader(source, *header).run();
}

} // namespace cyclotron::tensor
