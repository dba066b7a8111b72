// SPDX-License-Identifier: MIT
#include "sparse.hpp"

#include "bench.hpp"
#include "tensor/io.hpp"

namespace cyclotron::bench {

namespace {

// Messages of the tensor library become the reason why a row is missing.
template <class F> auto checked(F f) {
  const Sources sources;
  Diagnostics diagnostics(sources);
  auto made = f(diagnostics);
  if (!made) throw Unavailable(diagnostics.render(false));
  return std::move(*made);
}

Sparse triangle(const Sparse& matrix, const std::string& format, bool lower) {
  const tensor::Entries all = tensor::unpack(matrix.tensor());
  tensor::Entries kept{all.dims, {{}, {}}, std::vector<double>{}, false};
  const auto& values = std::get<std::vector<double>>(all.values);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::int64_t i = all.coordinates[0][e], j = all.coordinates[1][e];
    if (lower ? i < j : i > j) continue;
    kept.coordinates[0].push_back(i);
    kept.coordinates[1].push_back(j);
    std::get<std::vector<double>>(kept.values).push_back(values[e]);
  }
  return pack(std::move(kept), format);
}

} // namespace

std::int64_t Sparse::bytes() const {
  std::size_t total = values.size() * sizeof(double);
  for (const auto& list : {positions, coordinates})
    for (const Indices& i : list) total += i.size() * sizeof(std::int32_t);
  return static_cast<std::int64_t>(total);
}

backend::c::View Sparse::view() {
  backend::c::View view;
  for (std::size_t l = 0; l < positions.size(); ++l) {
    view.positions.push_back(positions[l].data());
    view.coordinates.push_back(coordinates[l].data());
    view.bits.push_back(nullptr);
  }
  view.values = values.data();
  return view;
}

tensor::Tensor Sparse::tensor() const {
  tensor::Tensor t{dims, format, {}, values};
  for (std::size_t l = 0; l < positions.size(); ++l)
    t.levels.push_back({format.levels[l],
                        dims[static_cast<std::size_t>(format.order[l])],
                        {positions[l].begin(), positions[l].end()},
                        {coordinates[l].begin(), coordinates[l].end()},
                        {}});
  return t;
}

Sparse narrow(const tensor::Tensor& t) {
  Sparse s{t.dims, t.format, {}, {}, std::get<std::vector<double>>(t.values)};
  for (const tensor::Level& l : t.levels) {
    s.positions.emplace_back(l.positions.begin(), l.positions.end());
    s.coordinates.emplace_back(l.coordinates.begin(), l.coordinates.end());
  }
  return s;
}

Sparse pack(tensor::Entries entries, const std::string& format) {
  const auto wanted = tensor::format_named(format, static_cast<int>(entries.dims.size()));
  return narrow(checked([&](Diagnostics& d) { return tensor::pack(std::move(entries), *wanted, d); }));
}

Sparse read(const std::string& path, const std::string& format) {
  auto entries = checked([&](Diagnostics& d) { return tensor::read(path, {}, d); });
  if (auto* whole = std::get_if<std::vector<std::int64_t>>(&entries.values))
    entries.values = std::vector<double>(whole->begin(), whole->end());
  if (auto* bools = std::get_if<std::vector<std::uint8_t>>(&entries.values))
    entries.values = std::vector<double>(bools->begin(), bools->end());
  if (auto* whole = std::get_if<Indices>(&entries.values))
    entries.values = std::vector<double>(whole->begin(), whole->end());
  return pack(std::move(entries), format);
}

Sparse convert(const Sparse& s, const std::string& format) { return pack(tensor::unpack(s.tensor()), format); }

Sparse lower_triangle(const Sparse& matrix, const std::string& format) { return triangle(matrix, format, true); }
Sparse upper_triangle(const Sparse& matrix, const std::string& format) { return triangle(matrix, format, false); }

namespace {
template <class T> backend::c::View dense_view(std::vector<T>& values) {
  backend::c::View view;
  view.values = values.data();
  return view;
}
} // namespace

backend::c::View view_of(std::vector<double>& values) { return dense_view(values); }
backend::c::View view_of(std::vector<float>& values) { return dense_view(values); }
backend::c::View view_of(Indices& values) { return dense_view(values); }

} // namespace cyclotron::bench
