// SPDX-License-Identifier: MIT
// NumPy files for tests, put together by hand so that they do not depend on our writer.
#pragma once

#include <string>

namespace cyclotron::tensor {

// A file whose header is that text.
inline std::string numpy_file(std::string header, const std::string& data, int version = 1) {
  header += "\n";
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return bytes + header + data;
}

inline std::string numpy_bytes(const std::string& type, bool fortran, const std::string& shape, const std::string& data,
                               int version = 1) {
  return numpy_file("{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                        ", 'shape': " + shape + ", }",
                    data, version);
}

} // namespace cyclotron::tensor
