// SPDX-License-Identifier: MIT
#include "world.hpp"

#include "backend/mpi/data/words.hpp"
#include "tensor/generators/random_bits.hpp"
#include "tensor/io.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cyclotron::mpi {

namespace fs = std::filesystem;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void barrier() { MPI_Barrier(MPI_COMM_WORLD); }

std::string from_rank(int rank, std::string text) {
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, rank, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, rank, MPI_COMM_WORLD);
  return text;
}

SharedFolder::SharedFolder() {
  std::string name = (fs::temp_directory_path() / "cyclotron-mpi-XXXXXX").string();
  if (world_rank() == 0 && !::mkdtemp(name.data())) std::abort();
  prefix_ = from_rank(0, name) + "/";
}

SharedFolder::~SharedFolder() {
  barrier();
  std::error_code error;
  if (world_rank() == 0) fs::remove_all(prefix_, error);
}

std::string SharedFolder::put(const std::string& name, const std::string& bytes) const {
  barrier();
  if (world_rank() == 0) std::ofstream(path(name), std::ios::binary) << bytes;
  barrier();
  return path(name);
}

std::vector<std::string> SharedFolder::names() const {
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
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::vector<Box> random_boxes(const std::vector<std::int64_t>& dims, int pieces, std::uint64_t seed) {
  const tensor::RandomBits random(seed, 9);
  std::uint64_t drawn = 0;
  std::vector<Box> boxes = {tensor::whole_box(dims)};
  for (int i = 1; i < pieces && !dims.empty(); ++i) {
    Box& low = boxes[random.below(boxes.size(), drawn++)];
    const std::size_t d = random.below(dims.size(), drawn++);
    Box high = low; // either may have no elements
    low.count[d] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(low.count[d]) + 1, drawn++));
    high.first[d] += low.count[d];
    high.count[d] -= low.count[d];
    boxes.push_back(high);
  }
  std::vector<Box> mine;
  for (const Box& box : boxes)
    if (random.below(static_cast<std::uint64_t>(world_size()), drawn++) == static_cast<std::uint64_t>(world_rank()))
      mine.push_back(box);
  return mine;
}

Held::Held(const std::vector<Box>& boxes) {
  std::int64_t count = 0;
  for (const Box& box : boxes) count += box.elements();
  words.assign(static_cast<std::size_t>(count), Word{.whole = -77});
  Word* next = words.data();
  for (const Box& box : boxes) {
    parts.push_back({box, next});
    next += box.elements();
  }
}

std::optional<tensor::Tensor> bind_sequentially(const Source& source, const Declaration& declaration,
                                                Diagnostics& diagnostics) {
  if (const auto* given = std::get_if<const tensor::Tensor*>(&source))
    return convert_type(**given, declaration.type, diagnostics);
  std::optional<tensor::Entries> entries;
  if (const auto* path = std::get_if<std::string>(&source))
    entries = tensor::read(*path, {declaration.dims}, diagnostics);
  else
    entries =
        generate(std::get<tensor::Recipe>(source), {declaration.dims, declaration.type, declaration.name}, diagnostics);
  if (!entries) return std::nullopt;
  const auto format = tensor::dense_format(static_cast<int>(declaration.dims.size()));
  auto packed = pack(std::move(*entries), format, diagnostics);
  return packed ? convert_type(std::move(*packed), declaration.type, diagnostics) : std::nullopt;
}

namespace {

Word word_at(const tensor::Tensor& whole, std::int64_t position) {
  return std::visit([&](const auto& v) { return word_of(v[static_cast<std::size_t>(position)]); }, whole.values);
}

template <class Visit> void for_each_element(const std::vector<Part>& parts, const tensor::Tensor& whole, Visit visit) {
  for (const Part& part : parts)
    for (std::int64_t i = 0; i < part.box.elements(); ++i) {
      const std::vector<std::int64_t> at = coordinates_in(part.box, i);
      visit(part.values[i], word_at(whole, locate(whole, at.data())), at);
    }
}

} // namespace

void expect_parts(const std::vector<Part>& parts, const tensor::Tensor& whole) {
  int wrong = 0;
  for_each_element(parts, whole, [&](Word found, Word expected, const std::vector<std::int64_t>& at) {
    if (std::memcmp(&found, &expected, sizeof found) == 0 || ++wrong > 3) return;
    const bool real = tensor::is_float(whole.type());
    ADD_FAILURE() << ::testing::PrintToString(at) << " is " << (real ? found.real : double(found.whole)) << " ("
                  << found.whole << "), not " << (real ? expected.real : double(expected.whole));
  });
}

void fill(const std::vector<Part>& parts, const tensor::Tensor& whole) {
  for_each_element(parts, whole, [](Word& word, Word value, const std::vector<std::int64_t>&) { word = value; });
}

void expect_like_sequential(const Source& source, const Declaration& declaration, const Limits& limits, int pieces,
                            std::uint64_t seed) {
  Report alone, together;
  const auto whole = bind_sequentially(source, declaration, alone.diagnostics);
  const Held held(random_boxes(declaration.dims, pieces, seed));
  const bool fine = read(source, declaration, held.parts, MPI_COMM_WORLD, together.diagnostics, limits);
  EXPECT_EQ(fine, whole.has_value());
  EXPECT_EQ(together.text(), alone.text());
  if (fine && whole) expect_parts(held.parts, *whole);
}

} // namespace cyclotron::mpi
