// SPDX-License-Identifier: MIT
// What is said where a simulation cannot begin or go on.
#pragma once

#include "backend/array/cell.hpp"
#include "support/diagnostics.hpp"

#include <string>
#include <vector>

namespace cyclotron::array {

void report_registers(const pe::Program& program, const pe::Code& code, const std::string& pe, std::int64_t limit,
                      Diagnostics& diagnostics);
void report_broadcast(const pe::Program& program, const pe::Code& code, const std::string& pe,
                      Diagnostics& diagnostics);
// What a PE could not do where it stands.
void report_fault(const pe::Program& program, const Cell& cell, const std::vector<std::string>& spaces,
                  Diagnostics& diagnostics);
void report_deadlock(const engine::Deadlock& deadlock, Time cycle, Diagnostics& diagnostics);
void report_leftover(const engine::ChannelBase& channel, Diagnostics& diagnostics);

} // namespace cyclotron::array
