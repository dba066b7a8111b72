// SPDX-License-Identifier: MIT
#include "study/algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace cyclotron::study {
namespace {

struct Access {
  std::string tensor;
  std::vector<std::string> indices;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string word_at(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && is_word(text[at])) ++at;
  return text.substr(begin, at - begin);
}

// Each tensor of the equation once, the result first.
std::vector<Access> accesses_of(const std::string& equation) {
  std::vector<Access> all;
  for (std::size_t at = 0; at < equation.size();) {
    if (!is_letter(equation[at])) {
      ++at;
      continue;
    }
    Access access{word_at(equation, at), {}};
    if (at < equation.size() && equation[at] == '(')
      for (; at < equation.size() && equation[at] != ')';) {
        if (is_letter(equation[at])) access.indices.push_back(word_at(equation, at));
        else ++at;
      }
    if (std::ranges::none_of(all, [&](const Access& a) { return a.tensor == access.tensor; })) all.push_back(access);
  }
  return all;
}

// `ds10` of `y d, A ds10`.
std::string format_of(const std::string& formats, const Access& access) {
  for (std::size_t at = 0; at < formats.size(); ++at) {
    if (!is_letter(formats[at])) continue;
    const std::string name = word_at(formats, at);
    const std::size_t end = std::min(formats.find(',', at), formats.size());
    if (name == access.tensor) return formats.substr(at + 1, end - at - 1);
    at = end;
  }
  if (!access.indices.empty()) bug(fmt::format("no format for `{}` in `{}`", access.tensor, formats));
  return "";
}

std::string declaration(const Access& access, const std::string& format) {
  std::vector<std::string> dims, levels, order;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    dims.push_back("n_" + access.indices[d]);
    levels.push_back(format.at(d) == 'd' ? "dense" : "compressed");
    const std::size_t digit = access.indices.size() + d;
    order.push_back(digit < format.size() ? std::string(1, format[digit]) : std::to_string(d));
  }
  if (dims.empty()) return fmt::format("tensor {}(): dense\n", access.tensor);
  return fmt::format("tensor {}({}): {{{}}} order ({})\n", access.tensor, fmt::join(dims, ", "),
                     fmt::join(levels, ", "), fmt::join(order, ","));
}

} // namespace

std::string program_of(const Algorithm& algorithm) {
  std::string text;
  for (const Access& access : accesses_of(algorithm.equation))
    text += declaration(access, format_of(algorithm.formats, access));
  text += algorithm.equation + "\n";
  if (algorithm.order.empty()) return text;
  std::string loops;
  for (char index : algorithm.order) loops += (loops.empty() ? "" : ", ") + std::string(1, index);
  return text + fmt::format("schedule given {{\n  order {}\n}}\n", loops);
}

std::optional<StudyInputs> small_inputs(const Algorithm& algorithm, StudyRunner& runner) {
  StudyInputs inputs;
  const std::vector<Access> all = accesses_of(algorithm.equation);
  for (const Access& access : all)
    for (const std::string& index : access.indices)
      inputs.sizes.try_emplace("n_" + index, 4 + static_cast<std::int64_t>(inputs.sizes.size()));
  for (std::size_t a = 1; a < all.size(); ++a) {
    std::vector<std::int64_t> dims;
    for (const std::string& index : all[a].indices) dims.push_back(inputs.sizes.at("n_" + index));
    const bool sparse = format_of(algorithm.formats, all[a]).find('s') != std::string::npos;
    auto entries = runner.random(dims, sparse ? 0.3 : 1, a);
    if (!entries) return std::nullopt;
    inputs.tensors.emplace(all[a].tensor, std::move(*entries));
  }
  return inputs;
}

} // namespace cyclotron::study
