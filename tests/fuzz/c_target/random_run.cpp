// SPDX-License-Identifier: MIT
#include "random_run.hpp"

#include "contest.hpp"
#include "driver/pipelines.hpp"
#include "fuzz/choices.hpp"
#include "lower/loops/recurrence_to_loops.hpp"
#include "recurrence/affine.hpp"
#include "recurrence/polyhedra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>

namespace cyclotron::fuzz {

using tensor::Format;
using tensor::LevelKind;
using tensor::ValueType;

void showValue(const RandomRun& run, std::ostream& os) {
  os << "seed " << run.program.seed << ", program:\n" << text_of(run).value_or(run.program.text);
}

namespace {

// --- formats ---

Format some_format(std::size_t rank, Choices& choices) {
  Format format = tensor::dense_format(static_cast<int>(rank));
  if (rank == 0 || !choices.chance(65)) return format;
  for (std::size_t l = 0; l < rank; ++l) {
    // Compressed is what is met most; singleton only where it may stand.
    const bool below =
        l > 0 && (format.levels[l - 1] == LevelKind::compressed || format.levels[l - 1] == LevelKind::singleton);
    const int pick = choices.below(below ? 9 : 7);
    format.levels[l] = pick < 2   ? LevelKind::dense
                       : pick < 6 ? LevelKind::compressed
                       : pick < 7 ? LevelKind::bitvector
                                  : LevelKind::singleton;
  }
  for (std::size_t l = 0; l + 1 < rank; ++l)
    if (choices.chance(30))
      std::swap(format.order[l],
                format.order[l + static_cast<std::size_t>(choices.between(1, static_cast<int>(rank - l) - 1))]);
  return format;
}

// --- schedules ---

std::vector<std::string> shuffled(std::vector<std::string> list, Choices& choices) {
  for (std::size_t i = 0; i + 1 < list.size(); ++i)
    std::swap(list[i], list[i + static_cast<std::size_t>(choices.below(static_cast<int>(list.size() - i)))]);
  return list;
}

// Some part of some equation, computed ahead over one of its variables.
std::string some_precompute(const recurrence::Program& program, Choices& choices) {
  using recurrence::Expr;
  std::vector<Expr> parts;
  const recurrence::Equation& equation =
      program.equations[static_cast<std::size_t>(choices.below(static_cast<int>(program.equations.size())))];
  const std::function<void(const Expr&)> collect = [&](const Expr& e) {
    if (!recurrence::as<recurrence::Number>(e) && !recurrence::as<recurrence::Name>(e)) parts.push_back(e);
    if (!recurrence::as<recurrence::Access>(e)) ir::each_child<recurrence::ExprNode>(e, collect);
  };
  collect(equation.value);
  if (parts.empty()) return "";
  const Expr part = choices.pick(parts);
  std::vector<std::string> names;
  ir::walk<recurrence::ExprNode>(part, [&](const Expr& e) {
    const auto* n = recurrence::as<recurrence::Name>(e);
    if (n && n->kind == recurrence::NameKind::index) names.push_back(n->id);
  });
  if (names.empty()) return "";
  return fmt::format("  precompute {} over {} into ahead\n", print(part), choices.pick(names));
}

std::string some_commands(const recurrence::Program& program, const std::vector<std::string>& variables,
                          const std::map<std::string, Format>& formats, Choices& choices) {
  if (variables.empty()) return "";
  std::string out;
  if (choices.chance(15)) out += some_precompute(program, choices);
  std::vector<std::string> loops = variables;
  if (choices.chance(20)) {
    const std::string v = choices.pick(variables);
    const int size = choices.between(1, 5);
    if (choices.chance(50)) {
      out += fmt::format("  tile {} by {} -> {}_out, {}_in\n", v, size, v, v);
      loops.push_back(v + "_out");
      std::replace(loops.begin(), loops.end(), v, v + "_in");
    } else {
      out += fmt::format("  tile {} by {}\n", v, size);
    }
  }
  if (choices.chance(50)) out += fmt::format("  order {}\n", fmt::join(shuffled(loops, choices), ", "));
  if (choices.chance(15)) out += fmt::format("  parallel {}\n", choices.pick(loops));
  if (choices.chance(10)) {
    const std::string width = choices.chance(50) ? fmt::format(" by {}", choices.pick(std::vector<int>{2, 4, 8})) : "";
    out += fmt::format("  vectorize {}{}\n", choices.pick(loops), width);
  }
  if (choices.chance(8) && loops.size() > 1) {
    const std::vector<std::string> two = shuffled(loops, choices);
    out += fmt::format("  wavefront {}, {}\n", two[0], two[1]);
  }
  std::vector<std::string> matrices;
  for (const auto& [name, format] : formats)
    if (format.levels.size() == 2 && !tensor::is_dense(format)) matrices.push_back(name);
  if (!matrices.empty() && choices.chance(10))
    out += fmt::format("  mask {} {}\n", choices.pick(matrices), choices.pick({"csr", "csc", "dcsr"}));
  if (!matrices.empty() && choices.chance(10))
    out += fmt::format("  marching {} along {}\n", choices.pick(matrices), choices.pick(loops));
  if (choices.chance(10)) out += fmt::format("  unroll {} by {}\n", choices.pick(loops), choices.between(1, 5));
  return out;
}

} // namespace

std::optional<std::string> text_of(const RandomRun& run) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto result = driver::run_front_end(sources.add("program.cyc", run.program.text), {}, diagnostics);
  if (!result.checked) return std::nullopt;
  Choices choices(run.how);
  std::map<std::string, Format> formats;
  for (const recurrence::TensorDecl& t : result.checked->program().tensors)
    formats[t.name.name] = some_format(t.dims.size(), choices);
  const std::string commands =
      some_commands(result.checked->program(), lower::all_variables(result.checked->domains), formats, choices);
  return with_formats(result.checked->program(), formats, commands);
}

