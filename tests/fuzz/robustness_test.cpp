// SPDX-License-Identifier: MIT
// Whatever the text: the front end says no or yes, and what it accepts runs. It never crashes, hangs or calls itself
// wrong (`bug`, exit code 70).
#include "fuzz/compiled.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/property.hpp"
#include "fuzz/repository.hpp"

#include <chrono>
#include <random>

namespace cyclotron::fuzz {
namespace {

using Random = std::mt19937_64;

// Other cases every night.
Random random_for(int test, int i) {
  static const std::uint64_t night =
      nightly() ? static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) : 0;
  return Random(night + static_cast<std::uint64_t>(test) * 1'000'003 + static_cast<std::uint64_t>(i));
}

// Runs what is accepted at two choices of sizes. A rejection must say something.
std::string try_program(const std::string& text) {
  Compiled compiled(text);
  if (!compiled.accepted()) return compiled.messages().empty() ? "rejected without a word" : "";
  compiled.messages();
  for (const char* size : {"2", "5"}) {
    std::map<std::string, std::string> given;
    for (const auto& s : compiled.program().sizes) given[s.name] = size;
    if (const auto bound = compiled.bind(given)) compiled.interpret(bound->sizes, bound->tensors);
    compiled.messages();
  }
  return "";
}

void try_all(const std::string& what, int count, const std::function<std::string(int)>& text_of) {
  int reported = 0;
  run_all_isolated(
      cases(count), [&](int i) { return try_program(text_of(i)); },
      [&](int i, const std::string& problem) {
        if (++reported > 5) return;
        ADD_FAILURE() << what << " " << i << ": " << problem << "\n--- program\n" << text_of(i) << "\n---";
      });
  EXPECT_EQ(reported, 0);
}

std::string some_bytes(Random& random, std::size_t most, const std::string& alphabet) {
  std::string text(random() % most, ' ');
  for (char& c : text) c = alphabet.empty() ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
  return text;
}

TEST(Robustness, RandomBytes) {
  try_all("bytes", 300, [](int i) {
    Random random = random_for(1, i);
    return some_bytes(random, 300, i % 2 ? "" : "xyAn ijk()()+-*/^=<>[]{},:;#\"\n\n\t 0123.e_!&");
  });
}

// Words and symbols of the language, with the blanks between them that a person would write.
const std::vector<std::string> tokens{"tensor",
                                      "let",
                                      "assume",
                                      "default",
                                      "schedule",
                                      "order",
                                      "tile",
                                      "by",
                                      "and",
                                      "or",
                                      "not",
                                      "true",
                                      "inf",
                                      "select",
                                      "min",
                                      "max",
                                      "sqrt",
                                      "sum",
                                      "prod",
                                      "any",
                                      "GEMM",
                                      "TRSM",
                                      "f64",
                                      "i32",
                                      "bool",
                                      "csr",
                                      "coo",
                                      "dense",
                                      "compressed",
                                      "x",
                                      "y",
                                      "A",
                                      "n",
                                      "m",
                                      "i",
                                      "j",
                                      "k",
                                      "t",
                                      "0",
                                      "1",
                                      "2",
                                      "0.5",
                                      "1e9",
                                      "9999999999",
                                      "\"a\"",
                                      "+",
                                      "-",
                                      "*",
                                      "/",
                                      "^",
                                      "=",
                                      "<",
                                      "<=",
                                      "==",
                                      "!=",
                                      "(",
                                      ")",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ",",
                                      ":",
                                      ";",
                                      "->",
                                      "\n",
                                      "\n",
                                      "\n",
                                      "(",
                                      ")",
                                      "random",
                                      "tensor x(n)\n",
                                      "tensor A(n, n)\n",
                                      "x(i) = ",
                                      "A(i,j)",
                                      "x(i)"};

TEST(Robustness, TokenSoup) {
  try_all("tokens", 400, [](int i) {
    Random random = random_for(2, i);
    std::string text = i % 3 ? "tensor x(n)\ntensor y(m)\ntensor A(n, n)\n" : "";
    for (std::size_t count = random() % 60; count > 0; --count)
      text += tokens[random() % tokens.size()] + (random() % 3 ? " " : "");
    return text;
  });
}

// Pieces of a text: names, numbers, blanks, single symbols.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    end = std::max(end, at + 1);
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& p : pieces) text += p;
  return text;
}

std::string without_comments(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text[at] != '#') out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

void mutate(std::vector<std::string>& pieces, Random& random) {
  const std::size_t at = random() % pieces.size(), other = random() % pieces.size();
  const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random() % 6) {
  case 0: pieces.erase(place); break;
  case 1: pieces.insert(place, pieces[at]); break;
  case 2: std::swap(pieces[at], pieces[other]); break;
  case 3: pieces[at] = pieces[other]; break;
  case 4: pieces[at] = tokens[random() % tokens.size()]; break;
  default: pieces[at][random() % pieces[at].size()] = static_cast<char>(random() % 4 ? 32 + random() % 95 : random());
  }
  if (pieces.empty()) pieces.push_back(" ");
}

TEST(Robustness, MutatedPrograms) {
  const auto stored = programs_in({"examples"});
  ASSERT_FALSE(stored.empty());
  try_all("mutant", 500, [&](int i) {
    Random random = random_for(3, i);
    std::vector<std::string> pieces =
        pieces_of(without_comments(stored[static_cast<std::size_t>(i) % stored.size()].text));
    for (std::size_t count = 1 + random() % 4; count > 0; --count) mutate(pieces, random);
    return joined(pieces);
  });
}

// Only indices, sizes, constants and relations change: most of these parse, and many are accepted.
TEST(Robustness, MutatedIndices) {
  const auto stored = programs_in({"examples"});
  const std::vector<std::string> small{"i", "j", "k", "n", "m", "0",   "1",   "2",   "+", "-",
                                       "<", ">", "t", "T", "x", "sum", "max", "and", "*", "/"};
  try_all("mutant", 500, [&](int i) {
    Random random = random_for(4, i);
    std::vector<std::string> pieces =
        pieces_of(without_comments(stored[static_cast<std::size_t>(i) % stored.size()].text));
    for (int tries = 0, done = 0; tries < 200 && done < 2; ++tries) {
      std::string& piece = pieces[random() % pieces.size()];
      if (std::find(small.begin(), small.end(), piece) == small.end()) continue;
      piece = small[random() % small.size()];
      ++done;
    }
    return joined(pieces);
  });
}

} // namespace
} // namespace cyclotron::fuzz
