// SPDX-License-Identifier: MIT
// Assignments to results that stand side by side, as one in vectors.
//
//   x(i) = (b(i) - tx(i)) / L(i,i)         Lii = L(i,i), which must not be zero
//   y(i) = (d(i) - ty(i)) / L(i,i)   -->   xy(i) = ({b(i), d(i)} - txy(i)) / Lii
//
// A division takes long, and one of vectors as long as one of numbers. Lanes fail together or not at all, because what
// they divide by is the same number: so the first of them is the one to report.
#include "backend/c/emitter.hpp"
#include "backend/c/lane_text.hpp"
#include "recurrence/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace cyclotron::backend::c {

using namespace recurrence;

// A value of each lane in C; what all lanes share is a number, everything else a vector.
struct Emitter::LaneText {
  std::string text;
  bool vector = false;
};

// Statements that run as one: their values, and what they divide by, which must not be zero.
struct Emitter::LaneGroup {
  std::vector<const StatementInfo*> statements;
  ValueType type = ValueType::f64;
  std::string vector_type;
  std::vector<std::pair<std::string, std::string>> divisors; // name, value
};

// The statements that start at `first` and write a lane each of one vector; none where they are not that simple.
std::vector<const StatementInfo*> Emitter::lane_statements(const Node* first, const Node* end) const {
  const auto simple = [&](const StatementInfo& info) {
    const Statement& s = *info.statement;
    const auto uncertain = [&](const std::string& key) {
      return !resolved_.at(key).present.empty() && (key == info.target || needs(info.presence, key));
    };
    const auto workspace = [&](const auto& t) {
      return t.first.second == s.equation && t.second.kind == TemporaryPlan::Kind::array;
    };
    return !s.reducer && s.guard.empty() && !info.target.empty() && !is_copy_in_place(info) &&
           std::none_of(info.accesses.begin(), info.accesses.end(), uncertain) &&
           std::none_of(plan_.temporaries.begin(), plan_.temporaries.end(), workspace);
  };
  const Statement* s = std::get_if<Statement>(&first->kind);
  const LaneTensors* group = s ? lanes_.of(s->access().tensor) : nullptr;
  if (!group || !group->together || end - first < static_cast<std::ptrdiff_t>(group->members.size())) return {};
  if (parallel_ || in_lanes_ || scope_.empty() || !carried_.empty() || !spread_.empty() || columns_.whole) return {};
  std::vector<const StatementInfo*> list;
  for (const std::string& member : group->members) {
    const Statement* own = std::get_if<Statement>(&(first++)->kind);
    if (!own || own->access().tensor != member || own->access().indices != s->access().indices) return {};
    list.push_back(&statements_.at(own));
    if (!simple(*list.back())) return {};
  }
  return list;
}

// Whether any statement but those from `behind` on, which know the values, reads what the group writes.
bool Emitter::is_read_elsewhere(const LaneGroup& group, const Node* behind, const Node* end) {
  std::set<const Statement*> near;
  for (const Node* n = behind; n < end; ++n) {
    if (const Loop* loop = std::get_if<Loop>(&n->kind))
      for (const StatementInfo* s : inside(loop->body)) near.insert(s->statement);
    else near.insert(&std::get<Statement>(n->kind));
  }
  const auto reads_memory = [&](const StatementInfo& reader, const StatementInfo& writer) {
    return std::any_of(reader.reads.begin(), reader.reads.end(), [&](const std::string& key) {
      if (accesses_.at(key).tensor != accesses_.at(writer.target).tensor) return false;
      return key != writer.target || near.count(reader.statement) == 0;
    });
  };
  return std::any_of(group.statements.begin(), group.statements.end(), [&](const StatementInfo* writer) {
    return accesses_.at(writer->target).tensor->copied_out ||
           std::any_of(statements_.begin(), statements_.end(),
                       [&](const auto& reader) { return reads_memory(reader.second, *writer); });
  });
}

// Names of what is divided by: once for all that divide by it.
std::string Emitter::lane_divisor(const Expr& expr, const std::string& value, LaneGroup& group) {
  if (const auto n = constant(expr); n && is_safe_divisor(*n)) return value;
  for (const auto& [name, known] : group.divisors)
    if (known == value) return name;
  const Access* a = as<Access>(expr);
  std::string name = names_.fresh(a ? identifier(access_info(*a).key) : "divisor");
  group.divisors.emplace_back(name, value);
  return name;
}