namespace {

// How many loops the deepest equation has.
std::size_t depth_of(const recurrence::Program& program) {
  std::size_t depth = 0;
  for (const recurrence::Equation& e : program.equations) {
    std::set<std::string> indices;
    for (const recurrence::Expr& side : {e.target, e.value})
      ir::walk<recurrence::ExprNode>(side, [&](const recurrence::Expr& x) {
        const recurrence::Name* n = recurrence::as<recurrence::Name>(x);
        if (n && n->kind == recurrence::NameKind::index) indices.insert(n->id);
      });
    depth = std::max(depth, indices.size());
  }
  return depth;
}

} // namespace

SizeValues some_sizes(const recurrence::Program& program, std::uint64_t seed, int round) {
  std::vector<std::int64_t> usual{3, 5, 2, 1, 7, 0, 8};
  if (round == large_round) { // as large as the interpreter can be waited for
    constexpr std::int64_t sides[] = {8, 150, 71, 35, 14, 8};
    const std::int64_t side = sides[std::min<std::size_t>(depth_of(program), std::size(sides) - 1)];
    usual = {side, side, side, side - 3, side / 2 + 1, 2, 5};
  }
  SizeValues sizes;
  std::mt19937_64 draw(seed + static_cast<std::uint64_t>(round) * 7919);
  const auto assumed = [&](const recurrence::Assumption& a) {
    const std::vector<recurrence::Condition> all = recurrence::conditions_of(a.constraint, program);
    return std::all_of(all.begin(), all.end(), [&](const recurrence::Condition& c) {
      return recurrence::holds(c, [&](const std::string& n) { return sizes.at(n); });
    });
  };
  for (int tries = 0; tries < 1000; ++tries) {
    for (const recurrence::Binder& s : program.sizes) sizes[s.name] = usual[draw() % 7];
    if (std::all_of(program.assumptions.begin(), program.assumptions.end(), assumed)) return sizes;
  }
  bug("no sizes are as the program assumes them");
}

// --- inputs ---

