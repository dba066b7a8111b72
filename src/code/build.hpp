// SPDX-License-Identifier: MIT
// Kernels from C++: short names for nodes, which compute what is known already. `x + 0`, `x * 1` and sums of numbers
// are folded, so that what is printed is what a person would write.
#pragma once

#include "code/ir.hpp"

namespace cyclotron::code::build {

Expr number(std::int64_t value, Scalar scalar = Scalar::i64);
Expr real(double value, Scalar scalar = Scalar::f64);
Expr truth(bool value);
Expr zero(Scalar scalar);
Expr variable(const std::string& name);
Expr lane();

// The whole number that it is, also in all lanes; nothing where that is not known.
std::optional<std::int64_t> known(const Expr& expr);
bool is_true(const Expr& expr); // for certain, also in all lanes

Expr binary(BinaryOp op, const Expr& lhs, const Expr& rhs); // as it stands, nothing folded
Expr add(const Expr& lhs, const Expr& rhs);
Expr sub(const Expr& lhs, const Expr& rhs);
Expr mul(const Expr& lhs, const Expr& rhs);
Expr floor_div(const Expr& lhs, const Expr& rhs);
Expr mod(const Expr& lhs, const Expr& rhs);
Expr min(const Expr& lhs, const Expr& rhs);
Expr max(const Expr& lhs, const Expr& rhs);

Expr less(const Expr& lhs, const Expr& rhs);
Expr less_equal(const Expr& lhs, const Expr& rhs);
Expr equal(const Expr& lhs, const Expr& rhs);
Expr not_equal(const Expr& lhs, const Expr& rhs);
// `true` and `false` are folded; a side that is missing says nothing.
Expr logical_and(const Expr& lhs, const Expr& rhs);
Expr logical_or(const Expr& lhs, const Expr& rhs);
Expr logical_not(const Expr& operand);

Expr unary(UnaryOp op, const Expr& operand);
Expr select(const Expr& condition, const Expr& then_value, const Expr& else_value);
Expr convert(Scalar to, const Expr& operand);
Expr spread(const Expr& operand);
Expr shift(const Expr& operand, std::int64_t distance, const Expr& from = {}); // by 0: the operand
Expr extract(const Expr& operand, const Expr& lane);
Expr any(const Expr& operand);
Expr load(const std::string& memory, const Expr& index, const Expr& mask = {});
Expr load_lanes(const std::string& memory, const Expr& index, std::int64_t stride = 1, const Expr& mask = {});

Statement declare(const std::string& name, Type type, const Expr& value = {});
Statement assign(const std::string& name, const Expr& value);
Statement store(const std::string& memory, const Expr& index, const Expr& value, const Expr& mask = {});
Statement store_lanes(const std::string& memory, const Expr& index, const Expr& value, const Expr& mask = {},
                      std::int64_t stride = 1);
Statement loop(Run run, const std::string& variable, const Expr& first, const Expr& end, Body body);
Statement when(const Expr& condition, Body body);

} // namespace cyclotron::code::build
