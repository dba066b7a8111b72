// SPDX-License-Identifier: MIT
#include "backend/mpi/checkpoint_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cyclotron::mpi {

namespace {

constexpr std::size_t word_size = sizeof(std::uint64_t);
constexpr std::size_t words_at_once = std::size_t{1} << 17;

std::string cannot(const char* what, const std::string& path) {
  return fmt::format("`{}` cannot be {}: {}", path, what, std::strerror(errno));
}

std::size_t words_for(std::size_t bytes) { return (bytes + word_size - 1) / word_size; }

} // namespace

CheckpointWriter::CheckpointWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) problem_ = cannot("written", path_);
}

void CheckpointWriter::put(const void* words, std::size_t count) {
  if (!problem_.empty() || count == 0) return;
  sum_.add(words, count);
  if (std::fwrite(words, word_size, count, file_.get()) != count) problem_ = cannot("written", path_);
}

void CheckpointWriter::text(const std::string& text) {
  std::string padded = text;
  padded.resize(words_for(text.size()) * word_size);
  word(text.size());
  put(padded.data(), padded.size() / word_size);
}

std::string CheckpointWriter::close() {
  word(sum_.value());
  if (problem_.empty() && (std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0))
    problem_ = cannot("written", path_);
  file_.reset();
  return problem_;
}

CheckpointReader::CheckpointReader(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
  if (!file_) {
    problem_ = cannot("read", path_);
    return;
  }
  // The checksum is the last word, which is only known to be the last once the file has ended.
  Checksum sum;
  std::vector<std::uint64_t> words(words_at_once);
  std::uint64_t last = 0, count = 0;
  std::size_t bytes = 0;
  while ((bytes = std::fread(words.data(), 1, words.size() * word_size, file_.get())) == words.size() * word_size) {
    if (count > 0) sum.add(last);
    sum.add(words.data(), words.size() - 1);
    last = words.back();
    count += words.size();
  }
  const bool failed = std::ferror(file_.get()) != 0;
  const std::size_t rest = bytes / word_size;
  if (rest > 0) {
    if (count > 0) sum.add(last);
    sum.add(words.data(), rest - 1);
    last = words[rest - 1];
    count += rest;
  }
  if (failed) problem_ = cannot("read", path_);
  else if (count == 0 || bytes % word_size != 0 || last != sum.value())
    problem_ = fmt::format("`{}` is damaged: it is not what was written", path_);
  else left_ = count - 1;
  std::rewind(file_.get());
}

void CheckpointReader::get(void* words, std::size_t count) {
  const std::size_t some = std::min<std::size_t>(count, left_);
  const std::size_t got = problem_.empty() ? std::fread(words, word_size, some, file_.get()) : 0;
  left_ -= got;
  if (got == count) return;
  std::memset(static_cast<char*>(words) + got * word_size, 0, (count - got) * word_size);
  if (problem_.empty()) problem_ = fmt::format("`{}` is not what this version of Cyclotron writes", path_);
}

std::string CheckpointReader::text() {
  const auto size = static_cast<std::size_t>(word());
  if (size > left_ * word_size) {
    if (problem_.empty()) problem_ = fmt::format("`{}` is not what this version of Cyclotron writes", path_);
    return {};
  }
  std::string padded(words_for(size) * word_size, '\0');
  get(padded.data(), padded.size() / word_size);
  padded.resize(size);
  return padded;
}

} // namespace cyclotron::mpi
