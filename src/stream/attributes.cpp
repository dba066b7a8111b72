// SPDX-License-Identifier: MIT
#include "stream/attributes.hpp"

#include "stream/operand_text.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace cyclotron::stream {
namespace {

using tensor::LevelKind;

// --- texts of values ---

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int value) { return std::to_string(value); }
std::string text_of(std::int64_t value) { return std::to_string(value); }

template <class T> bool read(T& value, std::string_view text) {
  T read{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (problem != std::errc{} || end != text.data() + text.size()) return false;
  value = read;
  return true;
}

bool read(bool& value, std::string_view text) {
  if (text != "true" && text != "false") return false;
  value = text == "true";
  return true;
}

bool read(std::string& value, std::string_view text) {
  value = text;
  return true;
}

template <class T> bool read(T& value, const std::optional<T>& named) {
  if (named) value = *named;
  return named.has_value();
}

bool read(Constant& constant, std::string_view text);

template <class T> bool read(std::vector<T>& values, std::string_view text) {
  values.clear();
  for (const std::string& part : pieces_of(text, ','))
    if (!read(values.emplace_back(), part)) return false;
  return true;
}

// `1:2.5:2`: the operand's place, its value, its value as a whole number.
bool read(Constant& constant, std::string_view text) {
  const std::vector<std::string> parts = pieces_of(text, ':');
  return parts.size() == 3 && read(constant.operand, parts[0]) && read(constant.value, parts[1]) &&
         read(constant.integer, parts[2]);
}

std::string constants_text(const Node& node) {
  std::vector<std::string> texts;
  for (const Constant& c : node.constants) texts.push_back(fmt::format("{}:{}:{}", c.operand, c.value, c.integer));
  return fmt::format("{}", fmt::join(texts, ","));
}

std::optional<recurrence::Relation> relation_named(std::string_view name) {
  using enum recurrence::Relation;
  for (const recurrence::Relation relation : {less, less_equal, greater, greater_equal, equal, not_equal})
    if (recurrence::name_of(relation) == name) return relation;
  return std::nullopt;
}

bool has_own_type(Operation operation) {
  return operation == Operation::add || operation == Operation::sub || operation == Operation::mul;
}

// `mul` and `add` say what an ALU does by their type.
std::string operation_text(const Node& node) {
  if (has_own_type(node.operation) && (node.block == Block::alu || node.operation == Operation::mul)) return "";
  return std::string(name_of(node.operation));
}

bool read_mode(Node& node, std::string_view text) {
  if (text == "vals") node.mode = -1;
  return text == "vals" || (read(node.mode, text) && node.mode >= 0);
}

std::string mode_text(const Node& node) { return node.mode < 0 ? "vals" : text_of(node.mode); }

// A field whose text is its value.
#define PLAIN(attribute, kind, field, text, expects)                                                                   \
  {                                                                                                                    \
    attribute, AttributeKind::kind, [](const Node& n) { return std::string(text); },                                   \
        [](Node& n, std::string_view value) { return read(n.field, value); }, expects                                  \
  }

// A field whose values have names.
#define NAMED(attribute, field, namer, named, expects)                                                                 \
  {                                                                                                                    \
    attribute, AttributeKind::text, [](const Node& n) { return std::string(namer(n.field)); },                         \
        [](Node& n, std::string_view value) { return read(n.field, named(value)); }, expects                           \
  }

constexpr std::string_view flag = "`true` or `false`", number = "a whole number", numbers = "whole numbers, `1,1`",
                           any_text = "a text";

// "`dense`, `compressed` or …".
const std::string kinds = [] {
  std::vector<std::string> quoted;
  for (const std::string& name : tensor::level_kind_names()) quoted.push_back("`" + name + "`");
  return join_names(quoted, "or");
}();

const auto table = std::to_array<Attribute>({
    PLAIN("index", text, index, n.index, any_text),
    PLAIN("operand", text, operand, n.operand, any_text),
    PLAIN("tensor", text, tensor, n.tensor, any_text),
    {"mode", AttributeKind::number, mode_text, read_mode, "a dimension from 0 up, or `vals`"},
    NAMED("format", format, tensor::name_of, tensor::level_kind_named, kinds),
    PLAIN("root", flag, root, text_of(n.root), flag),
    PLAIN("outer", text, outer_index, n.outer_index, any_text),
    PLAIN("inner", text, inner_index, n.inner_index, any_text),
    PLAIN("vals", flag, on_values, text_of(n.on_values), flag),
    PLAIN("order", number, order, text_of(n.order), number),
    PLAIN("above", number, outer, text_of(n.outer), number),
    {"op", AttributeKind::text, operation_text,
     [](Node& n, std::string_view value) { return read(n.operation, operation_named(value)); },
     "the name of an operation, such as `div` or `max`"},
    PLAIN("constants", list, constants, constants_text(n), "`place:value:whole value` for each, `1:2.5:2`"),
    NAMED("reducer", reducer, recurrence::name_of, recurrence::reducer_named,
          "`sum`, `prod`, `min`, `max`, `any` or `all`"),
    PLAIN("keeps_empty", flag, keeps_empty, text_of(n.keeps_empty), flag),
    PLAIN("skips", flag, skips, text_of(n.skips), flag),
    PLAIN("widths", list, widths, fmt::format("{}", fmt::join(n.widths, ",")), numbers),
    PLAIN("width", number, width, text_of(n.width), number),
    PLAIN("vector", number, vector, text_of(n.vector), number),
    NAMED("value_type", type, tensor::name_of, tensor::value_type_named, "`f64`, `f32`, `i64`, `i32` or `bool`"),
    NAMED("wire", wire, name_of, wire_named, "`crd`, `ref`, `val`, `bv`, `repsig` or `skip`"),
    PLAIN("others", list, others, fmt::format("{}", fmt::join(n.others, ",")), numbers),
    PLAIN("factor", number, factor, text_of(n.factor), number),
    PLAIN("offset", number, offset, text_of(n.offset), number),
    PLAIN("bytes", number, bytes, text_of(n.bytes), number),
    PLAIN("rate", number, rate, text_of(n.rate), number),
    PLAIN("latency", number, latency, text_of(n.latency), number),
    NAMED("relation", relation, recurrence::name_of, relation_named, "`<`, `<=`, `>`, `>=`, `==` or `!=`"),
});

#undef PLAIN
#undef NAMED

} // namespace

std::span<const Attribute> attributes() { return table; }

const Attribute* attribute_named(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Attribute::name);
  return found == table.end() ? nullptr : &*found;
}

bool has_default(const Node& node, const Attribute& attribute) { return attribute.get(node) == attribute.get(Node{}); }

std::string type_of(const Node& node) {
  if (node.block != Block::alu) return std::string(name_of(node.block));
  if (node.operation == Operation::sub) return "add";
  return has_own_type(node.operation) ? std::string(name_of(node.operation)) : "alu";
}

bool set_type(Node& node, std::string_view type) {
  const bool alu = type == "add" || type == "mul";
  const std::optional<Block> block = alu ? Block::alu : block_named(type);
  if (!block) return false;
  node.block = *block;
  if (alu) node.operation = *operation_named(type);
  return true;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names = {"add", "mul", "broadcast"};
  for (int block = 0; block <= static_cast<int>(last_block); ++block)
    names.emplace_back(name_of(static_cast<Block>(block)));
  std::ranges::sort(names);
  return names;
}

} // namespace cyclotron::stream
