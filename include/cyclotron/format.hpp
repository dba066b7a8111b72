// SPDX-License-Identifier: MIT
// Types of values, and how a tensor is laid out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron {

enum class Type { f64, f32, i32, i64, boolean };

inline constexpr Type f64 = Type::f64, f32 = Type::f32, i32 = Type::i32, i64 = Type::i64, boolean = Type::boolean;

std::string_view name_of(Type type); // "f64", …, "bool": as the language spells it

// dense:      every coordinate is stored.
// compressed: the stored coordinates of each parent, sorted; positions say where a parent's begin.
// singleton:  one coordinate per position of the level above.
// bitvector:  one bit per coordinate of each parent; positions count the bits that are set before a parent.
enum class Level { dense, compressed, singleton, bitvector };

enum class Region { unspecified, onchip, offchip };

// A format by name, whatever the rank of the tensor (`csr`), or by its levels in storage order; `order[l]` is the
// dimension that level l stores.
class Format {
public:
  explicit Format(const char* name) : name_(name) {}
  explicit Format(std::vector<Level> levels, std::vector<int> order = {})
      : levels_(std::move(levels)), order_(std::move(order)) {}

  Format in(Region region) const {
    Format copy = *this;
    copy.region_ = region;
    return copy;
  }

  std::string text() const; // as a declaration says it
  const char* name() const { return name_; }
  const std::vector<Level>& levels() const { return levels_; }
  const std::vector<int>& order() const { return order_; }
  Region region() const { return region_; }

private:
  const char* name_ = nullptr; // null: by levels
  std::vector<Level> levels_;
  std::vector<int> order_;
  Region region_ = Region::unspecified;
};

inline const Format dense("dense"), csr("csr"), csc("csc"), dcsr("dcsr"), coo("coo"), csf("csf");

} // namespace cyclotron
