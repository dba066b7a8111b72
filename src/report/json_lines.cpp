// SPDX-License-Identifier: MIT
#include "report/json_lines.hpp"

#include <nlohmann/json.hpp>

namespace cyclotron::report {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace

std::string json_lines(const Json& all, const std::set<std::string>& long_lists) {
  std::string out;
  for (const auto& [key, value] : all.items()) {
    out += (out.empty() ? "{\n  \"" : ",\n  \"") + key + "\": ";
    if (!long_lists.contains(key)) {
      out += line_of(value);
      continue;
    }
    std::string entries;
    for (const Json& entry : value) entries += (entries.empty() ? "\n    " : ",\n    ") + line_of(entry);
    out += entries.empty() ? "[]" : "[" + entries + "\n  ]";
  }
  return out + "\n}\n";
}

const char* name_of(engine::Activity activity) {
  switch (activity) {
  case engine::Activity::computes: return "computes";
  case engine::Activity::waits_to_receive: return "waits_to_receive";
  case engine::Activity::waits_to_send: return "waits_to_send";
  }
  return "";
}

} // namespace cyclotron::report
