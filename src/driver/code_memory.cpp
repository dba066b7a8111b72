// SPDX-License-Identifier: MIT
#include "driver/code_memory.hpp"

#include "backend/c/cache.hpp"
#include "backend/c/private_files.hpp"
#include "support/build_id.hpp"
#include "support/sha256.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <isl/version.h>

namespace cyclotron::driver {

namespace {

std::string key_of(const lanes::Program& program, const lower::Arithmetic& arithmetic, lower::CodeFor code_for) {
  std::string text;
  for (const std::string& part :
       {build_id(), std::string(isl_version()), program.name, lanes::print(program),
        fmt::format("{:d} {:d} {}", arithmetic.checked, arithmetic.narrow, static_cast<int>(code_for))})
    text += fmt::format("{}:{},", part.size(), part);
  return sha256(text);
}

} // namespace

CodeMemory::CodeMemory(const lanes::Program& program, const lower::Arithmetic& arithmetic, lower::CodeFor code_for,
                       const backend::c::BuildOptions& build)
    : limits_(build.limits) {
  if (build_id().empty() || !build.use_cache) return;
  folder_ = backend::c::lasting_folder(build);
  key_ = key_of(program, arithmetic, code_for);
}

std::optional<lower::LanesCode> CodeMemory::recall() const {
  const auto text = folder_.empty() ? std::nullopt : backend::c::read_memory(folder_, key_);
  return text ? lanes_code_from(*text) : std::nullopt;
}

void CodeMemory::remember(const lower::LanesCode& code) const {
  if (folder_.empty() || !backend::c::prepare_private_folder(folder_).empty()) return;
  backend::c::write_memory(folder_, limits_, key_, text_of(code));
}

std::string text_of(const lower::LanesCode& code) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const code::Kernel& kernel : code.kernels) kernels.push_back(code::print(kernel));
  return nlohmann::json{
      {"kernels", kernels}, {"memories", code.memories}, {"sizes", code.sizes}, {"narrow", code.narrow}}
      .dump();
}

std::optional<lower::LanesCode> lanes_code_from(const std::string& text) {
  const nlohmann::json parts = nlohmann::json::parse(text, nullptr, false);
  if (parts.is_discarded()) return std::nullopt;
  lower::LanesCode code;
  try {
    code.memories = parts.at("memories");
    code.sizes = parts.at("sizes");
    code.narrow = parts.at("narrow");
    Sources sources;
    Diagnostics diagnostics(sources);
    for (const std::string kernel : parts.at("kernels")) {
      auto parsed = code::parse(sources.add("kept", kernel), diagnostics);
      if (!parsed) return std::nullopt;
      code.kernels.push_back(std::move(*parsed));
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return code;
}

} // namespace cyclotron::driver
