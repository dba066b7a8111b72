// SPDX-License-Identifier: MIT
// Infers sizes from the shapes of inputs: each dimension is an affine equation in the sizes.
#pragma once

#include "recurrence/affine.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::driver {

class Sizes {
public:
  Sizes(const recurrence::Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

  // Who says so is part of the message where two disagree: "`A` (a.mtx)", "the command line".
  bool set(const std::string& name, std::int64_t value, const std::string& who);

  // Takes the shape of a tensor, as far as it is known (-1 where not); reports a rank or a size that does not fit.
  bool take_shape(const recurrence::TensorDecl& decl, const std::vector<std::int64_t>& shape, const std::string& who);

  bool known(const std::string& name) const { return values_.count(name) > 0; }

  // The dimensions as far as they are known; -1 where not.
  std::vector<std::int64_t> dims_of(const recurrence::TensorDecl& decl) const;

  // Reports the sizes that are still unknown and the assumptions that do not hold.
  bool check_complete();

  std::map<std::string, std::int64_t> values() const;

private:
  struct Known {
    std::int64_t value;
    std::string who;
  };
  void solve_pending();

  struct Pending {
    const recurrence::TensorDecl* decl;
    std::size_t dimension;
    std::int64_t extent;
    std::string who;
  };
  bool check_dimension(const Pending& p);

  const recurrence::Program& program_;
  Diagnostics& diagnostics_;
  std::map<std::string, Known> values_;
  std::vector<Pending> pending_;
};

} // namespace cyclotron::driver
