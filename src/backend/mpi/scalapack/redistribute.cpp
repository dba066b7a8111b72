// SPDX-License-Identifier: MIT
// The elements that a process has of a tile are a product: some of its rows by some of its columns. So what one rank
// sends to another is a sequence of dense row-major rectangles, one per tile in the tiles' order, and both ends walk it
// alike. It goes in messages of a few hundred kilobytes, which are packed, sent and unpacked while they are in the
// caches.
#include "backend/mpi/scalapack/redistribute.hpp"

#include <algorithm>
#include <memory>

namespace cyclotron::mpi::scalapack {

namespace {

// What one process has of one tile.
struct Piece {
  long tile_row, tile_column;
  int row_process, column_process;
  std::size_t offset; // in its message
};

struct Message {
  std::vector<Piece> pieces;
  std::size_t elements = 0;
};

using Messages = std::vector<Message>; // to or from one partner, in order

enum class Direction { to_tiles, from_tiles };

class Exchange {
public:
  Exchange(const CyclicView& of_view, const Tiles& of_tiles, Part of_part, double alpha_, double beta_, MPI_Comm comm)
      : view(of_view), tiles(of_tiles), part(of_part), alpha(alpha_), beta(beta_), communicator(comm) {
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    row_runs = runs_of(view.rows, tiles.row_count(), tiles.tile_rows);
    column_runs = runs_of(view.columns, tiles.column_count(), tiles.tile_columns);
    find_pieces();
  }

  void run(Direction direction);

private:
  // Runs in the tiles of one dimension: [tile][process], counted from the start of the tile.
  struct TileRuns {
    std::vector<Run> runs;
    long elements = 0;
  };
  using AxisRuns = std::vector<std::vector<TileRuns>>;

  // A message each way, where there is one.
  struct Step {
    const Message *out = nullptr, *in = nullptr;
    int to = 0, from = 0;
  };
  struct Slot {
    Step step;
    std::unique_ptr<double[]> out, in;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };

  static AxisRuns runs_of(const Axis& axis, long tile_count, long tile_extent);
  bool meant(long i, long j) const;
  void find_pieces();
  void add(Messages& messages, const Piece& piece);
  Strided<double> tile(const Piece& piece) const;
  const TileRuns& rows_of(const Piece& piece) const {
    return row_runs[static_cast<std::size_t>(piece.tile_row)][static_cast<std::size_t>(piece.row_process)];
  }
  const TileRuns& columns_of(const Piece& piece) const {
    return column_runs[static_cast<std::size_t>(piece.tile_column)][static_cast<std::size_t>(piece.column_process)];
  }
  // Of the dense rectangle that a piece is in a message.
  long width(const Piece& piece) const { return columns_of(piece).elements; }
  template <class Body> void each_rectangle(const Piece& piece, Body body) const;
  void read_view(const Piece& piece, Strided<double> to, bool dense) const;
  void write_view(const Piece& piece, Strided<const double> from, bool dense) const;
  void copy_tile(const Piece& piece, double* message, Direction direction) const;
  void stay(Direction direction) const;
  std::vector<Step> steps(Direction direction) const;
  void start(Slot& slot, Direction direction);
  void finish(Slot& slot, Direction direction);

