// SPDX-License-Identifier: MIT
// Matrix Market files: coordinate and array, every field and symmetry, expanded to all entries.
#include "tensor/io/entry_list.hpp"
#include "tensor/io/matrix_market_header.hpp"
#include "tensor/io/readers.hpp"
#include "tensor/io/text_entries.hpp"
#include "tensor/relayout.hpp"

#include <fmt/format.h>

#include <complex>
#include <type_traits>

namespace cyclotron::tensor {

namespace {

// T is what one entry holds: double, int64, uint8 (pattern), or complex.
template <class T> class MatrixReader : public TextEntries {
public:
  static constexpr bool is_complex = std::is_same_v<T, std::complex<double>>;
  static constexpr bool is_pattern = std::is_same_v<T, std::uint8_t>;

  MatrixReader(TextLines& lines, const MatrixMarketHeader& header)
      : lines_(lines), header_(header), list_(empty_list()) {}

  // The whole file; an array as a dense list.
  std::optional<Entries> run() {
    if (!header_.coordinate && !enough_for_array()) return std::nullopt;
    if (!read(std::numeric_limits<std::size_t>::max()) || !check_end()) return std::nullopt;
    Entries entries;
    entries.dims = {header_.rows, header_.columns};
    entries.dense = !header_.coordinate;
    if (header_.coordinate) entries.coordinates = std::move(list_.columns);
    else if (!spread_array()) return std::nullopt;
    return with_values(std::move(entries));
  }

  std::optional<Entries> next(std::int64_t most) override {
    list_ = empty_list();
    const std::int64_t before = count_;
    if (!read(static_cast<std::size_t>(most))) return std::nullopt;
    if (!header_.coordinate && !place_array(before)) return std::nullopt;
    Entries entries;
    entries.dims = {header_.rows, header_.columns};
    entries.coordinates = std::move(list_.columns);
    return with_values(std::move(entries));
  }

  std::int64_t count_ahead() override {
    std::int64_t count = 0;
    while (lines_.next_data('%')) {
      Words words(lines_.line());
      const std::int64_t parts = is_complex ? 2 : 1;
      std::int64_t found = parts;
      if (!header_.coordinate)
        for (found = 0; !words.next().empty();) ++found;
      count += (found + parts - 1) / parts;
    }
    return count;
  }

  void begin_at(std::int64_t entries_before) override { count_ = entries_before; }

  bool check_end() override {
    if (count_ == header_.entries) return true;
    lines_.error_at_end(fmt::format("expected {}, found {}", describe_count(), count_))
        .with_hint("the file is cut short, or its size line is wrong");
    return false;
  }

private:
  EntryList<T> empty_list() {
    return {std::size_t{header_.coordinate ? 2u : 0u}, lines_.source().path(), lines_.source().diagnostics()};
  }

  bool read(std::size_t most) {
    while (list_.values.size() < most && lines_.next_data('%'))
      if (!(header_.coordinate ? read_coordinates() : read_array())) return false;
    return !lines_.failed();
  }

  bool read_coordinates() {
    if (count_ == header_.entries) return report_too_many();
    ++count_;
    return read_entry();
  }

  bool read_entry() {
    Words words(lines_.line());
    std::int64_t row = 0, column = 0;
    T value{};
    if (!read_index(words, "row", header_.rows, row) || !read_index(words, "column", header_.columns, column))
      return false;
    if (!read_value(words, value)) return false;
    const std::string_view extra = words.next();
    if (!extra.empty()) {
      lines_.error(extra, fmt::format("expected the end of the line, found {}", in_backquotes(extra)))
          .with_hint(is_pattern ? "a `pattern` file lists a row and a column only" : "each line holds one entry");
      return false;
    }
    return check_triangle(row, column) && add(row, column, value);
  }

  bool read_index(Words& words, const char* what, std::int64_t size, std::int64_t& index) {
    const std::string_view word = words.next();
    if (parse_integer(word, index) == Parsed::fine && index >= 1 && index <= size) {
      --index;
      return true;
    }
    lines_
        .error(word, size == 0 ? fmt::format("expected no entries in a matrix without {}s, found {}", what,
                                             in_backquotes(word))
                               : fmt::format("expected a {} from 1 to {}, found {}", what, size, in_backquotes(word)))
        .with_hint(
            fmt::format("the size line says {} x {}; rows and columns count from 1", header_.rows, header_.columns));
    return false;
  }

  bool read_value(Words& words, T& value) {
    if constexpr (is_pattern) {
      value = 1;
      return true;
    } else if constexpr (is_complex) {
      double real = 0, imaginary = 0;
      if (!read_number(words, "the real part", real) || !read_number(words, "the imaginary part", imaginary))
        return false;
      value = {real, imaginary};
      return true;
    } else {
      return read_number(words, std::is_same_v<T, double> ? "a real number" : "an integer", value);
    }
  }

  template <class Number> bool read_number(Words& words, const char* what, Number& number) {
    const std::string_view word = words.next();
    Parsed parsed;
    if constexpr (std::is_same_v<Number, double>) parsed = parse_real(word, number);
    else parsed = parse_integer(word, number);
    if (parsed == Parsed::fine) return true;
    double real = 0;
    const bool fraction = std::is_same_v<Number, std::int64_t> && parsed == Parsed::not_a_number &&
                          parse_real(word, real) != Parsed::not_a_number;
    std::string hint = word.empty() ? "each entry of this file has a value: see its first line" : "write a number";
    if (fraction) hint = "the first line says `integer`: write `real` there";
    const char* wrong = parsed == Parsed::too_large ? ", which is too large" : "";
    lines_.error(word, fmt::format("expected {}, found {}{}", what, in_backquotes(word), wrong)).with_hint(hint);
    return false;
  }

  bool check_triangle(std::int64_t row, std::int64_t column) {
    if (header_.symmetry == Symmetry::general || row > column) return true;
    if (row == column && header_.symmetry != Symmetry::skew) return true;
    const char* where = row == column ? "on the diagonal" : "above the diagonal";
    lines_
        .error(lines_.line(),
               fmt::format("expected an entry below the diagonal, found ({}, {}) {}", row + 1, column + 1, where))
        .with_hint(row == column ? "the diagonal of a skew-symmetric matrix is zero and is not listed"
                                 : "a symmetric file lists the lower triangle only: swap the two, or write `general` "
                                   "in the header");
    return false;
  }

  // Adds the entry and, where the matrix is symmetric in some way, its mirror image.
  bool add(std::int64_t row, std::int64_t column, T value) {
    if (!list_.make_room(2)) return false;
    push(row, column, value);
    if (header_.symmetry == Symmetry::general || row == column) return true;
    if (!mirror(value)) return false;
    push(column, row, value);
    return true;
  }

  void push(std::int64_t row, std::int64_t column, T value) {
    list_.columns[0].push_back(row);
    list_.columns[1].push_back(column);
    list_.values.push_back(value);
  }

  bool mirror(T& value) {
    if constexpr (is_complex) {
      if (header_.symmetry == Symmetry::hermitian) value = std::conj(value);
    }
    if (header_.symmetry != Symmetry::skew) return true;
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (value == std::numeric_limits<std::int64_t>::min()) {
        lines_.error(lines_.line(), "the mirror image of this entry does not fit 64 bits")
            .with_hint("write `real` in the header");
        return false;
      }
    }
    if constexpr (!is_pattern) value = -value;
    return true;
  }

