// SPDX-License-Identifier: MIT
#include "backend/cuda/runtime_compiler.hpp"

#include "backend/cuda/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include <dlfcn.h>

namespace cyclotron::backend::cuda {

namespace {

// Where the system looks, and where NVIDIA's own packages put it.
std::vector<std::string> candidates(const std::string& wanted) {
  const char* variable = std::getenv("CYCLOTRON_LIBNVRTC");
  if (!wanted.empty()) return {wanted};
  if (variable && *variable) return {variable};
  std::vector<std::string> list;
  for (const char* folder : {"", "/usr/local/cuda/lib64/"})
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"})
      list.push_back(std::string(folder) + name);
  return list;
}

} // namespace

bool RuntimeCompiler::find_all(void* library, std::string& missing) {
  const auto get = [&](const char* name, auto*& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (!function) missing = name;
    return function != nullptr;
  };
  return get("nvrtcGetErrorString", error_string_) && get("nvrtcVersion", version_of_) &&
         get("nvrtcGetNumSupportedArchs", architecture_count_) && get("nvrtcGetSupportedArchs", architectures_) &&
         get("nvrtcCreateProgram", create_) && get("nvrtcDestroyProgram", destroy_) &&
         get("nvrtcCompileProgram", compile_) && get("nvrtcGetProgramLogSize", log_size_) &&
         get("nvrtcGetProgramLog", log_) && get("nvrtcGetCUBINSize", binary_size_) && get("nvrtcGetCUBIN", binary_) &&
         get("nvrtcGetPTXSize", ptx_size_) && get("nvrtcGetPTX", ptx_);
}

const RuntimeCompiler* RuntimeCompiler::load(const std::string& wanted, Diagnostics& diagnostics) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<RuntimeCompiler>> compilers; // by file
  const std::lock_guard lock(mutex);
  std::string problem, first_problem;
  for (const std::string& file : candidates(wanted)) {
    if (const auto known = compilers.find(file); known != compilers.end()) return known->second.get();
    void* library = load_library(file, problem);
    if (first_problem.empty()) first_problem = problem;
    if (!library) continue;
    auto compiler = std::make_unique<RuntimeCompiler>();
    int major = 0, minor = 0, count = 0;
    if (!compiler->find_all(library, problem)) {
      diagnostics.error(fmt::format("the CUDA runtime compiler `{}` is too old: it has no `{}`", file, problem))
          .with_hint("install NVRTC 11.2 or newer");
      return nullptr;
    }
    if (compiler->version_of_(&major, &minor) == 0) compiler->version_ = 1000 * major + 10 * minor;
    if (compiler->architecture_count_(&count) == 0 && count > 0) {
      compiler->known_.resize(static_cast<std::size_t>(count));
      if (compiler->architectures_(compiler->known_.data()) != 0) compiler->known_.clear();
    }
    std::sort(compiler->known_.begin(), compiler->known_.end());
    return (compilers[file] = std::move(compiler)).get();
  }
  diagnostics.error("there is no CUDA runtime compiler on this machine: libnvrtc was not found")
      .note(first_problem)
      .with_hint(std::string("it is part of NVIDIA's CUDA toolkit, and of Debian's package `libnvrtc12` or "
                             "`libnvrtc11.2`; CYCLOTRON_LIBNVRTC may name its file; ") +
                 without_gpu_hint);
  return nullptr;
}

std::optional<std::string> RuntimeCompiler::architecture_for(int capability, const std::string& device,
                                                             Diagnostics& diagnostics) const {
  const auto above = std::upper_bound(known_.begin(), known_.end(), capability);
  if (above == known_.begin()) {
    diagnostics
        .error(fmt::format("NVRTC {} compiles for capability {}.{} and newer, and the GPU `{}` has {}.{}",
                           version_text(version_), known_.empty() ? 0 : known_[0] / 10,
                           known_.empty() ? 0 : known_[0] % 10, device, capability / 10, capability % 10))
        .with_hint("CYCLOTRON_LIBNVRTC may name an older NVRTC");
    return std::nullopt;
  }
  const int chosen = above[-1];
  return fmt::format("{}_{}", chosen == capability ? "sm" : "compute", chosen);
}

// A product and a sum may become one operation that is rounded once, as in the C backend; all else is IEEE arithmetic.
std::vector<std::string> RuntimeCompiler::flags(const std::string& architecture) {
  return {"--gpu-architecture=" + architecture,
          "--std=c++14",
          "--fmad=true",
          "--ftz=false",
          "--prec-div=true",
          "--prec-sqrt=true"};
}

std::string RuntimeCompiler::log_of(NvrtcProgram program) const {
  std::size_t bytes = 0;
  if (log_size_(program, &bytes) != 0 || bytes < 2) return "";
  std::string log(bytes, '\0');
  if (log_(program, log.data()) != 0) return "";
  log.resize(log.find_last_not_of(std::string("\0\n", 2)) + 1);
  return log;
}

std::optional<std::string> RuntimeCompiler::image_of(NvrtcProgram program, bool binary) const {
  std::size_t bytes = 0;
  if ((binary ? binary_size_ : ptx_size_)(program, &bytes) != 0 || bytes == 0) return std::nullopt;
  std::string image(bytes, '\0');
  if ((binary ? binary_ : ptx_)(program, image.data()) != 0) return std::nullopt;
  return image;
}

std::optional<std::string> RuntimeCompiler::compile(const std::string& text, const std::string& name,
                                                    const std::string& architecture, Diagnostics& diagnostics) const {
  NvrtcProgram program = nullptr;
  NvrtcResult result = create_(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr);
  const std::vector<std::string> words = flags(architecture);
  std::vector<const char*> options;
  for (const std::string& word : words) options.push_back(word.c_str());
  std::optional<std::string> image;
  std::string log;
  if (result == 0) {
    result = compile_(program, static_cast<int>(options.size()), options.data());
    log = log_of(program);
    if (result == 0) image = image_of(program, architecture.starts_with("sm_"));
    if (destroy_(&program) != 0) program = nullptr; // nothing that anybody could do about it
  }
  if (image) return image;
  auto& error =
      diagnostics.error(fmt::format("NVRTC {} did not compile our CUDA text for {}: {}", version_text(version_),
                                    architecture, result == 0 ? "it gave no code" : error_string_(result)));
  if (!log.empty()) error.note(log);
  error.with_hint("this should not happen: please report it, with the text, which `--emit=cuda` shows");
  return std::nullopt;
}

} // namespace cyclotron::backend::cuda
