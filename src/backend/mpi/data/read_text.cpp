// SPDX-License-Identifier: MIT
// Matrix Market and FROSTT files. The ranks go through the file together: in each round every rank parses the stretch
// of bytes behind that of the rank before it, after they have told each other how many lines and entries their
// stretches hold. Entries thus arrive in the order of the file, and errors name the lines that one reader would name.
#include "backend/mpi/data/input.hpp"
#include "tensor/io/text_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cyclotron::mpi {

using tensor::ByteSource;
using tensor::TextEntries;
using tensor::TextLines;

namespace {

// What the first lines say.
struct Opened {
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<TextLines> lines;
  std::optional<tensor::MatrixMarketHeader> header;
  std::unique_ptr<TextEntries> entries;
  tensor::ValueType type = tensor::ValueType::f64;
  int dropped = -1;
  std::string description;
};

tensor::ValueType type_of(tensor::Field field) {
  switch (field) {
  case tensor::Field::real:
  case tensor::Field::complex: return tensor::ValueType::f64;
  case tensor::Field::integer: return tensor::ValueType::i64;
  case tensor::Field::pattern: return tensor::ValueType::boolean;
  }
  bug("unknown field");
}

void open_matrix_market(Opened& opened, const Input& input, const std::string& path, Diagnostics& mine) {
  opened.header = read_header(*opened.lines);
  const auto shape = opened.header ? shape_of(*opened.lines, *opened.header, input.source.dims) : std::nullopt;
  if (!shape) return;
  check_rank(input, path, shape->dims, mine);
  opened.dropped = shape->dropped;
  opened.type = type_of(opened.header->field);
  opened.entries = matrix_market_entries(*opened.lines, *opened.header);
  opened.description =
      fmt::format("{} of {} x {} with {} entries in {} bytes", opened.header->coordinate ? "coordinates" : "an array",
                  opened.header->rows, opened.header->columns, opened.header->entries, opened.source->file_size());
}

Opened open(const Input& input, const std::string& path, tensor::FileKind kind, Diagnostics& mine) {
  Opened opened;
  opened.source = ByteSource::open(path, mine);
  if (!opened.source) return opened;
  opened.lines = std::make_unique<TextLines>(*opened.source);
  if (kind == tensor::FileKind::matrix_market) {
    open_matrix_market(opened, input, path, mine);
  } else if (input.source.dims.empty()) {
    check_rank(input, path, {1}, mine); // however many: a scalar is no FROSTT file
  } else {
    opened.entries = frostt_entries(*opened.lines, input.source.dims);
    opened.description = fmt::format("{} bytes", opened.source->file_size());
  }
  return opened;
}

// Shares out a plain file.
class SharedText {
public:
  SharedText(Opened& opened, const Input& input, Diagnostics& mine)
      : opened_(opened), mine_(mine), comm_(input.comm), ranks_(ranks_of(comm_)), rank_(rank_of(comm_)),
        next_(opened.lines->offset()), size_(opened.source->file_size()), lines_(opened.lines->number()) {
    // A small file is shared out, too. A round of many ranks must not be too much for one of them: a byte of text may
    // become some dozen bytes of entries, and all may go to one rank.
    constexpr std::int64_t round = std::int64_t{1} << 22;
    const std::int64_t most = std::max<std::int64_t>(1, std::min(input.limits.text, round / ranks_));
    stretch_ = std::clamp<std::int64_t>((size_ - next_ + ranks_ - 1) / ranks_, 1, most);
  }

  std::optional<tensor::Entries> next(bool& more) {
    const std::int64_t begin = std::min(size_, next_ + rank_ * stretch_), end = std::min(size_, begin + stretch_);
    std::int64_t found[2] = {0, 0}; // lines, entries
    if (begin < end) {
      opened_.lines->confine(begin, end, 0);
      found[1] = opened_.entries->count_ahead();
      found[0] = opened_.lines->number();
    }
    std::vector<std::int64_t> all(2 * static_cast<std::size_t>(ranks_));
    MPI_Allgather(found, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm_);
    std::int64_t lines = lines_, entries = entries_;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
      if (static_cast<int>(r) < rank_) {
        lines += all[2 * r];
        entries += all[2 * r + 1];
      }
      lines_ += all[2 * r];
      entries_ += all[2 * r + 1];
    }
    next_ += ranks_ * stretch_;
    more = next_ < size_;
    std::optional<tensor::Entries> batch;
    if (opened_.lines->failed()) { // found while counting, when the lines before were not known
      Remark& remark = mine_.last().main;
      if (remark.place && remark.place->line > 0) remark.place->line += lines;
    } else if (begin < end) {
      opened_.lines->confine(begin, end, lines);
      opened_.entries->begin_at(entries);
      batch = opened_.entries->next(std::numeric_limits<std::int64_t>::max());
    }
    if (!more && rank_ == ranks_ - 1 && !mine_.failed()) check_end();
    return batch;
  }

private:
  // By the last rank: an error in a line comes before one at the end.
  void check_end() {
    opened_.lines->confine(size_, size_, lines_);
    opened_.entries->begin_at(entries_);
    opened_.entries->check_end();
  }

  Opened& opened_;
  Diagnostics& mine_;
  MPI_Comm comm_;
  int ranks_, rank_;
  std::int64_t next_, size_, stretch_ = 0; // where the next round begins
  std::int64_t lines_, entries_ = 0;       // before it
};

} // namespace

bool read_text(const Input& input, const std::string& path, tensor::FileKind kind) {
  Diagnostics mine(input.agreed.sources());
  Opened opened = open(input, path, kind, mine);
  if (!agree(mine, input.agreed, input.comm)) return false;
  expect_same(fmt::format("`{}`", path), opened.description, mine, input.comm);
  if (!agree(mine, input.agreed, input.comm)) return false;
  if (opened.source->plain()) {
    SharedText text(opened, input, mine);
    return deliver(input, opened.type, opened.dropped, mine, [&](bool& more) { return text.next(more); });
  }
  return deliver(input, opened.type, opened.dropped, mine, [&](bool& more) -> std::optional<tensor::Entries> {
    if (rank_of(input.comm) != 0) return std::nullopt;
    std::optional<tensor::Entries> batch = opened.entries->next(input.elements_at_once());
    more = batch && batch->count() > 0;
    if (batch && !more) opened.entries->check_end();
    return batch;
  });
}

} // namespace cyclotron::mpi
