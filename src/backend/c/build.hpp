// SPDX-License-Identifier: MIT
// C source text --> functions to call. Compiled once, and found again by its content in a folder that outlives us.
//
// Many processes and threads may build at once, the same kernel or others; each thread brings its own Diagnostics.
#pragma once

#include "support/diagnostics.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cyclotron::backend::c {

// Beyond one of these, the kernels that were used longest ago are removed.
struct CacheLimits {
  std::int64_t entries = 4000; // kernels, and memories of them
  std::int64_t bytes = std::int64_t{1} << 30;
};

struct BuildOptions {
  std::string compiler;           // "": $CYCLOTRON_CC, $CC, or the first of cc, gcc and clang in PATH
  std::vector<std::string> flags; // beyond default_flags()
  std::string cache_folder; // "": $CYCLOTRON_CACHE, $XDG_CACHE_HOME/cyclotron, ~/.cache/cyclotron, or a private one
  bool use_cache = true;    // false: compile whatever is there, and leave nothing behind
  double time_limit = 120;  // seconds until the compiler is killed
  CacheLimits limits;
};

class SharedObject;

// A loaded kernel. The code stays in memory as long as one Library of it does.
class Library {
public:
  Library(std::shared_ptr<const SharedObject> object, bool from_cache);

  void* symbol(const std::string& name) const;    // null where it has none of that name
  bool from_cache() const { return from_cache_; } // true where the compiler was not started for it
  const std::string& path() const;                // its file, KEY.so; the source lies beside it, as .c

private:
  std::shared_ptr<const SharedObject> object_;
  bool from_cache_;
};

// Null where an error was reported. A cache folder that cannot be used is a warning: a private one takes its place.
std::shared_ptr<const Library> build(const std::string& source, const BuildOptions& options, Diagnostics& diagnostics);

// The key that a source with this text would have: it stands for the text and for all that decides what the compiler
// makes of it. "" where nothing lasts.
std::string lasting_key(const std::string& text, const BuildOptions& options);

// The kernel of a key, where the lasting folder has it; else null.
std::shared_ptr<const Library> find_built(const std::string& key, const BuildOptions& options);

// How every kernel is compiled. Values are those of IEEE arithmetic in the order of the source, but for one thing: a
// product and a sum may become one fused operation, rounded once. $CYCLOTRON_CFLAGS comes after these and
// BuildOptions::flags, so it has the last word.
std::vector<std::string> default_flags();

// "gcc 12.2.0 (/usr/bin/cc)", or that there is none.
std::string describe_compiler(const BuildOptions& options);

} // namespace cyclotron::backend::c
