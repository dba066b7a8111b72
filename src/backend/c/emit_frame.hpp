// SPDX-License-Identifier: MIT
// What stands before and behind the loops of a generated function.
#pragma once

#include "backend/c/emitter.hpp"
#include "backend/c/index_text.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::c {

struct Emitter::Frame {
  std::string start;                  // constants and memory
  std::string filled;                 // what the memory starts out as
  std::string copies, finish;         // results that were computed elsewhere; memory given back
  std::vector<std::string> allocated; // names

  static void add(std::string& out, const std::string& text) { out += "  " + text + "\n"; }
  // All zero, also where all of it will be written: compilers cannot see that, and warn.
  void allocate(const std::string& type, const std::string& name, const std::string& count,
                const std::string& comment = "") {
    // One more than needed: no memory at all may have no address, and then looks like a failure.
    take(fmt::format("{} *", type), name, fmt::format("calloc((size_t){} + 1, sizeof *{})", in_brackets(count), name),
         comment);
  }
  void take(const std::string& type, const std::string& name, const std::string& memory, const std::string& comment,
            const char* release = "free") {
    add(start, fmt::format("{}{} = {};{}", type, name, memory, comment));
    add(finish, fmt::format("{}({});", release, name));
    allocated.push_back(name);
  }
};

} // namespace cyclotron::backend::c
