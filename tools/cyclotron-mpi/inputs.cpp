// SPDX-License-Identifier: MIT
#include "inputs.hpp"

#include "tensor/generate.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

namespace cyclotron_mpi {

using namespace cyclotron;

std::string fill_inputs(const mpi::Job& job, mpi::Rank& rank, const Named& inputs, const mpi::Context&) {
  Sources sources;
  Diagnostics d(sources);
  std::map<std::string, tensor::Tensor> all;
  for (const pe::Memory& m : job.program().tensors) {
    if (m.is_output) continue;
    if (!inputs.count(m.name)) return fmt::format("error: input `{}` is not given", m.name);
    const std::string& spec = inputs.at(m.name);
    std::optional<tensor::Entries> e;
    if (tensor::file_kind(spec)) e = tensor::read(spec, {m.dims, false}, d);
    else e = tensor::generate(*tensor::parse_recipe(spec, d), {m.dims, m.type, m.name}, d);
    if (!e) return d.render(false);
    auto t = tensor::pack(std::move(*e), tensor::dense_format((int)m.dims.size()), d);
    if (t) t = tensor::convert_type(std::move(*t), m.type, d);
    if (!t) return d.render(false);
    all.emplace(m.name, std::move(*t));
  }
  for (std::size_t p = 0; p < job.plan().parts.size(); ++p) {
    const auto& part = job.plan().parts[p];
    const pe::Memory& m = job.program().tensors[(std::size_t)part.tensor];
    if (m.is_output) continue;
    const auto box = pe::box_of(m, part.part);
    const auto& values = all.at(m.name).values;
    std::vector<std::int64_t> at(box.first.size());
    std::int64_t n = 0;
    while (true) {
      std::int64_t o = 0;
      for (std::size_t k = 0; k < at.size(); ++k) o = o * m.dims[k] + box.first[k] + at[k];
      if (pe::is_tiled(m))
        rank.part_tile((int)p)->values()[n++] =
            tensor::is_float(m.type) ? tensor::float_at(values, o) : (double)tensor::integer_at(values, o);
      else if (tensor::is_float(m.type)) rank.part_word((int)p).real = tensor::float_at(values, o);
      else rank.part_word((int)p).whole = tensor::integer_at(values, o);
      std::size_t k = at.size();
      while (k > 0 && ++at[k - 1] == box.count[k - 1]) at[--k] = 0;
      if (k == 0) break;
    }
  }
  return {};
}

std::string write_outputs(const mpi::Job& job, mpi::Rank& rank, const Named& outputs, const mpi::Context& context) {
  Sources sources;
  Diagnostics d(sources);
  for (const auto& [name, file] : outputs) {
    for (std::size_t t = 0; t < job.program().tensors.size(); ++t) {
      const pe::Memory& m = job.program().tensors[t];
      if (m.name != name) continue;
      std::int64_t count = 1;
      for (auto x : m.dims) count *= x;
      std::vector<double> whole((std::size_t)count), sum((std::size_t)count);
      for (std::size_t p = 0; p < job.plan().parts.size(); ++p) {
        const auto& part = job.plan().parts[p];
        if (part.tensor != (int)t) continue;
        const auto box = pe::box_of(m, part.part);
        std::vector<std::int64_t> at(box.first.size());
        std::int64_t n = 0;
        while (true) {
          std::int64_t o = 0;
          for (std::size_t k = 0; k < at.size(); ++k) o = o * m.dims[k] + box.first[k] + at[k];
          double v;
          if (pe::is_tiled(m)) v = rank.part_tile((int)p) ? rank.part_tile((int)p)->values()[n++] : 0;
          else v = tensor::is_float(m.type) ? rank.part_word((int)p).real : (double)rank.part_word((int)p).whole;
          whole[(std::size_t)o] = v;
          std::size_t k = at.size();
          while (k > 0 && ++at[k - 1] == box.count[k - 1]) at[--k] = 0;
          if (k == 0) break;
        }
      }
      MPI_Reduce(whole.data(), sum.data(), (int)count, MPI_DOUBLE, MPI_SUM, 0, context.comm());
      if (context.rank() == 0) {
        auto made = tensor::zeros(m.dims, m.type, m.name, d);
        std::visit(
            [&](auto& v) {
              using T = typename std::decay_t<decltype(v)>::value_type;
              for (std::size_t i = 0; i < v.size(); ++i) v[i] = (T)sum[i];
            },
            made->values);
        tensor::write(file, *made, d);
      }
    }
  }
  return d.failed() ? d.render(false) : "";
}

} // namespace cyclotron_mpi
