// SPDX-License-Identifier: MIT
#include "fuzz/property.hpp"
#include "support/memory.hpp"

#include <cstdlib>

namespace cyclotron {
namespace {

TEST(Memory, DescribeBytes) {
  EXPECT_EQ(describe_bytes(0), "0 bytes");
  EXPECT_EQ(describe_bytes(17), "17 bytes");
  EXPECT_EQ(describe_bytes(1023), "1023 bytes");
  EXPECT_EQ(describe_bytes(1024), "1.0 KiB");
  EXPECT_EQ(describe_bytes(1536.0 * 1024), "1.5 MiB");
  EXPECT_EQ(describe_bytes(3.2 * 1024 * 1024 * 1024), "3.2 GiB");
  EXPECT_EQ(describe_bytes(1e21), "867.4 EiB");
  EXPECT_EQ(describe_bytes(1e30), "more than 1024 EiB");
}

TEST(Memory, CheckedProduct) {
  EXPECT_EQ(checked_product({}), 1);
  EXPECT_EQ(checked_product({3, 5, 7}), 105);
  EXPECT_EQ(checked_product({std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
  EXPECT_EQ(checked_product({std::int64_t{1} << 32, std::int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(checked_product({std::int64_t{1} << 32, std::int64_t{1} << 32, std::int64_t{1} << 32}), std::nullopt);
}

// Nothing is stored in a tensor with an empty dimension, however large the others are.
TEST(Memory, CheckedProductWithZero) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(checked_product({0, large, large}), 0);
  EXPECT_EQ(checked_product({large, 0, large}), 0);
  EXPECT_EQ(checked_product({large, large, 0}), 0);
}

TEST(Memory, CheckedProductAgreesWithFloatingPoint) {
  fuzz::check_property(200, [] {
    const auto extents = *rc::gen::container<std::vector<std::int64_t>>(
        rc::gen::resize(100, rc::gen::inRange<std::int64_t>(1, 1 << 20)));
    long double product = 1;
    for (std::int64_t e : extents) product *= static_cast<long double>(e);
    const auto found = checked_product(extents);
    RC_ASSERT(found.has_value() == (product < 9223372036854775808.0L));
    if (found) RC_ASSERT(static_cast<long double>(*found) == product || product > 1e15L);
  });
}

TEST(Memory, LimitFromTheEnvironment) {
  setenv("CYCLOTRON_MEMORY_LIMIT", "12K", 1);
  EXPECT_EQ(available_memory(), 12 * 1024);
  setenv("CYCLOTRON_MEMORY_LIMIT", "1.5G", 1);
  EXPECT_EQ(available_memory(), 3ll * 512 * 1024 * 1024);
  setenv("CYCLOTRON_MEMORY_LIMIT", "77", 1);
  EXPECT_EQ(available_memory(), 77);
  setenv("CYCLOTRON_MEMORY_LIMIT", "1e30G", 1);
  EXPECT_GT(available_memory(), std::int64_t{1} << 60);
  unsetenv("CYCLOTRON_MEMORY_LIMIT");
  EXPECT_GT(available_memory(), 0);
}

} // namespace
} // namespace cyclotron
