// SPDX-License-Identifier: MIT
// The header of a NumPy file, versions 1, 2 and 3 of the format.
#include "tensor/io/numpy_header.hpp"

#include "tensor/io/text_lines.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace cyclotron::tensor {

namespace {

constexpr const char* write_hint = "write the file with `numpy.save(path, array)`";

// Reads the dictionary literal. Only what numpy writes is understood: strings, True, False and a tuple of integers.
class DictionaryParser {
public:
  DictionaryParser(std::string_view text, ByteSource& source) : text_(text), source_(source) {}

  bool run(NumpyHeader& header) {
    if (!expect('{')) return false;
    while (peek() != '}') {
      std::string key;
      if (!read_string(key) || !expect(':') || !read_value(key, header)) return false;
      if (peek() == ',') ++at_;
      else if (peek() != '}') return report("`,` or `}`");
    }
    for (const auto& [name, found] :
         {std::pair{"descr", has_type_}, {"fortran_order", has_order_}, {"shape", has_shape_}})
      if (!found) return report(fmt::format("the key `{}`", name));
    return true;
  }

private:
  char peek() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool report(const std::string& expected) {
    std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
    while (!rest.empty() && (is_blank(rest.back()) || rest.back() == '\n')) rest.remove_suffix(1);
    source_.diagnostics()
        .error(Place{source_.path(), 0, 0, ""}, fmt::format("expected {} in the header, found {}", expected,
                                                            rest.empty() ? "its end" : in_backquotes(rest)))
        .with_hint(write_hint);
    return false;
  }

  bool expect(char c) {
    if (peek() != c) return report(fmt::format("`{}`", c));
    ++at_;
    return true;
  }

  bool read_string(std::string& value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return report("a name in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return report("a name in quotes");
    value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool read_value(const std::string& key, NumpyHeader& header) {
    if (key == "descr") {
      has_type_ = true;
      return read_type(header);
    }
    if (key == "fortran_order") {
      has_order_ = true;
      return read_bool(header.fortran_order);
    }
    if (key == "shape") {
      has_shape_ = true;
      header.shape.clear();
      return read_shape(header.shape);
    }
    return report(fmt::format("`descr`, `fortran_order` or `shape` rather than {}", in_backquotes(key)));
  }

  bool read_bool(bool& value) {
    peek();
    for (const auto& [name, meaning] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}})
      if (text_.substr(at_, name.size()) == name) {
        at_ += name.size();
        value = meaning;
        return true;
      }
    return report("`True` or `False`");
  }

  bool read_shape(std::vector<std::int64_t>& shape) {
    if (!expect('(')) return false;
    while (peek() != ')') {
      const std::size_t end = std::min(text_.find_first_of(",) \n", at_), text_.size());
      std::int64_t size = 0;
      if (parse_integer(text_.substr(at_, end - at_), size) != Parsed::fine || size < 0)
        return report("a size of at least 0");
      shape.push_back(size);
      at_ = end;
      if (peek() == ',') ++at_;
      else if (peek() != ')') return report("`,` or `)`");
    }
    ++at_;
    return true;
  }

  bool read_type(NumpyHeader& header) {
    std::string name;
    if (peek() == '[') {
      name = text_.substr(at_, text_.find(']', at_) - at_ + 1);
    } else if (!read_string(name)) {
      return false;
    } else if (understand(name, header)) {
      return true;
    }
    const bool object = name.find('O') != std::string::npos;
    source_.diagnostics()
        .error(Place{source_.path(), 0, 0, ""}, fmt::format("expected an array of numbers, found the element type {}{}",
                                                            in_backquotes(name), object ? " (Python objects)" : ""))
        .with_hint("convert the array first, such as with `array.astype('f8')`; these types are read: f4, f8, i1, i2, "
                   "i4, i8, u1, u2, u4 and bool");
    return false;
  }

  // "<f8": byte order, kind, size.
  static bool understand(std::string_view name, NumpyHeader& header) {
    if (name == "?") name = "|b1";
    if (name.size() != 3 || std::string_view("<>|=").find(name[0]) == std::string_view::npos) return false;
    header.big_endian = name[0] == '>';
    header.kind = name[1];
    header.bytes = name[2] - '0';
    constexpr std::array<std::string_view, 10> known = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "b1"};
    for (std::string_view type : known)
      if (type == name.substr(1)) return true;
    return false;
  }

  std::string_view text_;
  ByteSource& source_;
  std::size_t at_ = 0;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

std::nullopt_t refuse(ByteSource& source, std::string message) {
  if (!source.failed())
    source.diagnostics().error(Place{source.path(), 0, 0, ""}, std::move(message)).with_hint(write_hint);
  return std::nullopt;
}

} // namespace

std::optional<NumpyHeader> read_numpy_header(ByteSource& source) {
  std::array<unsigned char, 12> start{};
  const std::size_t got = source.read(reinterpret_cast<char*>(start.data()), 8);
  if (got == 0) return refuse(source, "the file is empty");
  if (got < 8 || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    return refuse(source, "expected a NumPy file, which begins with the byte 147 and `NUMPY`, found something else");
  const int version = start[6];
  if (version < 1 || version > 3)
    return refuse(source, fmt::format("expected version 1, 2 or 3 of the NumPy format, found {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (source.read(reinterpret_cast<char*>(start.data()) + 8, length_bytes) < length_bytes)
    return refuse(source, "the file ends within its header");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length * 256 + start[8 + i];
  constexpr std::size_t longest = std::size_t{1} << 20;
  if (length > longest)
    return refuse(source, fmt::format("expected a header of at most {} bytes, found one of {}", longest, length));
  std::string text(length, '\0');
  if (source.read(text.data(), length) < length) return refuse(source, "the file ends within its header");
  NumpyHeader header;
  header.length = static_cast<std::int64_t>(8 + length_bytes + length);
  if (!DictionaryParser(text, source).run(header)) return std::nullopt;
  return header;
}

} // namespace cyclotron::tensor
