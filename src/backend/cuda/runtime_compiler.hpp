// SPDX-License-Identifier: MIT
// NVRTC, which compiles CUDA text in this process; loaded when it is first wanted, like the driver.
#pragma once

#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::backend::cuda {

class RuntimeCompiler {
public:
  // `library`: its file; "": $CYCLOTRON_LIBNVRTC, or the newest that the system finds. Null where an error was
  // reported.
  static const RuntimeCompiler* load(const std::string& library, Diagnostics& diagnostics);

  int version() const { return version_; } // 13000 is 13.0

  // How to compile for a device: `sm_90` where the compiler knows it; for one that is newer than the compiler the
  // newest that it knows, as text that the driver translates, `compute_90`. Nothing, and an error, for older ones.
  std::optional<std::string> architecture_for(int capability, const std::string& device,
                                              Diagnostics& diagnostics) const;

  // What the driver can load. Nothing where an error was reported.
  std::optional<std::string> compile(const std::string& text, const std::string& name, const std::string& architecture,
                                     Diagnostics& diagnostics) const;

  // What of the call decides the result beside the text.
  static std::vector<std::string> flags(const std::string& architecture);

private:
  using NvrtcResult = int;
  using NvrtcProgram = void*;

  bool find_all(void* library, std::string& missing);
  std::string log_of(NvrtcProgram program) const;
  std::optional<std::string> image_of(NvrtcProgram program, bool binary) const;

  const char* (*error_string_)(NvrtcResult result) = nullptr;
  NvrtcResult (*version_of_)(int* major, int* minor) = nullptr;
  NvrtcResult (*architecture_count_)(int* count) = nullptr;
  NvrtcResult (*architectures_)(int* list) = nullptr;
  NvrtcResult (*create_)(NvrtcProgram* program, const char* text, const char* name, int header_count,
                         const char* const* headers, const char* const* header_names) = nullptr;
  NvrtcResult (*destroy_)(NvrtcProgram* program) = nullptr;
  NvrtcResult (*compile_)(NvrtcProgram program, int option_count, const char* const* options) = nullptr;
  NvrtcResult (*log_size_)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  NvrtcResult (*log_)(NvrtcProgram program, char* log) = nullptr;
  NvrtcResult (*binary_size_)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  NvrtcResult (*binary_)(NvrtcProgram program, char* binary) = nullptr;
  NvrtcResult (*ptx_size_)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  NvrtcResult (*ptx_)(NvrtcProgram program, char* ptx) = nullptr;
  int version_ = 0;
  std::vector<int> known_; // capabilities, 90 for 9.0, rising
};

} // namespace cyclotron::backend::cuda
