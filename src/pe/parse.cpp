// SPDX-License-Identifier: MIT
// Drives the parser of `.pe` files, and reads all that is declared.
#include "pe/file.hpp"
#include "pe/parser.hpp"
#include "support/quote.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::pe {

using frontend::TokenKind;

namespace {

template <class List> std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

} // namespace

FileParser::FileParser(std::int32_t file, Diagnostics& diagnostics)
    : Parser(frontend::lex(file, diagnostics.sources(), diagnostics), diagnostics),
      text_(diagnostics.sources().text(file)) {}

std::optional<Program> FileParser::run() {
  try {
    skip_line_ends();
    version();
    while (!at("checksum")) {
      if (column(peek()) != 0) fail(peek(), "a declaration starts at the beginning of its line");
      start_statement();
      declaration();
    }
  } catch (const frontend::StatementAbandoned&) {
    return std::nullopt;
  }
  return std::move(program_);
}

// --- lines ---

void FileParser::skip_line_ends() {
  while (peek().kind == TokenKind::line_end) take();
}

int FileParser::column(const Token& token) const {
  const std::size_t at = token.span.begin;
  const std::size_t line = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  return static_cast<int>(line == std::string::npos ? at : at - line - 1);
}

void FileParser::end_of_line(std::string_view what) {
  end_statement(what);
  skip_line_ends();
}

// --- declarations ---

void FileParser::declaration() {
  const Token word = peek();
  if (accept("program")) program_.name = text("the name of the program in quotes");
  else if (accept("size")) return size();
  else if (accept("closed")) return closed_form();
  else if (accept("cycles")) program_.predicted_cycles = whole("a number of cycles");
  else if (accept("axis")) return axis();
  else if (accept("tensor")) return tensor();
  else if (accept("register")) return register_();
  else if (accept("channel")) return channel();
  else if (accept("host")) return host();
  else if (accept("role")) return role();
  else
    fail_expected("a declaration",
                  "a line is `program`, `size`, `closed form`, `cycles`, `axis`, `tensor`, `register`, `channel`, "
                  "`host` or `role`, what is said of it, and last comes `checksum`");
  end_of_line(fmt::format("`{}`", word.text));
}

void FileParser::version() {
  expect("cyclotron", "at the beginning");
  expect("pe", "after `cyclotron`");
  whole("a version");
  end_of_line("the version");
}

void FileParser::size() {
  const Token name = expect_name("the name of a size");
  expect("=", "after the name of a size");
  if (!program_.sizes.emplace(name.text, whole("the value of the size")).second)
    fail(name, fmt::format("the size `{}` is declared twice", name.text));
  end_of_line("the size");
}

void FileParser::closed_form() {
  expect("form", "after `closed`");
  program_.closed_form = text("a formula in quotes");
  end_of_line("the closed form");
}

void FileParser::axis() {
  Axis result;
  result.name = new_name("axis", names_of(program_.axes));
  expect("=", "after the name of an axis");
  result.first = whole("the first coordinate");
  expect("..", "between the first and the last coordinate");
  result.last = whole("the last coordinate");
  program_.torus.push_back(accept("torus"));
  scope_.push_back(result.name);
  program_.axes.push_back(std::move(result));
  end_of_line("the axis");
}

void FileParser::tensor() {
  Memory result;
  result.name = new_name("tensor", names_of(program_.tensors));
  if (at("(")) result.dims = list("an extent");
  const Token by = peek();
  result.block = tile();
  if (result.block.empty()) result.block.resize(result.dims.size());
  else if (result.block.size() != result.dims.size())
    fail(
        by,
        fmt::format("`{}` has {} extents, but its tiles have {}", result.name, result.dims.size(), result.block.size()),
        "write 0 for a dimension whose index names an element");
  result.type = type();
  result.is_output = at("output");
  if (!accept("input") && !accept("output")) fail_expected("`input` or `output` after the type");
  if (at("block") || at("cyclic")) {
    Distribution owners;
    const Token how = peek();
    owners.cyclic = at("cyclic");
    if (!accept("block")) accept("cyclic");
    for (std::int64_t d : list("the number of a dimension")) {
      if (d < 0 || d >= static_cast<std::int64_t>(result.dims.size()) ||
          std::count(owners.dims.begin(), owners.dims.end(), static_cast<int>(d)))
        fail(how, fmt::format("`{}` has no dimension {} that could be dealt out here", result.name, d),
             "dimensions count from 0, and each is named once");
      owners.dims.push_back(static_cast<int>(d));
    }
    result.distribution = owners;
  }
  program_.tensors.push_back(std::move(result));
  end_of_line("the tensor");
}

