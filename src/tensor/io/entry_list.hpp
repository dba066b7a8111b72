// SPDX-License-Identifier: MIT
// A growing list of entries for readers. It never trusts a header's count: it grows as entries arrive, and asks
// before each growth whether there is memory for it.
#pragma once

#include "tensor/capacity.hpp"

#include <algorithm>
#include <vector>

namespace cyclotron::tensor {

template <class T> class EntryList {
public:
  EntryList(std::size_t rank, const std::string& path, Diagnostics& diagnostics)
      : columns(rank), path_(path), diagnostics_(&diagnostics) {}

  // Call before adding up to `more` entries; false, with an error, where there is no memory for them.
  bool make_room(std::size_t more) { return values.size() + more <= room_ || grow(more); }

  std::vector<std::vector<std::int64_t>> columns;
  std::vector<T> values;

private:
  bool grow(std::size_t more) {
    const std::size_t wanted = std::max<std::size_t>({values.size() + more, room_ + room_ / 2, 1024});
    const std::int64_t bytes = static_cast<std::int64_t>(8 * columns.size() + sizeof(T));
    if (!enough_memory(static_cast<std::int64_t>(wanted), bytes, "reading `" + path_ + "`", *diagnostics_,
                       "use a smaller file, or a machine with more memory"))
      return false;
    for (auto& column : columns) column.reserve(wanted);
    values.reserve(wanted);
    room_ = wanted;
    return true;
  }

  std::string path_;
  Diagnostics* diagnostics_;
  std::size_t room_ = 0;
};

} // namespace cyclotron::tensor
