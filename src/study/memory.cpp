// SPDX-License-Identifier: MIT
// Figure 15: the sparse matrix product on a machine with finite memories, over the dimension, with the number of
// nonzeros kept: X = B * C, where C is B shifted and transposed.
//
// Matrices are cut into tiles that fit the buffer of a processing element (PEB), and these are grouped into larger ones
// for a last-level buffer (LLB). Three graphs of X(i,j) = B(i,k) * C(k,j) in the order i, k, j are nested: one walks
// through pairs of large tiles, one through the pairs of tiles in each, one computes. Tiles without entries are skipped
// by the first two.
//
// All three are simulated: their tokens say in which cycle a pair of tiles is asked for, and how long the computation
// of a pair takes where the pairs before it are in the pipeline. Modelled on top of that: loads from DRAM into the LLB
// and from there into the PEB, each with a latency and a bandwidth, one at a time, ahead of use as far as there is
// room. Not modelled: the way of the results back to memory, and the accumulation of partial results of several pairs.
#include "stream/ports.hpp"
#include "study/buffers.hpp"
#include "study/runner.hpp"
#include "study/tiles.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cyclotron::study {
namespace {

using engine::Time;

constexpr std::int64_t tile_size = 128, tiles_per_large = 16;
constexpr BufferParameters last_level{17.1e6, 68.256, 200, 1}, processing_element{70e3, 256, 1, 1};
constexpr std::int64_t work_per_batch = 100'000; // of pairs simulated together, which bounds the tokens held in memory

const char* const sequencing_program = "tensor B(n, n): dcsr\n"
                                       "tensor C(n, n): dcsr\n"
                                       "tensor X(n, n): dcsr\n"
                                       "X(i,j) = B(i,k) * C(k,j)\n"
                                       "schedule given {\n  order i, k, j\n}\n";

// The computation for one pair of tiles after the other: t counts the pairs.
const char* const computing_program = "tensor B(n_t, n, n): csf\n"
                                      "tensor C(n_t, n, n): csf\n"
                                      "tensor X(n_t, n, n): csf\n"
                                      "X(t,i,j) = B(t,i,k) * C(t,k,j)\n"
                                      "schedule given {\n  order t, i, k, j\n}\n";

// What goes over the first wire that leaves the block of this kind for an access of `C`; a scanner's are coordinates.
const std::vector<sam::TimedToken>& tokens_of(const StudyRun& run, stream::Block block, const std::string& index) {
  const stream::Graph& graph = run.program.phases.at(0);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const stream::Node& from = graph.nodes[static_cast<std::size_t>(graph.edges[e].from)];
    const bool wanted = from.block == block && from.operand == "C" && (index.empty() || from.index == index);
    if (wanted && graph.edges[e].from_port == 0) return run.result.runs.at(0).traces[e];
  }
  bug("a graph of the study lacks a stream");
}

struct TilePair {
  TilePlace b, c;
  Time asked = 0; // since the sequencing began
};

struct Sequence {
  std::vector<TilePair> pairs;
  Time cycles = 0;
};

using Large = std::map<TilePlace, std::set<TilePlace>>; // large tiles, and the places in them that have tiles

Large large_tiles(const Tiles& tiles) {
  Large large;
  for (const auto& [place, tile] : tiles)
    large[{place.first / tiles_per_large, place.second / tiles_per_large}].insert(
        {place.first % tiles_per_large, place.second % tiles_per_large});
  return large;
}

std::set<TilePlace> places_of(const Large& large) {
  std::set<TilePlace> places;
  for (const auto& [place, inside] : large) places.insert(place);
  return places;
}

// One point of the sweep.
class MemoryPoint {
public:
  MemoryPoint(StudyRunner& runner, tensor::Entries b)
      : runner_(runner), dims_(b.dims[0]), b_(tiles_of(b, tile_size)), c_(tiles_of(shifted_transpose(b), tile_size)),
        matrix_(std::move(b)) {}

  std::optional<Time> run() {
    const Large b = large_tiles(b_), c = large_tiles(c_);
    const std::int64_t large_dims = (dims_ - 1) / (tile_size * tiles_per_large) + 1;
    const auto large = sequence(places_of(b), places_of(c), large_dims);
    if (!large) return std::nullopt;
    for (const TilePair& pair : large->pairs) {
      auto inner = sequence(b.at(pair.b), c.at(pair.c), tiles_per_large);
      if (!inner) return std::nullopt;
      for (TilePair& p : inner->pairs) p = {inside(pair.b, p.b), inside(pair.c, p.c), p.asked};
      if (!compute(inner->pairs)) return std::nullopt;
      work_on(pair, *inner, b, c);
    }
    if (!check()) return std::nullopt;
    return computed_;
  }

