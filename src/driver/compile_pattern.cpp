// SPDX-License-Identifier: MIT
#include "driver/compile_pattern.hpp"

#include "lower/loops/recurrence_to_loops.hpp"
#include "lower/pattern/order.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cyclotron::driver {

using pattern::Word;

namespace {

bool has_order(const schedule::Schedule* schedule) {
  return schedule && std::ranges::any_of(schedule->commands, [](const auto& c) { return c.name == "order"; });
}

// The schedule with an order of loops that suits the formats.
schedule::Schedule with_order(const schedule::Schedule* given, const std::vector<std::string>& order) {
  schedule::Schedule schedule = given ? *given : schedule::Schedule{};
  std::vector<recurrence::Binder> names;
  for (const std::string& v : order) names.push_back({v, {}});
  schedule.commands.push_back({"order", {{"indices", std::move(names), {}}}, {}});
  return schedule;
}

// What patterns do not do yet is refused, not left out in silence.
bool takes(const PatternRequest& request, Diagnostics& diagnostics) {
  if (!request.unwanted.empty())
    diagnostics.unsupported({}, "patterns compute all outputs").with_hint("leave `--only` out");
  if (request.schedule)
    for (const schedule::Command& c : request.schedule->commands)
      if (c.name != "order")
        diagnostics.unsupported(c.span, fmt::format("patterns do not take `{}`", c.name))
            .with_hint("of the commands of a schedule they take `order`");
  return !diagnostics.failed();
}

// A word, as names in the text form are.
std::string word_from(const std::string& name) {
  std::string word;
  for (const char c : name) word += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? "p" + word : word;
}

std::optional<lower::LoweredLoops> loops_of(const PatternRequest& request, Diagnostics& diagnostics) {
  const TimedPass placing("recurrence-to-loops");
  if (!has_order(request.schedule)) {
    const std::vector<std::string> variables = lower::all_variables(request.checked->domains);
    const std::vector<std::string> order = lower::order_by_formats(request.checked->program(), variables);
    const schedule::Schedule schedule = with_order(request.schedule, order);
    Diagnostics unheard(diagnostics.sources());
    if (auto loops = lower::recurrence_to_loops(*request.checked, &schedule, unheard)) return loops;
  }
  return lower::recurrence_to_loops(*request.checked, request.schedule, diagnostics);
}

std::vector<Word> words_of(const std::vector<std::int64_t>& numbers) {
  std::vector<Word> words;
  words.reserve(numbers.size());
  for (const std::int64_t n : numbers) words.push_back(tensor::whole_word(n));
  return words;
}

std::vector<Word> words_of(const tensor::Values& values) {
  std::vector<Word> words;
  std::visit(
      [&](const auto& list) {
        words.reserve(list.size());
        for (const auto v : list)
          words.push_back(std::is_floating_point_v<std::decay_t<decltype(v)>>
                              ? tensor::real_word(static_cast<double>(v))
                              : tensor::whole_word(static_cast<std::int64_t>(v)));
      },
      values);
  return words;
}

tensor::Values values_of(const std::vector<Word>& words, tensor::ValueType type) {
  tensor::Values values = tensor::make_values(type, words.size());
  std::visit(
      [&](auto& list) {
        using T = typename std::decay_t<decltype(list)>::value_type;
        for (std::size_t i = 0; i < words.size(); ++i)
          list[i] = tensor::is_float(type) ? static_cast<T>(words[i].real) : static_cast<T>(words[i].whole);
      },
      values);
  return values;
}

std::vector<std::int64_t> numbers_of(const std::vector<Word>& words) {
  std::vector<std::int64_t> numbers;
  for (const Word w : words) numbers.push_back(w.whole);
  return numbers;
}

std::vector<Word> array_of(const tensor::Tensor& tensor, const pattern::Dram& dram) {
  if (dram.array == pattern::ArrayKind::values) return words_of(tensor.values);
  const tensor::Level& level = tensor.levels[static_cast<std::size_t>(dram.level - 1)];
  return words_of(dram.array == pattern::ArrayKind::positions ? level.positions : level.coordinates);
}

class ResultReader {
public:
  ResultReader(const lower::LoweredPattern& lowered, const recurrence::Bindings& bindings,
               const pattern::Arrays& arrays)
      : lowered_(lowered), bindings_(bindings), arrays_(arrays) {}

