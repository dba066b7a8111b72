// SPDX-License-Identifier: MIT
// Scores of global alignments of many pairs of sequences.
#include "gpu.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace cyclotron::bench::gpu {

namespace {

tensor::Tensor letters(std::int64_t pairs, std::int64_t length, std::uint32_t seed) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(pairs * length));
  for (std::int32_t& v : values) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<std::int32_t>(seed >> 30);
  }
  tensor::Tensor made;
  made.dims = {pairs, length};
  made.format = tensor::dense_format(2);
  made.values = std::move(values);
  return made;
}

} // namespace

void alignments(Bench& bench) {
  Gpu& gpu = bench.gpu();
  const std::int64_t m = 512, n = gpu.options().quick ? 100 : 1024, pairs = gpu.options().quick ? 40 : 132 * 64 * 4;
  Row row{
      fmt::format("alignment score, {} x {} letters", m, n), "", static_cast<double>(pairs * m * n), "cells", 0, 3500};
  if (!bench.wants(row.name)) return;
  recurrence::Bindings bindings{{{"pairs", pairs}, {"n", n}}, {}};
  bindings.tensors["a"] = letters(pairs, m, 1);
  bindings.tensors["b"] = letters(pairs, n, 2);
  const auto& a = std::get<std::vector<std::int32_t>>(bindings.tensors["a"].values);
  const auto& b = std::get<std::vector<std::int32_t>>(bindings.tensors["b"].values);
  const auto in = [&](const std::vector<std::int32_t>& values, bool narrow) {
    if (!narrow) return gpu.copy_of(values);
    std::vector<std::int32_t> packed((values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i)
      reinterpret_cast<std::int16_t*>(packed.data())[i] = static_cast<std::int16_t>(values[i]);
    return gpu.copy_of(packed);
  };
  const auto expected = gpu.array(4 * pairs), wide_a = in(a, false), wide_b = in(b, false);
  for (const auto& [name, commands] :
       {std::pair{
            "tiles of 16 rows",
            "tile i by 16 -> io, ii\nspacetime (io, j) -> (s, t) = [1 0; 1 1]\ntime p, t, ii\nthreads p\nunroll ii"},
        std::pair{"tiles of 16 rows, a in registers",
                  "tile i by 16 -> io, ii\nspacetime (io, j) -> (s, t) = [1 0; 1 1]\ntime "
                  "p, t, ii\nthreads p\nunroll ii\nplace a in registers"},
        std::pair{"diagonals", "spacetime (i, j) -> (s, t) = [1 0; 1 1]\ntime p, t\nthreads p"}}) {
    row.schedule = name;
    bench.attempt(row, [&, commands = std::string(commands)] {
      Program program(gpu, "alignment", commands, bindings, {"H"});
      const auto score = gpu.array(4 * pairs);
      gpu.forget(score);
      if (program.narrow()) row.schedule += ", 16 bits";
      const auto own_a = in(a, program.narrow()), own_b = in(b, program.narrow());
      bench.measure(row, program.on({{"a", own_a}, {"b", own_b}, {"score", score}}),
                    gpu.plain("alignment", pairs, m,
                              {static_cast<std::int64_t>(wide_a.address), static_cast<std::int64_t>(wide_b.address),
                               static_cast<std::int64_t>(expected.address), m, n}),
                    {}, [&] {
                      const auto got = gpu.numbers(score), wanted = gpu.numbers(expected);
                      double most = 0;
                      for (std::size_t p = 0; p < got.size(); ++p)
                        most = std::max(most, std::abs(static_cast<double>(got[p]) - wanted[p]));
                      return most;
                    });
    });
  }
}

} // namespace cyclotron::bench::gpu
