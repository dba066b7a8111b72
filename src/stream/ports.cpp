// SPDX-License-Identifier: MIT
#include "stream/ports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::stream {
namespace {

std::string numbered(const char* name, int number) { return name + ("_" + std::to_string(number)); }

void add_numbered(std::vector<Port>& ports, const char* name, Wire wire, int count) {
  for (int i = 0; i < count; ++i) ports.push_back({numbered(name, i), wire});
}

int references_of(const Node& node) {
  int count = 0;
  for (const int width : node.widths) count += width;
  return count;
}

std::vector<Port> joined_inputs(const Node& node) {
  std::vector<Port> ports;
  for (int side = 0; side < static_cast<int>(node.widths.size()); ++side) {
    ports.push_back({numbered("crd", side), Wire::crd});
    add_numbered(ports, numbered("ref", side).c_str(), Wire::ref, node.widths[side]);
  }
  return ports;
}

bool writes_values(const Node& node) { return node.mode < 0; }

} // namespace

std::vector<Port> inputs_of(const Node& node) {
  std::vector<Port> ports;
  switch (node.block) {
  case Block::fiberlookup:
    ports = {{"ref", Wire::ref, true}};
    if (node.skips) ports.push_back({"skip", Wire::skip});
    return ports;
  case Block::repsiggen:
  case Block::bvconvert:
  case Block::split: return {{"crd", Wire::crd}};
  case Block::crdvals: return {{"crd", Wire::ref}};
  case Block::repeat: return {{"ref", Wire::ref, true}, {"repsig", Wire::repsig}};
  case Block::intersect:
  case Block::unite: return joined_inputs(node);
  case Block::locate:
    ports = {{"crd", Wire::crd}};
    add_numbered(ports, "ref", Wire::ref, references_of(node));
    ports.push_back({"parent", Wire::ref});
    return ports;
  case Block::arrayvals: return {{"ref", Wire::ref, true}};
  case Block::alu:
    for (int i = 0; i < operands_of(node.operation); ++i)
      if (std::ranges::find(node.constants, i, &Constant::operand) == node.constants.end())
        ports.push_back({numbered("val", i), Wire::val});
    return ports;
  case Block::reduce: return {{"val", Wire::val}};
  case Block::spaccumulator:
  case Block::pointwrite:
    add_numbered(ports, "crd", Wire::crd, node.outer + node.order);
    ports.push_back({"val", Wire::val});
    return ports;
  case Block::crddrop:
  case Block::crdhold: return {{"outer", Wire::crd}, {"inner", node.on_values ? Wire::val : Wire::crd}};
  case Block::flatten: return {{"outer", Wire::crd}, {"inner", Wire::crd}};
  case Block::fiberwrite:
    if (writes_values(node)) return {{"val", Wire::val}};
    return {{"crd", tensor::properties_of(node.format).bits ? Wire::bv : Wire::crd}};
  case Block::bvexpand: return {{"bv", Wire::bv}, {"ref", Wire::ref}};
  case Block::bvintersect:
  case Block::bvunion: return {{"bv_0", Wire::bv}, {"ref_0", Wire::ref}, {"bv_1", Wire::bv}, {"ref_1", Wire::ref}};
  case Block::bvdrop: return {{"outer", Wire::bv}, {"inner", Wire::bv}};
  case Block::parallelize: return {{"in", node.wire}};
  case Block::serialize: add_numbered(ports, "in", node.wire, static_cast<int>(node.width)); return ports;
  case Block::crdmask:
    ports = {{"crd", Wire::crd}};
    add_numbered(ports, "ref", Wire::ref, references_of(node));
    add_numbered(ports, "of", Wire::ref, static_cast<int>(node.others.size()));
    return ports;
  case Block::crdplace:
    add_numbered(ports, "of", Wire::ref, static_cast<int>(node.others.size()));
    if (!ports.empty()) ports[0].optional = true;
    return ports;
  case Block::lookup:
    ports = {{"parent", Wire::ref, true}};
    add_numbered(ports, "of", Wire::ref, static_cast<int>(node.others.size()));
    return ports;
  case Block::buffer: return {{"ref", Wire::ref, true}, {"used", Wire::skip}};
  }
  return ports;
}

std::vector<Port> outputs_of(const Node& node) {
  std::vector<Port> ports;
  switch (node.block) {
  case Block::fiberlookup: {
    const bool words = tensor::properties_of(node.format).bits && !node.tensor.empty();
    return {words ? Port{"bv", Wire::bv} : Port{"crd", Wire::crd}, {"ref", Wire::ref}};
  }
  case Block::repsiggen: return {{"repsig", Wire::repsig}};
  case Block::repeat:
  case Block::lookup:
  case Block::buffer: return {{"ref", Wire::ref}};
  case Block::intersect:
  case Block::unite:
  case Block::crdmask:
    ports = {{"crd", Wire::crd}};
    add_numbered(ports, "ref", Wire::ref, references_of(node));
    if (node.skips) add_numbered(ports, "skip", Wire::skip, static_cast<int>(node.widths.size()));
    return ports;
  case Block::locate:
    ports = {{"crd", Wire::crd}};
    add_numbered(ports, "ref", Wire::ref, references_of(node));
    ports.push_back({"found", Wire::ref});
    return ports;
  case Block::arrayvals:
  case Block::alu:
  case Block::reduce:
  case Block::crdvals: return {{"val", Wire::val}};
  case Block::spaccumulator: return inputs_of(node);
  case Block::crddrop:
  case Block::crdhold:
  case Block::bvdrop: return inputs_of(node);
  case Block::fiberwrite:
  case Block::pointwrite: return {};
  case Block::bvconvert: return {{"bv", Wire::bv}, {"ref", Wire::ref}};
  case Block::bvexpand: return {{"crd", Wire::crd}, {"ref", Wire::ref}};
  case Block::bvintersect:
  case Block::bvunion: return {{"bv", Wire::bv}, {"ref_0", Wire::ref}, {"ref_1", Wire::ref}};
  case Block::split: return {{"outer", Wire::crd}, {"inner", Wire::crd}};
  case Block::flatten:
  case Block::crdplace: return {{"crd", Wire::crd}};
  case Block::parallelize: add_numbered(ports, "out", node.wire, static_cast<int>(node.width)); return ports;
  case Block::serialize: return {{"out", node.wire}};
  }
  return ports;
}

std::string problem_of_ports(const Node& node) {
  constexpr int most = 1000;
  const bool copies = node.block == Block::parallelize || node.block == Block::serialize;
  if (copies && (node.width < 1 || node.width > most))
    return fmt::format("has {} copies, where 1 to {} were expected", node.width, most);
  if (std::min(node.outer, node.order) < 0 || std::max(node.outer, node.order) > most)
    return fmt::format("has {} levels above {}, where 0 to {} were expected", node.outer, node.order, most);
  for (const int width : node.widths)
    if (width < 0 || width > most)
      return fmt::format("has a side of {} references, where 0 to {} were expected", width, most);
  return "";
}

} // namespace cyclotron::stream
