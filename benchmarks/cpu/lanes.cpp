// SPDX-License-Identifier: MIT
// Programs in the lanes of vectors: convolutions beside the loops that a compiler vectorises, and beside a copy of as
// many bytes where they come from memory; and the six designs of one convolution.
#include "lane_program.hpp"
#include "plain.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>

namespace cyclotron::bench {

namespace {

// An array that begins some bytes behind a page. Where an output lies behind an input decides how fast many loops are,
// by up to half, because processors compare addresses within a page to find loads that must wait for stores. So all
// outputs lie alike.
template <class T> class Array {
public:
  explicit Array(std::int64_t size, std::size_t bytes_behind_page = 0) : size_(size) {
    constexpr std::size_t page = 4096;
    const std::size_t bytes = bytes_behind_page + static_cast<std::size_t>(size) * sizeof(T);
    memory_ = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!memory_) throw Unavailable("there is not enough memory");
    data_ = reinterpret_cast<T*>(static_cast<char*>(memory_) + bytes_behind_page);
    std::memset(data_, 0, static_cast<std::size_t>(size) * sizeof(T));
  }
  ~Array() { std::free(memory_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() { return data_; }
  std::int64_t size() const { return size_; }
  void fill_random(unsigned seed) {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < size_; ++i) data_[i] = static_cast<T>(random() % 1024) / T{1024};
  }

private:
  void* memory_ = nullptr;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};
constexpr std::size_t behind_page = 1024; // of outputs

template <class T> Difference differ(Array<T>& got, Array<T>& expected, double tolerance) {
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.data()[i], b = expected.data()[i];
    if (!(std::fabs(a - b) <= tolerance * (1 + std::fabs(b))))
      return fmt::format("value {}: {} instead of {}", i, a, b);
  }
  return std::nullopt;
}

struct Design {
  const char *schedule, *name;
};
const std::vector<Design> designs_1d{{"loads", "loads"}, {"fbs", "FBS"}, {"sbm", "SBM"}};
const std::vector<Design> designs_2d{
    {"loads", "loads"}, {"fbs", "FBS"}, {"sbm", "SBM"}, {"rows", "rows"}, {"rows_fbs", "rows and FBS"}};

// A convolution of single precision, by three designs. `copies`: beside a copy, too.
struct Convolution {
  std::string program, group, input;
  recurrence::Bindings sizes;
  std::int64_t inputs, weights, outputs;
  std::function<void(const float* x, const float* w, float* z)> plain;
  bool copies;
  const std::vector<Design>& designs;
};

void convolve(Bench& bench, const Convolution& c) {
  const auto wanted = [&](const Design& d) { return bench.wants(fmt::format("{}, {}", c.group, d.name), c.input); };
  if (std::none_of(c.designs.begin(), c.designs.end(), wanted)) return;
  Array<float> x(c.inputs), w(c.weights), z(c.outputs, behind_page), expected(c.outputs, behind_page);
  x.fill_random(1);
  w.fill_random(2);
  const Side plain{[&] { c.plain(x.data(), w.data(), expected.data()); }};
  const Side copy{[&] { std::memcpy(expected.data(), x.data(), static_cast<std::size_t>(c.outputs) * sizeof(float)); }};
  for (const Design& d : c.designs) {
    Row row{fmt::format("{}, {}", c.group, d.name), c.input, "plain C", 1};
    if (!wanted(d)) continue;
    bench.attempt(row, [&] {
      LaneProgram program(fmt::format("{}/{}.cyc", bench.options().programs, c.program), d.schedule, c.sizes);
      const Side ours{program.on({{"x", x.data()}, {"w", w.data()}, {"z", z.data()}})};
      bench.compare(row, ours, plain, [&] { return differ(z, expected, 1e-5); });
      if (!c.copies) return;
      row.rival = "a copy of as many bytes";
      row.goal = 0.9;
      bench.compare(row, ours, copy, [] { return std::nullopt; });
    });
  }
}

void convolutions_1d(Bench& bench) {
  const std::int64_t in_cache = 4000, far = bench.quick() ? 4'000'000 : 64'000'000;
  for (const std::int64_t m : {in_cache, far})
    convolve(bench, {"conv1d_5",
                     "1-D convolution, 5",
                     m == in_cache ? "4,000, in cache" : fmt::format("{} million", m / 1'000'000),
                     {{{"n", m + 4}}, {}},
                     m + 4,
                     5,
                     m,
                     [m](const float* x, const float* w, float* z) { plain_conv1d_5(m, x, w, z); },
                     m != in_cache,
                     designs_1d});
}

// Rows of 960 results are whole strips; those of 250 end with one of which some lanes are switched off.
void convolutions_2d(Bench& bench, std::int64_t filter) {
  const std::int64_t far = bench.quick() ? 1500 : 8000;
  const auto plain = filter == 3 ? plain_conv2d_3 : plain_conv2d_5;
  for (const auto& [rows, columns] : {std::pair{std::int64_t{250}, std::int64_t{250}}, {64, 960}, {far, far}}) {
    const std::int64_t m = rows + filter - 1, n = columns + filter - 1;
    convolve(bench, {fmt::format("conv2d_{}", filter),
                     fmt::format("2-D convolution, {0} x {0}", filter),
                     fmt::format("{} x {}{}", rows, columns, rows == far ? "" : ", in cache"),
                     {{{"m", m}, {"n", n}}, {}},
                     m * n,
                     filter * filter,
                     rows * columns,
                     [=, rows = rows, columns = columns](const float* x, const float* w, float* z) {
                       plain(rows, columns, x, w, z);
                     },
                     rows == far,
                     designs_2d});
  }
}

// The designs of "Systolic Computing on GPUs for Productive Performance", table 3. Their arrays are of the examples.
void six_designs(Bench& bench) {
  const std::int64_t m = 4000;
  for (const std::int64_t r : {std::int64_t{2}, std::int64_t{5}}) {
    Array<double> x(m + r - 1), w(r), z(m, behind_page), expected(m, behind_page);
    x.fill_random(1);
    w.fill_random(2);
    for (const std::string name : {"SBM", "BSM", "FSM", "BFS", "FFS", "FBS"}) {
      Row row{fmt::format("design {}", name), fmt::format("filter {}", r), "plain C", 0};
      if (!bench.wants(row.group, row.input)) continue;
      std::string file = name;
      for (char& letter : file) letter = static_cast<char>(std::tolower(letter));
      bench.attempt(row, [&] {
        LaneProgram program(fmt::format("{}/conv1d_{}.cyc", bench.options().examples, file), "array",
                            {{{"m", m}, {"r", r}}, {}}, {"X", "W", "Z"});
        bench.compare(row, {program.on({{"x", x.data()}, {"w", w.data()}, {"z", z.data()}})},
                      {[&] { plain_conv1d(m, r, x.data(), w.data(), expected.data()); }},
                      [&] { return differ(z, expected, 1e-12); });
      });
    }
  }
}

} // namespace

void lanes(Bench& bench) {
  convolutions_1d(bench);
  convolutions_2d(bench, 3);
  convolutions_2d(bench, 5);
  six_designs(bench);
}

} // namespace cyclotron::bench
