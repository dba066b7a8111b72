// SPDX-License-Identifier: MIT
#include "pe/report_fault.hpp"

#include "tensor/capacity.hpp"

#include <fmt/format.h>

namespace cyclotron::pe {

namespace {

std::string list(const std::vector<Linear>& indices, const std::int64_t* frame) {
  std::string text;
  for (const Linear& l : indices) text += fmt::format("{}{}", text.empty() ? "" : ", ", l.evaluate(frame));
  return text;
}

void report_outside_tensor(const Program& program, const Position& at, const std::string& name,
                           Diagnostics& diagnostics) {
  const MemoryAccess& access = at.code->accesses[static_cast<std::size_t>(at.at->a)];
  const Memory& m = program.tensors[static_cast<std::size_t>(access.tensor)];
  const bool loads = at.at->op == Opcode::load || at.at->op == Opcode::load_tile;
  diagnostics.error(fmt::format("{} {} `{}({})`, but `{}` is {}", name, loads ? "loads" : "stores", m.name,
                                list(access.indices, at.frame), m.name, tensor::describe(m.dims, m.type)));
}

} // namespace

void report_fault(const Program& program, const Position& at, const std::string& name,
                  const std::vector<std::string>& spaces, Diagnostics& diagnostics) {
  const auto number = static_cast<std::size_t>(at.at - at.code->instructions.data());
  const Span span = at.code->spans[number];
  const std::string element = element_at(at, spaces);
  switch (at.fault) {
  case Fault::none: bug("a PE that can go on is said to have failed");
  case Fault::arithmetic: recurrence::report_failure(at.failure, span, element, diagnostics); break;
  case Fault::overflow:
    diagnostics.error(span, fmt::format("an integer overflows while computing `{}`", element))
        .with_hint("declare the tensors as i64 or f64");
    break;
  case Fault::outside_tensor: report_outside_tensor(program, at, name, diagnostics); break;
  case Fault::outside_table: {
    const Place& place = at.code->places[static_cast<std::size_t>(at.at->b)];
    diagnostics.error(span, fmt::format("{} uses a place of the table `{}` that it does not have", name,
                                        program.registers[static_cast<std::size_t>(place.reg)].name));
    break;
  }
  case Fault::unlike_tiles:
    diagnostics.error(span, fmt::format("computing `{}` combines tiles of different shapes", element));
    break;
  }
}

} // namespace cyclotron::pe
