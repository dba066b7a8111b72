// SPDX-License-Identifier: MIT
#include "random_program.hpp"

#include "program_draft.hpp"
#include "recurrence/affine.hpp"

#include <algorithm>
#include <ostream>
#include <random>

namespace cyclotron::fuzz {

using tensor::ValueType;

void showValue(const RandomProgram& program, std::ostream& os) {
  os << "seed " << program.seed << ", program:\n" << program.text;
}

RandomProgram make_program(const std::vector<int>& choices, std::uint64_t seed) {
  Choices source(choices);
  ProgramDraft draft(source);
  write_outputs(draft);
  return {choices, seed, draft.text(), draft.least};
}

std::map<std::string, std::int64_t> random_sizes(const recurrence::Program& program, const RandomProgram& random,
                                                 int round) {
  constexpr std::int64_t usual[] = {3, 5, 2, 1, 7, 0};
  std::map<std::string, std::int64_t> sizes;
  std::mt19937_64 draw(random.seed + static_cast<std::uint64_t>(round) * 7919);
  for (const recurrence::Binder& s : program.sizes) {
    const auto at = random.least.find(s.name);
    const std::int64_t smallest = at == random.least.end() ? 0 : at->second;
    sizes[s.name] = std::max(smallest, usual[draw() % 6]);
  }
  return sizes;
}

namespace {

double random_value(ValueType type, std::mt19937_64& draw) {
  if (type == ValueType::boolean) return static_cast<double>(draw() % 2);
  if (!tensor::is_float(type)) return static_cast<double>(draw() % 7) - 3;
  return static_cast<double>(draw() % 4001) / 1000.0 - 2.0;
}

tensor::Entries random_entries(const std::vector<std::int64_t>& dims, ValueType type, std::mt19937_64& draw) {
  tensor::Entries entries;
  entries.dims = dims;
  entries.coordinates.resize(dims.size());
  const unsigned density = draw() % 3 == 0 ? 30 : 90; // percent
  std::vector<double> values;
  std::int64_t count = 1;
  for (std::int64_t d : dims) count *= d;
  for (std::int64_t e = 0; e < count; ++e) {
    if (draw() % 100 >= density) continue;
    std::int64_t rest = e;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d]) entries.coordinates[d].push_back(rest % dims[d]);
    values.push_back(random_value(type, draw));
  }
  entries.values = tensor::make_values(type, values.size());
  std::visit(
      [&](auto& out) {
        std::transform(values.begin(), values.end(), out.begin(),
                       [&](double v) { return static_cast<typename std::decay_t<decltype(out)>::value_type>(v); });
      },
      entries.values);
  return entries;
}

} // namespace

std::map<std::string, tensor::Tensor> random_inputs(const recurrence::Program& program,
                                                    const std::map<std::string, std::int64_t>& sizes,
                                                    std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::map<std::string, tensor::Tensor> inputs;
  for (const recurrence::TensorDecl* t : program.inputs()) {
    std::vector<std::int64_t> dims;
    for (const recurrence::Expr& d : t->dims)
      dims.push_back(
          recurrence::accepted_affine(d, program).evaluate([&](const std::string& n) { return sizes.at(n); }));
    const Sources no_sources;
    Diagnostics diagnostics(no_sources);
    auto packed = tensor::pack(random_entries(dims, t->type, draw), t->format, diagnostics);
    if (!packed) bug("a random input cannot be packed");
    inputs.emplace(t->name.name, std::move(*packed));
  }
  return inputs;
}

} // namespace cyclotron::fuzz

namespace rc {

using cyclotron::fuzz::RandomProgram;

Gen<RandomProgram> Arbitrary<RandomProgram>::arbitrary() {
  // Shrinking drops numbers or makes them 0 at once: to try every value between would take minutes.
  const auto any_number = gen::noShrink(gen::resize(kNominalSize, gen::inRange(0, cyclotron::fuzz::Choices::range)));
  const auto number = gen::shrink(any_number, [](int n) { return n == 0 ? Seq<int>() : seq::just(0); });
  const auto numbers =
      gen::withSize([=](int size) { return gen::resize(60 + 3 * size, gen::container<std::vector<int>>(number)); });
  const auto seed = gen::noShrink(gen::resize(kNominalSize, gen::inRange<std::uint64_t>(0, 1u << 20)));
  return gen::map(gen::pair(numbers, seed), [](const std::pair<std::vector<int>, std::uint64_t>& drawn) {
    return cyclotron::fuzz::make_program(drawn.first, drawn.second);
  });
}

} // namespace rc
