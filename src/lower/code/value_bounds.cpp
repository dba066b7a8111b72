// SPDX-License-Identifier: MIT
#include "lower/code/value_bounds.hpp"

#include "lanes/copies.hpp"
#include "recurrence/code.hpp"
#include "recurrence/types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

// At most `factor` times the largest value so far and `added` more, or at most `alone`, whichever is larger. Infinite
// where that is not known.
struct Growth {
  double factor = 0, added = 0, alone = 0;
};

constexpr double unknown = std::numeric_limits<double>::infinity();

class ValueBounds {
public:
  ValueBounds(const lanes::Program& program, const std::map<std::string, std::int64_t>& sizes,
              const std::map<std::string, double>& inputs)
      : program_(program), flow_(program.flow), sizes_(sizes), inputs_(inputs) {}

  std::optional<double> run() {
    find_indices();
    Growth nodes;
    double alone = 0;
    std::vector<double> added(flow_.values.size(), 0); // by value, in one step
    for (const dataflow::Rule& r : flow_.rules) {
      nodes_ = {};
      const Growth grown = growth(r.expr);
      if (grown.factor > 1) return std::nullopt;
      alone = std::max(alone, grown.alone);
      double& own = added[lanes::number_of_value(flow_, r.space, r.value)];
      own = std::max(own, grown.added);
      nodes = larger(nodes, nodes_);
    }
    // At one step a chain of dependences passes each value once at most.
    const double largest = alone + steps_ * std::accumulate(added.begin(), added.end(), 0.0);
    const double bound = std::max(nodes.factor * largest + nodes.added, nodes.alone);
    return std::isfinite(bound) ? std::optional(bound) : std::nullopt;
  }

private:
  // The ranges of all coordinates, and the number of steps that a worker does.
  void find_indices() {
    std::vector<std::pair<double, double>> times(program_.time.size(), {unknown, -unknown});
    for (const dataflow::Space& s : flow_.spaces) {
      isl_ctx_reset_operations(flow_.context->get().get());
      const auto box = box_of(s.domain, *flow_.source, sizes_);
      if (!box) continue;
      std::map<std::string, std::pair<double, double>> ranges;
      for (std::size_t c = 0; c < s.coordinates.size(); ++c) {
        const auto [first, last] = (*box)[c];
        ranges[s.coordinates[c]] = {static_cast<double>(first), static_cast<double>(last)};
        largest_index_ =
            std::max({largest_index_, std::abs(static_cast<double>(first)), std::abs(static_cast<double>(last))});
      }
      for (std::size_t t = 0; t < s.time.size(); ++t) {
        const auto [least, most] = range(s.time[t], ranges);
        times[t] = {std::min(times[t].first, least), std::max(times[t].second, most)};
      }
    }
    for (const auto& [name, size] : sizes_) largest_index_ = std::max(largest_index_, static_cast<double>(size));
    for (std::size_t t = 0; t < times.size(); ++t)
      if (!program_.time[t].worker) steps_ *= std::max(1.0, times[t].second - times[t].first + 1);
  }

  std::pair<double, double> range(const Affine& formula,
                                  const std::map<std::string, std::pair<double, double>>& ranges) const {
    double least = static_cast<double>(formula.constant), most = least;
    for (const auto& [name, c] : formula.terms) {
      const auto factor = static_cast<double>(c);
      const auto coordinate = ranges.find(name);
      const double size = coordinate == ranges.end() ? static_cast<double>(sizes_.at(name)) : 0;
      const auto [first, last] = coordinate == ranges.end() ? std::pair(size, size) : coordinate->second;
      least += std::min(factor * first, factor * last);
      most += std::max(factor * first, factor * last);
    }
    return {least, most};
  }

