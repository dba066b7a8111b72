// SPDX-License-Identifier: MIT
#include "stream/dot_look.hpp"

#include "recurrence/affine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace cyclotron::stream {
namespace {

std::string with_capital(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string level_label(const char* what, const Node& node) {
  const std::string where = node.tensor.empty() ? "all" : fmt::format("{}{}", node.tensor, node.mode);
  const std::string access = node.operand.empty() || node.operand == node.tensor ? "" : " (" + node.operand + ")";
  return fmt::format("{}{}{}: {}{}\\n{}{}", what, node.index.empty() ? "" : " ", node.index, where, access,
                     tensor::name_of(node.format), node.skips ? ", skips" : "");
}

std::string alu_label(const Node& node) {
  if (node.operation == Operation::sub && node.constants.empty()) return "Add\\nsubtract";
  std::string text = with_capital(name_of(node.operation));
  if (node.constants.empty()) return text;
  std::vector<std::string> operands(operands_of(node.operation), "·");
  for (const Constant& constant : node.constants)
    if (constant.operand >= 0 && constant.operand < static_cast<int>(operands.size()))
      operands[constant.operand] =
          tensor::is_float(node.type) ? fmt::format("{}", constant.value) : std::to_string(constant.integer);
  return fmt::format("{} ({})", text, fmt::join(operands, ", "));
}

std::string reduce_label(const Node& node) {
  std::string text = "Reduce";
  if (node.reducer != recurrence::Reducer::sum) text += fmt::format(" {}", recurrence::name_of(node.reducer));
  return text + (node.keeps_empty ? "" : "\\ndrops empty");
}

std::string pair_label(const char* what, const Node& node) {
  return fmt::format("{} {},{}", what, node.outer_index, node.inner_index);
}

// `2*of_0 - of_1 + 3`.
std::string place_text(const Node& node) {
  recurrence::Affine place{{}, node.offset};
  for (std::size_t i = 0; i < node.others.size(); ++i)
    if (node.others[i] != 0) place.terms[fmt::format("of_{}", i)] = node.others[i];
  return recurrence::print(place);
}

std::string other_label(const Node& node) {
  switch (node.block) {
  case Block::bvconvert: return fmt::format("BVConvert {}\\n{} bits", node.index, node.width);
  case Block::bvexpand: return "BVExpand " + node.index;
  case Block::bvintersect: return "bvintersect " + node.index;
  case Block::bvunion: return "bvunion " + node.index;
  case Block::bvdrop: return pair_label("BVDrop", node);
  case Block::split: return fmt::format("{}\\nby {}", pair_label("Split", node), node.width);
  case Block::flatten: return fmt::format("{}\\nby {}", pair_label("Flatten", node), node.width);
  case Block::parallelize: return fmt::format("Parallelize {}\\n{} copies", name_of(node.wire), node.width);
  case Block::serialize: return fmt::format("Serialize {}\\n{} copies", name_of(node.wire), node.width);
  case Block::crdvals: return "CrdVals " + node.index;
  case Block::crdplace: return fmt::format("CrdPlace {}\\n{}", node.index, place_text(node));
  case Block::crdmask: return fmt::format("CrdMask {}\\n{} 0", node.index, recurrence::name_of(node.relation));
  case Block::buffer: return fmt::format("Buffer {}: {}\\n{} bytes", node.index, node.operand, node.bytes);
  default: return with_capital(name_of(node.block));
  }
}

} // namespace

std::string picture_label(const Node& node, const std::string& gathered) {
  switch (node.block) {
  case Block::fiberlookup: return level_label("FiberLookup", node);
  case Block::locate: return level_label("Locate", node);
  case Block::lookup: return fmt::format("{}\\nat {}", level_label("Lookup", node), place_text(node));
  case Block::fiberwrite: return node.mode < 0 ? "FiberWrite Vals: " + node.tensor : level_label("FiberWrite", node);
  case Block::pointwrite: return "PointWrite: " + node.tensor;
  case Block::repsiggen: return "RepeatSignalGenerator " + node.index;
  case Block::repeat: return fmt::format("Repeat {}: {}", node.index, node.operand);
  case Block::intersect: return "intersect " + node.index + (node.skips ? "\\nskips" : "");
  case Block::unite: return "union " + node.index;
  case Block::arrayvals: return "Array Vals: " + (node.operand.empty() ? node.tensor : node.operand);
  case Block::alu: return alu_label(node);
  case Block::reduce: return reduce_label(node);
  case Block::spaccumulator: return fmt::format("SparseAccumulator {}\\n{}", node.order, gathered);
  case Block::crddrop: return pair_label("CrdDrop", node);
  case Block::crdhold: return pair_label("CrdHold", node);
  default: return other_label(node);
  }
}

Colours colours_of(const Node& node) {
  switch (node.block) {
  case Block::fiberlookup: return {"green4", "white"};
  case Block::locate:
  case Block::lookup: return {"seagreen", "white"};
  case Block::fiberwrite:
  case Block::pointwrite: return {"green3", "black"};
  case Block::arrayvals: return {"green2", "black"};
  case Block::buffer: return {"darkolivegreen1", "black"};
  case Block::repsiggen: return {"cyan3", "black"};
  case Block::repeat: return {"cyan2", "black"};
  case Block::intersect:
  case Block::unite:
  case Block::bvintersect:
  case Block::bvunion: return {"purple", "white"};
  case Block::alu:
  case Block::reduce:
  case Block::spaccumulator: return {"brown", "white"};
  case Block::crddrop:
  case Block::crdhold:
  case Block::bvdrop:
  case Block::crdmask: return {"orange", "black"};
  default: return {"gray80", "black"};
  }
}

const char* line_of(Wire wire) {
  switch (wire) {
  case Wire::crd: return " style=dashed";
  case Wire::ref: return " style=bold";
  case Wire::val: return "";
  case Wire::bv: return " style=dashed color=goldenrod4";
  case Wire::repsig: return " style=dotted";
  case Wire::skip: return " style=dotted color=gray40 constraint=false";
  }
  return "";
}

} // namespace cyclotron::stream
