// SPDX-License-Identifier: MIT
#include "cyclotron/result.hpp"

#include "api/layout.hpp"
#include "api/raise.hpp"
#include "api/state.hpp"
#include "support/nearest.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron {

namespace detail {

namespace {

template <class T> Array whole(const std::vector<T>& v) { return {v.data(), static_cast<std::int64_t>(v.size())}; }

} // namespace

Array Structure::positions(std::size_t level) const {
  return index_bits == 64 ? whole(levels[level].positions64) : whole(levels[level].positions32);
}

Array Structure::coordinates(std::size_t level) const {
  return index_bits == 64 ? whole(levels[level].coordinates64) : whole(levels[level].coordinates32);
}

} // namespace detail

namespace {

std::int64_t entry(const detail::Array& a, int bits, std::int64_t at) {
  return bits == 64 ? static_cast<const std::int64_t*>(a.data)[at] : static_cast<const std::int32_t*>(a.data)[at];
}

// The place of a coordinate among those of one parent, or -1.
std::int64_t find(const detail::Array& crd, int bits, std::int64_t from, std::int64_t to, std::int64_t wanted) {
  while (from < to) {
    const std::int64_t middle = from + (to - from) / 2;
    if (entry(crd, bits, middle) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Where the element stands among the values, or -1.
std::int64_t locate(const detail::Structure& s, const std::vector<std::int64_t>& at) {
  std::int64_t p = 0, end = 0; // the candidates from p on, up to `end` below a compressed level
  bool range = false;          // several candidates: entries of a coordinate list that agree so far
  for (std::size_t l = 0; l < s.format.levels.size(); ++l) {
    const std::int64_t c = at[static_cast<std::size_t>(s.format.order[l])];
    const std::int64_t size = s.dims[static_cast<std::size_t>(s.format.order[l])];
    const bool list = tensor::repeats(s.format, l);
    switch (s.format.levels[l]) {
    case tensor::LevelKind::dense: p = p * size + c; break;
    case tensor::LevelKind::compressed:
      end = entry(s.positions(l), s.index_bits, p + 1);
      p = entry(s.positions(l), s.index_bits, p);
      [[fallthrough]];
    case tensor::LevelKind::singleton: {
      const detail::Array crd = s.coordinates(l);
      if (!range && s.format.levels[l] == tensor::LevelKind::singleton) end = p + 1;
      const std::int64_t stop = end;
      p = find(crd, s.index_bits, p, stop, c);
      if (p == stop || entry(crd, s.index_bits, p) != c) return -1;
      end = list ? find(crd, s.index_bits, p, stop, c + 1) : p + 1;
      range = list;
      break;
    }
    case tensor::LevelKind::bitvector: {
      const std::uint64_t* words = s.levels[l].bits.data() + p * tensor::words_of(size);
      if (!(words[c / 64] >> (c % 64) & 1)) return -1;
      std::int64_t before = std::popcount(words[c / 64] & ((std::uint64_t{1} << (c % 64)) - 1));
      for (std::int64_t w = 0; w < c / 64; ++w) before += std::popcount(words[w]);
      p = entry(s.positions(l), s.index_bits, p) + before;
      break;
    }
    }
  }
  return p;
}

std::string described(Type type) { return type == boolean ? "bool" : std::string(name_of(type)); }

} // namespace

const std::string& Output::name() const { return api::held(state_, "output")->structure->name; }
Type Output::type() const { return api::external(api::held(state_, "output")->structure->type); }
const std::vector<std::int64_t>& Output::dims() const { return api::held(state_, "output")->structure->dims; }
std::string Output::format() const { return tensor::to_string(api::held(state_, "output")->structure->format); }
std::int64_t Output::stored() const { return api::held(state_, "output")->structure->stored; }
int Output::index_bits() const { return api::held(state_, "output")->structure->index_bits; }

const void* Output::values_as(Type wanted) const {
  if (wanted != type())
    api::raise(fmt::format("the values of `{}` are {}, not {}", name(), described(type()), described(wanted)));
  if (static_cast<std::int64_t>(tensor::size_of(api::held(state_, "output")->values)) != stored())
    api::raise(fmt::format("`{}` has no values yet", name()), "call `compute` first");
  return std::visit([](const auto& v) { return static_cast<const void*>(v.data()); },
                    api::held(state_, "output")->values);
}

detail::Array Output::index_array(int level, bool coordinates, int bits) const {
  const detail::Structure& s = *api::held(state_, "output")->structure;
  const char* what = coordinates ? "coordinates" : "positions";
  if (level < 0 || level >= static_cast<int>(s.format.levels.size()))
    api::raise(fmt::format("`{}` has {} levels; level {} does not exist", s.name, s.format.levels.size(), level));
  const auto l = static_cast<std::size_t>(level);
  const tensor::LevelProperties& has = tensor::properties_of(s.format.levels[l]);
  if (!(coordinates ? has.coordinates : has.positions))
    api::raise(fmt::format("level {} of `{}` is {}: it has no {}", level, s.name, has.name, what));
  if (bits != 0 && bits != s.index_bits)
    api::raise(fmt::format("the {} of `{}` have {} bits, not {}", what, s.name, s.index_bits, bits),
               fmt::format("ask for `{}<std::int{}_t>`, or for a copy without a type", what, s.index_bits));
  return coordinates ? s.coordinates(l) : s.positions(l);
}

std::vector<std::int64_t> Output::widened(int level, bool coordinates) const {
  const detail::Array a = index_array(level, coordinates, 0);
  std::vector<std::int64_t> list(static_cast<std::size_t>(a.count));
  for (std::int64_t i = 0; i < a.count; ++i) list[static_cast<std::size_t>(i)] = entry(a, index_bits(), i);
  return list;
}

std::span<const std::uint64_t> Output::bits(int level) const {
  const detail::Structure& s = *api::held(state_, "output")->structure;
  if (level < 0 || level >= static_cast<int>(s.format.levels.size()) ||
      !tensor::properties_of(s.format.levels[static_cast<std::size_t>(level)]).bits)
    api::raise(fmt::format("level {} of `{}` has no bits", level, s.name));
  return s.levels[static_cast<std::size_t>(level)].bits;
}

double Output::element(const std::vector<std::int64_t>& at) const {
  const detail::Structure& s = *api::held(state_, "output")->structure;
  values_as(type()); // are there any?
  if (at.size() != s.dims.size())
    api::raise(fmt::format("`{}` has {} dimensions, but {} indices are given", s.name, s.dims.size(), at.size()));
  for (std::size_t d = 0; d < at.size(); ++d)
    if (at[d] < 0 || at[d] >= s.dims[d])
      api::raise(fmt::format("index {} of `{}` is {}, outside 0 … {}", d + 1, s.name, at[d], s.dims[d] - 1));
  const std::int64_t p = locate(s, at);
  return p < 0 ? 0 : tensor::float_at(api::held(state_, "output")->values, p);
}

View Output::with_values(detail::Array values, Type type, bool read_only) const {
  const detail::Structure& s = *api::held(state_, "output")->structure;
  View::Data data{s.dims, api::external(s.format), type, read_only, s.levels.empty() ? 0 : s.index_bits, {}, values};
  for (std::size_t l = 0; l < s.levels.size(); ++l) {
    const std::vector<std::uint64_t>& words = s.levels[l].bits;
    data.levels.push_back({s.positions(l), s.coordinates(l), {words.data(), static_cast<std::int64_t>(words.size())}});
  }
  return View(std::move(data));
}

View Output::view() const { return with_values({values_as(type()), stored()}, type(), true); }

Analysis::Analysis(const Analysis& other)
    : state_(other.state_ ? std::make_shared<detail::AnalysisState>(*other.state_) : nullptr) {
  if (!state_) return;
  for (auto& output : state_->outputs) output = std::make_shared<detail::OutputState>(*output);
}

Analysis& Analysis::operator=(const Analysis& other) {
  Analysis copy(other);
  state_.swap(copy.state_);
  return *this;
}

std::int64_t Analysis::size(const std::string& name) const {
  const auto at = api::held(state_, "analysis")->sizes.find(name);
  if (at == api::held(state_, "analysis")->sizes.end()) api::raise(fmt::format("the program has no size `{}`", name));
  return at->second;
}

Output Analysis::operator[](const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& output : api::held(state_, "analysis")->outputs) {
    if (output->structure->name == name) return Output(output);
    names.push_back(output->structure->name);
  }
  const std::string hint = did_you_mean(name, names);
  api::raise(fmt::format("the program has no output `{}`", name),
             hint.empty() ? "the outputs are " + join_names(names) : hint);
}

} // namespace cyclotron
