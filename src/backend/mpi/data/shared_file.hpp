// SPDX-License-Identifier: MIT
// A file that all ranks write together beside its target, and that takes the target's place when all have succeeded.
#pragma once

#include "support/diagnostics.hpp"

#include <mpi.h>

#include <string>

namespace cyclotron::mpi {

class SharedFile {
public:
  // Errors go to `mine`, and say which rank had them. Collective, as is `commit`.
  SharedFile(const std::string& path, Diagnostics& mine, MPI_Comm comm);
  // Removes the file unless it was committed. Collective where the constructor was followed by `open`.
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  // Rank 0 creates the file, the others open it once it has.
  bool open(Diagnostics& agreed);
  // By one rank: the file has that many bytes, and the disk has room for them.
  void set_size(std::int64_t bytes);
  // By any rank, without the others. False after an error.
  bool write(const void* bytes, std::int64_t size, std::int64_t offset);
  // Everything on disk, and the file in its place.
  bool commit(Diagnostics& agreed);

private:
  void create();
  void fail(int reason);

  std::string path_;   // as the user wrote it
  std::string target_; // where links lead to
  std::string aside_;  // while it is being written
  Diagnostics& mine_;
  MPI_Comm comm_;
  int descriptor_ = -1;
};

} // namespace cyclotron::mpi
