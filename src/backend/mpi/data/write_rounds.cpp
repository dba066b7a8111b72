// SPDX-License-Identifier: MIT
#include "backend/mpi/data/write_rounds.hpp"

#include "backend/mpi/data/agree.hpp"
#include "backend/mpi/data/pieces.hpp"
#include "backend/mpi/data/words.hpp"
#include "tensor/io/writers.hpp"

#include <zlib.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::mpi {

using tensor::FileKind;

namespace {

struct Item {
  std::int64_t position;
  Word value;
};

// A gzip file of its own; one behind the other they are a gzip file, too.
std::string gzip(const char* bytes, std::size_t size) {
  z_stream stream{};
  constexpr int with_gzip_header = 15 + 16, level = 3, memory = 8;
  if (::deflateInit2(&stream, level, Z_DEFLATED, with_gzip_header, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    bug("zlib cannot start");
  std::string packed(::deflateBound(&stream, size), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) bug("zlib did not finish");
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

class RoundWriter {
public:
  RoundWriter(SharedFile& file, FileKind kind, bool gzipped, const Declaration& tensor, const std::vector<Part>& parts,
              std::int64_t elements, MPI_Comm comm)
      : file_(file), kind_(kind), gzipped_(gzipped), tensor_(tensor), comm_(comm), rank_(rank_of(comm)),
        ranks_(ranks_of(comm)), count_(tensor::element_count(tensor.dims)) {
    runs_ = runs_of(pieces_of(parts, {}), tensor.dims, kind == FileKind::matrix_market, count_ > 0 ? count_ : 1);
    // At least what a rank would have of a small tensor, so that all take part.
    each_ = std::clamp<std::int64_t>((count_ + ranks_ - 1) / ranks_, 1, std::max<std::int64_t>(1, elements));
  }

  bool run(Diagnostics& mine, Diagnostics& agreed) {
    fmt::memory_buffer text;
    if (rank_ == 0) append(text, header());
    for (std::int64_t begin = 0; begin == 0 || begin < count_; begin += each_ * ranks_) {
      exchange(begin);
      const std::int64_t from = std::min(count_, begin + rank_ * each_), to = std::min(count_, from + each_);
      with_type(tensor_.type, [&](auto kind) { format<decltype(kind)>(text, from, to); });
      write(text);
      text.clear();
      if (!agree(mine, agreed, comm_)) return false;
    }
    return true;
  }

private:
  static void append(fmt::memory_buffer& text, const std::string& bytes) {
    text.append(bytes.data(), bytes.data() + bytes.size());
  }

  std::string header() const {
    switch (kind_) {
    case FileKind::numpy: return tensor::numpy_header(tensor_.dims, tensor_.type);
    case FileKind::matrix_market: return tensor::matrix_market_array_header(tensor_.dims, tensor_.type);
    case FileKind::frostt: return tensor::frostt_header(tensor_.dims);
    }
    bug("unknown file kind");
  }

  // The elements from `begin` on go to the ranks that format them; `window_` holds this rank's.
  void exchange(std::int64_t begin) {
    const std::int64_t end = std::min(count_, begin + each_ * ranks_);
    std::vector<int> sent(static_cast<std::size_t>(ranks_), 0), got(sent), sent_at(sent), got_at(sent);
    std::vector<Item> items, received; // in the order of the file, which is that of the ranks they go to
    while (next_run_ < runs_.size() && runs_[next_run_].position < end) {
      Run& run = runs_[next_run_];
      const std::int64_t length = std::min(run.length, end - run.position);
      for (std::int64_t i = 0; i < length; ++i) {
        items.push_back({run.position + i, run.values[i * run.stride]});
        ++sent[static_cast<std::size_t>((run.position + i - begin) / each_)];
      }
      run = {run.position + length, run.length - length, run.values + length * run.stride, run.stride};
      if (run.length > 0) break;
      ++next_run_;
    }
    MPI_Alltoall(sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, comm_);
    std::partial_sum(sent.begin(), sent.end() - 1, sent_at.begin() + 1);
    std::partial_sum(got.begin(), got.end() - 1, got_at.begin() + 1);
    received.resize(static_cast<std::size_t>(got_at.back() + got.back()));
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT64_T, &pair);
    MPI_Type_commit(&pair);
    static_assert(sizeof(Item) == 16);
    MPI_Alltoallv(items.data(), sent.data(), sent_at.data(), pair, received.data(), got.data(), got_at.data(), pair,
                  comm_);
    MPI_Type_free(&pair);
    window_.assign(static_cast<std::size_t>(each_), Word{.whole = 0});
    const std::int64_t first = begin + rank_ * each_;
    for (const Item& item : received) window_[static_cast<std::size_t>(item.position - first)] = item.value;
  }

  template <class T> void format(fmt::memory_buffer& text, std::int64_t from, std::int64_t to) const {
    for (std::int64_t i = from; i < to; ++i) {
      const T value = value_of<T>(window_[static_cast<std::size_t>(i - from)]);
      if (kind_ == FileKind::numpy) {
        const char* bytes = reinterpret_cast<const char*>(&value);
        text.append(bytes, bytes + sizeof value);
        continue;
      }
      if (kind_ == FileKind::frostt) {
        if (value == 0) continue;
        for (std::int64_t c : coordinates_in(tensor::whole_box(tensor_.dims), i)) {
          tensor::append_number(text, c + 1);
          text.push_back(' ');
        }
      }
      tensor::append_number(text, value);
      text.push_back('\n');
    }
  }

  // Behind what lower ranks write in this round.
  void write(const fmt::memory_buffer& text) {
    std::string packed;
    if (gzipped_ && text.size() > 0) packed = gzip(text.data(), text.size());
    const char* bytes = gzipped_ ? packed.data() : text.data();
    const auto size = static_cast<std::int64_t>(gzipped_ ? packed.size() : text.size());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, comm_);
    file_.write(bytes, size, std::accumulate(sizes.begin(), sizes.begin() + rank_, written_));
    written_ = std::accumulate(sizes.begin(), sizes.end(), written_);
  }

  SharedFile& file_;
  FileKind kind_;
  bool gzipped_;
  const Declaration& tensor_;
  MPI_Comm comm_;
  int rank_, ranks_;
  std::int64_t count_, each_ = 1; // elements of the tensor, and of a rank per round
  std::int64_t written_ = 0;      // bytes, by all
  std::vector<Run> runs_;
  std::size_t next_run_ = 0;
  std::vector<Word> window_;
};

} // namespace

bool write_rounds(SharedFile& file, FileKind kind, bool gzipped, const Declaration& tensor,
                  const std::vector<Part>& parts, std::int64_t elements, MPI_Comm comm, Diagnostics& mine,
                  Diagnostics& agreed) {
  return RoundWriter(file, kind, gzipped, tensor, parts, elements, comm).run(mine, agreed);
}

} // namespace cyclotron::mpi
