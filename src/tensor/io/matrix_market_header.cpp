// SPDX-License-Identifier: MIT
// The first lines of a Matrix Market file.
#include "tensor/io/matrix_market_header.hpp"

#include "support/nearest.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cyclotron::tensor {

namespace {

constexpr const char* banner_hint = "a Matrix Market file begins with a line such as "
                                    "`%%MatrixMarket matrix coordinate real general`";

constexpr const char* size_hint = "the first line behind the comments gives the numbers of rows and columns, and in a "
                                  "`coordinate` file of entries";

std::string lower_case(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The next word of the banner as an index into the known ones, or -1 with an error.
int choose(TextLines& lines, Words& words, const std::vector<std::string>& known) {
  const std::string_view word = words.next();
  const auto found = std::find(known.begin(), known.end(), lower_case(word));
  if (found != known.end()) return static_cast<int>(found - known.begin());
  std::vector<std::string> names;
  for (const std::string& name : known) names.push_back("`" + name + "`");
  const std::string suggestion = did_you_mean(word, known);
  lines.error(word, fmt::format("expected {} in the header, found {}", join_names(names, "or"), in_backquotes(word)))
      .with_hint(suggestion.empty() ? banner_hint : suggestion);
  return -1;
}

bool read_object(TextLines& lines, Words& words) {
  const std::string_view word = words.next();
  if (lower_case(word) == "matrix") return true;
  if (lower_case(word) == "vector") {
    lines.error(word, "expected a matrix, found `vector`: Matrix Market vectors are not read")
        .with_hint("write the vector as a matrix of one column");
    return false;
  }
  lines.error(word, fmt::format("expected `matrix` in the header, found {}", in_backquotes(word)))
      .with_hint(banner_hint);
  return false;
}

// Combinations that the format does not define.
bool check_combination(TextLines& lines, const MatrixMarketHeader& header) {
  std::string problem;
  if (header.field == Field::pattern && !header.coordinate)
    problem = "an `array` file cannot be `pattern`: it would have no values";
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew)
    problem = "a `pattern` file cannot be `skew-symmetric`: it has no signs";
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex)
    problem = "only a `complex` file can be `hermitian`";
  if (problem.empty()) return true;
  lines.error(lines.line(), problem).with_hint("correct the first line of the file");
  return false;
}

bool read_banner(TextLines& lines, MatrixMarketHeader& header) {
  Words words(lines.line());
  const std::string_view first = words.next();
  if (lower_case(first) != "%%matrixmarket") {
    lines.error(first, fmt::format("expected `%%MatrixMarket`, found {}", in_backquotes(first))).with_hint(banner_hint);
    return false;
  }
  if (!read_object(lines, words)) return false;
  const int format = choose(lines, words, {"coordinate", "array"});
  if (format < 0) return false;
  const int field = choose(lines, words, {"real", "integer", "complex", "pattern", "double"});
  if (field < 0) return false;
  const int symmetry = choose(lines, words, {"general", "symmetric", "skew-symmetric", "hermitian"});
  if (symmetry < 0) return false;
  const std::string_view extra = words.next();
  if (!extra.empty()) {
    lines.error(extra, fmt::format("expected the end of the header, found {}", in_backquotes(extra)))
        .with_hint(banner_hint);
    return false;
  }
  header.coordinate = format == 0;
  header.field = field == 4 ? Field::real : static_cast<Field>(field);
  header.symmetry = static_cast<Symmetry>(symmetry);
  return check_combination(lines, header);
}

bool read_size(TextLines& lines, Words& words, const char* what, std::int64_t& size) {
  const std::string_view word = words.next();
  const Parsed parsed = parse_integer(word, size);
  if (parsed == Parsed::fine && size >= 0) return true;
  const char* wrong = parsed == Parsed::too_large ? ", which does not fit 63 bits" : "";
  lines.error(word, fmt::format("expected the number of {}, found {}{}", what, in_backquotes(word), wrong))
      .with_hint(size_hint);
  return false;
}

// How many numbers an array file lists: the lower triangle only where the rest follows from it.
std::int64_t array_length(const MatrixMarketHeader& header) {
  const std::int64_t n = header.rows;
  if (header.symmetry == Symmetry::general) return saturating_product(n, header.columns);
  const std::int64_t other = header.symmetry == Symmetry::skew ? n - 1 : n + 1;
  return n == 0 ? 0 : n % 2 == 0 ? saturating_product(n / 2, other) : saturating_product(n, other / 2);
}

bool read_sizes(TextLines& lines, MatrixMarketHeader& header) {
  if (!lines.next_data('%')) {
    if (!lines.failed())
      lines.error_at_end("expected the size of the matrix, found the end of the file").with_hint(size_hint);
    return false;
  }
  Words words(lines.line());
  if (!read_size(lines, words, "rows", header.rows)) return false;
  if (!read_size(lines, words, "columns", header.columns)) return false;
  if (header.coordinate && !read_size(lines, words, "entries", header.entries)) return false;
  const std::string_view extra = words.next();
  if (!extra.empty()) {
    lines.error(extra, fmt::format("expected the end of the line, found {}", in_backquotes(extra)))
        .with_hint(header.coordinate ? "the size of a `coordinate` file is its rows, columns and entries"
                                     : "the size of an `array` file is its rows and columns");
    return false;
  }
  if (header.symmetry != Symmetry::general && header.rows != header.columns) {
    lines.error(lines.line(), fmt::format("expected a square matrix, found {} x {}", header.rows, header.columns))
        .with_hint("only square matrices are symmetric: write `general` in the header");
    return false;
  }
  if (!header.coordinate) header.entries = array_length(header);
  return true;
}

} // namespace

std::optional<MatrixMarketHeader> read_header(TextLines& lines) {
  MatrixMarketHeader header;
  if (!lines.next()) {
    if (!lines.failed()) lines.error_at_end("the file is empty").with_hint(banner_hint);
    return std::nullopt;
  }
  if (!read_banner(lines, header) || !read_sizes(lines, header)) return std::nullopt;
  return header;
}

} // namespace cyclotron::tensor
