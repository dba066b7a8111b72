// SPDX-License-Identifier: MIT
// On x86 we ask the processor, as compilers do. /proc/cpuinfo says the same, but kernels before 5.18 interrupt every
// core to write it, which can take 20 ms; a kernel found in the cache should take one.
#include "backend/c/cpu.hpp"

#include <fmt/format.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else
#include <fstream>
#include <sys/auxv.h>
#endif

namespace cyclotron::backend::c {

namespace {

#if defined(__x86_64__) || defined(__i386__)

std::string ask() {
  struct Question {
    unsigned leaf, subleaf;
    bool with_ebx;
  };
  // Vendor, model and features, more features, state to be saved, and the name. Leaf 1 has the number of the core it
  // is asked on in ebx, which says nothing about the instructions.
  constexpr Question questions[] = {{0, 0, true},          {1, 0, false},         {7, 0, true},
                                    {7, 1, true},          {0xd, 1, true},        {0x80000001, 0, true},
                                    {0x80000002, 0, true}, {0x80000003, 0, true}, {0x80000004, 0, true},
                                    {0x80000008, 0, true}};
  std::string text;
  bool has_xgetbv = false;
  for (const Question& q : questions) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(q.leaf, q.subleaf, &a, &b, &c, &d)) continue;
    text += fmt::format("{:x}.{}:{:x},{:x},{:x},{:x};", q.leaf, q.subleaf, a, q.with_ebx ? b : 0, c, d);
    if (q.leaf == 1) has_xgetbv = c & bit_OSXSAVE;
  }
  if (has_xgetbv) { // which registers the operating system saves: without that there is no AVX
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    text += fmt::format("xcr0:{:x},{:x}", low, high);
  }
  return text;
}

#else

std::string ask() {
  std::string text = fmt::format("{:x},{:x};", ::getauxval(AT_HWCAP), ::getauxval(AT_HWCAP2));
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.empty()) break; // the first core stands for all
    for (const char* key : {"model name", "cpu", "CPU ", "Features", "isa", "machine", "features"})
      if (line.starts_with(key)) text += line + ";";
  }
  return text;
}

#endif

} // namespace

const std::string& cpu_identity() {
  static const std::string identity = ask();
  return identity;
}

} // namespace cyclotron::backend::c
