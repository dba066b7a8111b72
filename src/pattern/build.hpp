// SPDX-License-Identifier: MIT
// Short ways to write parts of pattern programs. What is known is folded: `0 + i` is `i`.
#pragma once

#include "pattern/ir.hpp"

namespace cyclotron::pattern::build {

Expr number(std::int64_t value);
Expr zero(ValueType type);
Expr constant(ValueType type, double real, std::int64_t whole);
Expr variable(std::string name);
Expr read(std::string memory, Expr index);
Expr dequeue(std::string fifo);

std::optional<std::int64_t> known(const Expr& expr); // a whole number
Expr add(Expr a, Expr b);
Expr sub(Expr a, Expr b);
Expr mul(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr both(Expr a, Expr b); // either may be missing: true
Expr compare(recurrence::BinaryOp op, Expr a, Expr b);
Expr choose(Expr condition, Expr a, Expr b); // a, where the condition is missing
Expr convert(Expr expr, ValueType from, ValueType to);

Statement declare(MemoryKind kind, std::string name, ValueType type, Expr extent, Expr initial = {});
Statement let(std::string name, ValueType type, Expr value);
Statement load(std::string to, std::string from, Expr first, Expr end, Expr par = {});
Statement store(std::string from, std::string to, Expr first, Expr end, Expr par = {});
Statement write(std::string memory, Expr index, Expr value, std::optional<Reducer> reducer = {});
Statement enqueue(std::string fifo, Expr value);
Statement when(Expr condition, Body body);
Statement foreach (std::string index, Expr first, Expr end, Body body, Expr par = {});

} // namespace cyclotron::pattern::build
