// SPDX-License-Identifier: MIT
// The naive evaluator's tables: which equation, at which indices, defines each element, and what is known so far.
#pragma once

#include "naive_evaluator.hpp"
#include "naive_types.hpp"
#include "recurrence/kernels.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cyclotron::fuzz {

struct NaiveFailure {
  std::string why;
};

class NaiveProgram {
public:
  using Point = std::vector<std::int64_t>; // an element: its step, where there is one, then its indices

  NaiveProgram(const recurrence::Program& program, const std::map<std::string, std::int64_t>& sizes,
               const std::map<std::string, tensor::Tensor>& inputs);

  NaiveTensor output(const recurrence::TensorDecl& decl);

private:
  using Environment = std::map<std::string, std::int64_t>; // index variables
  enum class State { waiting, open, done };
  struct Instance {
    const recurrence::Equation* equation;
    Environment indices;
    State state = State::waiting;
  };

  // Definitions.
  void define(const recurrence::Equation& equation);
  void define_point(const recurrence::Equation& equation);
  std::pair<std::int64_t, std::int64_t> range_on_left(const std::string& name,
                                                      const recurrence::Equation& equation) const;
  std::pair<std::int64_t, std::int64_t> range_by_uses(const std::string& name, const recurrence::Expr& body) const;
  void enumerate(const std::vector<std::string>& names,
                 const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges,
                 const std::vector<const recurrence::Constraint*>& constraints, const std::function<void()>& visit,
                 std::size_t depth = 0);
  void compute(Instance& instance);

  // Index expressions and constraints.
  std::int64_t integer(const recurrence::Expr& expr) const;
  bool holds(const recurrence::Constraint& constraint) const;
  const std::set<std::string>& indices_in(const recurrence::Constraint& constraint);
  Point extents(const recurrence::TensorDecl& decl) const;

  // Values.
  NaiveValue value(const recurrence::Expr& expr); // in its own type
  NaiveValue value_as(const recurrence::Expr& expr, tensor::ValueType type);
  NaiveValue converted(NaiveValue value, tensor::ValueType from, tensor::ValueType to) const;
  NaiveValue stored(double real, std::int64_t whole, tensor::ValueType type) const;
  NaiveValue element(const std::string& tensor, const Point& point);
  NaiveValue access(const recurrence::Access& access);
  Point point_of(const recurrence::Access& access) const;
  NaiveValue name(const recurrence::Name& name);
  NaiveValue unary(const recurrence::Unary& unary, const recurrence::Expr& expr);
  NaiveValue binary(const recurrence::Binary& binary, const recurrence::Expr& expr);
  NaiveValue arithmetic(recurrence::BinaryOp op, NaiveValue a, NaiveValue b, tensor::ValueType type) const;
  bool compare(recurrence::BinaryOp op, const recurrence::Expr& lhs, const recurrence::Expr& rhs);
  NaiveValue call(const recurrence::Call& call, const recurrence::Expr& expr);
  NaiveValue reduce(const recurrence::Reduce& reduce, const recurrence::Expr& expr);
  void each_point(const recurrence::Reduce& reduce, const std::function<void()>& visit);
  recurrence::Tile tile(const recurrence::Expr& expr);
  recurrence::Tile tile_binary(const recurrence::Binary& binary);
  recurrence::Tile zero_tile(const recurrence::Expr& expr) const;
  double number(const recurrence::Expr& expr);

  const recurrence::Program& program_;
  const std::map<std::string, std::int64_t>& sizes_;
  const std::map<std::string, tensor::Tensor>& inputs_;
  NaiveTypes types_;
  std::int64_t box_ = 8; // no index is further from zero than this
  Environment indices_;
  const recurrence::Equation* equation_ = nullptr; // the one being evaluated: its constraints restrict reductions
  std::vector<Instance> instances_;
  std::map<std::string, std::map<Point, std::size_t>> owner_; // by tensor: which instance defines an element
  std::map<std::string, std::map<Point, NaiveValue>> values_;
  std::map<std::string, std::int64_t> last_step_;
  std::map<const recurrence::Constraint*, std::set<std::string>> used_in_;
};

} // namespace cyclotron::fuzz
