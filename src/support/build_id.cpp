// SPDX-License-Identifier: MIT
#include "support/build_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include <link.h>

namespace cyclotron {

namespace {

bool covers(const dl_phdr_info& object, ElfW(Addr) address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const ElfW(Addr) start = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && start <= address && address - start < part.p_memsz) return true;
  }
  return false;
}

// Each note is a header, a name and a description, the latter two padded.
std::string id_among(std::string_view notes, std::size_t alignment) {
  const auto padded = [&](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  ElfW(Nhdr) header;
  while (notes.size() > sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t description = padded(sizeof header + header.n_namesz);
    if (description + header.n_descsz > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof header, header.n_namesz) == std::string_view("GNU", 4)) {
      std::string digits;
      for (const char byte : notes.substr(description, header.n_descsz))
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      return digits;
    }
    notes.remove_prefix(std::min(padded(description + header.n_descsz), notes.size()));
  }
  return "";
}

struct Search {
  ElfW(Addr) address;
  std::string id;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!covers(*object, search.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* bytes = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    search.id = id_among({bytes, part.p_memsz}, part.p_align == 8 ? 8 : 4);
  }
  return 1;
}

} // namespace

const std::string& build_id() {
  static const std::string id = [] {
    Search search{reinterpret_cast<ElfW(Addr)>(&look_at), ""};
    ::dl_iterate_phdr(look_at, &search);
    return search.id;
  }();
  return id;
}

} // namespace cyclotron
