// SPDX-License-Identifier: MIT
// The fields of a block as named attributes: what the DOT file and the JSON file say about it. Names are those of the
// published tools where they have one.
#pragma once

#include "stream/ir.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::stream {

enum class AttributeKind { text, number, flag, list };

struct Attribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::text;
  std::string (*get)(const Node&) = nullptr;
  bool (*set)(Node&, std::string_view) = nullptr; // false: no such value
  std::string_view expects;                       // for a message: "`dense`, `compressed` …"
};

std::span<const Attribute> attributes();
const Attribute* attribute_named(std::string_view name);
bool has_default(const Node& node, const Attribute& attribute);

// `type`: the block's name, but `mul`, `add` (with `sub`) and `alu` (with `op`) for the ALUs.
std::string type_of(const Node& node);
bool set_type(Node& node, std::string_view type);
std::vector<std::string> type_names();

} // namespace cyclotron::stream
