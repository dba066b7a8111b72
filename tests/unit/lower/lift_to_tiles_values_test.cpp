// SPDX-License-Identifier: MIT
// Programs lifted to tiles compute what the scalar ones do: against the interpreter, for many sizes and extents.
#include "fuzz/compiled.hpp"
#include "unit/lower/liftable.hpp"
#include "unit/lower/ragged_tiles.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cyclotron::lower {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

DenseTensor dense(const tensor::Tensor& t) {
  DenseTensor result{t.dims, {}};
  std::vector<std::int64_t> at(t.dims.size(), 0);
  const std::function<void(std::size_t)> visit = [&](std::size_t d) {
    if (d < at.size()) {
      for (at[d] = 0; at[d] < t.dims[d]; ++at[d]) visit(d + 1);
      return;
    }
    const std::int64_t position = tensor::locate(t, at.data());
    result.values.push_back(position < 0 ? 0 : tensor::float_at(t.values, position));
  };
  visit(0);
  return result;
}

tensor::Tensor packed(const DenseTensor& t, tensor::ValueType type) {
  Sources sources;
  Diagnostics diagnostics(sources);
  tensor::Entries entries{t.dims, {}, t.values, true};
  auto result = tensor::pack(std::move(entries), tensor::dense_format(static_cast<int>(t.dims.size())), diagnostics);
  return *tensor::convert_type(std::move(*result), type, diagnostics);
}

void expect_near(const DenseTensor& found, const DenseTensor& expected, const std::string& what) {
  ASSERT_EQ(found.dims, expected.dims) << what;
  ASSERT_EQ(found.values.size(), expected.values.size()) << what;
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_NEAR(found.values[i], expected.values[i], 1e-9 * (1 + std::fabs(expected.values[i]))) << what << " at " << i;
}

// (n, m) and (n/b, m/c, b, c): the same elements in another order. `to_tiles` says which way.
DenseTensor reordered(const DenseTensor& t, const std::vector<std::int64_t>& dims,
                      const std::vector<std::int64_t>& blocks, bool to_tiles) {
  std::vector<std::int64_t> tiled;
  for (std::size_t d = 0; d < dims.size(); ++d) tiled.push_back(blocks[d] == 0 ? dims[d] : dims[d] / blocks[d]);
  for (std::int64_t b : blocks)
    if (b != 0) tiled.push_back(b);
  DenseTensor result{to_tiles ? tiled : dims, std::vector<double>(t.values.size())};
  std::vector<std::int64_t> at(dims.size(), 0);
  const std::function<void(std::size_t)> visit = [&](std::size_t d) {
    if (d < dims.size()) {
      for (at[d] = 0; at[d] < dims[d]; ++at[d]) visit(d + 1);
      return;
    }
    std::int64_t whole = 0, tile = 0;
    for (std::size_t e = 0; e < dims.size(); ++e) whole = whole * dims[e] + at[e];
    for (std::size_t e = 0; e < dims.size(); ++e) tile = tile * tiled[e] + (blocks[e] == 0 ? at[e] : at[e] / blocks[e]);
    for (std::size_t e = 0; e < dims.size(); ++e)
      if (blocks[e] != 0) tile = tile * blocks[e] + at[e] % blocks[e];
    result.values[static_cast<std::size_t>(to_tiles ? tile : whole)] =
        t.values[static_cast<std::size_t>(to_tiles ? whole : tile)];
  };
  visit(0);
  return result;
}

// One program with sizes: scalar results, to hold tiles against.
struct Scalar {
  fuzz::Compiled compiled;
  fuzz::Compiled::Bound bound;
  fuzz::Tensors outputs;

  Scalar(const std::string& text, const Sizes& sizes) : compiled(text) {
    std::map<std::string, std::string> given;
    for (const recurrence::Binder& size : compiled.program().sizes)
      given[size.name] = std::to_string(sizes.at(size.name));
    const auto found = compiled.bind(given);
    EXPECT_TRUE(found) << compiled.messages();
    bound = *found;
    const auto results = compiled.interpret(bound.sizes, bound.tensors);
    EXPECT_TRUE(results) << compiled.messages();
    outputs = *results;
  }
};

Lifted lifted(const recurrence::Program& program, const Sizes& extents) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto result = lift_to_tiles(program, Lift{extents, {}}, diagnostics);
  EXPECT_FALSE(diagnostics.failed()) << diagnostics.all()[0].main.message;
  return std::move(*result);
}

