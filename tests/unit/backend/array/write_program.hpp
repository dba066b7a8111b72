// SPDX-License-Identifier: MIT
// Programs of PEs written down in C++, shortly: `step("C", {{"i", "i"}}, {receive("A", 0), …})`.
#pragma once

#include "pe/ir.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cyclotron::pe::write {

inline Index whole(std::int64_t value) { return Whole{value}; }
inline Index var(const std::string& name) { return Variable{name}; }
inline Index operate(IndexOp op, Index a, Index b) { return Operation{op, std::move(a), std::move(b)}; }
inline Index plus(Index a, Index b) { return operate(IndexOp::add, std::move(a), std::move(b)); }
inline Index times(std::int64_t a, Index b) { return operate(IndexOp::mul, whole(a), std::move(b)); }
inline Index mod(Index a, std::int64_t b) { return operate(IndexOp::mod, std::move(a), whole(b)); }

inline Affine at(const std::string& name, std::int64_t constant = 0) { return {{{name, 1}}, constant}; }
inline Affine at(std::int64_t constant) { return {{}, constant}; }

inline Expr get(const std::string& reg, std::vector<Expr> indices = {}) {
  return recurrence::Access{reg, std::nullopt, std::move(indices)};
}
inline Expr number(std::int64_t value) { return recurrence::Number{static_cast<double>(value), value}; }
inline Expr real(double value) { return recurrence::Number{value, std::nullopt}; }
inline Expr coordinate(const std::string& name) { return recurrence::Name{name, recurrence::NameKind::index}; }
inline Expr binary(recurrence::BinaryOp op, Expr a, Expr b) {
  return recurrence::Binary{op, std::move(a), std::move(b)};
}
inline Expr add(Expr a, Expr b) { return binary(recurrence::BinaryOp::add, std::move(a), std::move(b)); }
inline Expr sub(Expr a, Expr b) { return binary(recurrence::BinaryOp::sub, std::move(a), std::move(b)); }
inline Expr mul(Expr a, Expr b) { return binary(recurrence::BinaryOp::mul, std::move(a), std::move(b)); }
inline Expr div(Expr a, Expr b) { return binary(recurrence::BinaryOp::div, std::move(a), std::move(b)); }
inline Expr call(recurrence::Function f, std::vector<Expr> arguments) {
  return recurrence::Call{f, std::move(arguments)};
}
inline Expr kernel(const std::string& name, std::vector<Expr> arguments) {
  return recurrence::KernelCall{name, std::move(arguments)};
}

inline Action load(const std::string& reg, const std::string& tensor, std::vector<Affine> indices,
                   Supply supply = Supply::boundary) {
  return Load{{reg, {}}, tensor, std::move(indices), supply};
}
inline Action receive(const std::string& reg, int channel) { return Receive{{reg, {}}, channel}; }
inline Action send(const std::string& reg, int channel) { return Send{{reg, {}}, channel}; }
inline Action compute(const std::string& reg, Expr value) { return Compute{{reg, {}}, std::move(value)}; }
inline Action store(const std::string& tensor, std::vector<Affine> indices, const std::string& reg) {
  return Store{tensor, std::move(indices), {reg, {}}};
}

using Coordinates = std::vector<std::pair<std::string, Index>>;
inline Statement step(const std::string& space, Coordinates coordinates, std::vector<Action> actions) {
  return {Step{space, std::move(coordinates), std::move(actions)}};
}
inline Statement loop(const std::string& variable, Index first, Index last, std::vector<Statement> body) {
  return {Loop{variable, std::move(first), std::move(last), 1, std::move(body)}};
}
inline Statement when(std::vector<Tests> any, std::vector<Statement> body) {
  return {If{std::move(any), std::move(body)}};
}
inline Statement pass(std::vector<Index> round, std::int64_t cycles) { return {Pass{std::move(round), cycles}}; }

inline Test test(Index a, recurrence::Relation relation, Index b) { return {std::move(a), relation, std::move(b)}; }
inline Test equal(Index a, Index b) { return test(std::move(a), recurrence::Relation::equal, std::move(b)); }
inline Test below(Index a, Index b) { return test(std::move(a), recurrence::Relation::less, std::move(b)); }

inline Memory memory(const std::string& name, std::vector<std::int64_t> dims, bool is_output = false,
                     ValueType type = ValueType::f64) {
  const std::size_t rank = dims.size();
  return {name, type, std::move(dims), std::vector<std::int64_t>(rank, 0), is_output};
}
inline Memory tiled(const std::string& name, std::vector<std::int64_t> dims, std::vector<std::int64_t> block,
                    bool is_output = false) {
  return {name, ValueType::f64, std::move(dims), std::move(block), is_output};
}

} // namespace cyclotron::pe::write
