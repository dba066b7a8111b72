// SPDX-License-Identifier: MIT
// Where every rank of a run is, in a file that outlives it: a rank that is killed cannot say where it was, so it writes
// that down as it goes.
#pragma once

#include "pe/executable.hpp"

#include <cstdint>
#include <string>

namespace cyclotron::pe {

struct RankStatus {
  std::int32_t element = -1; // of Executable; -1: none yet
  std::int32_t instruction = 0;
  std::int64_t steps = 0; // that its PEs have done
};

// The record of a rank in the file, which is made where it is not there; null where that cannot be.
class StatusFile {
public:
  StatusFile(const std::string& path, int rank);
  ~StatusFile();
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;
  RankStatus* record() const { return record_; }

private:
  RankStatus* record_ = nullptr;
  void* mapping_ = nullptr;
  std::size_t size_ = 0;
};

// That all ranks have done so far.
std::int64_t steps_done(const std::string& path, int ranks);

// In words: `it was running PE [1,0], instruction 12, after 40 steps`.
std::string where_it_was(const std::string& path, int rank, const Executable& executable);

} // namespace cyclotron::pe
