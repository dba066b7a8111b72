// SPDX-License-Identifier: MIT
// Another input cut into tiles: an n x m matrix becomes an n/b1 x m/b2 array of b1 x b2 tiles.
#include "tensor/capacity.hpp"
#include "tensor/generators/generators.hpp"
#include "tensor/io.hpp"
#include "tensor/relayout.hpp"

#include <fmt/format.h>

namespace cyclotron::tensor {

namespace {

const char* const tile_names[] = {"b1", "b2", "b3", "b4"};

// Tile sizes: the known ones win over the arguments. Empty, with an error, where one is missing.
std::vector<std::int64_t> find_tiles(Order& order) {
  Arguments& arguments = order.arguments;
  std::size_t rank = order.request.dims.size() / 2;
  if (order.request.dims.empty())
    while (rank < 4 && arguments.given(tile_names[rank])) ++rank;
  std::vector<std::int64_t> tiles;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t known = order.request.dims.empty() ? -1 : order.request.dims[rank + d];
    const std::int64_t given = d < 4 ? arguments.integer(tile_names[d], -1, 1) : -1;
    tiles.push_back(known < 0 || (given >= 0 && order.request.arguments_win) ? given : known);
  }
  if (!arguments.fine()) return {};
  if (rank == 0 || order.request.dims.size() % 2 != 0) {
    arguments.fail("recipe",
                   fmt::format("{} makes twice as many dimensions as it cuts, but {}", order.subject(),
                               order.request.dims.empty() ? std::string("no tile size is given")
                                                          : fmt::format("{} are wanted", order.request.dims.size())),
                   "write such as `tiles(random(n=8), 4, 4)` for four dimensions");
    return {};
  }
  for (std::int64_t tile : tiles)
    if (tile <= 0) {
      arguments.fail("recipe", fmt::format("{} needs the size of its tiles", order.subject()),
                     "write such as `tiles(random(n=8), 4, 4)`");
      return {};
    }
  return tiles;
}

// What is to be cut: the nested recipe, or the file that the text names.
std::optional<Uncut> find_uncut(Order& order) {
  const std::vector<std::int64_t> tiles = find_tiles(order);
  if (tiles.empty()) return std::nullopt;
  Request request = order.request;
  request.dims.assign(tiles.size(), -1);
  for (std::size_t d = 0; d < tiles.size() && !order.request.dims.empty(); ++d)
    if (order.request.dims[d] >= 0) request.dims[d] = saturating_product(order.request.dims[d], tiles[d]);
  const Argument* argument = order.arguments.find("recipe");
  if (argument)
    if (const auto* path = std::get_if<std::string>(&argument->value)) return Uncut{*path, request, tiles};
  if (argument)
    if (const auto* recipes = std::get_if<std::vector<Recipe>>(&argument->value))
      return Uncut{recipes->at(0), request, tiles};
  order.arguments.fail("recipe", fmt::format("{} needs what it is to cut", order.subject()),
                       "write such as `tiles(random(n=8), 4, 4)` or `tiles(\"a.mtx\", 4, 4)`");
  return std::nullopt;
}

void cut_coordinates(Entries& entries, const std::vector<std::int64_t>& tiles) {
  const std::size_t rank = tiles.size();
  entries.coordinates.resize(2 * rank);
  for (std::size_t d = 0; d < rank; ++d) {
    entries.coordinates[rank + d] = entries.coordinates[d];
    for (std::int64_t& c : entries.coordinates[rank + d]) c %= tiles[d];
    for (std::int64_t& c : entries.coordinates[d]) c /= tiles[d];
  }
}

// A dense array seen as (n/b1, b1, m/b2, b2) lies as before; what is left is to bring the tiles' dimensions last.
void cut_dense(Entries& entries, const std::vector<std::int64_t>& tiles) {
  const std::size_t rank = tiles.size();
  std::vector<std::int64_t> dims(2 * rank);
  std::vector<int> from;
  for (std::size_t d = 0; d < rank; ++d) {
    dims[d] = entries.dims[d] / tiles[d];
    dims[rank + d] = tiles[d];
    from.push_back(static_cast<int>(d));
    from.push_back(static_cast<int>(rank + d));
  }
  entries.values = relayout(std::move(entries.values), dims, from, row_major(static_cast<int>(2 * rank)));
}

std::optional<Entries> make_whole(const Uncut& uncut, Diagnostics& diagnostics) {
  if (const auto* path = std::get_if<std::string>(&uncut.source))
    return read(*path, ReadOptions{uncut.request.dims}, diagnostics);
  return generate(std::get<Recipe>(uncut.source), uncut.request, diagnostics);
}

// Only the sizes of it.
std::optional<Entries> measure_whole(const Uncut& uncut, Diagnostics& diagnostics) {
  const auto* path = std::get_if<std::string>(&uncut.source);
  const auto dims = path ? read_dims(*path, ReadOptions{uncut.request.dims}, diagnostics)
                         : generated_dims(std::get<Recipe>(uncut.source), uncut.request, diagnostics);
  if (!dims) return std::nullopt;
  return Entries{*dims, std::vector<std::vector<std::int64_t>>(dims->size()), make_values(uncut.request.type), false};
}

std::optional<Entries> make_tiles(Order& order) {
  if (order.part && !order.dims_only) bug("a part of `tiles` is made from a part of what they cut");
  const std::optional<Uncut> found = find_uncut(order);
  if (!found) return std::nullopt;
  std::optional<Entries> entries =
      order.dims_only ? measure_whole(*found, order.diagnostics()) : make_whole(*found, order.diagnostics());
  if (!entries) return std::nullopt;
  const std::vector<std::int64_t>& tiles = found->tiles;
  for (std::size_t d = 0; d < tiles.size(); ++d)
    if (entries->dims.size() != tiles.size() || entries->dims[d] % tiles[d] != 0) {
      order.arguments.fail(
          "recipe",
          fmt::format("a tensor of size {} cannot be cut into tiles of {}", describe(entries->dims), describe(tiles)),
          "each size must be a multiple of the tile's");
      return std::nullopt;
    }
  if (entries->dense) cut_dense(*entries, tiles);
  else cut_coordinates(*entries, tiles);
  std::vector<std::int64_t> dims = entries->dims;
  for (std::size_t d = 0; d < tiles.size(); ++d) dims[d] /= tiles[d];
  dims.insert(dims.end(), tiles.begin(), tiles.end());
  order.dims = dims;
  entries->dims = dims;
  return entries;
}

} // namespace

std::optional<Uncut> uncut(const Recipe& recipe, const Request& request, Diagnostics& diagnostics) {
  const std::vector<Generator> list = tile_generators();
  Arguments arguments(recipe, list[0].parameters, diagnostics);
  if (!arguments.fine()) return std::nullopt;
  Order order{arguments, request, request.dims};
  return find_uncut(order);
}

std::vector<Generator> tile_generators() {
  return {
      {"tiles",
       {{"recipe", ""}, {"b1", ""}, {"b2", ""}, {"b3", ""}, {"b4", ""}},
       "another recipe, or a file named by a text, cut into tiles: (n, m) becomes (n/b1, m/b2, b1, b2)",
       {},
       Sizes::own,
       true,
       make_tiles},
  };
}

} // namespace cyclotron::tensor
