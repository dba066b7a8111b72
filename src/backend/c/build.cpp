// SPDX-License-Identifier: MIT
#include "backend/c/build.hpp"

#include "backend/c/cache.hpp"
#include "backend/c/compiler.hpp"
#include "backend/c/cpu.hpp"
#include "backend/c/private_files.hpp"
#include "backend/c/report.hpp"
#include "backend/c/shared_object.hpp"
#include "support/pass_clock.hpp"
#include "support/program.hpp"
#include "support/progress.hpp"
#include "support/sha256.hpp"
#include "support/unfinished.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

namespace cyclotron::backend::c {

namespace {

// Part of every key: raise it where the same source and flags come to mean something else, or the seal changes.
constexpr const char* format_version = "1";

// What to compile and how, the same for every folder we try.
struct Job {
  const std::string& source;
  const BuildOptions& options;
  Compiler compiler;
  std::vector<std::string> flags; // after the source, so that libraries among them are searched for what it needs

  template <typename Test> bool has_flag(Test test) const { return std::any_of(flags.begin(), flags.end(), test); }
  bool with_threads() const {
    return has_flag([](const std::string& flag) { return flag.find("openmp") != flag.npos; });
  }
};

// What came of trying one folder. Neither a library nor trouble: an error was reported.
struct Attempt {
  std::shared_ptr<const Library> library;
  std::string folder_trouble; // why this folder cannot be used; another may do
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

std::vector<std::string> flags_of(const BuildOptions& options) {
  std::vector<std::string> flags = options.flags;
  const char* more = std::getenv("CYCLOTRON_CFLAGS");
  std::istringstream words(more ? more : "");
  for (std::string word; words >> word;) flags.push_back(word);
  return flags;
}

// A hash of all that decides what the compiler makes; every part with its length, so that none runs into the next.
std::string key_of(const Job& job, const std::string& version) {
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}:{},", part.size(), part); };
  for (const std::string& part : {std::string(format_version), job.compiler.identity, version, cpu_identity()})
    add(part);
  for (const auto& list : {job.compiler.command, default_flags(), job.flags}) {
    add(std::to_string(list.size()));
    for (const std::string& part : list) add(part);
  }
  for (const char* variable : {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"})
    add(std::getenv(variable) ? std::getenv(variable) : "");
  add(job.source);
  if (!job.options.use_cache) { // a key that nobody has had
    static std::atomic<int> count = 0;
    add(std::to_string(count++));
  }
  return sha256(text);
}

// What this process has loaded, by file. The lock is held while a kernel is built: the next one to ask waits for it.
struct Slot {
  std::mutex mutex;
  std::weak_ptr<const SharedObject> object;
};

std::shared_ptr<Slot> slot_for(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Slot>> slots;
  const std::lock_guard lock(mutex);
  std::erase_if(slots, [](const auto& entry) { // what nobody builds and nobody has loaded
    if (entry.second.use_count() > 1) return false;
    const std::lock_guard unused(entry.second->mutex);
    return entry.second->object.expired();
  });
  std::shared_ptr<Slot>& slot = slots[path];
  if (!slot) slot = std::make_shared<Slot>();
  return slot;
}

std::shared_ptr<const Library> load(Slot& slot, const std::string& path, bool with_threads, bool from_cache,
                                    std::string& problem) {
  const TimedPass loading("load-kernel");
  auto object = SharedObject::load(path, with_threads, problem);
  slot.object = object;
  return object ? std::make_shared<Library>(object, from_cache) : nullptr;
}

// What is loaded or lies in the folder already; else null.
std::shared_ptr<const Library> find(Slot& slot, const std::string& folder, const std::string& key, bool with_threads) {
  if (auto object = slot.object.lock()) return std::make_shared<Library>(object, true);
  std::string ignored; // what cannot be loaded is built again
  return has_entry(folder, key) ? load(slot, entry_path(folder, key, ".so"), with_threads, true, ignored) : nullptr;
}

std::vector<std::string> command_for(const Job& job, const std::string& folder, const std::string& work,
                                     const std::string& source, const std::string& built) {
  std::vector<std::string> command = job.compiler.command;
  for (const std::string& flag : default_flags()) command.push_back(flag);
  command.insert(command.end(), {"-o", built, source});
  command.insert(command.end(), job.flags.begin(), job.flags.end());
  // A debugger or profiler shall find the source where it will be.
  if (job.has_flag([](const std::string& flag) { return flag.starts_with("-g"); }))
    command.push_back("-ffile-prefix-map=" + work + "=" + folder);
  command.push_back("-lm");
  return command;
}

// Why a folder could not be used earlier in this run; "" where it could, or nobody has tried. Each further kernel would
// be compiled twice where the disk is full.
class TroubledFolders {
public:
  std::string trouble_of(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    const auto found = troubles_.find(folder);
    return found == troubles_.end() ? "" : found->second;
  }
  void add(const std::string& folder, const std::string& trouble) {
    const std::lock_guard lock(mutex_);
    troubles_[folder] = trouble;
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::string> troubles_;
};

TroubledFolders& troubled_folders() {
  static TroubledFolders folders;
  return folders;
}

// Compiles to KEY.so and KEY.c. False where an error was reported, or `trouble` says why the folder cannot be used.
// All happens in a work folder, out of reach of others that clean up; it also has the compiler's own temporaries, so
// that nothing stays behind of one that is killed.
bool compile(const Job& job, const std::string& folder, const std::string& key, bool lasting, std::string& trouble,
             Diagnostics& diagnostics) {
  trouble = prepare_private_folder(folder);
  if (!trouble.empty()) return false;
  const WorkFolder work(folder);
  trouble = work.problem();
  if (!trouble.empty()) return false;
  const std::string source = entry_path(work.path(), key, ".c"), kept = entry_path(folder, key, ".c");
  trouble = write_private_file(source, job.source);
  if (!trouble.empty()) return false;
  const std::string built = entry_path(work.path(), key, ".so");
  const auto command = command_for(job, folder, work.path(), source, built);
  const Progress progress("compiling the kernel with " + std::filesystem::path(command[0]).filename().string());
  ProgramRun run = run_program(command, {{"LC_ALL", "C"}, {"TMPDIR", work.path()}}, job.options.time_limit);
  if (std::rename(source.c_str(), kept.c_str()) != 0) trouble = fmt::format("cannot write `{}`", kept);
  if (std::error_code ignored; run.succeeded() && std::filesystem::exists(built, ignored)) {
    if (trouble.empty()) trouble = add_entry(folder, key, built);
    return trouble.empty();
  }
  if (lasting && trouble.empty()) trouble = disk_trouble(run);
  if (!trouble.empty()) return false;
  replace_all(run.output, work.path(), folder);
  report_compiler(command[0], run, job.options.time_limit, kept_source(kept, lasting), diagnostics);
  return false;
}

// Finds or builds the kernel in this folder.
Attempt attempt(const Job& job, const std::string& folder, bool lasting, Diagnostics& diagnostics) {
  const auto version = compiler_version(job.compiler, folder, job.options.time_limit, diagnostics);
  if (!version) return {};
  const std::string key = key_of(job, *version), path = entry_path(folder, key, ".so");
  const auto slot = slot_for(path);
  const std::lock_guard lock(slot->mutex);
  if (auto library = find(*slot, folder, key, job.with_threads())) return {library, ""};
  if (std::string known = troubled_folders().trouble_of(folder); lasting && !known.empty()) return {nullptr, known};
  std::string problem;
  for (int tries = 0; tries < 3; ++tries) { // again only where another process has removed it in between
    std::string trouble;
    if (!compile(job, folder, key, lasting, trouble, diagnostics)) return {nullptr, trouble};
    if (auto library = load(*slot, path, job.with_threads(), false, problem)) {
      trim_now_and_then(folder, job.options.limits, key);
      return {library, ""};
    }
    if (std::error_code ignored; std::filesystem::exists(path, ignored)) break;
  }
  const std::string source = kept_source(entry_path(folder, key, ".c"), lasting);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  // A file system mounted without the right to run code says it so.
  if (lasting && problem.find("failed to map segment") != problem.npos) return {nullptr, problem};
  report_loading(job.compiler.command[0], problem, source, diagnostics);
  return {};
}

} // namespace

std::shared_ptr<const Library> build(const std::string& source, const BuildOptions& options, Diagnostics& diagnostics) {
  const Unfinished work;
  auto compiler = find_compiler(options.compiler, diagnostics);
  if (!compiler) return nullptr;
  const Job job{source, options, *compiler, flags_of(options)};
  if (const std::string folder = lasting_folder(options); options.use_cache && !folder.empty()) {
    const Attempt result = attempt(job, folder, true, diagnostics);
    if (result.folder_trouble.empty()) return result.library;
    troubled_folders().add(folder, result.folder_trouble);
    warn_about_folder(folder, result.folder_trouble, diagnostics);
  }
  const std::string folder = folder_of_this_run();
  Attempt result;
  if (folder.empty()) result.folder_trouble = fmt::format("cannot make a folder in `{}`", temporary_folder());
  else result = attempt(job, folder, false, diagnostics);
  if (!result.folder_trouble.empty())
    diagnostics.error("there is no folder to compile kernels in: " + result.folder_trouble)
        .with_hint("set CYCLOTRON_CACHE or TMPDIR to a folder that can be written");
  return result.library;
}

std::string lasting_key(const std::string& text, const BuildOptions& options) {
  const std::string folder = options.use_cache ? lasting_folder(options) : "";
  if (folder.empty()) return "";
  Sources sources;
  Diagnostics unheard(sources); // whoever builds hears of a compiler that is missing
  const auto compiler = find_compiler(options.compiler, unheard);
  const auto version = compiler ? compiler_version(*compiler, folder, options.time_limit, unheard) : std::nullopt;
  return version ? key_of({text, options, *compiler, flags_of(options)}, *version) : "";
}

std::shared_ptr<const Library> find_built(const std::string& key, const BuildOptions& options) {
  const std::string folder = lasting_folder(options);
  const auto slot = slot_for(entry_path(folder, key, ".so"));
  const std::lock_guard lock(slot->mutex);
  return find(*slot, folder, key, true); // it may have threads
}

Library::Library(std::shared_ptr<const SharedObject> object, bool from_cache)
    : object_(std::move(object)), from_cache_(from_cache) {}

void* Library::symbol(const std::string& name) const { return object_->symbol(name); }

const std::string& Library::path() const { return object_->path(); }

std::vector<std::string> default_flags() {
  return {
    "-std=c11", "-O3",
#if defined(__x86_64__) || defined(__i386__)
        "-march=native", // the instructions of this machine; its identity is part of the key
#elif defined(__aarch64__) || defined(__arm__)
        "-mcpu=native", // what both gcc and clang understand there
#endif
        "-fPIC", "-shared",
        "-fno-semantic-interposition",           // functions of one kernel may be inlined into each other
        "-ffp-contract=fast",                    // fused multiply-add, which -std=c11 alone turns off
        "-falign-loops=32",                      // a short loop across two cache lines can run at half its speed
        "-fno-math-errno", "-fno-trapping-math", // nobody looks at errno or at floating-point flags; no value changes
  };
}

std::string describe_compiler(const BuildOptions& options) {
  Sources sources;
  Diagnostics unheard(sources);
  const auto compiler = find_compiler(options.compiler, unheard);
  if (!compiler) return "no C compiler";
  const std::string memory = options.use_cache ? lasting_folder(options) : "";
  const auto version = compiler_version(*compiler, memory, options.time_limit, unheard);
  return fmt::format("{} ({})", version ? short_version(*version) : "not working", compiler->command[0]);
}

} // namespace cyclotron::backend::c
