// SPDX-License-Identifier: MIT
#include "backend/c/cache.hpp"

#include "backend/c/compiler.hpp"
#include "backend/c/private_files.hpp"
#include "support/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t key_digits = 64;
constexpr std::time_t hour = 3600;

std::string seal(std::string_view bytes, const std::string& key) {
  return fmt::format("\ncyclotron kernel {} {}\n", key, sha256(bytes));
}

bool sealed(std::string_view bytes, const std::string& key) {
  const std::size_t length = seal("", key).size();
  if (bytes.size() <= length) return false;
  const std::size_t end = bytes.size() - length;
  return bytes.substr(end) == seal(bytes.substr(0, end), key);
}

// The time of last change serves as that of last use: few systems keep the latter. Once an hour is often enough.
void mark_used(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0 || info.st_mtime > std::time(nullptr) - hour) return;
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0) {
    // A folder that we may only read: nothing is removed from it either.
  }
}

bool is_key(std::string_view text) {
  return text.size() == key_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The key of an entry's file; "" for other files.
std::string key_of(const std::string& name) {
  const std::string key = name.substr(0, name.find('.'));
  const std::string ending = name.substr(key.size());
  return is_key(key) && (ending == ".so" || ending == ".c" || ending == ".memory") ? key : "";
}

void remove_path(const fs::path& path) {
  std::error_code ignored; // another process may have been faster
  fs::remove_all(path, ignored);
}

template <typename Visit> void for_each_name(const std::string& folder, Visit visit) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    visit(at->path().filename().string());
}

} // namespace

std::string lasting_folder(const BuildOptions& options) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string folder = options.cache_folder;
  if (folder.empty()) folder = variable("CYCLOTRON_CACHE");
  if (const std::string base = variable("XDG_CACHE_HOME"); folder.empty() && base.starts_with('/'))
    folder = base + "/cyclotron";
  if (const std::string home = variable("HOME"); folder.empty() && home.starts_with('/'))
    folder = home + "/.cache/cyclotron";
  if (folder.empty()) return "";
  std::error_code ignored;
  return (fs::absolute(folder, ignored) / "c").lexically_normal().string();
}

std::string entry_path(const std::string& folder, const std::string& key, const std::string& ending) {
  return folder + "/" + key + ending;
}

namespace {

// What is before the seal.
std::optional<std::string> read_sealed(const std::string& folder, const std::string& key, const std::string& ending) {
  if (!is_private_folder(folder)) return std::nullopt;
  const std::string path = entry_path(folder, key, ending);
  auto bytes = read_private_file(path);
  if (!bytes || !sealed(*bytes, key)) return std::nullopt;
  mark_used(path);
  bytes->resize(bytes->size() - seal("", key).size());
  return bytes;
}

} // namespace

bool has_entry(const std::string& folder, const std::string& key) {
  return read_sealed(folder, key, ".so").has_value();
}

std::optional<std::string> read_memory(const std::string& folder, const std::string& key) {
  return read_sealed(folder, key, ".memory");
}

void write_memory(const std::string& folder, const CacheLimits& limits, const std::string& key,
                  const std::string& text) {
  const WorkFolder work(folder);
  const std::string fresh = work.path() + "/memory", target = entry_path(folder, key, ".memory");
  if (work.path().empty() || !write_private_file(fresh, text + seal(text, key)).empty()) return;
  if (std::error_code ignored; fs::is_directory(target, ignored)) remove_path(target);
  if (std::rename(fresh.c_str(), target.c_str()) == 0) trim_now_and_then(folder, limits, key);
}

std::string add_entry(const std::string& folder, const std::string& key, const std::string& built) {
  // The compiler's file has the permissions that the user gives to files: here it becomes ours alone.
  if (::chmod(built.c_str(), 0600) != 0) return fmt::format("cannot find `{}`: {}", built, std::strerror(errno));
  const auto bytes = read_private_file(built);
  if (!bytes) return fmt::format("cannot read `{}`", built);
  const std::string whole = built + ".sealed", target = entry_path(folder, key, ".so");
  if (std::string problem = write_private_file(whole, *bytes + seal(*bytes, key)); !problem.empty()) return problem;
  if (std::error_code ignored; fs::is_directory(target, ignored)) remove_path(target);
  if (std::rename(whole.c_str(), target.c_str()) == 0) return "";
  return fmt::format("cannot write `{}`: {}", target, std::strerror(errno));
}

void remove_entry(const std::string& folder, const std::string& key) {
  for (const char* ending : {".so", ".c", ".memory"}) remove_path(entry_path(folder, key, ending));
}

namespace {

struct Entry {
  std::string key;
  std::int64_t bytes = 0;
  std::time_t used = 0;
};

// All entries, the one used longest ago first.
std::vector<Entry> entries_of(const std::string& folder) {
  std::map<std::string, Entry> found;
  for_each_name(folder, [&](const std::string& name) {
    struct stat info;
    const std::string key = key_of(name);
    if (key.empty() || ::lstat((folder + "/" + name).c_str(), &info) != 0) return;
    Entry& entry = found[key];
    entry.key = key;
    entry.bytes += info.st_size;
    entry.used = std::max(entry.used, info.st_mtime);
  });
  std::vector<Entry> entries;
  for (const auto& [key, entry] : found) entries.push_back(entry);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  return entries;
}

// Half-made things that no compiler can be working on any more, and answers of compilers nobody has asked for long.
void remove_left_over(const std::string& folder) {
  const std::time_t now = std::time(nullptr);
  for_each_name(folder, [&](const std::string& name) {
    const std::time_t age = name.starts_with(WorkFolder::prefix) ? hour
                            : name.starts_with(memory_prefix)    ? 720 * hour
                                                                 : 0;
    struct stat info;
    const std::string path = folder + "/" + name;
    if (age > 0 && ::lstat(path.c_str(), &info) == 0 && info.st_mtime < now - age) remove_path(path);
  });
}

} // namespace

void trim(const std::string& folder, const CacheLimits& limits, const std::string& kept) {
  remove_left_over(folder);
  const std::vector<Entry> entries = entries_of(folder);
  auto count = static_cast<std::int64_t>(entries.size());
  std::int64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  if (count <= limits.entries && bytes <= limits.bytes) return;
  // Somewhat below the limits, so that it is not the next kernel's turn already.
  const std::int64_t most_entries = limits.entries - limits.entries / 8, most_bytes = limits.bytes - limits.bytes / 8;
  for (const Entry& entry : entries) {
    if (count <= most_entries && bytes <= most_bytes) return;
    if (entry.key == kept) continue;
    remove_entry(folder, entry.key);
    count -= 1;
    bytes -= entry.bytes;
  }
}

void trim_now_and_then(const std::string& folder, const CacheLimits& limits, const std::string& added) {
  std::int64_t count = 0;
  for_each_name(folder, [&](const std::string& name) { count += name.size() > key_digits + 2; }); // all but KEY.c
  // Keys are hashes: every sixteenth starts with this digit.
  if (count > limits.entries || added.starts_with('0')) trim(folder, limits, added);
}

} // namespace cyclotron::backend::c