  std::int64_t pairs() const { return pairs_; }
  double loaded_bytes() const { return large_b_.loaded_bytes() + large_c_.loaded_bytes(); }

private:
  static TilePlace inside(const TilePlace& large, const TilePlace& place) {
    return {large.first * tiles_per_large + place.first, large.second * tiles_per_large + place.second};
  }
  static std::int64_t id_of(const TilePlace& place) { return place.first * (std::int64_t{1} << 32) + place.second; }

  std::optional<Sequence> sequence(const std::set<TilePlace>& b, const std::set<TilePlace>& c, std::int64_t dims) {
    const auto run = runner_.run(
        sequencing_program, {{{"n", dims}}, {{"B", occupancy(b, dims)}, {"C", occupancy(c, dims)}}}, with_tokens());
    if (!run) return std::nullopt;
    Sequence made{{}, run->result.cycles};
    for (const TilePlace& left : b)
      for (auto right = c.lower_bound({left.second, 0}); right != c.end() && right->first == left.second; ++right)
        made.pairs.push_back({left, *right, 0});
    std::size_t at = 0;
    for (const sam::TimedToken& t : tokens_of(*run, stream::Block::fiberlookup, "j"))
      if (t.token.is_data()) made.pairs.at(at++).asked = t.time;
    if (at != made.pairs.size()) bug("a sequencing graph does not ask for every pair of tiles");
    return made;
  }

  static sam::Options with_tokens() {
    sam::Options options;
    options.tokens = true;
    return options;
  }

  // The graph computes for every pair; `cycles_` gets what each takes of the pipeline.
  bool compute(const std::vector<TilePair>& pairs) {
    cycles_.clear();
    for (std::size_t begin = 0; begin < pairs.size();) {
      std::size_t end = begin;
      for (std::int64_t work = 0; end < pairs.size() && (end == begin || work < work_per_batch); ++end)
        work += b_.at(pairs[end].b).rows * c_.at(pairs[end].c).rows + 10;
      if (!compute(pairs, begin, end)) return false;
      begin = end;
    }
    return true;
  }

  bool compute(const std::vector<TilePair>& pairs, std::size_t begin, std::size_t end) {
    tensor::Entries b = batch(pairs, begin, end, b_, &TilePair::b), c = batch(pairs, begin, end, c_, &TilePair::c);
    const StudyInputs inputs{{{"n_t", static_cast<std::int64_t>(end - begin)}, {"n", tile_size}},
                             {{"B", std::move(b)}, {"C", std::move(c)}}};
    const auto run = runner_.run_unchecked(computing_program, inputs, with_tokens());
    if (!run) return false;
    Time before = 0;
    for (const sam::TimedToken& t : tokens_of(*run, stream::Block::arrayvals, ""))
      if (t.token.is_stop() && t.token.level() >= 2) {
        cycles_.push_back(t.time - before);
        before = t.time;
      }
    if (cycles_.size() != end) bug("a computing graph does not end every pair of tiles");
    add_products(pairs, begin, tensor::unpack(run->result.results.at("X")));
    return true;
  }

  static tensor::Entries batch(const std::vector<TilePair>& pairs, std::size_t begin, std::size_t end,
                               const Tiles& tiles, TilePlace TilePair::*place) {
    tensor::Entries entries{
        {static_cast<std::int64_t>(end - begin), tile_size, tile_size}, {{}, {}, {}}, std::vector<double>{}, false};
    for (std::size_t p = begin; p < end; ++p)
      for (const TileEntry& e : tiles.at(pairs[p].*place).entries) {
        entries.coordinates[0].push_back(static_cast<std::int64_t>(p - begin));
        entries.coordinates[1].push_back(e.row);
        entries.coordinates[2].push_back(e.column);
        std::get<std::vector<double>>(entries.values).push_back(e.value);
      }
    return entries;
  }

  void add_products(const std::vector<TilePair>& pairs, std::size_t begin, const tensor::Entries& made) {
    for (std::size_t e = 0; e < made.coordinates[0].size(); ++e) {
      const TilePair& pair = pairs[begin + static_cast<std::size_t>(made.coordinates[0][e])];
      product_.coordinates[0].push_back(pair.b.first * tile_size + made.coordinates[1][e]);
      product_.coordinates[1].push_back(pair.c.second * tile_size + made.coordinates[2][e]);
      std::get<std::vector<double>>(product_.values)
          .push_back(tensor::float_at(made.values, static_cast<std::int64_t>(e)));
    }
  }

