// SPDX-License-Identifier: MIT
// Random expressions with random formats, orders, schedules and data as stream graphs: each is refused with an error,
// or agrees with the interpreter. Values are small whole numbers, so that sums are exact whatever their order.
#include "driver/compare.hpp"
#include "driver/pipelines.hpp"
#include "driver/run_sam.hpp"
#include "stream/dot.hpp"
#include "stream/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace cyclotron::driver {
namespace {

using Names = std::vector<std::string>;

class Draft {
public:
  explicit Draft(std::uint64_t seed) : draw_(seed) {
    order_ = {"i", "j", "k", "l"};
    order_.resize(1 + below(4));
    std::shuffle(order_.begin(), order_.end(), draw_);
    for (const std::string& v : order_) sizes["n_" + v] = pick(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 7});
    type_ = chance(80) ? "f64" : chance(50) ? "i64" : "f32";
    for (const std::string& v : order_)
      if (chance(55)) outputs_.push_back(v);
    std::shuffle(outputs_.begin(), outputs_.end(), draw_);
    places_ = chance(50);
    const std::vector<Slot> target = slots(outputs_);
    const std::string value = expression(2 + below(2));
    const bool pieces = !outputs_.empty() && chance(20);
    const int second = below(4); // where the second piece begins
    std::string equations = fmt::format("X{} = {}{}\n", in_brackets(target), value,
                                        pieces ? fmt::format(" : {} < {}", outputs_[0], second) : constraints(value));
    if (pieces) {
      std::vector<Slot> earlier = target;
      earlier[0].index = "0"; // which the first piece defines, or nobody
      const std::string own = chance(30) ? fmt::format("{} + X{}", expression(1), in_brackets(earlier)) : expression(2);
      equations += fmt::format("X{} = {} : {} <= {}\n", in_brackets(target), own, second, outputs_[0]);
    }
    text = declare("X", target) + tensors_ + equations;
    text += fmt::format("schedule s {{\n{}}}\n", commands());
  }

