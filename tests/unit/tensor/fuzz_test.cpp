// SPDX-License-Identifier: MIT
// Random and damaged bytes: a reader says no or gives a tensor that packs; it never crashes.
#include "numpy_bytes.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cyclotron::tensor {
namespace {

// Reads the bytes as a file of that kind; whatever is accepted must hold together.
void try_reading(const ScratchFolder& folder, const std::string& ending, const std::string& bytes) {
  Report report;
  const auto entries = read(folder.put("a" + ending, bytes), {}, report.diagnostics);
  ASSERT_EQ(entries.has_value(), !report.diagnostics.failed());
  if (!entries) {
    ASSERT_FALSE(report.text().empty());
    return;
  }
  const int rank = static_cast<int>(entries->dims.size());
  const auto tensor = pack(*entries, rank == 0 ? dense_format(0) : *format_named("coo", rank), report.diagnostics);
  if (tensor) {
    ASSERT_EQ(problem_of(*tensor), "");
  }
}

const std::string endings[] = {".mtx", ".tns", ".npy", ".mtx.gz", ".tns.gz", ".npy.gz"};

TEST(Fuzz, RandomBytes) {
  const ScratchFolder folder;
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string bytes(random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (const std::string& ending : endings) try_reading(folder, ending, bytes);
  }
}

// Beginnings that get past the first check, then bytes from a small alphabet of what the formats use.
TEST(Fuzz, LikelyBytes) {
  const ScratchFolder folder;
  std::mt19937 random(2);
  const std::string alphabet = "0123456789 \n.-+eEdD%#(){},':\"naif<>|\t\r";
  const std::string starts[] = {"", "%%MatrixMarket matrix coordinate real general\n",
                                "%%MatrixMarket matrix array integer symmetric\n",
                                "%%MatrixMarket matrix coordinate complex hermitian\n3 3 4\n",
                                std::string("\x93NUMPY\x01\x00\x40\x00{'descr': '<f8', 'shape': (", 36)};
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = starts[random() % 5];
    const std::size_t length = random() % 120;
    for (std::size_t i = 0; i < length; ++i) bytes += alphabet[random() % alphabet.size()];
    try_reading(folder, endings[random() % 3], bytes);
  }
}

std::string valid_file(const std::string& ending) {
  std::string bytes;
  if (ending.starts_with(".mtx"))
    bytes = "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 4\n1 1 1.5\n2 1 -2e3\n4 4 .25\n4 2 7\n";
  if (ending.starts_with(".tns")) bytes = "# c\n1 2 3 1.5\n2 1 1 -2e3\n1 1 2 .25\n";
  if (ending.starts_with(".npy")) bytes = numpy_bytes("<f8", true, "(2, 3)", std::string(48, 'x'));
  return ending.ends_with(".gz") ? gzipped(bytes) : bytes;
}

TEST(Fuzz, DamagedFiles) {
  const ScratchFolder folder;
  std::mt19937 random(3);
  for (const std::string& ending : endings) {
    const std::string valid = valid_file(ending);
    for (int round = 0; round < 500; ++round) {
      std::string bytes = valid;
      for (std::size_t flips = random() % 4; flips > 0; --flips)
        bytes[random() % bytes.size()] = static_cast<char>(round % 2 ? random() : 32 + random() % 95);
      if (random() % 3 == 0) bytes.resize(random() % bytes.size());
      if (random() % 5 == 0 && !bytes.empty())
        bytes.insert(random() % bytes.size(), bytes.substr(random() % bytes.size()));
      try_reading(folder, ending, bytes);
    }
  }
}

TEST(Fuzz, EveryTruncation) {
  const ScratchFolder folder;
  for (const std::string& ending : endings) {
    const std::string valid = valid_file(ending);
    for (std::size_t length = 0; length <= valid.size(); ++length) try_reading(folder, ending, valid.substr(0, length));
  }
}

} // namespace
} // namespace cyclotron::tensor
