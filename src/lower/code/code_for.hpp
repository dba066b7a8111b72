// SPDX-License-Identifier: MIT
// What code of lanes is for, where that decides between two ways of writing it.
//
//   core   a vector is in one register: storing it takes no longer than storing one of its lanes. One core does most of
//          the strips by itself, so that loops of their own for those that are whole pay.
//   gpu    a vector is spread over the threads of a warp: storing one lane takes less room and less time. Many warps
//          share the strips, and one loop for all of them gives all of them the same work.
#pragma once

namespace cyclotron::lower {

enum class CodeFor { core, gpu };

} // namespace cyclotron::lower
