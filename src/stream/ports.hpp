// SPDX-License-Identifier: MIT
// The ports of every block, by place.
#pragma once

#include "stream/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::stream {

struct Port {
  std::string name; // `crd`, `ref`, `crd_1`, `outer`, …
  Wire wire = Wire::crd;
  bool optional = false; // an input that the root feeds
};

inline bool joins(const Node& node) { return node.block == Block::intersect || node.block == Block::unite; }

//   block          inputs                                    outputs
//   fiberlookup    ref [skip]                                crd ref        (bv ref where the format is bitvector)
//   repsiggen      crd                                       repsig
//   repeat         ref repsig                                ref
//   intersect      for each side s: crd_s ref_s_0 …          crd, all references in order; with skips: skip_s …
//   unite          likewise                                  likewise
//   locate         crd ref_0 … ref_{w-1} parent              crd ref_0 … ref_{w-1} found
//   arrayvals      ref                                       val
//   alu            a value for each operand that is no       val
//                  constant
//   reduce         val                                       val
//   spaccumulator  crd_0 … crd_{outer+order-1} val           the same
//   crddrop        outer inner                               outer inner
//   crdhold        outer inner                               outer inner
//   fiberwrite     crd (level), val (values), bv
//   pointwrite     crd_0 … crd_{order-1} val
//   bvconvert      crd                                       bv ref
//   bvexpand       bv ref                                    crd ref
//   bvintersect    bv_0 ref_0 bv_1 ref_1                     bv ref_0 ref_1
//   bvunion        likewise                                  likewise
//   bvdrop         outer inner                               outer inner
//   split          crd                                       outer inner
//   flatten        outer inner                               crd
//   parallelize    in                                        out_0 … out_{width-1}      (of the type of its input)
//   serialize      in_0 … in_{width-1}                       out
//   crdvals        crd                                       val
//   crdmask        crd ref_0 … of_0 …                        crd ref_0 …
//   crdplace       of_0 …                                    crd
//   lookup         parent of_0 …                             ref
//   buffer         ref used (the innermost level's output)   ref
std::vector<Port> inputs_of(const Node& node);
std::vector<Port> outputs_of(const Node& node);

// Whether the numbers that ports are counted by make sense; asked of what comes from a file. Empty where they do, else
// a clause: "has 0 copies, where …".
std::string problem_of_ports(const Node& node);

} // namespace cyclotron::stream
