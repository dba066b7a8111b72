// SPDX-License-Identifier: MIT
// What the tests of tensors share.
#include "scratch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cyclotron::tensor {

namespace fs = std::filesystem;

std::string Report::text(const std::string& folder) const {
  std::string out = diagnostics.render(false);
  for (std::size_t at = 0; !folder.empty() && (at = out.find(folder, at)) != std::string::npos;)
    out.erase(at, folder.size());
  return out;
}

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "cyclotron-tensor-XXXXXX").string();
  if (!::mkdtemp(name.data())) std::abort();
  prefix_ = name + "/";
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(prefix_, error);
}

std::string ScratchFolder::put(const std::string& name, const std::string& bytes) const {
  ::unlink(path(name).c_str()); // some file systems wait for the disk when a file is overwritten
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

std::vector<std::string> ScratchFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(prefix_)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string slurp(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::string gzipped(const std::string& bytes) {
  const ScratchFolder folder;
  gzFile file = ::gzopen(folder.path("x.gz").c_str(), "wb");
  if (!bytes.empty()) ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  ::gzclose(file);
  return slurp(folder.path("x.gz"));
}

namespace {

std::size_t element_of(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& at) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) element = element * dims[d] + at[d];
  return static_cast<std::size_t>(element);
}

std::size_t elements(const std::vector<std::int64_t>& dims) {
  std::int64_t count = 1;
  for (std::int64_t size : dims) count *= size;
  return static_cast<std::size_t>(count);
}

} // namespace

std::vector<double> dense_view(const Entries& entries) {
  std::vector<double> view(elements(entries.dims), 0);
  const bool boolean = type_of(entries.values) == ValueType::boolean;
  for (std::int64_t i = 0; i < entries.count(); ++i) {
    std::vector<std::int64_t> at;
    for (const auto& column : entries.coordinates) at.push_back(column[static_cast<std::size_t>(i)]);
    double& element = view[entries.dense ? static_cast<std::size_t>(i) : element_of(entries.dims, at)];
    element += float_at(entries.values, i);
    if (boolean) element = element != 0 ? 1 : 0;
  }
  return view;
}

std::vector<double> dense_view(const Tensor& tensor) {
  std::vector<double> view(elements(tensor.dims), 0);
  std::vector<std::int64_t> at(tensor.dims.size(), 0);
  for (double& element : view) {
    const std::int64_t position = locate(tensor, at.data());
    if (position >= 0) element = float_at(tensor.values, position);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < tensor.dims[d]) break;
      at[d] = 0;
    }
  }
  return view;
}

Entries read_bytes(const std::string& name, const std::string& bytes, const std::vector<std::int64_t>& dims) {
  const ScratchFolder folder;
  Report report;
  const auto entries = read(folder.put(name, bytes), ReadOptions{dims}, report.diagnostics);
  EXPECT_TRUE(entries.has_value()) << report.text(folder.prefix());
  return entries.value_or(Entries{});
}

std::string read_error(const std::string& name, const std::string& bytes, const std::vector<std::int64_t>& dims) {
  const ScratchFolder folder;
  Report report;
  EXPECT_FALSE(read(folder.put(name, bytes), ReadOptions{dims}, report.diagnostics)) << bytes;
  return report.text(folder.prefix());
}

} // namespace cyclotron::tensor
