// SPDX-License-Identifier: MIT
// A compiled program.
#pragma once

#include "cyclotron/device.hpp"
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

// A kernel with its arguments, which `bind` has checked once. `call()` computes from what the arrays hold now, and does
// nothing else. The arrays must live as long as the Call, and index arrays must not change. Numbers keep the value that
// they had in `bind`. Several Calls may run at the same time if they write to different arrays; one Call may not run
// twice at the same time.
class Call {
public:
  void operator()() const;

  // For the library itself.
  explicit Call(std::shared_ptr<const detail::CallState> state) : state_(std::move(state)) {}

private:
  std::shared_ptr<const detail::CallState> state_;
};

// A program that is compiled once. Every function may be called from several threads at a time.
//
// A mistake in the arguments is thrown as an Error that names the tensor, before anything is written. An Error of the
// computation itself (a zero pivot, a matrix that is not positive definite) leaves outputs as they were, with three
// exceptions: if a whole number overflows, in a Call, and in the memory of a device, outputs hold what was computed
// until then.
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

  // For many calls with the same arrays: arguments are checked here, and not in the calls.
  Call bind(const Arguments& inputs, const Arguments& outputs) const;
  Call bind(const Arguments& inputs, const Analysis& analysis, const Arguments& outputs) const;

  const std::vector<Declared>& inputs() const;
  const std::vector<Declared>& outputs() const;
  const std::vector<std::string>& sizes() const;

  // The code as C or CUDA C++; "" where the target is interpret. What `index_bits` says is only of interest for c.
  std::string source(int index_bits = 32) const;

  // Where a kernel of the target cuda runs; throws Error for other targets.
  Device device() const;

  // For the library itself.
  explicit Kernel(std::shared_ptr<const detail::KernelState> state) : state_(std::move(state)) {}

private:
  std::shared_ptr<const detail::KernelState> state_;
};

} // namespace cyclotron