void check_ragged(const Scalar& scalar, const Lifted& tiles, const std::string& what) {
  std::map<std::string, DenseTensor> inputs;
  for (const auto& [name, t] : scalar.bound.tensors) inputs[name] = dense(t);
  RaggedTiles run(tiles, scalar.compiled.program(), scalar.bound.sizes, inputs);
  for (const auto& [name, t] : scalar.outputs) expect_near(run.tensor(name), dense(t), what + ", ragged, " + name);
}

// Where all tiles are full, the lifted program can be interpreted as it stands.
bool check_interpreted(const Scalar& scalar, const Lifted& tiles, const std::string& what) {
  fuzz::SizeValues sizes = scalar.bound.sizes;
  for (const auto& [name, count] : tiles.counts) {
    const std::int64_t size = count.size.evaluate([&](const std::string& n) { return sizes.at(n); });
    if (size % count.extent != 0) return false;
    sizes[name] = size / count.extent;
  }
  fuzz::Tensors inputs;
  for (const auto& [name, t] : scalar.bound.tensors)
    inputs[name] = packed(reordered(dense(t), t.dims, tiles.blocks.at(name), true), t.type());
  fuzz::Compiled compiled(print(tiles.program));
  const auto outputs = compiled.interpret(sizes, inputs);
  EXPECT_TRUE(outputs) << what << compiled.messages();
  for (const auto& [name, t] : scalar.outputs)
    expect_near(reordered(dense(outputs->at(name)), t.dims, tiles.blocks.at(name), false), dense(t),
                what + ", interpreted, " + name);
  return true;
}

TEST(LiftToTilesValues, ManySizesAndExtents) {
  const std::vector<Sizes> all_sizes = {{{"m", 6}, {"n", 6}, {"p", 6}, {"q", 6}},
                                        {{"m", 5}, {"n", 7}, {"p", 4}, {"q", 3}},
                                        {{"m", 2}, {"n", 9}, {"p", 1}, {"q", 2}},
                                        {{"m", 1}, {"n", 1}, {"p", 5}, {"q", 1}}};
  int interpreted = 0, ragged = 0;
  for (const Liftable& l : liftable_programs())
    for (const Sizes& sizes : all_sizes) {
      const Scalar scalar(l.text, sizes);
      for (const std::int64_t extent : {1, 2, 3, 6, 100}) {
        Sizes extents;
        for (char i : l.tiled) extents[std::string(1, i)] = extent;
        const std::string what = fmt::format("{}, n = {}, tiles of {}", l.name, sizes.at("n"), extent);
        const Lifted tiles = lifted(scalar.compiled.program(), extents);
        check_ragged(scalar, tiles, what);
        ++(check_interpreted(scalar, tiles, what) ? interpreted : ragged);
        if (HasFatalFailure()) return;
      }
    }
  EXPECT_GT(interpreted, 150);
  EXPECT_GT(ragged, 150);
}

TEST(LiftToTilesValues, TilesThatAreNotSquare) {
  for (const Liftable& l : liftable_programs()) {
    if (l.name != "product" && l.name != "residual" && l.name != "solves from the left") continue;
    const Scalar scalar(l.text, {{"m", 7}, {"n", 10}, {"p", 5}});
    Sizes extents{{"i", 4}, {"j", l.name == "solves from the left" ? 4 : 3}, {l.tiled.substr(2, 1), 2}};
    check_ragged(scalar, lifted(scalar.compiled.program(), extents), l.name);
  }
}

TEST(LiftToTilesValues, NothingAtAll) {
  for (const Liftable& l : liftable_programs()) {
    if (l.text.find("spd") != std::string::npos || l.text.find("triangular") != std::string::npos) continue;
    const Scalar scalar(l.text, {{"m", 0}, {"n", 4}, {"p", 0}, {"q", 2}});
    Sizes extents;
    for (char i : l.tiled) extents[std::string(1, i)] = 2;
    const Lifted tiles = lifted(scalar.compiled.program(), extents);
    check_ragged(scalar, tiles, l.name);
    EXPECT_TRUE(check_interpreted(scalar, tiles, l.name));
  }
}

} // namespace
} // namespace cyclotron::lower
