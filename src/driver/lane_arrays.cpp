// SPDX-License-Identifier: MIT
#include "driver/lane_arrays.hpp"

namespace cyclotron::driver {

namespace {

bool is_row_major(const tensor::Tensor& tensor) { return tensor.format == tensor::dense_format(tensor.rank()); }

void* values_of(tensor::Tensor& tensor) {
  return std::visit([](auto& values) -> void* { return values.data(); }, tensor.values);
}

std::int64_t bytes_of(const tensor::Tensor& tensor) {
  return std::visit([](const auto& values) { return static_cast<std::int64_t>(values.size() * sizeof(values[0])); },
                    tensor.values);
}

// All elements fit, or the kernel would not want them so.
bool add_narrow(const tensor::Tensor& given, LaneArrays& arrays, const std::string& memory, Diagnostics& diagnostics) {
  auto dense = tensor::convert(given, tensor::dense_format(given.rank()), diagnostics);
  if (!dense) return false;
  std::vector<std::int16_t>& narrow = arrays.narrow[memory];
  for (const std::int32_t value : std::get<std::vector<std::int32_t>>(dense->values))
    narrow.push_back(static_cast<std::int16_t>(value));
  arrays.memories[memory] = narrow.data();
  arrays.bytes[memory] = static_cast<std::int64_t>(narrow.size() * sizeof(std::int16_t));
  return true;
}

std::int64_t extent(const recurrence::Expr& dim, const recurrence::Program& program,
                    const std::map<std::string, std::int64_t>& sizes) {
  return accepted_affine(dim, program).evaluate([&](const std::string& name) { return sizes.at(name); });
}

} // namespace

std::optional<LaneArrays> lane_arrays(const lower::LanesCode& code, const recurrence::Program& program,
                                      const recurrence::Bindings& bindings, Diagnostics& diagnostics,
                                      const std::set<std::string>& unwanted) {
  LaneArrays arrays;
  for (const auto& [name, called] : code.sizes) arrays.sizes[called] = bindings.sizes.at(name);
  const auto add = [&](const std::string& name, tensor::Tensor& tensor) {
    arrays.memories[code.memories.at(name)] = values_of(tensor);
    arrays.bytes[code.memories.at(name)] = bytes_of(tensor);
  };
  for (const recurrence::TensorDecl* t : program.inputs()) {
    const std::string& name = t->name.name;
    const tensor::Tensor& given = bindings.tensors.at(name);
    if (code.narrow && t->type == tensor::ValueType::i32) {
      if (!add_narrow(given, arrays, code.memories.at(name), diagnostics)) return std::nullopt;
      continue;
    }
    if (is_row_major(given)) {
      add(name, const_cast<tensor::Tensor&>(given)); // kernels only read it
      continue;
    }
    auto dense = tensor::convert(given, tensor::dense_format(given.rank()), diagnostics);
    if (!dense) return std::nullopt;
    add(name, arrays.converted[name] = std::move(*dense));
  }
  for (const recurrence::TensorDecl* t : program.outputs()) {
    const std::string& name = t->name.name;
    if (unwanted.count(name)) continue;
    std::vector<std::int64_t> dims;
    for (const recurrence::Expr& d : t->dims) dims.push_back(extent(d, program, bindings.sizes));
    auto zeros = tensor::zeros(dims, t->type, "output `" + name + "`", diagnostics);
    if (!zeros) return std::nullopt;
    tensor::Tensor& output = arrays.outputs[name] = std::move(*zeros);
    if (!code.memories.count(name)) continue; // nothing is computed
    add(name, output);
    arrays.zero.insert(code.memories.at(name));
  }
  return arrays;
}

} // namespace cyclotron::driver