  CyclicView view;
  const Tiles& tiles;
  Part part;
  double alpha, beta;
  MPI_Comm communicator;
  int me = 0, ranks = 1;
  AxisRuns row_runs, column_runs;
  std::size_t longest = 0;                       // of all messages
  std::vector<Messages> of_my_view, of_my_tiles; // per partner
};

Exchange::AxisRuns Exchange::runs_of(const Axis& axis, long tile_count, long tile_extent) {
  AxisRuns made(static_cast<std::size_t>(tile_count));
  for (long t = 0; t < tile_count; ++t)
    for (int process = 0; process < axis.processes; ++process) {
      TileRuns of_tile;
      of_tile.runs = axis.runs(t * tile_extent, std::min(axis.extent, (t + 1) * tile_extent), process);
      for (Run& run : of_tile.runs) {
        run.at -= t * tile_extent;
        of_tile.elements += run.length;
      }
      made[static_cast<std::size_t>(t)].push_back(std::move(of_tile));
    }
  return made;
}

bool Exchange::meant(long i, long j) const {
  return part == Part::all || std::min(tiles.rows, (i + 1) * tiles.tile_rows) > j * tiles.tile_columns;
}

constexpr std::size_t usual_length = std::size_t{1} << 15; // elements of a message; more where a single piece has more

void Exchange::add(Messages& messages, const Piece& piece) {
  const auto elements = static_cast<std::size_t>(rows_of(piece).elements * width(piece));
  if (elements == 0) return;
  if (messages.empty() || messages.back().elements + elements > usual_length) messages.emplace_back();
  Message& message = messages.back();
  message.pieces.push_back(piece);
  message.pieces.back().offset = message.elements;
  message.elements += elements;
  longest = std::max(longest, message.elements);
}

void Exchange::find_pieces() {
  of_my_view.resize(static_cast<std::size_t>(ranks));
  of_my_tiles.resize(static_cast<std::size_t>(ranks));
  for (long i = 0; i < tiles.row_count(); ++i)
    for (long j = 0; j < tiles.column_count(); ++j) {
      if (!meant(i, j)) continue;
      const int owner = tiles.owner(i, j);
      add(of_my_view[static_cast<std::size_t>(owner)], {i, j, view.row_process(), view.column_process(), 0});
      if (owner != me) continue;
      for (int r = 0; r < view.rows.processes; ++r)
        for (int c = 0; c < view.columns.processes; ++c)
          add(of_my_tiles[static_cast<std::size_t>(view.rank(r, c))], {i, j, r, c, 0});
    }
}

Strided<double> Exchange::tile(const Piece& piece) const {
  const long columns = std::min(tiles.tile_columns, tiles.columns - piece.tile_column * tiles.tile_columns);
  return {tiles.data(piece.tile_row, piece.tile_column), columns, 1};
}

// body(run of rows, run of columns, where they begin in the dense rectangle of the message)
template <class Body> void Exchange::each_rectangle(const Piece& piece, Body body) const {
  const auto& rows = rows_of(piece).runs;
  const auto& columns = columns_of(piece).runs;
  long i = 0;
  for (const Run& row : rows) {
    long j = 0;
    for (const Run& column : columns) {
      body(row, column, i, j);
      j += column.length;
    }
    i += row.length;
  }
}

template <class Value> Strided<const Value> read_only(Strided<Value> strided) {
  return {strided.data, strided.row, strided.column};
}

// How far the diagonal lies to the right of a rectangle's first element.
long diagonal(const Tiles& tiles, const Piece& piece, const Run& row, const Run& column) {
  return piece.tile_row * tiles.tile_rows + row.at - piece.tile_column * tiles.tile_columns - column.at;
}

void Exchange::read_view(const Piece& piece, Strided<double> to, bool dense) const {
  static const double zero = 0;
  each_rectangle(piece, [&](const Run& row, const Run& column, long i, long j) {
    const Strided<double> target = dense ? to.at(i, j) : to.at(row.at, column.at);
    const auto source = read_only(view.in_memory(row, column));
    const long offset = diagonal(tiles, piece, row, column);
    if (part == Part::all || offset >= column.length - 1) {
      copy_rectangle(row.length, column.length, source, target, alpha, 0);
    } else {
      copy_rectangle(row.length, column.length, {&zero, 0, 0}, target, 1, 0);
      copy_lower(row.length, column.length, offset, source, target, alpha, 0);
    }
  });
}

void Exchange::write_view(const Piece& piece, Strided<const double> from, bool dense) const {
  each_rectangle(piece, [&](const Run& row, const Run& column, long i, long j) {
    const Strided<const double> source = dense ? from.at(i, j) : from.at(row.at, column.at);
    const Strided<double> target = view.in_memory(row, column);
    const long offset = diagonal(tiles, piece, row, column);
    if (part == Part::all || offset >= column.length - 1)
      copy_rectangle(row.length, column.length, source, target, alpha, beta);
    else copy_lower(row.length, column.length, offset, source, target, alpha, beta);
  });
}

// Between a tile of this rank and a message.
void Exchange::copy_tile(const Piece& piece, double* message, Direction direction) const {
  const Strided<double> in_tile = tile(piece), in_message{message, width(piece), 1};
  each_rectangle(piece, [&](const Run& row, const Run& column, long i, long j) {
    const Strided<double> here = in_tile.at(row.at, column.at), there = in_message.at(i, j);
    if (direction == Direction::to_tiles) copy_rectangle(row.length, column.length, read_only(there), here, 1, 0);
    else copy_rectangle(row.length, column.length, read_only(here), there, 1, 0);
  });
}

void Exchange::stay(Direction direction) const {
  for (const Message& message : of_my_view[static_cast<std::size_t>(me)])
    for (const Piece& piece : message.pieces)
      if (direction == Direction::to_tiles) read_view(piece, tile(piece), false);
      else write_view(piece, read_only(tile(piece)), false);
}

// In round r every rank sends to the r-th after it and gets from the r-th before it.
std::vector<Exchange::Step> Exchange::steps(Direction direction) const {
  const bool giving = direction == Direction::to_tiles;
  std::vector<Step> made;
  for (int r = 1; r < ranks; ++r) {
    const int to = (me + r) % ranks, from = (me - r + ranks) % ranks;
    const Messages& out = (giving ? of_my_view : of_my_tiles)[static_cast<std::size_t>(to)];
    const Messages& in = (giving ? of_my_tiles : of_my_view)[static_cast<std::size_t>(from)];
    for (std::size_t i = 0; i < std::max(out.size(), in.size()); ++i)
      made.push_back({i < out.size() ? &out[i] : nullptr, i < in.size() ? &in[i] : nullptr, to, from});
  }
  return made;
}

constexpr int tag = 1;

void Exchange::start(Slot& slot, Direction direction) {
  const auto& [out, in, to, from] = slot.step;
  if (in)
    MPI_Irecv(slot.in.get(), static_cast<int>(in->elements), MPI_DOUBLE, from, tag, communicator, &slot.requests[0]);
  if (!out) return;
  for (const Piece& piece : out->pieces) {
    double* packed = slot.out.get() + piece.offset;
    if (direction == Direction::to_tiles) read_view(piece, {packed, width(piece), 1}, true);
    else copy_tile(piece, packed, direction);
  }
  MPI_Isend(slot.out.get(), static_cast<int>(out->elements), MPI_DOUBLE, to, tag, communicator, &slot.requests[1]);
}

void Exchange::finish(Slot& slot, Direction direction) {
  MPI_Waitall(2, slot.requests, MPI_STATUSES_IGNORE);
  if (!slot.step.in) return;
  for (const Piece& piece : slot.step.in->pieces) {
    double* packed = slot.in.get() + piece.offset;
    if (direction == Direction::to_tiles) copy_tile(piece, packed, direction);
    else write_view(piece, {packed, width(piece), 1}, true);
  }
}

// A few steps are under way at once. All ranks go through them in the same order, so that the earliest that is not done
// anywhere can be done: nobody waits for ever.
void Exchange::run(Direction direction) {
  constexpr std::size_t under_way = 4;
  std::vector<Slot> slots(under_way);
  for (Slot& slot : slots) {
    slot.out = std::make_unique_for_overwrite<double[]>(longest);
    slot.in = std::make_unique_for_overwrite<double[]>(longest);
  }
  const std::vector<Step> all = steps(direction);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Slot& slot = slots[i % under_way];
    if (i >= under_way) finish(slot, direction);
    slot.step = all[i];
    start(slot, direction);
  }
  stay(direction);
  for (std::size_t i = all.size() - std::min(all.size(), under_way); i < all.size(); ++i)
    finish(slots[i % under_way], direction);
}

} // namespace

void to_tiles(const CyclicView& from, const Tiles& to, Part part, double alpha, MPI_Comm communicator) {
  Exchange(from, to, part, alpha, 0, communicator).run(Direction::to_tiles);
}

void from_tiles(const Tiles& from, const CyclicView& to, Part part, double alpha, double beta, MPI_Comm communicator) {
  Exchange(to, from, part, alpha, beta, communicator).run(Direction::from_tiles);
}

} // namespace cyclotron::mpi::scalapack
