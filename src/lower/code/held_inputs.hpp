// SPDX-License-Identifier: MIT
// Inputs that are placed in registers: variables, each loaded in front of the outermost loop that does not change it.
//
//   for t = 0 .. n                                var w_: f32 lanes = lanes(w[0])
//     y = y + lanes(w[0]) * x[t : 1]      -->     for t = 0 .. n
//                                                   y = y + w_ * x[t : 1]
#pragma once

#include "lanes/ir.hpp"
#include "lower/code/along.hpp"
#include "lower/code/constants.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::lower {

class HeldInputs {
public:
  HeldInputs(const lanes::Program& program, const KernelNames& called, FreshNames& names)
      : program_(program), called_(called), names_(names) {}

  bool has(const std::string& tensor) const;

  // The variable with these elements, one for each lane. `by_worker`: other elements follow in the same worker, which
  // then loads each of them shortly before it is needed, though loops may be cut so that all of them are known outside.
  code::Expr element(const std::string& tensor, const std::vector<Along>& indices, bool by_worker);

  // Into the body of the kernel, when all of its statements are there.
  void declare(code::Body& body) const;

private:
  struct Held {
    std::string name;
    code::Scalar scalar;
    code::Expr load;
    bool by_worker = false;
  };
  code::Expr load_of(const std::string& tensor, const std::vector<Along>& indices) const;

  const lanes::Program& program_;
  const KernelNames& called_;
  FreshNames& names_;
  std::vector<Held> held_;
  std::map<std::string, std::size_t> by_load_; // its text
};

} // namespace cyclotron::lower
