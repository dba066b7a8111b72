// SPDX-License-Identifier: MIT
// From a recipe to entries: finds the generator, settles the sizes, checks the type, and casts what was made.
#include "tensor/generate.hpp"
#include "support/progress.hpp"

#include "support/nearest.hpp"
#include "tensor/capacity.hpp"
#include "tensor/cast.hpp"
#include "tensor/generators/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cyclotron::tensor {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = [] {
    std::vector<Generator> list;
    for (auto family :
         {fill_generators, sequence_generators, matrix_generators, grid_generators, graph_generators, tile_generators})
      for (Generator& generator : family()) list.push_back(std::move(generator));
    return list;
  }();
  return all;
}

const std::vector<GeneratorHelp>& generator_help() {
  static const std::vector<GeneratorHelp> help = [] {
    std::vector<GeneratorHelp> list;
    for (const Generator& g : generators()) list.push_back({g.name, list_parameters(g.parameters), g.meaning});
    return list;
  }();
  return help;
}

std::string Order::subject() const {
  const std::string& name = arguments.recipe().name;
  return request.tensor.empty() ? fmt::format("`{}`", name) : fmt::format("`{}` for `{}`", name, request.tensor);
}

bool Order::room(std::int64_t count, bool dense) const {
  const std::int64_t each = dense ? 8 : 8 * static_cast<std::int64_t>(dims.size()) + 8;
  return enough_memory(count, each, fmt::format("{}, {},", subject(), describe(dims, request.type)), diagnostics(),
                       dense ? "use smaller sizes" : "use smaller sizes, or a lower `density` where there is one");
}

std::optional<Entries> dense_entries(const Order& order, ValueType type) {
  const std::vector<std::int64_t> dims = order.box().count;
  const std::int64_t count = element_count(dims);
  if (!order.room(count, true)) return std::nullopt;
  return Entries{dims, {}, make_values(type, static_cast<std::size_t>(count)), true};
}

std::optional<Entries> sparse_entries(const Order& order, ValueType type, std::int64_t count) {
  if (order.part) { // its share of them and some more: a guess, as lists grow
    const double all = static_cast<double>(element_count(order.dims));
    const double share = static_cast<double>(order.part->elements()) / std::max(all, 1.0);
    count = static_cast<std::int64_t>(static_cast<double>(count) * share * 1.05) + 64;
  }
  if (!order.room(count, false)) return std::nullopt;
  Entries entries{order.box().count, {}, make_values(type), false};
  entries.coordinates.resize(order.dims.size());
  for (auto& column : entries.coordinates) column.reserve(static_cast<std::size_t>(count));
  std::visit([&](auto& values) { values.reserve(static_cast<std::size_t>(count)); }, entries.values);
  return entries;
}

