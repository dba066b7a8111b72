// SPDX-License-Identifier: MIT
// A compiled program.
#pragma once

#include "cyclotron/result.hpp"
#include "cyclotron/view.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cyclotron {

namespace detail {

struct CallState;
struct KernelState;

} // namespace detail

// An input or output of a program, as it is declared.
struct Declared {
  std::string name;
  Type type = f64;
  std::string format;            // "dense", "csr", …
  std::vector<std::string> dims; // "n", "n+1"
};

// A kernel and its arguments, which were looked at once: `call()` computes from what stands in those arrays now, and
// does nothing else. The arrays must live as long, and index arrays stay as they are; numbers are those that were
// given. Calls of different objects may run at a time where their outputs are different arrays; calls of one may not.
class Call {
public:
  void operator()() const;

  // For the library itself.
  explicit Call(std::shared_ptr<const detail::CallState> state) : state_(std::move(state)) {}

private:
  std::shared_ptr<const detail::CallState> state_;
};

// Compiled once; every function may be called from several threads at a time. Whatever is wrong with the arguments is
// an Error that names the tensor, thrown before anything is written. An Error of the computation itself (a zero pivot,
// a matrix that is not positive definite) leaves outputs as they were. Two leave behind what was computed so far: that
// of a whole number which overflows, and any of a Call.
class Kernel {
public:
  // Outputs into your arrays. A sparse one must have exactly the structure that `analyse` finds; to find it once and
  // not in every call, use `compute`. Outputs that are not named are computed and dropped.
  void run(const Arguments& inputs, const Arguments& outputs) const;

  // Outputs into arrays of their own.
  Result operator()(const Arguments& inputs) const;

  // The first phase: which elements of sparse outputs can be other than zero. Looks at no value.
  Analysis analyse(const Arguments& inputs) const;

  // The second phase, for any values of inputs with the structure that was analysed. The first form leaves the values
  // in the analysis; the second writes those of the outputs named, and several threads may share its analysis.
  void compute(const Arguments& inputs, Analysis& analysis) const;
  void compute(const Arguments& inputs, const Analysis& analysis, const Arguments& outputs) const;

  // The same for many calls with the same arrays: arguments are looked at here, and no more in the calls.
  Call bind(const Arguments& inputs, const Arguments& outputs) const;
  Call bind(const Arguments& inputs, const Analysis& analysis, const Arguments& outputs) const;

  const std::vector<Declared>& inputs() const;
  const std::vector<Declared>& outputs() const;
  const std::vector<std::string>& sizes() const;

  std::string source(int index_bits = 32) const; // the C code; "" where the target is not c

  // For the library itself.
  explicit Kernel(std::shared_ptr<const detail::KernelState> state) : state_(std::move(state)) {}

private:
  std::shared_ptr<const detail::KernelState> state_;
};

} // namespace cyclotron
