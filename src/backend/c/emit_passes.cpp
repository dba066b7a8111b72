// SPDX-License-Identifier: MIT
// Loops in passes.
//
// In `x(j) = max(x(j-1) + a, b(j) + c(j), …)` every iteration waits for the one before. The other operands do not,
// but in one loop they go at the same pace, one element at a time. So a block of iterations goes in three passes.
// The first computes what does not need x(j-1), many elements at a time. The second computes what does, one element
// after the other. The third checks that the numbers stayed in their range.
//
// This is for whole numbers. With floating-point numbers an iteration waits so long for the one before that the
// processor does the rest meanwhile.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

constexpr int block = 256;      // stays in the nearest cache
constexpr int worth_a_pass = 3; // operations, for a store and a load

int operations_in(const Expr& expr) {
  int count = 0;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Call* c = as<Call>(e)) count += std::max(1, static_cast<int>(c->arguments.size()) - 1);
    else count += as<Binary>(e) || as<Unary>(e) || as<Select>(e);
  });
  return count;
}

} // namespace

// Whether an access has the same value before the loop as in the iteration that reads it.
bool Emitter::is_there_before(const Access& access, const Loop& loop, const AccessInfo& written) {
  if (!program_.tensor(access.tensor)) return false;
  const AccessInfo& read = access_info(access);
  if (read.tensor->sparse() || !resolved_.at(read.key).present.empty()) return false;
  if (read.tensor != written.tensor || read.step != written.step) return true;
  // Of the tensor that the loop writes: along another row.
  for (std::size_t l = 0; l < written.coordinates.size(); ++l) {
    const Affine apart = read.coordinates[l] - written.coordinates[l];
    if (written.coordinates[l].coefficient(loop.variable) == 0 && apart.is_constant() && apart.constant != 0)
      return true;
  }
  return false;
}

// The arguments of a loop's `min` or `max` that need not wait for the iteration before, and those that do; nothing
// where passes are not possible or not worth it.
std::optional<Emitter::Passes> Emitter::passes_of(const Loop& loop) {
  if (in_vectors_ || loop.unroll != 0 || loop.body.size() != 1 || is_single(loop)) return {};
  if (columns_.loop == &loop || rest_.loop == &loop) return {};
  const Statement* s = std::get_if<Statement>(&loop.body[0].kind);
  const Call* call = s && !s->reducer ? as<Call>(s->value) : nullptr;
  if (!call || (call->function != Function::min && call->function != Function::max)) return {};
  const StatementInfo& info = statements_.at(s);
  const ValueType type = type_of(s->value);
  if (!carried_.count(info.target) || tensor::is_float(type) || type == ValueType::boolean) return {};
  if (program_.tensor(s->access().tensor)->type != type || !is_safe(*s)) return {};
  Passes passes{&info, {}, {}};
  int operations = -1; // one fewer than arguments joins them
  for (const Expr& e : call->arguments) {
    bool before = true;
    ir::walk<ExprNode>(e, [&](const Expr& part) {
      if (const Access* a = as<Access>(part)) before &= is_there_before(*a, loop, accesses_.at(info.target));
    });
    (before ? passes.first : passes.then).push_back(e);
    if (before) operations += operations_in(e) + 1;
  }
  if (operations < worth_a_pass || passes.then.empty()) return {};
  return passes;
}

void Emitter::emit_passes(const Loop& loop, const Passes& passes, const std::vector<std::string>& keys,
                          const std::vector<std::string>& wanted) {
  const StatementInfo& info = *passes.info;
  const Statement& s = *info.statement;
  const ValueType type = type_of(s.value);
  equation_ = s.equation;
  const std::string& v = c_names_.at(loop.variable);
  const std::string begin = names_.fresh(v + "_block"), end = names_.fresh(v + "_end"),
                    rest = names_.fresh(accesses_.at(info.target).tensor->name + "_rest");
  const auto best = [&](const std::vector<Expr>& arguments, std::vector<std::string> found) {
    for (const Expr& e : arguments) found.push_back(expression(e, type));
    return extreme(as<Call>(s.value)->function, type, found);
  };
  const std::map<std::string, Resolved> before = resolved_;
  const auto pass = [&](const auto& emit) {
    open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", v, begin, end));
    scope_.push_back(&loop);
    resolved_ = before;
    advance(keys, wanted);
    emit();
    scope_.pop_back();
    close();
  };
  open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += {3})", begin, lower_text(loop), end_text(loop), block));
  line(fmt::format("const int64_t {0} = {1} + {2} < {3} ? {1} + {2} : {3};", end, begin, block, end_text(loop)));
  line(fmt::format("{} {}[{}]; // what does not wait for the element before", c_type(type), rest, block));
  const std::string here = fmt::format("{}[{} - {}]", rest, v, begin);
  safe_now_ = true;
  safe_.insert(&s);
  pass([&] { line(fmt::format("{} = {};", here, best(passes.first, {}))); });
  pass([&] {
    const std::string& kept = carried_.at(info.target);
    line(fmt::format("{} = {};", kept, best(passes.then, {here})));
    line(fmt::format("{} = {};", element(info.target), kept));
  });
  pass([&] { note_size(element(info.target), type); });
  safe_now_ = false;
  close();
}

} // namespace cyclotron::backend::c
