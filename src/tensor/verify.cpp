// SPDX-License-Identifier: MIT
// Checks that the arrays of a tensor say what its format promises.
#include "tensor/capacity.hpp"
#include "tensor/tensor.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::tensor {

namespace {

bool has_length(std::size_t length, std::int64_t wanted) { return static_cast<std::int64_t>(length) == wanted; }

// Each check returns what is wrong or "", and replaces `positions` (of the level above) by this level's count.
class Verifier {
public:
  explicit Verifier(const Tensor& tensor) : tensor_(tensor) {}

  std::string run() {
    for (std::size_t l = 0; l < tensor_.levels.size(); ++l) {
      const std::string problem = check_level(l);
      if (!problem.empty()) return fmt::format("level {} ({}): {}", l + 1, name_of(tensor_.levels[l].kind), problem);
    }
    if (tensor_.stored() != count_) return fmt::format("{} values for {} positions", tensor_.stored(), count_);
    const auto* bools = std::get_if<std::vector<std::uint8_t>>(&tensor_.values);
    if (bools && std::any_of(bools->begin(), bools->end(), [](std::uint8_t b) { return b > 1; }))
      return "a bool is neither 0 nor 1";
    return "";
  }

private:
  std::string check_level(std::size_t l) {
    const Level& level = tensor_.levels[l];
    if (level.kind != tensor_.format.levels[l]) return "is not the kind that the format says";
    if (level.size != tensor_.dims[index(tensor_.format.order[l])]) return "has another size than its dimension";
    switch (level.kind) {
    case LevelKind::dense: count_ = saturating_product(count_, level.size); return "";
    case LevelKind::compressed: return check_compressed(l);
    case LevelKind::singleton: return check_coordinates(level, count_);
    case LevelKind::bitvector: return check_bitvector(level);
    }
    bug("unknown level kind");
  }

  std::string check_positions(const Level& level) {
    if (count_ == too_many || !has_length(level.positions.size(), count_ + 1))
      return fmt::format("{} positions for {} parents", level.positions.size(), count_);
    if (level.positions[0] != 0) return "positions do not begin at 0";
    if (!std::is_sorted(level.positions.begin(), level.positions.end())) return "positions decrease";
    return "";
  }

  static std::string check_coordinates(const Level& level, std::int64_t wanted) {
    if (!has_length(level.coordinates.size(), wanted))
      return fmt::format("{} coordinates for {} positions", level.coordinates.size(), wanted);
    for (std::int64_t c : level.coordinates)
      if (c < 0 || c >= level.size) return fmt::format("coordinate {} is outside size {}", c, level.size);
    return "";
  }

  std::string check_compressed(std::size_t l) {
    const Level& level = tensor_.levels[l];
    std::string problem = check_positions(level);
    if (problem.empty()) problem = check_coordinates(level, level.positions.back());
    if (!problem.empty()) return problem;
    std::size_t last = l + 1;
    while (last < tensor_.levels.size() && properties_of(tensor_.levels[last].kind).branchless) ++last;
    for (std::size_t k = l + 1; k < last; ++k)
      if (tensor_.levels[k].coordinates.size() != level.coordinates.size())
        return "a singleton level has another length";
    for (std::int64_t parent = 0; parent < count_; ++parent)
      for (std::int64_t p = level.positions[index(parent)] + 1; p < level.positions[index(parent + 1)]; ++p)
        if (!ascends(l, last, index(p))) return fmt::format("coordinates are not sorted at position {}", p);
    count_ = level.positions.back();
    return "";
  }

  // Whether the coordinates of a compressed level and its singletons grow from position p - 1 to p.
  bool ascends(std::size_t first, std::size_t last, std::size_t p) const {
    for (std::size_t l = first; l < last; ++l) {
      const std::vector<std::int64_t>& c = tensor_.levels[l].coordinates;
      if (c[p - 1] != c[p]) return c[p - 1] < c[p];
    }
    return false;
  }

  std::string check_bitvector(const Level& level) {
    const std::string problem = check_positions(level);
    if (!problem.empty()) return problem;
    const std::int64_t words = words_of(level.size);
    if (!has_length(level.bits.size(), saturating_product(count_, words)))
      return fmt::format("{} words of bits for {} parents", level.bits.size(), count_);
    const std::uint64_t beyond = level.size % 64 == 0 ? 0 : ~std::uint64_t{0} << (level.size % 64);
    for (std::int64_t parent = 0; parent < count_; ++parent) {
      std::int64_t set = 0;
      for (std::int64_t w = 0; w < words; ++w) set += std::popcount(level.bits[index(parent * words + w)]);
      if (set != level.positions[index(parent + 1)] - level.positions[index(parent)])
        return fmt::format("positions do not count the bits of parent {}", parent);
      if (words > 0 && (level.bits[index(parent * words + words - 1)] & beyond))
        return fmt::format("a bit of parent {} is set beyond size {}", parent, level.size);
    }
    count_ = level.positions.back();
    return "";
  }

  const Tensor& tensor_;
  std::int64_t count_ = 1;
};

} // namespace

std::string problem_of(const Tensor& tensor) {
  const std::string problem = problem_of(tensor.format);
  if (!problem.empty()) return problem;
  if (tensor.format.levels.size() != tensor.dims.size() || tensor.levels.size() != tensor.dims.size())
    return fmt::format("{} dimensions, {} levels in the format, {} stored", tensor.dims.size(),
                       tensor.format.levels.size(), tensor.levels.size());
  if (std::any_of(tensor.dims.begin(), tensor.dims.end(), [](std::int64_t size) { return size < 0; }))
    return "a dimension has a negative size";
  return Verifier(tensor).run();
}

} // namespace cyclotron::tensor