// `register L(0 .. 7, 0 .. 1 ring) by (2,2): f64`.
void FileParser::register_() {
  Register result;
  result.name = new_name("register", names_of(program_.registers));
  if (accept("(")) {
    do {
      Register::Extent extent;
      const Token first = peek();
      extent.first = whole("the least index");
      expect("..", "between the least and the largest index");
      const std::int64_t last = whole("the largest index");
      if (__builtin_sub_overflow(last, extent.first - 1, &extent.count)) fail(first, "this range is too long");
      extent.ring = accept("ring");
      result.table.push_back(extent);
    } while (accept(","));
    expect(")", "after the ranges of indices");
  }
  result.tile = tile();
  result.type = type();
  program_.registers.push_back(std::move(result));
  end_of_line("the register");
}

// `channel B1: f64 [i,k]_B -> [i+1,k]_B`.
void FileParser::channel() {
  Channel result;
  result.name = new_name("channel", names_of(program_.channels));
  result.tile = tile();
  result.type = type();
  const Token from = peek();
  const std::vector<std::int64_t> own = position();
  if (std::any_of(own.begin(), own.end(), [](std::int64_t o) { return o != 0; }))
    fail(from, "a channel starts at this PE", "write its axes as they are: `[i,k]_B -> [i+1,k]_B`");
  result.value = value_name("what the channel carries").text;
  expect("->", "between the ends of the channel");
  result.offset = position();
  if (const Token value = value_name("what the channel carries"); value.text != result.value)
    fail(value,
         fmt::format("both ends of a channel have the same value, found `{}` and `{}`", result.value, value.text));
  program_.channels.push_back(std::move(result));
  end_of_line("the channel");
}

void FileParser::host() {
  end_of_line("`host`");
  if (!program_.host.empty()) fail(peek(), "there are two programs for the host");
  in_host_ = true;
  const Names axes = std::exchange(scope_, {});
  program_.host = body(0, 0);
  scope_ = axes;
  in_host_ = false;
}

void FileParser::role() {
  Role result;
  result.name = word("the name of a role");
  if (accept("everywhere")) {
    result.where = {{}};
  } else {
    expect("at", "or `everywhere` after the name of a role");
    result.where = alternatives();
  }
  end_of_line("where the role is played");
  result.body = body(0, 0);
  program_.roles.push_back(std::move(result));
}

// --- parts of declarations ---

std::string FileParser::word(std::string_view what) {
  if (peek().kind == TokenKind::text) return unquote(take().text);
  if (peek().kind != TokenKind::name && peek().kind != TokenKind::number) fail_expected(what);
  return std::string(take().text);
}

std::string FileParser::new_name(std::string_view what, const Names& taken) {
  const Token name = expect_name(fmt::format("the name of {} {}", what == "axis" ? "an" : "a", what));
  if (std::find(taken.begin(), taken.end(), name.text) != taken.end())
    fail(name, fmt::format("the {} `{}` is declared twice", what, name.text));
  return std::string(name.text);
}

std::string FileParser::text(std::string_view what) {
  if (peek().kind != TokenKind::text) fail_expected(what);
  return unquote(take().text);
}

std::int64_t FileParser::whole(std::string_view what) {
  const bool negative = accept("-");
  const std::int64_t value = integer(what);
  return negative ? -value : value;
}

std::vector<std::int64_t> FileParser::list(std::string_view what) {
  std::vector<std::int64_t> result;
  expect("(", "before a list");
  do result.push_back(whole(what));
  while (accept(","));
  expect(")", "after the list");
  return result;
}

std::vector<std::int64_t> FileParser::tile() {
  return accept("by") ? list("the extent of a tile") : std::vector<std::int64_t>{};
}

ValueType FileParser::type() {
  expect(":", "before the type");
  const Token name = expect_name("a type");
  if (const auto type = tensor::value_type_named(name.text)) return *type;
  fail(name, fmt::format("`{}` is no type", name.text), "types are f64, f32, i64, i32 and bool");
}

// --- files ---

std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics) {
  if (!check_seal(file, diagnostics)) return std::nullopt;
  const int before = diagnostics.errors();
  auto program = FileParser(file, diagnostics).run();
  if (!program || diagnostics.errors() != before) return std::nullopt;
  if (const std::string problem = problem_of(*program); !problem.empty()) {
    diagnostics.error(Span{file, 0, 0}, fmt::format("this program cannot run: {}", problem));
    return std::nullopt;
  }
  return program;
}

} // namespace cyclotron::pe
