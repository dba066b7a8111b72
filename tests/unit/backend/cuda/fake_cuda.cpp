// SPDX-License-Identifier: MIT
// A libcuda and a libnvrtc of our own, so that all that the host does for a GPU is tested without one: what it compiles
// is C++ behind cuda_on_cpu.hpp, and a launch runs that. $FAKE_CUDA names what is to go wrong, $FAKE_CUDA_FOLDER has
// room for files. A compiled kernel is the path of its file.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace {

using Address = unsigned long long;

bool wrong(const char* what) {
  const char* wanted = std::getenv("FAKE_CUDA");
  return wanted && std::string(wanted) == what;
}

constexpr std::size_t all_bytes = std::size_t{1} << 30;
std::map<Address, std::size_t> allocated; // bytes
std::vector<float> times;                 // an event is its place here, from 1
float now = 0;
int pending = 0; // the error that comes with the next wait
thread_local void* current_context = nullptr;
bool has_context() { return current_context == &allocated; } // ours, without which nothing works

struct Memory {
  const void* begin;
  long long bytes;
  const char* name;
};
struct Launch {
  unsigned blocks, threads;
  void** arguments;
  const Memory* memories;
  int memory_count;
  char* message;
  int message_bytes;
};

struct Program {
  std::string text, log, image;
};

// The kernels of a text: what follows `extern "C" __global__` and its bounds.
std::string entries_of(const std::string& text) {
  std::string entries;
  const std::string mark = "extern \"C\" __global__";
  for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; ++at) {
    const std::size_t line = text.find('\n', at) + 1;
    entries += "EMULATED_KERNEL(" + text.substr(line, text.find('(', line) - line) + ")\n";
  }
  return entries;
}

int bytes_used() {
  std::size_t sum = 0;
  for (const auto& [address, bytes] : allocated) sum += bytes;
  return static_cast<int>(sum);
}

} // namespace

