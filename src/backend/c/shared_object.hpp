// SPDX-License-Identifier: MIT
// A file of code, loaded into this process.
#pragma once

#include <memory>
#include <string>

namespace cyclotron::backend::c {

class SharedObject {
public:
  // Null where the system refuses; `problem` then says why. `with_threads`: its code runs on threads of an OpenMP
  // library, which must then stay in memory, for its threads do not end with ours.
  static std::shared_ptr<const SharedObject> load(const std::string& path, bool with_threads, std::string& problem);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  void* symbol(const std::string& name) const;
  const std::string& path() const { return path_; }

private:
  SharedObject(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::string path_;
};

} // namespace cyclotron::backend::c
