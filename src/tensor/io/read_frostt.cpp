// SPDX-License-Identifier: MIT
// FROSTT files: one line per entry, coordinates counted from 1, then the value.
#include "tensor/io/entry_list.hpp"
#include "tensor/io/readers.hpp"
#include "tensor/io/text_lines.hpp"

#include <fmt/format.h>

namespace cyclotron::tensor {

namespace {

constexpr const char* line_hint = "each line holds the coordinates of an entry, counted from 1, and its value";

class FrosttReader {
public:
  FrosttReader(ByteSource& source, const ReadOptions& options)
      : lines_(source, options.show_progress), known_(options.dims), dims_(options.dims),
        list_(options.dims.size(), source.path(), source.diagnostics()) {
    for (std::int64_t& size : dims_) size = size < 0 ? 0 : size;
  }

  std::optional<Entries> run() {
    bool first = true;
    while (lines_.next_data('#')) {
      if (first && !learn_rank()) return std::nullopt;
      first = false;
      if (!read_entry()) return std::nullopt;
    }
    if (lines_.failed()) return std::nullopt;
    if (lines_.number() == 0) {
      lines_.error_at_end("the file is empty").with_hint(line_hint);
      return std::nullopt;
    }
    if (known_.empty()) {
      lines_.error_at_end("expected at least one entry, found the end of the file").with_hint(line_hint);
      return std::nullopt;
    }
    Entries entries;
    entries.dims = dims_;
    entries.coordinates = std::move(list_.columns);
    entries.values = std::move(list_.values);
    return entries;
  }

private:
  // The first entry gives the rank where nobody else does.
  bool learn_rank() {
    std::size_t count = 0;
    std::string_view last;
    Words words(lines_.line());
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++count) last = word;
    if (count < 2) {
      lines_.error(last, fmt::format("expected coordinates and a value, found {} alone", in_backquotes(last)))
          .with_hint(line_hint);
      return false;
    }
    if (count - 1 > most_dimensions) {
      lines_.error(lines_.line(), fmt::format("expected at most {} coordinates, found {}", most_dimensions, count - 1))
          .with_hint(line_hint);
      return false;
    }
    if (known_.empty()) {
      known_.assign(count - 1, -1);
      dims_.assign(count - 1, 0);
      list_.columns.resize(count - 1);
    }
    return true;
  }

  bool read_entry() {
    if (!list_.make_room(1)) return false;
    Words words(lines_.line());
    for (std::size_t d = 0; d < dims_.size(); ++d)
      if (!read_coordinate(words.next(), d)) return false;
    const std::string_view word = words.next();
    double value = 0;
    const Parsed parsed = parse_real(word, value);
    if (parsed != Parsed::fine) {
      lines_
          .error(word, fmt::format("expected a value behind {} coordinates, found {}{}", dims_.size(),
                                   in_backquotes(word), parsed == Parsed::too_large ? ", which is too large" : ""))
          .with_hint(line_hint);
      return false;
    }
    const std::string_view extra = words.next();
    if (!extra.empty()) {
      lines_
          .error(extra, fmt::format("expected the end of the line behind {} coordinates and a value, found {}",
                                    dims_.size(), in_backquotes(extra)))
          .with_hint("every entry has as many coordinates as the tensor has dimensions");
      return false;
    }
    list_.values.push_back(value);
    return true;
  }

  bool read_coordinate(std::string_view word, std::size_t d) {
    std::int64_t coordinate = 0;
    const Parsed parsed = parse_integer(word, coordinate);
    const bool bounded = known_[d] >= 0;
    if (parsed == Parsed::fine && coordinate >= 1 && (!bounded || coordinate <= known_[d])) {
      list_.columns[d].push_back(coordinate - 1);
      if (!bounded) dims_[d] = std::max(dims_[d], coordinate);
      return true;
    }
    const std::string range = bounded ? fmt::format("from 1 to {}", known_[d]) : "of at least 1";
    lines_
        .error(word, fmt::format("expected a coordinate {} in dimension {}, found {}{}", range, d + 1,
                                 in_backquotes(word), parsed == Parsed::too_large ? ", which is too large" : ""))
        .with_hint(line_hint);
    return false;
  }

  TextLines lines_;
  std::vector<std::int64_t> known_;
  std::vector<std::int64_t> dims_;
  EntryList<double> list_;
};

} // namespace

std::optional<Entries> read_frostt(ByteSource& source, const ReadOptions& options) {
  return FrosttReader(source, options).run();
}

} // namespace cyclotron::tensor
