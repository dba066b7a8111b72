// SPDX-License-Identifier: MIT
// Random numbers by counter: the value at an index depends on the seed and that index alone, with integer
// arithmetic throughout, so that every machine, order of evaluation and standard library gives the same.
#pragma once

#include <cstdint>

namespace cyclotron::tensor {

// The stream from which generators draw what their entries hold.
constexpr std::uint64_t stream_of_values = 2;

class RandomBits {
public:
  // `stream` keeps apart the uses within one generator, such as which entries there are and what they hold.
  RandomBits(std::uint64_t seed, std::uint64_t stream) : key_(mix(mix(seed + golden) + stream * golden)) {}

  std::uint64_t bits(std::uint64_t index) const { return mix(key_ + (index + 1) * golden); }

  // In [0, 1), a multiple of 2^-53.
  double unit(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1p-53; }
  double between(double low, double high, std::uint64_t index) const { return low + (high - low) * unit(index); }

  // In [0, bound): the high half of a 128-bit product; the bias, below bound / 2^64, is too small to notice.
  std::uint64_t below(std::uint64_t bound, std::uint64_t index) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{bits(index)} * bound >> 64);
  }

private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

  // The finaliser of splitmix64 (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t key_;
};

} // namespace cyclotron::tensor