namespace {

// Small where there are many of them, so that what a recurrence adds up does not grow beyond all bounds.
double some_value(ValueType type, Content content, bool diagonal, double largest, bool huge, std::mt19937_64& draw) {
  if (type == ValueType::boolean) return static_cast<double>(draw() % 2);
  if (huge && type == ValueType::i32) return static_cast<double>(draw() % 3) * 1073741823;
  if (huge && type == ValueType::i64) return (static_cast<double>(draw() % 3) - 1) * 0x1p62;
  if (!tensor::is_float(type)) return static_cast<double>(draw() % 7) - 3;
  const double value = (static_cast<double>(draw() % 4001) / 1000.0 - 2.0) * std::min(1.0, 8 / largest);
  return content != Content::any && diagonal ? 2 * largest + 1 + std::abs(value) : value;
}

bool belongs(Content content, const std::vector<std::int64_t>& at) {
  if (content == Content::lower) return at[1] <= at[0];
  return content != Content::upper || at[0] <= at[1];
}

// Full, sparse, with empty rows or all zero; some stored elements are zero. In the declared format.
tensor::Tensor some_input(const recurrence::TensorDecl& decl, const std::vector<std::int64_t>& dims, Content content,
                          bool takes_huge, std::mt19937_64& draw) {
  tensor::Entries entries;
  entries.dims = dims;
  entries.coordinates.resize(dims.size());
  constexpr unsigned densities[] = {100, 90, 50, 50, 25, 10, 0};
  const unsigned density = densities[draw() % 7];
  const bool empty_rows = draw() % 3 == 0, zeros = draw() % 4 == 0, huge = draw() % 8 == 0 && takes_huge;
  const std::uint64_t rows = draw();
  std::vector<double> values;
  std::int64_t count = 1, largest = 1;
  for (std::int64_t d : dims) {
    count *= d;
    largest = std::max(largest, d);
  }
  for (std::int64_t e = 0; e < count; ++e) {
    std::vector<std::int64_t> at(dims.size());
    std::int64_t rest = e;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d]) at[d] = rest % dims[d];
    const bool diagonal = dims.size() == 2 && at[0] == at[1], special = content != Content::any;
    bool there = draw() % 100 < density && !(empty_rows && !dims.empty() && (rows >> (at[0] % 64) & 1));
    if (special) there = diagonal || (there && belongs(content, at));
    if (content == Content::spd && at[1] > at[0]) there = false;
    if (content == Content::full) there = true;
    if (!there) continue;
    double value = some_value(decl.type, content, diagonal, static_cast<double>(largest), huge, draw);
    if (zeros && !diagonal && draw() % 4 == 0) value = 0;
    for (const bool mirrored : {false, true}) {
      if (mirrored && (content != Content::spd || diagonal)) continue;
      if (mirrored) std::swap(at[0], at[1]);
      for (std::size_t d = 0; d < dims.size(); ++d) entries.coordinates[d].push_back(at[d]);
      values.push_back(value);
    }
  }
  entries.values = tensor::make_values(decl.type, values.size());
  std::visit(
      [&](auto& out) {
        std::transform(values.begin(), values.end(), out.begin(),
                       [&](double v) { return static_cast<typename std::decay_t<decltype(out)>::value_type>(v); });
      },
      entries.values);
  const Sources no_sources;
  Diagnostics diagnostics(no_sources);
  auto packed = tensor::pack(std::move(entries), decl.format, diagnostics);
  if (!packed) bug("a random input cannot be packed");
  return std::move(*packed);
}

// Huge whole numbers are there for sums of whole numbers, which overflow. In a long recurrence of real numbers they
// grow until an element is what the rounding of its terms left over: no two orders of a sum agree on that.
bool grows_beyond_rounding(const recurrence::Program& program, const SizeValues& sizes) {
  const std::vector<const recurrence::TensorDecl*> outputs = program.outputs();
  return std::any_of(outputs.begin(), outputs.end(), [](const auto* t) { return tensor::is_float(t->type); }) &&
         std::any_of(sizes.begin(), sizes.end(), [](const auto& size) { return size.second > 8; });
}

} // namespace

Tensors some_inputs(const recurrence::Program& program, const SizeValues& sizes,
                    const std::map<std::string, Content>& contents, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Tensors inputs;
  const bool takes_huge = !grows_beyond_rounding(program, sizes);
  for (const recurrence::TensorDecl* t : program.inputs()) {
    std::vector<std::int64_t> dims;
    for (const recurrence::Expr& d : t->dims)
      dims.push_back(
          recurrence::accepted_affine(d, program).evaluate([&](const std::string& n) { return sizes.at(n); }));
    const auto content = contents.find(t->name.name);
    inputs.emplace(t->name.name,
                   some_input(*t, dims, content == contents.end() ? Content::any : content->second, takes_huge, draw));
  }
  return inputs;
}

} // namespace cyclotron::fuzz

namespace rc {

using cyclotron::fuzz::Choices;
using cyclotron::fuzz::RandomProgram;
using cyclotron::fuzz::RandomRun;

Gen<RandomRun> Arbitrary<RandomRun>::arbitrary() {
  const auto any_number = gen::noShrink(gen::resize(kNominalSize, gen::inRange(0, Choices::range)));
  const auto number = gen::shrink(any_number, [](int n) { return n == 0 ? Seq<int>() : seq::just(0); });
  const auto how = gen::resize(60, gen::container<std::vector<int>>(number));
  return gen::map(gen::pair(gen::arbitrary<RandomProgram>(), how),
                  [](const std::pair<RandomProgram, std::vector<int>>& drawn) {
                    return RandomRun{drawn.first, drawn.second};
                  });
}

} // namespace rc
