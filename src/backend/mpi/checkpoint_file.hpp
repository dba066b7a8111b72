// SPDX-License-Identifier: MIT
// A file of words of 8 bytes with a checksum behind them: what was not written to its end, or has changed since, is
// found before anything of it is used.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace cyclotron::mpi {

// A fast sum over words in which each of them matters, and their order.
class Checksum {
public:
  void add(const void* words, std::size_t count) {
    const auto* bytes = static_cast<const unsigned char*>(words);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + i * sizeof word, sizeof word);
      add(word);
    }
  }
  void add(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x9e3779b97f4a7c15U;
    sum_ ^= sum_ >> 32;
  }
  std::uint64_t value() const { return sum_; }

private:
  std::uint64_t sum_ = 1;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// An error is kept until the end: `close` says it.
class CheckpointWriter {
public:
  explicit CheckpointWriter(const std::string& path);

  void word(std::uint64_t word) { words(&word, 1); }
  void number(std::int64_t number) { word(static_cast<std::uint64_t>(number)); }
  void text(const std::string& text);
  // Things that consist of words.
  template <class T> void words(const T* things, std::size_t count) {
    static_assert(sizeof(T) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<T>);
    put(things, count * (sizeof(T) / sizeof(std::uint64_t)));
  }

  // All is on the disk; else why not.
  std::string close();

private:
  void put(const void* words, std::size_t count);

  std::string path_, problem_;
  File file_;
  Checksum sum_;
};

class CheckpointReader {
public:
  // Reads all of it once: `problem` says why it cannot be used.
  explicit CheckpointReader(const std::string& path);
  const std::string& problem() const { return problem_; }

  std::uint64_t word() {
    std::uint64_t word = 0;
    words(&word, 1);
    return word;
  }
  std::int64_t number() { return static_cast<std::int64_t>(word()); }
  std::string text();
  // Zeros behind the end, and `problem` from then on.
  template <class T> void words(T* things, std::size_t count) {
    static_assert(sizeof(T) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<T>);
    get(things, count * (sizeof(T) / sizeof(std::uint64_t)));
  }

private:
  void get(void* words, std::size_t count);

  std::string path_, problem_;
  File file_;
  std::uint64_t left_ = 0; // words
};

} // namespace cyclotron::mpi
