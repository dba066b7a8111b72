// SPDX-License-Identifier: MIT
// The PEs of a program, row-major, with the code of their roles.
#pragma once

#include "pe/code.hpp"
#include "pe/place.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::array {

class Grid {
public:
  explicit Grid(const pe::Program& program);

  int size() const { return places_.size(); }
  const std::vector<std::int64_t>& coordinates(int pe) const { return element(pe).at; }
  std::string name(int pe) const;                     // `PE (1,2)`
  int role(int pe) const { return element(pe).role; } // -1: none
  const pe::Code* code(int pe) const { return role(pe) < 0 ? nullptr : &codes_[static_cast<std::size_t>(role(pe))]; }
  const std::vector<pe::Code>& codes() const { return codes_; }
  const std::vector<std::string>& spaces() const { return spaces_; }
  std::vector<std::string>& spaces() { return spaces_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }

  // The PE at the other end of a channel, or -1 outside the grid.
  int target(int pe, const pe::Channel& channel) const { return places_.target(pe, channel); }
  // Links on the way from one end to the other.
  std::int64_t hops(const pe::Channel& channel) const { return places_.hops(channel); }

private:
  const pe::Element& element(int pe) const { return places_.elements()[static_cast<std::size_t>(pe)]; }

  pe::Grid places_;
  std::vector<std::int64_t> extents_;
  std::vector<std::string> spaces_;
  std::vector<pe::Code> codes_; // per role
};

} // namespace cyclotron::array