  // Loads both large tiles, then pair by pair the small ones, each as early as it is asked for and fits.
  void work_on(const TilePair& pair, const Sequence& inner, const Large& b, const Large& c) {
    const Time ready = std::max(large_b_.load(id_of(pair.b), bytes_of(pair.b, b, b_), pair.asked),
                                large_c_.load(id_of(pair.c), bytes_of(pair.c, c, c_), pair.asked));
    const Time begin = std::max(ready, sequenced_);
    for (std::size_t p = 0; p < inner.pairs.size(); ++p) {
      const TilePair& q = inner.pairs[p];
      const Time loaded = std::max(small_b_.load(id_of(q.b), b_.at(q.b).bytes(), begin + q.asked),
                                   small_c_.load(id_of(q.c), c_.at(q.c).bytes(), begin + q.asked));
      computed_ = std::max(computed_, loaded) + cycles_[p];
      small_b_.use_until(computed_);
      small_c_.use_until(computed_);
    }
    pairs_ += static_cast<std::int64_t>(inner.pairs.size());
    sequenced_ = begin + inner.cycles;
    computed_ = std::max(computed_, inner.pairs.empty() ? sequenced_ : Time{0});
    large_b_.use_until(computed_);
    large_c_.use_until(computed_);
  }

  static double bytes_of(const TilePlace& place, const Large& large, const Tiles& tiles) {
    double bytes = 0;
    for (const TilePlace& p : large.at(place)) bytes += tiles.at(inside(place, p)).bytes();
    return bytes;
  }

  // The products of all pairs together are the product of the matrices.
  bool check() {
    product_.dims = {dims_, dims_};
    return runner_.check_outputs(sequencing_program,
                                 {{{"n", dims_}}, {{"B", matrix_}, {"C", shifted_transpose(matrix_)}}},
                                 {{"X", std::move(product_)}});
  }

  StudyRunner& runner_;
  std::int64_t dims_ = 0, pairs_ = 0;
  Tiles b_, c_;
  tensor::Entries matrix_, product_{{0, 0}, {{}, {}}, std::vector<double>{}, false};
  std::vector<Time> cycles_;
  TileBuffer large_b_{last_level}, large_c_{last_level}, small_b_{processing_element}, small_c_{processing_element};
  Time sequenced_ = 0, computed_ = 0; // until when the inner sequencing and the computation are taken
};

} // namespace

std::optional<StudyReport> study_memory(StudyRunner& runner) {
  const bool quick = runner.options().quick;
  using Numbers = std::vector<std::int64_t>;
  const Numbers sizes = quick ? Numbers{320, 640, 1280} : Numbers{256, 512, 1024, 2048, 4096, 6144, 8192, 12288, 16384};
  const Numbers counts = quick ? Numbers{50, 100} : Numbers{5000, 10000, 25000, 50000};
  StudyReport report;
  report.title = "X(i,j) = B(i,k) * C(k,j) with finite memories, C the shifted transpose of B";
  report.columns = {"nonzeros", "dimension", "cycles", "pairs of tiles", "kB loaded"};
  explore::Panel panel{"", "dimension", "cycles", explore::ChartKind::lines, true, true, {}, {}};
  runner.begin("matrices", static_cast<std::int64_t>(sizes.size() * counts.size()));
  for (std::int64_t count : counts) {
    panel.series.push_back({fmt::format("{} nonzeros", count), {}, {}, false});
    for (std::int64_t n : sizes) {
      auto b = runner.random({n, n}, static_cast<double>(count) / (static_cast<double>(n) * static_cast<double>(n)), 1);
      if (!b) return std::nullopt;
      MemoryPoint point(runner, std::move(*b));
      const auto cycles = point.run();
      if (!cycles) return std::nullopt;
      report.rows.push_back({count, n, *cycles, point.pairs(), point.loaded_bytes() / 1e3});
      panel.series.back().x.push_back(static_cast<double>(n));
      panel.series.back().y.push_back(static_cast<double>(*cycles));
      runner.advance();
    }
  }
  report.notes = {
      fmt::format("Tiles of {0} x {0}, {1} x {1} of them in the last-level buffer of {2:.1f} MB; DRAM: {3} bytes per "
                  "cycle, {4} cycles of latency.",
                  tile_size, tiles_per_large, last_level.bytes / 1e6, last_level.bytes_per_cycle, last_level.latency),
      "Cycles rise with the pairs of tiles while tiles have entries in most rows, and fall as these rows get fewer: "
      "the "
      "graph walks through the rows of C's tile for each row of B's. The paper explains the fall by tiles that are "
      "skipped; compare the pairs. Small matrices with many nonzeros are hardly sparse: there the products count.",
      "Simulated: sequencing and computation of every pair. Modelled: loads. Left out: results on their way back."};
  report.chart = {report.title, {panel}};
  return report;
}

} // namespace cyclotron::study