  std::string text;
  std::map<std::string, std::int64_t> sizes;

private:
  int below(int n) { return static_cast<int>(draw_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> T pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }

  // One dimension of an access: the index, the loop that it follows, and a size that it stays inside.
  struct Slot {
    std::string index, variable, dim;
  };

  // Plain, or at a computed place.
  Slot slot(const std::string& v) {
    const std::string size = "n_" + v, other = pick(order_);
    if (!places_ || chance(60)) return {v, v, size};
    switch (below(8)) {
    case 0: return {v + "+1", v, size + "+1"};
    case 1: return {v + "+2", v, size + "+2"};
    case 2: return {fmt::format("2*{}", v), v, fmt::format("2*{}", size)};
    case 3: return {fmt::format("{}-1-{}", size, v), v, size};
    case 4: return {chance(50) ? "0" : "1", v, "2"};
    case 5: return {fmt::format("{}+{}", v, other), v, fmt::format("{}+n_{}", size, other)};
    case 6: return {fmt::format("2*{}+1", v), v, fmt::format("2*{}+1", size)};
    default: return {v, v, size + "+1"};
    }
  }

  std::vector<Slot> slots(const Names& variables) {
    std::vector<Slot> list;
    for (const std::string& v : variables) {
      list.push_back(slot(v));
      if (places_ && list.size() < 3 && chance(10)) list.push_back(chance(70) ? Slot{v, v, "n_" + v} : slot(v));
    }
    return list;
  }

  static std::string in_brackets(const std::vector<Slot>& access) {
    Names indices;
    for (const Slot& s : access) indices.push_back(s.index);
    return indices.empty() ? "" : fmt::format("({})", fmt::join(indices, ","));
  }

  std::string declare(const std::string& name, const std::vector<Slot>& access) {
    Names dims, levels;
    std::vector<int> dimensions;
    for (std::size_t d = 0; d < access.size(); ++d) {
      dims.push_back(access[d].dim);
      levels.push_back(pick(Names{"dense", "compressed", "compressed", "bitvector"}));
      dimensions.push_back(static_cast<int>(d));
    }
    const auto place = [&](int d) {
      return std::ranges::find(order_, access[static_cast<std::size_t>(d)].variable) - order_.begin();
    };
    if (chance(90)) std::ranges::sort(dimensions, {}, place);
    else std::shuffle(dimensions.begin(), dimensions.end(), draw_);
    const std::string format =
        dims.size() > 1 && chance(5) ? " coo"
        : dims.empty()               ? ""
                       : fmt::format(" {{{}}} order ({})", fmt::join(levels, ", "), fmt::join(dimensions, ","));
    return fmt::format("tensor {}({}): {}{}\n", name, fmt::join(dims, ", "), type_, format);
  }

  std::string access() {
    if (!accesses_.empty() && chance(15)) return pick(accesses_);
    Names indices;
    for (const std::string& v : order_)
      if (chance(60) && indices.size() < 3) indices.push_back(v);
    std::shuffle(indices.begin(), indices.end(), draw_);
    const std::string name = fmt::format("A{}", accesses_.size());
    const std::vector<Slot> list = slots(indices);
    tensors_ += declare(name, list);
    names_.push_back(name);
    accesses_.push_back(name + in_brackets(list));
    if (!places_ || list.empty() || !chance(10)) return accesses_.back();
    return guarded(name, list);
  }

  // Mostly one that is free.
  std::string reduced() {
    Names free;
    for (const std::string& v : order_)
      if (!std::ranges::count(outputs_, v)) free.push_back(v);
    return free.empty() || chance(10) ? pick(order_) : pick(free);
  }

  // An element that is not there for all coordinates.
  std::string guarded(const std::string& name, std::vector<Slot> list) {
    const std::string v = list[0].variable;
    list[0].index = v + "-1";
    return fmt::format("select({} > 0, {}{}, {})", v, name, in_brackets(list), below(2));
  }

  std::string expression(int depth) {
    if (depth == 0) return chance(88) ? access() : chance(70) ? fmt::format("{}", 1 + below(3)) : pick(order_);
    const auto child = [&] { return expression(depth - 1); };
    switch (below(20)) {
    case 0: return access();
    case 1: return fmt::format("(-{})", child());
    case 2: return fmt::format("max({}, {})", child(), child());
    case 3: return fmt::format("abs({})", child());
    case 4: return fmt::format("select({} > 1, {}, {})", access(), child(), child());
    case 5: return fmt::format("{}[{}]({})", pick(Names{"sum", "max", "min", "prod"}), reduced(), child());
    case 6:
    case 7:
    case 8:
    case 9: return fmt::format("({} + {})", child(), child());
    case 10: return fmt::format("({} - {})", child(), child());
    default: return fmt::format("{} * {}", child(), child());
    }
  }

  std::string constraints(const std::string& value) {
    if (places_ && chance(40)) {
      const std::string v = pick(order_), size = chance(50) ? "n_" + v : fmt::format("{}", 1 + below(4));
      return fmt::format(" : {} <= {} < {}", chance(80) ? 0 : -1, v, size);
    }
    if (order_.size() < 2 || !chance(15)) return "";
    const std::string a = pick(order_), b = pick(order_);
    if (a == b || value.find("[") != std::string::npos) return "";
    return fmt::format(" : {} {} {}{}", a, pick(Names{"<", "<=", "!=", ">"}), b, chance(30) ? "+1" : "");
  }

  std::string commands() {
    std::string lines;
    if (chance(80)) lines += fmt::format("  order {}\n", fmt::join(order_, ", "));
    if (chance(15)) lines += "  explicit_zeros X\n";
    if (chance(10)) lines += "  scatter X\n";
    if (chance(15)) lines += fmt::format("  skip {}\n", pick(order_));
    if (!accesses_.empty() && chance(20)) lines += fmt::format("  locate {} along {}\n", pick(names_), pick(order_));
    if (chance(15)) lines += fmt::format("  parallel {} by {}\n", pick(order_), 1 + below(4));
    if (chance(10)) lines += fmt::format("  vectorize {} by {}\n", pick(order_), 1 + below(4));
    if (chance(15)) lines += fmt::format("  tile {} by {}\n", pick(order_), 1 + below(3));
    else if (chance(5)) lines += fmt::format("  tile {} by 2, {}\n", pick(order_), 1 + below(2));
    if (!names_.empty() && chance(15))
      lines +=
          fmt::format("  buffer {} along {} bytes {} rate {}\n", pick(names_), pick(order_), 200'000, 1 + below(9));
    return lines;
  }

  std::mt19937_64 draw_;
  Names order_, outputs_, accesses_, names_;
  std::string tensors_, type_;
  bool places_ = false; // some are computed
};

// Small whole numbers at random places.
tensor::Tensor random_tensor(const recurrence::TensorDecl& decl, const recurrence::Program& program,
                             const std::map<std::string, std::int64_t>& sizes, std::mt19937_64& draw,
                             Diagnostics& diagnostics) {
  tensor::Entries entries;
  for (const auto& d : decl.dims)
    entries.dims.push_back(
        recurrence::accepted_affine(d, program).evaluate([&](const std::string& name) { return sizes.at(name); }));
  entries.coordinates.resize(entries.dims.size());
  std::int64_t elements = 1;
  for (const std::int64_t d : entries.dims) elements *= d;
  const unsigned density = std::vector<unsigned>{0, 10, 30, 60, 100}[draw() % 5];
  std::vector<double> values;
  for (std::int64_t e = 0; e < elements; ++e) {
    if (draw() % 100 >= density) continue;
    std::int64_t rest = e;
    for (std::size_t d = entries.dims.size(); d-- > 0; rest /= entries.dims[d])
      entries.coordinates[d].push_back(rest % entries.dims[d]);
    values.push_back(static_cast<double>(draw() % 7) - 3);
  }
  entries.values = std::move(values);
  auto packed = tensor::pack(std::move(entries), decl.format, diagnostics);
  return *tensor::convert_type(std::move(*packed), decl.type, diagnostics);
}

bool has_nan(const tensor::Tensor& tensor) {
  return std::visit([](const auto& values) { return std::ranges::any_of(values, [](auto v) { return v != v; }); },
                    tensor.values);
}

// As text and back, both ways.
void check_files(const std::vector<stream::Graph>& phases) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto dot = stream::parse_dot(sources.add("random.gv", stream::print_dot(phases)), diagnostics);
  EXPECT_TRUE(dot && *dot == phases) << diagnostics.render(false);
  const auto json = stream::parse_json(sources.add("random.json", stream::print_json(phases)), diagnostics);
  EXPECT_TRUE(json && *json == phases) << diagnostics.render(false);
}

enum class Fate { not_a_program, refused, agrees };

Fate run_text(const std::string& text, const std::map<std::string, std::int64_t>& sizes, std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}, {}\n{}", seed, fmt::join(sizes, " "), text));
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto front = run_front_end(sources.add("random.cyc", text), {}, diagnostics);
  if (diagnostics.failed()) return Fate::not_a_program;
  const frontend::Checked& checked = *front.checked;
  recurrence::Bindings bindings{sizes, {}};
  std::mt19937_64 draw(seed);
  for (const auto& size : checked.program().sizes)
    bindings.sizes.try_emplace(size.name, 2); // an index that nothing binds
  for (const auto* t : checked.program().inputs())
    bindings.tensors.emplace(t->name.name, random_tensor(*t, checked.program(), bindings.sizes, draw, diagnostics));
  const auto program = compile_sam({&checked, &checked.unit->schedules.at(0), bindings.sizes}, diagnostics);
  if (!program) {
    EXPECT_TRUE(diagnostics.failed());
    return Fate::refused;
  }
  check_files(program->phases);
  const auto expected =
      recurrence::interpret(checked.program(), checked.types, checked.domains, bindings, {}, diagnostics);
  if (!expected) return Fate::refused;                  // a number that does not fit
  if (has_nan(expected->at("X"))) return Fate::refused; // zero times infinity: streams leave out what is times zero
  const auto found = run_sam(*program, bindings, {}, diagnostics);
  EXPECT_TRUE(found) << diagnostics.render(false);
  if (!found) return Fate::refused;
  EXPECT_EQ(tensor::problem_of(found->results.at("X")), "");
  EXPECT_EQ(compare({{"X", found->results.at("X")}}, *expected).problem, "");
  return Fate::agrees;
}

