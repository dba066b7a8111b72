// SPDX-License-Identifier: MIT
// Inputs that are placed in shared memory: a block first copies the box of elements that it reads, all of its workers
// together.
//
//   blocks oc                               blocks oc
//     workers cc                    -->       var from: i64 = oc * 64
//       … x[oc * 64 + cc * 16 : 1]            workers part = 0 .. 5
//                                               store x_shared[part * 16 : 1] = x[from + part * 16 : 1 if …] if …
//                                             barrier
//                                             workers cc
//                                               … x_shared[cc * 16 : 1]
#pragma once

#include "lanes/placed.hpp"
#include "lower/code/along.hpp"
#include "lower/code/constants.hpp"
#include "lower/code/waiting.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

class SharedInputs {
public:
  SharedInputs(const Surroundings& of, const KernelNames& called, FreshNames& names);

  const std::vector<code::Memory>& memories() const { return memories_; }
  bool has(const std::string& tensor) const { return shared_.count(tensor) > 0; }
  bool any() const { return !shared_.empty(); }

  // An element of the tensor, by where it is in the box.
  recurrence::Point in_box(const std::string& tensor, recurrence::Point element) const;
  code::Expr element(const std::string& tensor, const std::vector<Along>& in_box, const code::Expr& mask) const;

  // At the beginning of a block, whose components of time are known. `workers`: of a block, where that is a number.
  void copy(const Moment& block, const std::optional<std::int64_t>& workers, code::Body& to) const;

private:
  struct Shared {
    std::string memory;
    lanes::Box box;
    std::vector<code::Expr> extents; // of the box
  };
  code::Body copy_box(const std::string& tensor, const Shared& shared, const Here& block,
                      const std::optional<std::int64_t>& workers) const;
  code::Body copy_part(const std::string& tensor, const Shared& shared, const std::vector<code::Expr>& from,
                       const code::Expr& part) const;

  const lanes::Program& program_;
  const KernelNames& called_;
  FreshNames& names_;
  std::map<std::string, Shared> shared_; // by tensor
  std::vector<code::Memory> memories_;
};

} // namespace cyclotron::lower
