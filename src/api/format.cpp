// SPDX-License-Identifier: MIT
#include "cyclotron/format.hpp"

#include "api/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron {

std::string_view name_of(Type type) { return tensor::name_of(api::internal(type)); }

std::string Format::text() const {
  std::string text;
  if (name_) {
    text = name_;
  } else {
    for (Level l : levels_) text += fmt::format("{}{}", text.empty() ? "" : ", ", tensor::name_of(api::internal(l)));
    text = "{" + text + "}";
    if (!order_.empty()) text += fmt::format(" order ({})", fmt::join(order_, ","));
  }
  if (region_ != Region::unspecified) text += region_ == Region::onchip ? " onchip" : " offchip";
  return text;
}

namespace api {

std::optional<tensor::Format> internal(const Format& format, int rank) {
  if (format.name()) return tensor::format_named(format.name(), rank);
  tensor::Format result = tensor::dense_format(static_cast<int>(format.levels().size()));
  for (std::size_t l = 0; l < result.levels.size(); ++l) result.levels[l] = internal(format.levels()[l]);
  if (!format.order().empty()) result.order = format.order();
  if (result.rank() != rank || !tensor::problem_of(result).empty()) return std::nullopt;
  return result;
}

Format external(const tensor::Format& format) {
  std::vector<Level> levels;
  for (tensor::LevelKind kind : format.levels) levels.push_back(static_cast<Level>(kind));
  return Format(std::move(levels), format.order);
}

} // namespace api

} // namespace cyclotron
