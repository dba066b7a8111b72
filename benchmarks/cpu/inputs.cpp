// SPDX-License-Identifier: MIT
#include "inputs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace cyclotron::bench {

namespace {

using Random = std::mt19937_64;

double value(Random& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

// Distinct elements, as positions in the row-major order of all.
Sparse from_keys(std::vector<std::int64_t> keys, const std::vector<std::int64_t>& dims, Random& random,
                 const std::string& format) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  tensor::Entries e{dims, std::vector<std::vector<std::int64_t>>(dims.size()), std::vector<double>(keys.size()), false};
  for (auto& list : e.coordinates) list.resize(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::int64_t rest = keys[k];
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d]) e.coordinates[d][k] = rest % dims[d];
    std::get<std::vector<double>>(e.values)[k] = value(random);
  }
  return pack(std::move(e), format);
}

} // namespace

Sparse uniform(const std::vector<std::int64_t>& dims, std::int64_t nonzeros, unsigned seed, const std::string& format) {
  Random random(seed);
  const auto total = static_cast<std::uint64_t>(
      std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<std::int64_t>()));
  std::vector<std::int64_t> keys(static_cast<std::size_t>(nonzeros));
  for (std::int64_t& key : keys) key = static_cast<std::int64_t>(random() % total);
  return from_keys(std::move(keys), dims, random, format);
}

Sparse power_law(const std::vector<std::int64_t>& dims, std::int64_t nonzeros, double alpha, unsigned seed,
                 const std::string& format) {
  Random random(seed);
  std::vector<std::vector<double>> shares;
  std::vector<std::vector<std::int64_t>> names;
  for (const std::int64_t d : dims) {
    auto& share = shares.emplace_back(static_cast<std::size_t>(d));
    for (std::size_t c = 0; c < share.size(); ++c)
      share[c] = std::pow(static_cast<double>(c + 1), -alpha) + (c ? share[c - 1] : 0);
    auto& name = names.emplace_back(static_cast<std::size_t>(d));
    std::iota(name.begin(), name.end(), 0);
    for (std::size_t c = name.size(); c > 1; --c) std::swap(name[c - 1], name[random() % c]);
  }
  std::vector<std::int64_t> keys(static_cast<std::size_t>(nonzeros));
  for (std::int64_t& key : keys) {
    key = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto at = std::lower_bound(shares[d].begin(), shares[d].end() - 1, value(random) * shares[d].back());
      key = key * dims[d] + names[d][static_cast<std::size_t>(at - shares[d].begin())];
    }
  }
  return from_keys(std::move(keys), dims, random, format);
}

Sparse band(std::int64_t n, int half, int others, unsigned seed) {
  Random random(seed);
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < n; ++i) {
    keys.push_back(i * n + i);
    for (int k = 0; k < others; ++k) {
      const std::int64_t j = i - half + static_cast<std::int64_t>(random() % static_cast<unsigned>(2 * half + 1));
      if (j >= 0 && j < n) keys.push_back(i * n + j);
    }
  }
  return from_keys(std::move(keys), {n, n}, random, "csr");
}

std::vector<double> dense(std::size_t count, unsigned seed) {
  Random random(seed);
  std::vector<double> list(count);
  for (double& v : list) v = value(random);
  return list;
}

} // namespace cyclotron::bench