  tensor::Tensor read(const recurrence::TensorDecl& declared, const recurrence::Program& program) const {
    const auto stored = lowered_.stored.find(declared.name.name);
    tensor::Tensor result;
    result.format = stored == lowered_.stored.end() ? declared.format : stored->second;
    for (const recurrence::Expr& d : declared.dims)
      result.dims.push_back(recurrence::accepted_affine(d, program).evaluate([&](const std::string& n) {
        return bindings_.sizes.at(n);
      }));
    std::int64_t entries = 1;
    for (std::size_t l = 0; l < result.format.levels.size(); ++l) {
      const std::int64_t size = result.dims[static_cast<std::size_t>(result.format.order[l])];
      result.levels.push_back(
          level(declared.name.name, static_cast<int>(l) + 1, result.format.levels[l], size, entries));
      entries = tensor::entry_count(result.levels.back(), entries);
    }
    std::vector<Word> values = array(declared.name.name, pattern::ArrayKind::values, 0);
    values.resize(static_cast<std::size_t>(entries), Word{.whole = 0});
    result.values = values_of(values, declared.type);
    return result;
  }

private:
  tensor::Level level(const std::string& tensor, int number, tensor::LevelKind kind, std::int64_t size,
                      std::int64_t parents) const {
    tensor::Level level;
    level.kind = kind;
    level.size = size;
    if (tensor::is_full(kind)) return level;
    level.positions = numbers_of(array(tensor, pattern::ArrayKind::positions, number));
    level.positions.resize(static_cast<std::size_t>(parents) + 1, level.positions.empty() ? 0 : level.positions.back());
    level.coordinates = numbers_of(array(tensor, pattern::ArrayKind::coordinates, number));
    return level;
  }

  std::vector<Word> array(const std::string& tensor, pattern::ArrayKind kind, int level) const {
    for (const pattern::Dram& d : lowered_.program.drams)
      if (d.tensor == tensor && d.array == kind && d.level == level) return arrays_.drams.at(d.name);
    return {};
  }

  const lower::LoweredPattern& lowered_;
  const recurrence::Bindings& bindings_;
  const pattern::Arrays& arrays_;
};

} // namespace

std::optional<CompiledPattern> compile_pattern(const PatternRequest& request, Diagnostics& diagnostics) {
  if (!takes(request, diagnostics)) return std::nullopt;
  const auto loops = loops_of(request, diagnostics);
  if (!loops) return std::nullopt;
  const TimedPass lowering("loops-to-pattern");
  auto lowered = lower::loops_to_pattern(word_from(request.name), *request.checked, loops->nest, diagnostics);
  if (!lowered) return std::nullopt;
  if (const std::string problem = pattern::problem_of(lowered->program); !problem.empty())
    bug("after loops-to-pattern: " + problem + "\n" + pattern::print(lowered->program));
  return CompiledPattern{std::move(*lowered), loops->order};
}

std::optional<pattern::Arrays> pattern_arrays(const lower::LoweredPattern& lowered, const recurrence::Program&,
                                              const recurrence::Bindings& bindings, Diagnostics& diagnostics) {
  pattern::Arrays arrays{bindings.sizes, {}};
  std::map<std::string, tensor::Tensor> converted;
  for (const pattern::Dram& d : lowered.program.drams) {
    if (d.out) continue;
    const tensor::Tensor* tensor = &bindings.tensors.at(d.tensor);
    if (const auto stored = lowered.stored.find(d.tensor); stored != lowered.stored.end()) {
      if (!converted.count(d.tensor)) {
        auto made = tensor::convert(*tensor, stored->second, diagnostics);
        if (!made) return std::nullopt;
        converted.emplace(d.tensor, std::move(*made));
      }
      tensor = &converted.at(d.tensor);
    }
    arrays.drams[d.name] = array_of(*tensor, d);
  }
  return arrays;
}

std::optional<std::map<std::string, tensor::Tensor>> pattern_results(const lower::LoweredPattern& lowered,
                                                                     const recurrence::Program& program,
                                                                     const recurrence::Bindings& bindings,
                                                                     pattern::Arrays arrays, Diagnostics& diagnostics) {
  std::map<std::string, tensor::Tensor> results;
  const ResultReader reader(lowered, bindings, arrays);
  for (const recurrence::TensorDecl* declared : program.outputs()) {
    auto result = tensor::convert(reader.read(*declared, program), declared->format, diagnostics);
    if (!result) return std::nullopt;
    results.emplace(declared->name.name, std::move(*result));
  }
  return results;
}

} // namespace cyclotron::driver