// B(i,k) C(k,j) in an order of the loops, with levels of each kind; `turned`: the tensor that is stored the other way
// round, or none.
std::string matrix_product(const Names& order, const Names& levels, const std::string& turned) {
  const auto place = [&](const std::string& v) { return std::ranges::find(order, v) - order.begin(); };
  std::string text;
  const std::vector<std::pair<std::string, Names>> tensors = {{"B", {"i", "k"}}, {"C", {"k", "j"}}, {"X", {"i", "j"}}};
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const auto& [name, indices] = tensors[t];
    const bool swapped = (place(indices[0]) > place(indices[1])) != (name == turned);
    text += fmt::format("tensor {}(n_{}, n_{}): {{{}}} order ({})\n", name, indices[0], indices[1], levels[t],
                        swapped ? "1,0" : "0,1");
  }
  return text + fmt::format("X(i,j) = B(i,k) * C(k,j)\nschedule s {{\n  order {}\n}}\n", fmt::join(order, ", "));
}

TEST(StreamAgreement, EveryOrderAndFormatOfTheMatrixProduct) {
  const Names kinds = {"compressed, compressed", "dense, compressed", "compressed, dense", "dense, dense"};
  Names order = {"i", "j", "k"};
  int agree = 0, refused = 0;
  do {
    for (const std::string& b : kinds)
      for (const std::string& c : kinds)
        for (const std::string& x : kinds)
          agree +=
              run_text(matrix_product(order, {b, c, x}, ""), {{"n_i", 5}, {"n_j", 4}, {"n_k", 7}}, 7) == Fate::agrees;
    for (const std::string turned : {"B", "C", "X"})
      refused += run_text(matrix_product(order, {kinds[0], kinds[0], kinds[0]}, turned),
                          {{"n_i", 5}, {"n_j", 4}, {"n_k", 7}}, 7) == Fate::refused;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(agree, 6 * 64);
  EXPECT_EQ(refused, 6 * 3);
}

TEST(StreamAgreement, RandomExpressions) {
  const char* first = std::getenv("CYCLOTRON_SEED");
  const std::uint64_t from = first ? std::strtoull(first, nullptr, 10) : 0;
  const std::uint64_t count = first ? 1 : std::getenv("CYCLOTRON_NIGHTLY") ? 40000 : 600;
  int agree = 0, refused = 0, failures = 0;
  for (std::uint64_t seed = from; seed < from + count && failures < 5; ++seed) {
    const Draft draft(seed);
    const Fate fate = run_text(draft.text, draft.sizes, seed);
    failures += HasFailure() - (failures > 0);
    agree += fate == Fate::agrees;
    refused += fate == Fate::refused;
  }
  RecordProperty("agree", agree);
  RecordProperty("refused", refused);
  std::printf("%d agree, %d refused\n", agree, refused);
  if (first) return;
  EXPECT_GT(agree, static_cast<int>(count / 4));
}

} // namespace
} // namespace cyclotron::driver
