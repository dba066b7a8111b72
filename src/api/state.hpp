// SPDX-License-Identifier: MIT
// What stands behind Kernel, Analysis and Output.
#pragma once

#include "api/load.hpp"
#include "backend/c/kernel.hpp"
#include "cyclotron/kernel.hpp"

#include <map>
#include <mutex>
#include <set>

namespace cyclotron::api {

struct LanesKernel;

} // namespace cyclotron::api

namespace cyclotron::detail {

struct KernelState {
  std::shared_ptr<const api::Loaded> loaded; // first: the compiled kernel refers to it
  Options options;
  std::shared_ptr<const backend::c::Kernel> compiled; // of the target c
  std::shared_ptr<const api::LanesKernel> lanes;      // of simd and cuda; null as the other one: interpreted
  std::vector<Declared> inputs, outputs;
  std::vector<std::string> sizes;
  mutable std::mutex interpreter; // isl knows no threads

  const recurrence::Program& program() const { return loaded->checked->program(); }
  bool all_steps(const std::string& output) const;
  std::set<std::string> internal; // outputs that `only` leaves to the kernel
  std::vector<const recurrence::TensorDecl*> wanted() const;
};

// The index arrays of one level, in the width of the inputs; those of the other width are empty.
struct LevelIndices {
  std::vector<std::int32_t> positions32, coordinates32;
  std::vector<std::int64_t> positions64, coordinates64;
  std::vector<std::uint64_t> bits;
};

// Where an output stores values.
struct Structure {
  std::string name;
  tensor::ValueType type = tensor::ValueType::f64;
  tensor::Format format;
  std::vector<std::int64_t> dims;
  int index_bits = 32;
  std::vector<LevelIndices> levels; // empty where it is dense
  std::int64_t stored = 0;

  Array positions(std::size_t level) const;
  Array coordinates(std::size_t level) const;
};

struct OutputState {
  std::shared_ptr<const Structure> structure;
  tensor::Values values; // empty until the first result is put here
};

// A tensor's structure in another format, which a schedule asks for; entries say where each stands in its own.
struct MaskState {
  std::string tensor;
  std::shared_ptr<const Structure> structure;
  std::vector<std::int32_t> entries32;
  std::vector<std::int64_t> entries64;
};

// What the analysis has seen of an input.
struct InputSeen {
  std::vector<std::int64_t> dims;
  std::int64_t stored = 0;
  std::uint64_t fingerprint = 0; // of the index arrays; 0 where there are none, or nobody looks
};

struct AnalysisState {
  std::shared_ptr<const KernelState> kernel;
  std::map<std::string, std::int64_t> sizes;
  std::vector<InputSeen> inputs; // as the program lists them
  std::vector<std::shared_ptr<OutputState>> outputs;
  std::vector<std::shared_ptr<const MaskState>> masks; // as the compiled kernel lists them
  int index_bits = 0;                                  // of the inputs; 0 where none has index arrays
  bool wide = false;                                   // which form of the kernel
};

} // namespace cyclotron::detail
