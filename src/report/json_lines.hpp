// SPDX-License-Identifier: MIT
// How statistics are laid out as JSON: a key per line, and an entry of a long list per line.
#pragma once

#include "engine/process.hpp"

#include <nlohmann/json_fwd.hpp>

#include <set>
#include <string>

namespace cyclotron::report {

std::string json_lines(const nlohmann::ordered_json& all, const std::set<std::string>& long_lists);

const char* name_of(engine::Activity activity); // computes, waits_to_receive, waits_to_send

} // namespace cyclotron::report