extern "C" {

// --- the driver ---

int cuInit(unsigned) { return wrong("no device") ? 100 : wrong("stub") ? 34 : wrong("unknown") ? 999 : 0; }
int cuDriverGetVersion(int* version) {
  *version = wrong("old driver") ? 11080 : 13000;
  return 0;
}
int cuGetErrorName(int error, const char** text) {
  *text = error == 100   ? "CUDA_ERROR_NO_DEVICE"
          : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 200 ? "CUDA_ERROR_INVALID_IMAGE"
                         : nullptr;
  return *text ? 0 : 1;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 700 ? "an illegal memory access was encountered" : "some words";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = wrong("no devices") ? 0 : 2;
  return 0;
}
int cuDeviceGet(int* device, int number) {
  *device = number;
  return 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const bool old = wrong("old device"), fresh = wrong("new device");
  *value = attribute == 16 ? 4 : attribute == 75 ? (old ? 5 : fresh ? 12 : 9) : attribute == 76 ? 0 : 99 * 1024;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &allocated;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void* context) {
  current_context = context;
  return 0;
}
int cuCtxGetCurrent(void** context) {
  *context = current_context;
  return 0;
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (!has_context()) return 201;
  *total = all_bytes;
  *free = wrong("little memory") ? 1000 : all_bytes - static_cast<std::size_t>(bytes_used());
  return 0;
}
int cuPointerGetAttribute(void* value, int attribute, Address memory) {
  if (!has_context()) return 201;
  *static_cast<int*>(value) = 2;
  const auto next = allocated.upper_bound(memory);
  const bool ours = next != allocated.begin() && memory < std::prev(next)->first + std::prev(next)->second;
  return attribute == 2 && ours ? 0 : 1;
}
int cuMemAlloc_v2(Address* memory, std::size_t bytes) {
  if (!has_context()) return 201;
  if (bytes == 0) return 1;
  if (wrong("no allocation")) return 2;
  *memory = reinterpret_cast<Address>(std::malloc(bytes));
  std::memset(reinterpret_cast<void*>(*memory), 0xa5, bytes);
  allocated[*memory] = bytes;
  return 0;
}
int cuMemFree_v2(Address memory) {
  if (!has_context()) return 201;
  if (!allocated.erase(memory)) return 1;
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void*) {
  if (!has_context()) return 201;
  if (wrong("no copy")) return 700;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void*) {
  if (!has_context()) return 201;
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void*) {
  if (!has_context()) return 201;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  now += static_cast<float>(static_cast<double>(bytes) / 1e9); // 2 TB/s read and written, in milliseconds
  return 0;
}
int cuMemsetD8Async(Address memory, unsigned char value, std::size_t bytes, void*) {
  if (!has_context()) return 201;
  std::memset(reinterpret_cast<void*>(memory), value, bytes);
  return 0;
}
int cuModuleLoadData(void** module, const void* image) {
  if (!has_context()) return 201;
  if (wrong("bad image")) return 200;
  *module = ::dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL);
  return *module ? 0 : 200;
}
int cuModuleUnload(void* module) { return ::dlclose(module); }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = ::dlsym(module, (std::string(name) + "_emulated").c_str());
  return *function ? 0 : 500;
}
int cuFuncGetAttribute(int* value, int, void*) {
  *value = 0;
  return 0;
}
int cuFuncSetAttribute(void*, int attribute, int value) { return attribute == 8 && value <= 99 * 1024 ? 0 : 1; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
  *blocks = wrong("no room") ? 0 : 2;
  return 0;
}
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   void*, void** arguments, void**) {
  if (!has_context()) return 201;
  if (wrong("no launch")) return 701;
  std::vector<Memory> memories;
  for (const auto& [address, bytes] : allocated)
    memories.push_back({reinterpret_cast<void*>(address), static_cast<long long>(bytes), ""});
  char message[500] = "";
  const Launch launch{blocks, threads, arguments, memories.data(), static_cast<int>(memories.size()), message, 500};
  if (wrong("bad kernel") || reinterpret_cast<int (*)(const Launch*)>(function)(&launch) != 0) pending = 700;
  now += 1;
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  *stream = &times;
  return 0;
}
int cuStreamDestroy_v2(void*) { return 0; }
int cuStreamSynchronize(void*) {
  if (!has_context()) return 201;
  return pending;
}
int cuEventCreate(void** event, unsigned) {
  times.push_back(0);
  *event = reinterpret_cast<void*>(times.size());
  return 0;
}
int cuEventDestroy_v2(void*) { return 0; }
int cuEventRecord(void* event, void*) {
  times.at(reinterpret_cast<std::size_t>(event) - 1) = now;
  return 0;
}
int cuEventElapsedTime(float* milliseconds, void* first, void* second) {
  *milliseconds =
      times.at(reinterpret_cast<std::size_t>(second) - 1) - times.at(reinterpret_cast<std::size_t>(first) - 1);
  return 0;
}

// --- the compiler ---

const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }
int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 3;
  return 0;
}
int nvrtcGetSupportedArchs(int* list) {
  const int known[] = {70, 80, 90};
  std::copy(known, known + 3, list);
  return 0;
}
int nvrtcCreateProgram(void** program, const char* text, const char*, int, const char* const*, const char* const*) {
  *program = new Program{text, "", ""};
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  Program& p = *static_cast<Program*>(program);
  if (wrong("bad text")) {
    p.log = "kernel.cu(3): error: expected a `;`\n";
    return 6;
  }
  const std::string folder = std::getenv("FAKE_CUDA_FOLDER");
  static int number = 0;
  const std::string file = folder + "/kernel" + std::to_string(number++);
  std::ofstream options_file(folder + "/options");
  for (int i = 0; i < count; ++i) options_file << options[i] << "\n";
  std::ofstream(file + ".cpp") << "#include \"" EMULATION_FILE "\"\n" << p.text << entries_of(p.text);
  const std::string command = "c++ -std=c++17 -O1 -fPIC -shared -o " + file + ".so " + file + ".cpp";
  if (std::system(command.c_str()) != 0) return 6;
  p.image = file + ".so";
  return 0;
}
int nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(void* program, char* log) {
  std::strcpy(log, static_cast<Program*>(program)->log.c_str());
  return 0;
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->image.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(void* program, char* image) {
  std::strcpy(image, static_cast<Program*>(program)->image.c_str());
  return 0;
}
int nvrtcGetPTXSize(void* program, std::size_t* bytes) { return nvrtcGetCUBINSize(program, bytes); }
int nvrtcGetPTX(void* program, char* image) { return nvrtcGetCUBIN(program, image); }

} // extern "C"