// The elements or sums that stand at one place of the expressions.
std::optional<Emitter::LaneText> Emitter::lane_elements(const std::vector<Expr>& values, const LaneGroup& group) {
  std::vector<std::string> texts;
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    const Access* a = as<Access>(values[lane]);
    // An element that an earlier lane writes is not known before all of them are.
    const auto writes = [&](const StatementInfo* s) { return a && s->statement->access().tensor == a->tensor; };
    if (std::any_of(group.statements.begin(), group.statements.end(), writes)) return std::nullopt;
    equation_ = group.statements[lane]->statement->equation;
    const Binary* sum = as<Binary>(values[lane]);
    texts.push_back(sum ? started_sum(*sum) : type_of(values[lane]) == group.type ? raw(values[lane]) : "");
    if (texts.back().empty()) return std::nullopt;
  }
  if (std::all_of(texts.begin(), texts.end(), [&](const std::string& t) { return t == texts[0]; }))
    return LaneText{texts[0], false};
  if (const auto whole = on_whole_vectors(texts)) return LaneText{*whole, true};
  return LaneText{fmt::format("({}){{{}}}", group.vector_type, fmt::join(texts, ", ")), true};
}

// Expressions of the same form, an expression for each lane; nothing where their forms differ, or vectors have no such
// operation.
std::optional<Emitter::LaneText> Emitter::lane_value(const std::vector<Expr>& values, LaneGroup& group) {
  const auto all = [&](const auto& is) { return std::all_of(values.begin(), values.end(), is); };
  const auto parts = [&](const auto& part) {
    std::vector<Expr> list;
    std::transform(values.begin(), values.end(), std::back_inserter(list), part);
    return lane_value(list, group);
  };
  if (all([&](const Expr& e) { return (as<Number>(e) || as<Name>(e)) && e == values[0]; }))
    return LaneText{expression(values[0], group.type), false};
  if (all([](const Expr& e) { return as<Access>(e) != nullptr; })) return lane_elements(values, group);
  if (!all([&](const Expr& e) { return type_of(e) == group.type; })) return std::nullopt;
  if (all([](const Expr& e) { return as<Unary>(e) && as<Unary>(e)->op == UnaryOp::negate; })) {
    const auto x = parts([](const Expr& e) { return as<Unary>(e)->operand; });
    return x ? std::optional(LaneText{fmt::format("(-{})", x->text), x->vector}) : std::nullopt;
  }
  const Binary* b = as<Binary>(values[0]);
  if (!b || !all([&](const Expr& e) { return as<Binary>(e) && as<Binary>(e)->op == b->op; })) return std::nullopt;
  if (auto sums = lane_elements(values, group)) return sums;
  const bool divides = b->op == BinaryOp::div;
  if (!divides && b->op != BinaryOp::add && b->op != BinaryOp::sub && b->op != BinaryOp::mul) return std::nullopt;
  const auto x = parts([](const Expr& e) { return as<Binary>(e)->lhs; });
  auto y = parts([](const Expr& e) { return as<Binary>(e)->rhs; });
  if (!x || !y || (divides && y->vector)) return std::nullopt;
  if (divides) y->text = lane_divisor(b->rhs, y->text, group);
  return LaneText{fmt::format("({} {} {})", x->text, name_of(b->op), y->text), x->vector || y->vector};
}

// Writes the statements from `first` on that run as one, and returns how many they are.
std::size_t Emitter::emit_lane_statements(const Node* first, const Node* end,
                                          const std::function<bool(const std::string&)>& read_later) {
  LaneGroup group;
  group.statements = lane_statements(first, end);
  const std::size_t lanes = group.statements.size();
  if (lanes == 0) return 0;
  const TensorNames& result = *accesses_.at(group.statements[0]->target).tensor;
  group.type = result.decl->type;
  group.vector_type = lanes_type(group.type, lanes);
  std::vector<Expr> values;
  std::vector<std::string> places;
  for (const StatementInfo* s : group.statements) {
    values.push_back(s->statement->value);
    places.push_back(element(s->target));
  }
  const NameTable names = names_;
  const auto value = lane_value(values, group);
  const auto place = on_whole_vectors(places);
  if (!value || !value->vector || !place) {
    names_ = names;
    return 0;
  }
  const Statement& s = *group.statements[0]->statement;
  for (const auto& [name, divisor] : group.divisors) {
    line(fmt::format("const {} {} = {};", c_type(group.type), name, divisor));
    emit_failure(s, name + " == 0", "CYC_DIVIDES_BY_ZERO");
  }
  const std::string indices = identifier(group.statements[0]->target).substr(identifier(s.access().tensor).size());
  const std::string name = names_.fresh(result.together + indices);
  line(fmt::format("const {} {} = {};", group.vector_type, name, value->text));
  if (is_read_elsewhere(group, first + lanes, end)) line(fmt::format("{} = {};", *place, name));
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::string& target = group.statements[lane]->target;
    const TensorNames& t = *accesses_.at(target).tensor;
    const std::string own = name + lane_mark(lane, lanes);
    if (!t.copied_out) line(fmt::format("{}[{}] = {};", t.values, resolved_.at(target).position, own));
    if (read_later(target)) resolved_.at(target).value = own;
  }
  return lanes;
}

} // namespace cyclotron::backend::c