  // Values column by column; several may share a line.
  bool read_array() {
    Words words(lines_.line());
    for (Words ahead = words; !ahead.next().empty(); ahead = words) {
      if (count_ == header_.entries) return report_too_many();
      T value{};
      if (!read_value(words, value) || !list_.make_room(1)) return false;
      list_.values.push_back(value);
      ++count_;
    }
    return true;
  }

  bool enough_for_array() {
    return enough_memory(element_count({header_.rows, header_.columns}), sizeof(T),
                         "reading `" + lines_.source().path() + "`", lines_.source().diagnostics(),
                         "write the matrix as a `coordinate` file");
  }

  // The first row that an array file lists of a column, and how many numbers stand before it.
  std::int64_t top(std::int64_t column) const {
    return header_.symmetry == Symmetry::general ? 0 : header_.symmetry == Symmetry::skew ? column + 1 : column;
  }
  std::int64_t before(std::int64_t column) const {
    const std::int64_t triangle = column * (column - 1) / 2;
    if (header_.symmetry == Symmetry::general) return column * header_.rows;
    return column * (header_.symmetry == Symmetry::skew ? header_.rows - 1 : header_.rows) - triangle;
  }

  // Gives the numbers of an array file coordinates; `first` stand before them.
  bool place_array(std::int64_t first) {
    const std::vector<T> values = std::move(list_.values);
    list_ = {2, lines_.source().path(), lines_.source().diagnostics()};
    if (values.empty()) return true;
    std::int64_t column = 0;
    for (std::int64_t end = header_.columns; end - column > 1;) { // the last column that begins at or before the first
      const std::int64_t middle = column + (end - column) / 2;
      (before(middle) <= first ? column : end) = middle;
    }
    std::int64_t row = top(column) + first - before(column);
    for (const T& value : values) {
      for (; row == header_.rows; row = top(column)) ++column;
      if (!add(row++, column, value)) return false;
    }
    return true;
  }

  // The list in column-major order, triangles filled out, becomes all elements in row-major order.
  bool spread_array() {
    const auto rows = static_cast<std::size_t>(header_.rows), columns = static_cast<std::size_t>(header_.columns);
    std::vector<T> all(rows * columns);
    std::size_t next = 0;
    for (std::size_t j = 0; j < columns && rows > 0; ++j) {
      for (auto i = static_cast<std::size_t>(top(static_cast<std::int64_t>(j))); i < rows; ++i) {
        T value = list_.values[next++];
        all[i * columns + j] = value;
        if (header_.symmetry == Symmetry::general || i == j) continue;
        if (!mirror(value)) return false;
        all[j * columns + i] = value;
      }
    }
    list_.values = std::move(all);
    return true;
  }