namespace {

const char* const size_names[] = {"n", "m", "l", "k"};

bool takes(const Generator& generator, const std::string& name) {
  return std::any_of(generator.parameters.begin(), generator.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

bool makes_rank(const Generator& generator, std::size_t rank) {
  return generator.ranks.empty() ||
         std::find(generator.ranks.begin(), generator.ranks.end(), static_cast<int>(rank)) != generator.ranks.end();
}

std::string describe_rank(std::size_t rank) {
  return rank == 0 ? "is a scalar" : rank == 1 ? "has one dimension" : fmt::format("has {} dimensions", rank);
}

bool check_rank(const Generator& generator, const Recipe& recipe, const Request& request, Diagnostics& diagnostics) {
  if (makes_rank(generator, request.dims.size()) || (request.dims.empty() && !generator.ranks.empty())) return true;
  std::vector<std::string> makes, fitting;
  for (int rank : generator.ranks)
    makes.push_back(rank == 1 ? "vectors" : rank == 2 ? "matrices" : fmt::format("tensors of {} dimensions", rank));
  for (const Generator& g : generators())
    if (makes_rank(g, request.dims.size()) && g.name != "uniform" && g.name != "tiles") fitting.push_back(g.name);
  diagnostics
      .error(recipe.span, fmt::format("`{}` makes {}, but `{}` {}", recipe.name, join_names(makes), request.tensor,
                                      describe_rank(request.dims.size())))
      .with_hint(fmt::format("these fit: {}", join_names(fitting)));
  return false;
}

// A name for each dimension that lacks a size.
void report_size(Order& order, std::size_t dimension) {
  const bool alone = order.dims.size() <= 1;
  const std::string which = alone ? "a size" : fmt::format("a size for dimension {}", dimension + 1);
  const std::string& name = order.arguments.recipe().name;
  order.arguments.fail("n", fmt::format("{} needs {}", order.subject(), which),
                       dimension < 4 ? fmt::format("write such as `{}({}=100)`", name, size_names[dimension])
                                     : "arguments give sizes for four dimensions only: the others must be known");
}

// n, m, l, k in turn, where they are not known already.
void settle_each(Order& order, const Generator& generator) {
  std::size_t given = 0;
  std::int64_t sizes[4] = {-1, -1, -1, -1};
  for (std::size_t d = 0; d < 4; ++d) {
    if (!takes(generator, size_names[d]) || !order.arguments.given(size_names[d])) continue;
    sizes[d] = order.arguments.integer(size_names[d], -1, 0);
    given = d + 1;
  }
  if (!order.arguments.fine()) return;
  if (order.dims.empty()) {
    const std::size_t least = generator.ranks.empty() ? 0 : static_cast<std::size_t>(generator.ranks[0]);
    order.dims.assign(std::max(least, given), -1);
  } else if (given > order.dims.size()) {
    order.arguments.fail(size_names[given - 1],
                         fmt::format("`{}` is the size of dimension {}, but `{}` {}", size_names[given - 1], given,
                                     order.request.tensor, describe_rank(order.dims.size())),
                         "remove that argument");
    return;
  }
  for (std::size_t d = 0; d < order.dims.size(); ++d) {
    const bool has_own = d < 4 && sizes[d] >= 0;
    if (order.dims[d] >= 0 && !(has_own && order.request.arguments_win)) continue;
    order.dims[d] = has_own ? sizes[d] : sizes[0];
    if (order.dims[d] < 0) return report_size(order, d);
  }
}

// One size for both dimensions; `settle_each` for what is not a matrix.
void settle_square(Order& order, const Generator& generator) {
  if (order.dims.empty()) order.dims.assign(static_cast<std::size_t>(generator.ranks[0]), -1);
  if (order.dims.size() != 2) return settle_each(order, generator);
  std::int64_t& rows = order.dims[0];
  std::int64_t& columns = order.dims[1];
  const std::int64_t n = order.arguments.integer("n", -1, 0);
  if (!order.arguments.fine()) return;
  if (n >= 0 && order.request.arguments_win) rows = columns = n;
  if (rows < 0 && columns < 0) rows = n;
  if (rows < 0) rows = columns;
  if (columns < 0) columns = rows;
  if (rows < 0) {
    order.arguments.fail("n", fmt::format("{} needs a size", order.subject()),
                         fmt::format("write such as `{}(n=100)`", generator.name));
  }
}

bool settle_sizes(Order& order, const Generator& generator) {
  switch (generator.sizes) {
  case Sizes::each: settle_each(order, generator); break;
  case Sizes::square: settle_square(order, generator); break;
  case Sizes::own:
    if (order.dims.empty() && !generator.ranks.empty())
      order.dims.assign(static_cast<std::size_t>(generator.ranks[0]), -1);
    break;
  }
  const bool square = generator.sizes == Sizes::square || generator.ranks == std::vector<int>{2};
  if (order.arguments.fine() && square && order.dims.size() == 2 && order.dims[0] >= 0 && order.dims[1] >= 0 &&
      order.dims[0] != order.dims[1])
    order.arguments.fail("n",
                         fmt::format("`{}` makes square matrices, but `{}` is {}", generator.name, order.request.tensor,
                                     describe(order.dims)),
                         "use `random`, or sizes that are equal");
  return order.arguments.fine();
}

bool check_type(const Generator& generator, const Recipe& recipe, const Request& request, Diagnostics& diagnostics) {
  if (generator.whole || is_float(request.type) || request.type == ValueType::boolean) return true;
  diagnostics
      .error(recipe.span, fmt::format("`{}` makes real numbers, but `{}` holds {}", recipe.name, request.tensor,
                                      name_of(request.type)))
      .with_hint("use `integers(low, high)`, or a tensor of `f64`");
  return false;
}

// A word for a tensor of whole numbers is most often the text itself: `a=GATTACA`.
bool may_be_text(const Recipe& recipe, const Request& request) {
  return recipe.arguments.empty() && request.dims.size() == 1 &&
         (request.type == ValueType::i32 || request.type == ValueType::i64);
}

const Generator* find_generator(const Recipe& recipe, const Request& request, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const Generator& generator : generators()) {
    if (generator.name == recipe.name) return &generator;
    names.push_back(generator.name);
  }
  std::string suggestion = did_you_mean(recipe.name, names);
  if (may_be_text(recipe, request))
    suggestion += fmt::format("{}for these letters write `{}=letters:{}`;", suggestion.empty() ? "" : " ",
                              request.tensor, recipe.name);
  diagnostics.error(recipe.span, fmt::format("there is no generator `{}`", recipe.name))
      .with_hint((suggestion.empty() ? "" : suggestion + " ") + "these are known: " + join_names(names));
  return nullptr;
}

bool cast_to(Entries& entries, const Order& order) {
  if (type_of(entries.values) == order.request.type) return true;
  std::int64_t failed = -1;
  Values values = cast_values(entries.values, order.request.type, failed);
  if (failed >= 0) {
    order.arguments.fail("",
                         fmt::format("{} makes `{}`, which {} cannot hold", order.subject(),
                                     float_at(entries.values, failed), name_of(order.request.type)),
                         is_float(order.request.type) ? "use `f64`, or smaller values"
                                                      : "use whole numbers in range, or a tensor of `f64`");
    return false;
  }
  entries.values = std::move(values);
  return true;
}

} // namespace

namespace {

// Calls use(order, generator) once sizes and arguments are known to be right.
template <class Use>
auto with_order(const Recipe& recipe, const Request& request, Diagnostics& diagnostics, Use use)
    -> decltype(use(std::declval<Order&>(), std::declval<const Generator&>())) {
  const Generator* generator = find_generator(recipe, request, diagnostics);
  if (!generator) return std::nullopt;
  Arguments arguments(recipe, generator->parameters, diagnostics);
  if (!arguments.fine() || !check_rank(*generator, recipe, request, diagnostics) ||
      !check_type(*generator, recipe, request, diagnostics))
    return std::nullopt;
  Order order{arguments, request, request.dims};
  if (!settle_sizes(order, *generator)) return std::nullopt;
  return use(order, *generator);
}

std::optional<Entries> make(Order& order, const Generator& generator) {
  std::optional<Entries> entries = generator.make(order);
  if (!entries || !order.arguments.fine() || !cast_to(*entries, order)) return std::nullopt;
  return entries;
}

} // namespace

std::optional<Entries> generate(const Recipe& recipe, const Request& request, Diagnostics& diagnostics) {
  const Progress progress(fmt::format("making `{}`", request.tensor.empty() ? recipe.name : request.tensor));
  return with_order(recipe, request, diagnostics, make);
}

std::optional<Entries> generate_part(const Recipe& recipe, const Request& request, const Box& box,
                                     Diagnostics& diagnostics) {
  return with_order(recipe, request, diagnostics, [&](Order& order, const Generator& generator) {
    order.part = &box;
    return make(order, generator);
  });
}

std::optional<std::vector<std::int64_t>> generated_dims(const Recipe& recipe, const Request& request,
                                                        Diagnostics& diagnostics) {
  using Dims = std::optional<std::vector<std::int64_t>>;
  return with_order(recipe, request, diagnostics, [&](Order& order, const Generator& generator) -> Dims {
    const std::vector<std::int64_t> none(order.dims.size(), 0);
    const Box nothing{none, none};
    order.part = &nothing;
    order.dims_only = true;
    return make(order, generator) ? Dims(order.dims) : std::nullopt;
  });
}

bool is_made_by_element(const Recipe& recipe, const Request& request) {
  Sources none;
  Diagnostics unheard(none); // whoever makes the tensor reports what is wrong
  const Generator* generator = find_generator(recipe, request, unheard);
  if (!generator) return true;
  Arguments arguments(recipe, generator->parameters, unheard);
  const double density = request.type == ValueType::boolean ? 0.5 : 1;
  return generator->by_element && !(takes(*generator, "density") && arguments.number("density", density, 0, 1) < 1);
}

} // namespace cyclotron::tensor
