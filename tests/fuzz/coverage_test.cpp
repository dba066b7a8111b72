// SPDX-License-Identifier: MIT
// Random programs use all of the language: each of its features appears in a fair share of them.
#include "fuzz/property.hpp"
#include "fuzz/random_program.hpp"

#include <regex.h>

#include <map>

namespace cyclotron::fuzz {
namespace {

// POSIX regular expressions, a line at a time.
const std::map<std::string, const char*> features{
    {"rising recurrence", R"((\w)\(i.*\) = .*\1\(i-1)"},
    {"falling recurrence", R"((\w)\(i.*\) = .*\1\(i\+1)"},
    {"wavefront", R"((\w)\(i,j.*\) = .*\1\(i,j-1)"},
    {"diagonal", R"((\w)\(i,j.*\) = .*\1\(i-1,j-1)"},
    {"triangle", R"(\[k\].*: k < i)"},
    {"interval", R"(i <= k, k < j)"},
    {"base case", R"(^\w\(0[,)].*=)"},
    {"last element", R"(^\w\([nmp](\+[0-9])?-1[,)].*=)"},
    {"strided definition", R"(^\w\(2\*i)"},
    {"diagonal definition", R"(^\w\(i,i)"},
    {"counted from the end", R"([nmp]-1-[ijk])"},
    {"scalar output", R"(^\w = )"},
    {"rank 3", R"(^\w\(\w+,\w+,\w+\) = )"},
    {"steps", R"(\^t)"},
    {"sweeps", R"((\w)\^t\(i.*=.*\1\^t\(i-1)"},
    {"chain", R"(: .*\w+ <=? \w+ <=? )"},
    {"equality", R"(: .* == )"},
    {"inequality", R"(: .* != )"},
    {"affine dimension", R"(tensor \w\([nmp]\+1)"},
    {"constant dimension", R"(tensor \w\(.*\b[345]\b.*\))"},
    {"assumption", R"(assume [12] <= )"},
    {"implied sum", R"(\(k\)( |$))"},
    {"two variables", R"(\[k, l\])"},
    {"nested reductions", R"(\[k\]\(.*\[l\]\()"},
    {"sum", R"(sum\[)"},
    {"prod", R"(prod\[)"},
    {"min", R"(min\[)"},
    {"max", R"(max\[)"},
    {"any", R"(any\[)"},
    {"all", R"(all\[)"},
    {"functions", R"(sqrt|exp|log|pow)"},
    {"select by index", R"(select\(\(?[ijck] [<>=!])"},
    {"select by data", R"(select\(\(*\w\()"},
    {"index as a value", R"([-+*] [ij]\b)"},
    {"constant", R"(\b(half|two)\b[^=]*$)"},
    {"f32", R"(: f32)"},
    {"i32", R"(: i32)"},
    {"i64", R"(: i64)"},
    {"bool", R"(: bool)"},
    {"csr", R"(csr)"},
    {"coo", R"(coo)"},
    {"csf", R"(csf)"},
    {"bitvector", R"(bitvector)"},
    {"other order", R"(order \()"},
    {"region", R"(onchip|offchip)"},
};

TEST(RandomPrograms, CoverTheLanguage) {
  std::map<std::string, int> found;
  std::vector<regex_t> patterns(features.size());
  std::size_t at = 0;
  for (const auto& [name, pattern] : features)
    ASSERT_EQ(regcomp(&patterns[at++], pattern, REG_EXTENDED | REG_NEWLINE), 0) << name;
  check_property(400, [&](const RandomProgram& random) {
    std::size_t next = 0;
    for (const auto& [name, pattern] : features)
      found[name] += regexec(&patterns[next++], random.text.c_str(), 0, nullptr, 0) == 0 ? 1 : 0;
  });
  for (regex_t& pattern : patterns) regfree(&pattern);
  for (const auto& [name, pattern] : features) EXPECT_GE(found[name], 5) << name << " is in too few of 400 programs";
  if (std::getenv("CYCLOTRON_SHOW_COVERAGE"))
    for (const auto& [name, count] : found) std::printf("%4d  %s\n", count, name.c_str());
}

// What shrinking ends with, and programs from the same numbers, are the same every time.
TEST(RandomPrograms, AreDeterminedByTheirNumbers) {
  EXPECT_EQ(make_program({}, 1).text, make_program({0, 0, 0}, 2).text);
  EXPECT_LT(make_program({}, 1).text.size(), 120u) << make_program({}, 1).text;
  check_property(50,
                 [](const RandomProgram& random) { RC_ASSERT(make_program(random.choices, 0).text == random.text); });
}

} // namespace
} // namespace cyclotron::fuzz
