// SPDX-License-Identifier: MIT
// Recipes from and to text: `spd(n=200, seed=1)` and, for the command line, `spd:n=200,seed=1`.
#include "support/quote.hpp"
#include "tensor/generate.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace cyclotron::tensor {

namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class RecipeParser {
public:
  RecipeParser(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::optional<Recipe> run() {
    Recipe recipe;
    if (!read_name(recipe.name)) return std::nullopt;
    bool fine = true;
    if (peek() == ':') {
      ++at_;
      fine = read_arguments(recipe, '\0');
    } else if (peek() == '(') {
      ++at_;
      fine = read_arguments(recipe, ')');
    }
    if (!fine) return std::nullopt;
    if (at_ < text_.size() && peek() != '\0') return fail("the end"), std::nullopt;
    return recipe;
  }

private:
  // '\0' at the end of the text.
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool fail(std::string_view expected) {
    const std::string found = at_ < text_.size() ? fmt::format("`{}`", text_[at_]) : "its end";
    diagnostics_.error(fmt::format("expected {} at character {} of `{}`, found {}", expected, at_ + 1, text_, found))
        .with_hint("write a recipe as `spd(n=200, seed=1)` or `spd:n=200,seed=1`");
    return false;
  }

  bool read_name(std::string& name) {
    if (!std::isalpha(static_cast<unsigned char>(peek()))) return fail("the name of a generator");
    while (at_ < text_.size() && is_letter(text_[at_])) name += text_[at_++];
    return true;
  }

  // Up to the closing character, or to the end of the text where that is '\0'.
  bool read_arguments(Recipe& recipe, char closing) {
    if (peek() == closing) {
      at_ += closing != '\0' ? 1 : 0;
      return true;
    }
    while (true) {
      Argument argument;
      if (!read_argument(argument)) return false;
      recipe.arguments.push_back(std::move(argument));
      const char next = peek();
      if (next == ',') {
        ++at_;
      } else if (next == closing) {
        at_ += closing != '\0' ? 1 : 0;
        return true;
      } else {
        return fail(closing == '\0' ? "`,` or the end" : "`,` or `)`");
      }
    }
  }

  bool read_argument(Argument& argument) {
    peek();
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    std::size_t sign = end;
    while (sign < text_.size() && text_[sign] == ' ') ++sign;
    if (end > at_ && sign < text_.size() && text_[sign] == '=') {
      argument.name = text_.substr(at_, end - at_);
      at_ = sign + 1;
    }
    return read_value(argument);
  }

  bool read_value(Argument& argument) {
    const char first = peek();
    if (first == '"') return read_quoted(argument);
    const bool number = std::isdigit(static_cast<unsigned char>(first)) || first == '-' || first == '+' || first == '.';
    if (number && read_number(argument)) return true;
    if (read_path(argument)) return true;
    if (std::isalpha(static_cast<unsigned char>(first))) return read_nested(argument);
    return fail("a number, a text or a recipe");
  }

  bool read_number(Argument& argument) {
    const std::size_t begin = at_ + (text_[at_] == '+' ? 1 : 0);
    double value = 0;
    const auto [rest, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    const auto end = static_cast<std::size_t>(rest - text_.data());
    // `3d.mtx` begins like a number.
    const bool whole = end >= text_.size() || !(is_letter(text_[end]) || text_[end] == '.' || text_[end] == '/');
    if (error != std::errc() || !whole) return false;
    argument.value = value;
    at_ = end;
    return true;
  }

  // A word with a `.` or `/` is the name of a file; nothing is consumed where it has none.
  bool read_path(Argument& argument) {
    const std::size_t end = std::min(text_.find_first_of(",()\" =", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.find_first_of("./") == std::string_view::npos) return false;
    argument.value = std::string(word);
    at_ = end;
    return true;
  }

  bool read_quoted(Argument& argument) {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    if (at_ >= text_.size()) return fail("a closing `\"`");
    argument.value = unquote(text_.substr(begin, at_++ - begin));
    return true;
  }

  bool read_nested(Argument& argument) {
    constexpr int deepest = 32; // a text of parentheses must not exhaust the stack
    Recipe nested;
    if (!read_name(nested.name)) return false;
    if (peek() == '(') {
      if (++depth_ > deepest) return fail("fewer recipes within each other");
      ++at_;
      if (!read_arguments(nested, ')')) return false;
      --depth_;
    }
    argument.value = std::vector<Recipe>{std::move(nested)};
    return true;
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

std::optional<Recipe> parse_recipe(std::string_view text, Diagnostics& diagnostics) {
  return RecipeParser(text, diagnostics).run();
}

std::string to_string(const Recipe& recipe) {
  std::string out;
  for (const Argument& argument : recipe.arguments) {
    if (!out.empty()) out += ", ";
    if (!argument.name.empty()) out += argument.name + "=";
    if (const auto* number = std::get_if<double>(&argument.value)) out += fmt::format("{}", *number);
    else if (const auto* text = std::get_if<std::string>(&argument.value)) out += quote(*text);
    else out += to_string(std::get<std::vector<Recipe>>(argument.value).at(0));
  }
  return fmt::format("{}({})", recipe.name, out);
}

} // namespace cyclotron::tensor