  Growth growth(const Expr& expr) {
    const Growth result = match(
        expr,
        [&](const Number& n) {
          return Growth{0, 0, std::abs(n.value)};
        },
        [&](const Boolean&) {
          return Growth{0, 0, 1};
        },
        [&](const Name& n) { return of_name(n); }, [&](const Access& a) { return of_access(a); },
        [&](const Unary& u) { return growth(u.operand); }, [&](const Binary& b) { return of_binary(b); },
        [&](const Call& c) { return of_call(c); },
        [&](const Select& s) {
          growth(s.condition);
          return larger(growth(s.then_value), growth(s.else_value));
        },
        [&](const Reduce&) {
          return Growth{unknown, unknown, unknown};
        },
        [&](const KernelCall&) {
          return Growth{unknown, unknown, unknown};
        });
    nodes_ = larger(nodes_, result);
    return result;
  }

  static Growth larger(const Growth& a, const Growth& b) {
    return {std::max(a.factor, b.factor), std::max(a.added, b.added), std::max(a.alone, b.alone)};
  }

  Growth of_name(const Name& n) {
    const LetDecl* let = n.kind == NameKind::constant ? flow_.source->let(n.id) : nullptr;
    return let ? growth(let->value) : Growth{0, 0, largest_index_};
  }

  Growth of_access(const Access& a) const {
    if (dataflow::reference_of(a, flow_)) return {1, 0, 0};
    const auto input = inputs_.find(a.tensor);
    return {0, 0, input == inputs_.end() ? unknown : input->second};
  }

  Growth of_binary(const Binary& b) {
    const Growth x = growth(b.lhs), y = growth(b.rhs);
    if (is_comparison(b.op) || is_logical(b.op)) return {0, 0, 1};
    switch (b.op) {
    case BinaryOp::add:
    case BinaryOp::sub: return sum(x, y);
    case BinaryOp::mul:
      if (x.factor > 0 && y.factor > 0) return {unknown, unknown, unknown};
      if (y.factor > 0) return {y.factor * x.alone, y.added * x.alone, y.alone * x.alone};
      return {x.factor * y.alone, x.added * y.alone, x.alone * y.alone};
    default: return {unknown, unknown, unknown}; // of real numbers
    }
  }

  static Growth sum(const Growth& x, const Growth& y) {
    Growth result{x.factor + y.factor, 0, x.alone + y.alone};
    if (x.factor > 0) result.added = std::max(result.added, x.added + y.alone);
    if (y.factor > 0) result.added = std::max(result.added, y.added + x.alone);
    if (x.factor > 0 && y.factor > 0) result.added = std::max(result.added, x.added + y.added);
    return result;
  }

  Growth of_call(const Call& c) {
    Growth result;
    for (const Expr& e : c.arguments) result = larger(result, growth(e));
    const bool keeps = c.function == Function::min || c.function == Function::max || c.function == Function::abs;
    return keeps ? result : Growth{unknown, unknown, unknown};
  }

  const lanes::Program& program_;
  const dataflow::Program& flow_;
  const std::map<std::string, std::int64_t>& sizes_;
  const std::map<std::string, double>& inputs_;
  double largest_index_ = 0, steps_ = 1;
  Growth nodes_; // of what a rule computes on the way
};

bool has(const lanes::Program& program, tensor::ValueType type) {
  return std::any_of(program.flow.values.begin(), program.flow.values.end(),
                     [&](const dataflow::Value& v) { return v.type == type; });
}

} // namespace

std::optional<double> largest_whole_number(const lanes::Program& program,
                                           const std::map<std::string, std::int64_t>& sizes,
                                           const std::map<std::string, double>& inputs) {
  return ValueBounds(program, sizes, inputs).run();
}

Arithmetic arithmetic_for(const lanes::Program& program, const std::optional<double>& largest) {
  using tensor::ValueType;
  if (!largest) return {};
  const bool reals = has(program, ValueType::f64) || has(program, ValueType::f32);
  if (!reals && !has(program, ValueType::i64) && *largest < std::numeric_limits<std::int16_t>::max())
    return {false, true};
  return {*largest >= std::numeric_limits<std::int32_t>::max(), false};
}

} // namespace cyclotron::lower