  Entries with_values(Entries entries) {
    if constexpr (is_complex) {
      split_parts(entries);
    } else {
      entries.values = std::move(list_.values);
    }
    return entries;
  }

  // Complex numbers gain a last dimension: 0 is the real part, 1 the imaginary one.
  void split_parts(Entries& entries) {
    std::vector<double> parts;
    parts.reserve(2 * list_.values.size());
    for (const auto& value : list_.values) {
      parts.push_back(std::real(value));
      parts.push_back(std::imag(value));
    }
    entries.values = std::move(parts);
    entries.dims.push_back(2);
    if (entries.dense) return;
    for (auto& column : entries.coordinates) {
      std::vector<std::int64_t> twice;
      twice.reserve(2 * column.size());
      for (std::int64_t c : column) twice.insert(twice.end(), {c, c});
      column = std::move(twice);
    }
    std::vector<std::int64_t> part(2 * list_.values.size());
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<std::int64_t>(i % 2);
    entries.coordinates.push_back(std::move(part));
  }

  std::string describe_count() const {
    return fmt::format("{} {}", header_.entries, header_.entries == 1 ? "entry" : "entries");
  }

  bool report_too_many() {
    lines_.error(lines_.line(), fmt::format("expected {}, found another one", describe_count()))
        .with_hint("correct the number of entries in the size line, or remove this line");
    return false;
  }

  TextLines& lines_;
  const MatrixMarketHeader& header_;
  EntryList<T> list_;
  std::int64_t count_ = 0; // entries that the file has listed so far
};

// A vector is kept as a matrix of one column or row: known dimensions say when to take it as a vector again.
std::optional<std::vector<std::int64_t>> shape_wanted(const std::vector<std::int64_t>& found,
                                                      const std::vector<std::int64_t>& known) {
  if (known.empty() || agrees(found, known)) return found;
  if (known.size() == 1 && found.size() == 2)
    for (std::size_t drop : {1, 0})
      if (found[drop] == 1 && agrees({found[1 - drop]}, known)) return std::vector{found[1 - drop]};
  return std::nullopt;
}

// Calls use(reader) with the reader for the field that the header names.
template <class Use> auto with_reader(TextLines& lines, const MatrixMarketHeader& header, Use use) {
  switch (header.field) {
  case Field::real: return use(std::make_unique<MatrixReader<double>>(lines, header));
  case Field::integer: return use(std::make_unique<MatrixReader<std::int64_t>>(lines, header));
  case Field::complex: return use(std::make_unique<MatrixReader<std::complex<double>>>(lines, header));
  case Field::pattern: return use(std::make_unique<MatrixReader<std::uint8_t>>(lines, header));
  }
  bug("unknown field");
}

} // namespace

std::unique_ptr<TextEntries> matrix_market_entries(TextLines& lines, const MatrixMarketHeader& header) {
  return with_reader(lines, header, [](auto reader) -> std::unique_ptr<TextEntries> { return reader; });
}

std::optional<MatrixMarketShape> shape_of(TextLines& lines, const MatrixMarketHeader& header,
                                          const std::vector<std::int64_t>& known) {
  std::vector<std::int64_t> dims = {header.rows, header.columns};
  if (header.field == Field::complex) dims.push_back(2);
  const std::optional<std::vector<std::int64_t>> shape = shape_wanted(dims, known);
  if (!shape) {
    lines
        .error(lines.line(), fmt::format("expected {}, found {}{}", describe_shape(known), describe_shape(dims),
                                         header.field == Field::complex ? " (real and imaginary parts)" : ""))
        .with_hint(other_sizes_hint);
    return std::nullopt;
  }
  if (shape->size() == dims.size()) return MatrixMarketShape{*shape, -1};
  return MatrixMarketShape{*shape, dims[1] == 1 && (*shape)[0] == dims[0] ? 1 : 0};
}

std::optional<Entries> read_matrix_market(ByteSource& source, const ReadOptions& options) {
  TextLines lines(source);
  const std::optional<MatrixMarketHeader> header = read_header(lines);
  const auto shape = header ? shape_of(lines, *header, options.dims) : std::nullopt;
  if (!shape) return std::nullopt;
  std::optional<Entries> entries = with_reader(lines, *header, [](auto reader) { return reader->run(); });
  if (!entries || shape->dropped < 0) return entries;
  if (!entries->dense) entries->coordinates.erase(entries->coordinates.begin() + shape->dropped);
  entries->dims = shape->dims;
  return entries;
}

} // namespace cyclotron::tensor
