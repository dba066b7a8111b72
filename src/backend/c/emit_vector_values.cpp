// SPDX-License-Identifier: MIT
// Assignments to results that stand side by side, as one in vectors.
//
//   x(i) = (b(i) - tx(i)) / L(i,i)         Lii = L(i,i), which must not be zero
//   y(i) = (d(i) - ty(i)) / L(i,i)   -->   xy(i) = ({b(i), d(i)} - txy(i)) / Lii
//
// A division takes long, and one of vectors as long as one of numbers. The members fail together or not at all, because
// what they divide by is the same number: so the first of them is the one to report.
#include "backend/c/emitter.hpp"
#include "backend/c/vector_text.hpp"
#include "recurrence/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace cyclotron::backend::c {

using namespace recurrence;

// A value of each member in C; what all of them share is a number, everything else a vector.
struct Emitter::VectorText {
  std::string text;
  bool vector = false;
};

// Statements that run as one: their values, and what they divide by, which must not be zero.
struct Emitter::VectorGroup {
  std::vector<const StatementInfo*> statements;
  ValueType type = ValueType::f64;
  std::string vector_type;
  std::vector<std::pair<std::string, std::string>> divisors; // name, value
};

// The statements that start at `first` and write a member each of one vector; none where they are not that simple.
std::vector<const StatementInfo*> Emitter::vector_statements(const Node* first, const Node* end) const {
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
  const VectorTensors* group = s ? vectors_.of(s->access().tensor) : nullptr;
  if (!group || !group->together || end - first < static_cast<std::ptrdiff_t>(group->members.size())) return {};
  if (parallel_ || in_vectors_ || scope_.empty() || !carried_.empty() || !spread_.empty() || columns_.whole) return {};
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
bool Emitter::is_read_elsewhere(const VectorGroup& group, const Node* behind, const Node* end) {
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
std::string Emitter::vector_divisor(const Expr& expr, const std::string& value, VectorGroup& group) {
  if (const auto n = constant(expr); n && is_safe_divisor(*n)) return value;
  for (const auto& [name, known] : group.divisors)
    if (known == value) return name;
  const Access* a = as<Access>(expr);
  std::string name = names_.fresh(a ? identifier(access_info(*a).key) : "divisor");
  group.divisors.emplace_back(name, value);
  return name;
}

// The elements or sums that stand at one place of the expressions.
std::optional<Emitter::VectorText> Emitter::vector_elements(const std::vector<Expr>& values, const VectorGroup& group) {
  std::vector<std::string> texts;
  for (std::size_t member = 0; member < values.size(); ++member) {
    const Access* a = as<Access>(values[member]);
    // An element that an earlier member writes is not known before all of them are.
    const auto writes = [&](const StatementInfo* s) { return a && s->statement->access().tensor == a->tensor; };
    if (std::any_of(group.statements.begin(), group.statements.end(), writes)) return std::nullopt;
    equation_ = group.statements[member]->statement->equation;
    const Binary* sum = as<Binary>(values[member]);
    texts.push_back(sum ? started_sum(*sum) : type_of(values[member]) == group.type ? raw(values[member]) : "");
    if (texts.back().empty()) return std::nullopt;
  }
  if (std::all_of(texts.begin(), texts.end(), [&](const std::string& t) { return t == texts[0]; }))
    return VectorText{texts[0], false};
  if (const auto whole = on_whole_vectors(texts)) return VectorText{*whole, true};
  return VectorText{fmt::format("({}){{{}}}", group.vector_type, fmt::join(texts, ", ")), true};
}

// Expressions of the same form, an expression for each member; nothing where their forms differ, or vectors have no
// such operation.
std::optional<Emitter::VectorText> Emitter::vector_value(const std::vector<Expr>& values, VectorGroup& group) {
  const auto all = [&](const auto& is) { return std::all_of(values.begin(), values.end(), is); };
  const auto parts = [&](const auto& part) {
    std::vector<Expr> list;
    std::transform(values.begin(), values.end(), std::back_inserter(list), part);
    return vector_value(list, group);
  };
  if (all([&](const Expr& e) { return (as<Number>(e) || as<Name>(e)) && e == values[0]; }))
    return VectorText{expression(values[0], group.type), false};
  if (all([](const Expr& e) { return as<Access>(e) != nullptr; })) return vector_elements(values, group);
  if (!all([&](const Expr& e) { return type_of(e) == group.type; })) return std::nullopt;
  if (all([](const Expr& e) { return as<Unary>(e) && as<Unary>(e)->op == UnaryOp::negate; })) {
    const auto x = parts([](const Expr& e) { return as<Unary>(e)->operand; });
    return x ? std::optional(VectorText{fmt::format("(-{})", x->text), x->vector}) : std::nullopt;
  }
  const Binary* b = as<Binary>(values[0]);
  if (!b || !all([&](const Expr& e) { return as<Binary>(e) && as<Binary>(e)->op == b->op; })) return std::nullopt;
  if (auto sums = vector_elements(values, group)) return sums;
  const bool divides = b->op == BinaryOp::div;
  if (!divides && b->op != BinaryOp::add && b->op != BinaryOp::sub && b->op != BinaryOp::mul) return std::nullopt;
  const auto x = parts([](const Expr& e) { return as<Binary>(e)->lhs; });
  auto y = parts([](const Expr& e) { return as<Binary>(e)->rhs; });
  if (!x || !y || (divides && y->vector)) return std::nullopt;
  if (divides) y->text = vector_divisor(b->rhs, y->text, group);
  return VectorText{fmt::format("({} {} {})", x->text, name_of(b->op), y->text), x->vector || y->vector};
}

// Writes the statements from `first` on that run as one, and returns how many they are.
std::size_t Emitter::emit_vector_statements(const Node* first, const Node* end,
                                            const std::function<bool(const std::string&)>& read_later) {
  VectorGroup group;
  group.statements = vector_statements(first, end);
  const std::size_t width = group.statements.size();
  if (width == 0) return 0;
  const TensorNames& result = *accesses_.at(group.statements[0]->target).tensor;
  group.type = result.decl->type;
  group.vector_type = vector_type(group.type, width);
  std::vector<Expr> values;
  std::vector<std::string> places;
  for (const StatementInfo* s : group.statements) {
    values.push_back(s->statement->value);
    places.push_back(element(s->target));
  }
  const NameTable names = names_;
  const auto value = vector_value(values, group);
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
  if (is_read_elsewhere(group, first + width, end)) line(fmt::format("{} = {};", *place, name));
  for (std::size_t member = 0; member < width; ++member) {
    const std::string& target = group.statements[member]->target;
    const TensorNames& t = *accesses_.at(target).tensor;
    const std::string own = name + member_mark(member, width);
    if (!t.copied_out) line(fmt::format("{}[{}] = {};", t.values, resolved_.at(target).position, own));
    if (read_later(target)) resolved_.at(target).value = own;
  }
  return width;
}

} // namespace cyclotron::backend::c
