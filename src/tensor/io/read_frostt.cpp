// SPDX-License-Identifier: MIT
// FROSTT files: one line per entry, coordinates counted from 1, then the value.
#include "tensor/io/entry_list.hpp"
#include "tensor/io/readers.hpp"
#include "tensor/io/text_entries.hpp"

#include <fmt/format.h>

namespace cyclotron::tensor {

namespace {

constexpr const char* line_hint = "each line holds the coordinates of an entry, counted from 1, and its value";

class FrosttReader : public TextEntries {
public:
  FrosttReader(TextLines& lines, const std::vector<std::int64_t>& dims)
      : lines_(lines), known_(dims), dims_(dims), list_(empty_list()) {
    for (std::int64_t& size : dims_) size = size < 0 ? 0 : size;
  }

  std::optional<Entries> run() {
    std::optional<Entries> entries = next(std::numeric_limits<std::int64_t>::max());
    return entries && check_end() ? std::move(entries) : std::nullopt;
  }

  std::optional<Entries> next(std::int64_t most) override {
    list_ = empty_list();
    while (list_.values.size() < static_cast<std::size_t>(most) && lines_.next_data('#')) {
      if (count_++ == 0 && !learn_rank()) return std::nullopt;
      if (!read_entry()) return std::nullopt;
    }
    if (lines_.failed()) return std::nullopt;
    Entries entries;
    entries.dims = dims_;
    entries.coordinates = std::move(list_.columns);
    entries.values = std::move(list_.values);
    return entries;
  }

  std::int64_t count_ahead() override {
    std::int64_t count = 0;
    while (lines_.next_data('#')) ++count;
    return count;
  }

  void begin_at(std::int64_t entries_before) override { count_ = entries_before; }

  bool check_end() override {
    if (lines_.number() > 0 && !known_.empty()) return true;
    lines_
        .error_at_end(lines_.number() == 0 ? "the file is empty"
                                           : "expected at least one entry, found the end of the file")
        .with_hint(line_hint);
    return false;
  }

private:
  EntryList<double> empty_list() { return {dims_.size(), lines_.source().path(), lines_.source().diagnostics()}; }

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

  TextLines& lines_;
  std::vector<std::int64_t> known_;
  std::vector<std::int64_t> dims_;
  EntryList<double> list_;
  std::int64_t count_ = 0; // entries so far
};

} // namespace

std::optional<Entries> read_frostt(ByteSource& source, const ReadOptions& options) {
  TextLines lines(source);
  return FrosttReader(lines, options.dims).run();
}

std::unique_ptr<TextEntries> frostt_entries(TextLines& lines, const std::vector<std::int64_t>& dims) {
  return std::make_unique<FrosttReader>(lines, dims);
}

} // namespace cyclotron::tensor
