// SPDX-License-Identifier: MIT
#include "api/inspect.hpp"

#include "tensor/capacity.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <cstring>

namespace cyclotron::api {

namespace {

using detail::Array;
using tensor::LevelKind;

template <class I> class Inspector {
public:
  Inspector(const View::Data& view, const tensor::Format& format, bool all) : view_(view), format_(format), all_(all) {}

  Inspected run() {
    for (std::size_t l = 0; l < format_.levels.size(); ++l) {
      blamed_ = l;
      if (std::string problem = level(l); !problem.empty())
        return {fmt::format("level {} ({}): {}", blamed_ + 1, tensor::name_of(format_.levels[blamed_]), problem), 0};
    }
    return {values(), count_};
  }

private:
  static const I* entries(const Array& a) { return static_cast<const I*>(a.data); }
  std::int64_t size(std::size_t l) const { return view_.dims[static_cast<std::size_t>(format_.order[l])]; }

  // Known to be too short, or not there at all.
  static std::string lacks(const Array& a, std::int64_t wanted, const char* what) {
    if (a.count >= 0 && a.count < wanted) return fmt::format("{} {}, but there must be {}", a.count, what, wanted);
    if (!a.data && wanted > 0) return fmt::format("the array of {} is missing", what);
    return "";
  }

  std::string level(std::size_t l) {
    const tensor::LevelProperties& has = properties_of(format_.levels[l]);
    if (has.full) {
      count_ = tensor::saturating_product(count_, size(l));
      return "";
    }
    if (view_.levels.size() != format_.levels.size()) return "its arrays are not given";
    const detail::LevelArrays& own = view_.levels[l];
    if (has.branchless) {
      if (std::string p = lacks(own.coordinates, count_, "coordinates"); !p.empty()) return p;
      return all_ ? within(own.coordinates, count_, size(l)) : "";
    }
    if (count_ == tensor::too_many) return "there are more positions than any array can hold";
    if (std::string p = positions(own.positions); !p.empty()) return p;
    const std::int64_t last = entries(own.positions)[count_];
    std::string problem = has.listed() ? compressed(l, last) : bits(l);
    count_ = last;
    return problem;
  }

  std::string positions(const Array& a) const {
    if (std::string p = lacks(a, count_ + 1, "positions"); !p.empty()) return p;
    const I* pos = entries(a);
    if (pos[0] != 0) return fmt::format("positions begin with {}, not 0", pos[0]);
    if (pos[count_] < 0) return fmt::format("the last position is {}", pos[count_]);
    if (!all_) return "";
    for (std::int64_t p = 0; p < count_; ++p)
      if (pos[p] > pos[p + 1]) return fmt::format("positions decrease from {} to {} at {}", pos[p], pos[p + 1], p + 1);
    return "";
  }

  static std::string outside(std::int64_t c, std::int64_t size, std::int64_t at) {
    return fmt::format("coordinate {} at position {} is outside 0 … {}", c, at, size - 1);
  }

  static std::string within(const Array& a, std::int64_t count, std::int64_t size) {
    const I* crd = entries(a);
    for (std::int64_t p = 0; p < count; ++p)
      if (crd[p] < 0 || crd[p] >= size) return outside(crd[p], size, p);
    return "";
  }

  std::string compressed(std::size_t l, std::int64_t last) {
    const detail::LevelArrays& own = view_.levels[l];
    if (std::string p = lacks(own.coordinates, last, "coordinates"); !p.empty()) return p;
    if (!all_) return "";
    std::size_t end = l + 1;
    while (end < format_.levels.size() && properties_of(format_.levels[end]).branchless) ++end;
    if (end > l + 1) {
      if (std::string p = within(own.coordinates, last, size(l)); !p.empty()) return p;
      for (std::size_t k = l + 1; k < end; ++k)
        if (std::string p = lacks(view_.levels[k].coordinates, last, "coordinates"); !p.empty()) {
          blamed_ = k;
          return p;
        }
    }
    const I *pos = entries(own.positions), *crd = entries(own.coordinates);
    for (std::int64_t parent = 0; parent < count_; ++parent) {
      const std::int64_t from = pos[parent], to = pos[parent + 1];
      if (from == to) continue;
      for (std::int64_t p = from + 1; p < to; ++p)
        if (!(crd[p - 1] < crd[p]) && !ascends(l, end, p)) {
          blamed_ = first_difference(l, end, p);
          const I* own_crd = entries(view_.levels[blamed_].coordinates);
          return fmt::format("coordinates {} and {} at position {} are not in rising order", own_crd[p - 1], own_crd[p],
                             p);
        }
      if (crd[from] < 0) return outside(crd[from], size(l), from);
      if (crd[to - 1] >= size(l)) return outside(crd[to - 1], size(l), to - 1);
    }
    return "";
  }

  // Over a compressed level and the singletons below it.
  bool ascends(std::size_t first, std::size_t end, std::int64_t p) const {
    const I* crd = entries(view_.levels[first_difference(first, end, p)].coordinates);
    return crd[p - 1] < crd[p];
  }

  // The level at which an entry is not the same as the one before; the last where they are the same point.
  std::size_t first_difference(std::size_t first, std::size_t end, std::int64_t p) const {
    std::size_t l = first;
    for (; l + 1 < end; ++l) {
      const I* crd = entries(view_.levels[l].coordinates);
      if (crd[p - 1] != crd[p]) break;
    }
    return l;
  }

  std::string bits(std::size_t l) const {
    const detail::LevelArrays& own = view_.levels[l];
    const std::int64_t words = tensor::words_of(size(l));
    if (std::string p = lacks(own.bits, tensor::saturating_product(count_, words), "words of bits"); !p.empty())
      return p;
    if (!all_ || words == 0) return "";
    const auto* bit = static_cast<const std::uint64_t*>(own.bits.data);
    const std::uint64_t beyond = size(l) % 64 == 0 ? 0 : ~std::uint64_t{0} << (size(l) % 64);
    const I* pos = entries(own.positions);
    for (std::int64_t parent = 0; parent < count_; ++parent, bit += words) {
      std::int64_t set = 0;
      for (std::int64_t w = 0; w < words; ++w) set += std::popcount(bit[w]);
      if (set != pos[parent + 1] - pos[parent])
        return fmt::format("positions give parent {} {} entries, but {} of its bits are set", parent,
                           pos[parent + 1] - pos[parent], set);
      if (bit[words - 1] & beyond) return fmt::format("a bit of parent {} is set beyond {}", parent, size(l) - 1);
    }
    return "";
  }

  std::string values() const {
    const bool plain = tensor::is_dense(format_);
    if (plain && view_.values.count >= 0 && view_.values.count != count_)
      return fmt::format("{} values for {} elements", view_.values.count, count_);
    return lacks(view_.values, count_, "values");
  }

  const View::Data& view_;
  const tensor::Format& format_;
  bool all_;
  std::int64_t count_ = 1;
  std::size_t blamed_ = 0; // the level that a problem is about
};

// Multiply and mix, four sums side by side, so that it runs at the speed of memory.
class Hash {
public:
  void add(const void* data, std::size_t bytes) {
    const char* p = static_cast<const char*>(data);
    sums_[2] = (sums_[2] ^ bytes) * odd; // where one array ends and the next begins counts, too
    for (; bytes >= 32; bytes -= 32, p += 32)
      for (int sum = 0; sum < 4; ++sum) mix(sum, p + 8 * sum, 8);
    for (; bytes >= 8; bytes -= 8, p += 8) mix(0, p, 8);
    if (bytes > 0) mix(1, p, bytes);
  }
  std::uint64_t value() const {
    std::uint64_t h = 0;
    for (std::uint64_t sum : sums_) {
      h = (h ^ sum) * odd;
      h ^= h >> 29;
    }
    return h;
  }

private:
  static constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  void mix(int sum, const char* p, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, bytes);
    sums_[sum] = (sums_[sum] ^ word) * odd;
    sums_[sum] ^= sums_[sum] >> 32;
  }
  std::uint64_t sums_[4] = {1, 2, 3, 4};
};

template <class I> std::uint64_t fingerprint_of(const View::Data& view, const tensor::Format& format) {
  Hash hash;
  std::int64_t count = 1;
  const auto add = [&](const Array& a, std::int64_t entries, std::size_t width) {
    hash.add(a.data, static_cast<std::size_t>(entries) * width);
  };
  for (std::size_t l = 0; l < format.levels.size(); ++l) {
    const std::int64_t size = view.dims[static_cast<std::size_t>(format.order[l])];
    const tensor::LevelProperties& has = properties_of(format.levels[l]);
    if (has.full) {
      count *= size;
      continue;
    }
    const detail::LevelArrays& own = view.levels[l];
    if (has.bits) add(own.bits, count * tensor::words_of(size), sizeof(std::uint64_t));
    if (has.positions) {
      add(own.positions, count + 1, sizeof(I));
      count = static_cast<const I*>(own.positions.data)[count];
    }
    if (has.coordinates) add(own.coordinates, count, sizeof(I));
  }
  return hash.value();
}

} // namespace

Inspected inspect(const View::Data& view, const tensor::Format& format, bool all) {
  return view.index_bits == 64 ? Inspector<std::int64_t>(view, format, all).run()
                               : Inspector<std::int32_t>(view, format, all).run();
}

std::uint64_t fingerprint(const View::Data& view, const tensor::Format& format) {
  return view.index_bits == 64 ? fingerprint_of<std::int64_t>(view, format)
                               : fingerprint_of<std::int32_t>(view, format);
}

} // namespace cyclotron::api
