// SPDX-License-Identifier: MIT
#include "backend/mpi/data/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cyclotron::mpi {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

void broadcast(std::string& bytes, int root, MPI_Comm comm) {
  auto size = static_cast<int>(bytes.size());
  MPI_Bcast(&size, 1, MPI_INT, root, comm);
  bytes.resize(static_cast<std::size_t>(size));
  MPI_Bcast(bytes.data(), size, MPI_BYTE, root, comm);
}

std::string agreed_words(MPI_Comm comm, const std::string& own) {
  const int none = ranks_of(comm), bid = own.empty() ? none : rank_of(comm);
  int speaker = none;
  MPI_Allreduce(&bid, &speaker, 1, MPI_INT, MPI_MIN, comm);
  if (speaker == none) return {};
  std::string words = own;
  broadcast(words, speaker, comm);
  return words;
}

namespace {

// A diagnostic as bytes. Spans mean the same on every rank, as all read the same program.
class Packed {
public:
  void add(std::int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(const std::string& text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  std::int64_t number() {
    std::int64_t number = 0;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number());
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  void broadcast(int root, MPI_Comm comm) { mpi::broadcast(bytes_, root, comm); }

private:
  std::string bytes_;
  std::size_t at_ = 0;
};

void pack(Packed& packed, const Remark& remark) {
  packed.add(remark.message);
  packed.add(remark.label);
  packed.add(remark.span.file);
  packed.add(remark.span.begin);
  packed.add(remark.span.end);
  const Place place = remark.place.value_or(Place{});
  packed.add(remark.place.has_value() ? 1 : 0);
  packed.add(place.file);
  packed.add(place.line);
  packed.add(place.column);
  packed.add(place.line_text);
}

Remark unpack_remark(Packed& packed, Severity severity) {
  Remark remark;
  remark.severity = severity;
  remark.message = packed.text();
  remark.label = packed.text();
  remark.span.file = static_cast<std::int32_t>(packed.number());
  remark.span.begin = static_cast<std::uint32_t>(packed.number());
  remark.span.end = static_cast<std::uint32_t>(packed.number());
  const bool has_place = packed.number() != 0;
  Place place;
  place.file = packed.text();
  place.line = packed.number();
  place.column = packed.number();
  place.line_text = packed.text();
  if (has_place) remark.place = place;
  return remark;
}

void share_error(const Diagnostics& mine, Diagnostics& agreed, int from, MPI_Comm comm) {
  Packed packed;
  if (rank_of(comm) == from) {
    const auto first = std::find_if(mine.all().begin(), mine.all().end(),
                                    [](const Diagnostic& d) { return d.main.severity != Severity::warning; });
    pack(packed, first->main);
    packed.add(first->hint);
    packed.add(static_cast<std::int64_t>(first->notes.size()));
    for (const Remark& note : first->notes) pack(packed, note);
  }
  packed.broadcast(from, comm);
  Diagnostic& diagnostic = agreed.error("");
  diagnostic.main = unpack_remark(packed, Severity::error);
  diagnostic.hint = packed.text();
  for (std::int64_t notes = packed.number(); notes > 0; --notes)
    diagnostic.notes.push_back(unpack_remark(packed, Severity::note));
}

} // namespace

bool agree(const Diagnostics& mine, Diagnostics& agreed, MPI_Comm comm, bool* more) {
  const int none = ranks_of(comm);
  int lowest[2] = {mine.failed() ? rank_of(comm) : none, more && *more ? 0 : 1};
  MPI_Allreduce(MPI_IN_PLACE, lowest, 2, MPI_INT, MPI_MIN, comm);
  if (more) *more = lowest[1] == 0;
  if (lowest[0] == none) return true;
  share_error(mine, agreed, lowest[0], comm);
  return false;
}

void expect_same(const std::string& what, const std::string& found, Diagnostics& mine, MPI_Comm comm) {
  Packed packed;
  if (rank_of(comm) == 0) packed.add(found);
  packed.broadcast(0, comm);
  const std::string first = packed.text();
  if (first == found) return;
  mine.error(fmt::format("{} is not the same on all ranks: rank 0 finds {}, rank {} finds {}", what, first,
                         rank_of(comm), found))
      .with_hint("all ranks must be given the same, and see the same files: use a file system that the nodes share");
}

} // namespace cyclotron::mpi
