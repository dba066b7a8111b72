// SPDX-License-Identifier: MIT
#include "frontend/lex.hpp"

#include "frontend/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cyclotron::frontend {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<std::string_view, 6> two_letter_symbols{"<=", ">=", "==", "!=", "->", ".."};
constexpr std::string_view one_letter_symbols = "+-*/^=<>():,[]{};";
constexpr std::array<std::string_view, 5> statement_words{"tensor", "let", "assume", "default", "schedule"};

class Lexer {
public:
  Lexer(std::int32_t file, const Sources& sources, Diagnostics& diagnostics)
      : file_(file), text_(sources.text(file)), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    end_line(text_.size());
    push(TokenKind::file_end, text_.size(), text_.size());
    return std::move(tokens_);
  }

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void push(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.push_back({kind, text_.substr(begin, end - begin), span(begin, end)});
  }

  void step() {
    const char c = peek();
    if (c == '\n') {
      ++at_;
      end_line(at_ - 1);
      line_start_ = at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (line_start_ == at_) ++line_start_;
      ++at_;
    } else if (c == '#') {
      skip_line();
    } else if (at_ == line_start_ && depth_ == 0 && !foreign_comment_at(text_.substr(at_)).empty()) {
      foreign_comment(foreign_comment_at(text_.substr(at_)));
    } else if (is_letter(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"') {
      quoted();
    } else {
      symbol();
    }
  }

  void skip_line() {
    while (at_ < text_.size() && peek() != '\n') ++at_;
  }

  // Reported once: who writes one comment so writes all.
  void foreign_comment(std::string_view opening) {
    if (!std::exchange(foreign_comment_seen_, true))
      diagnostics_.error(span(at_, at_ + opening.size()), fmt::format("`{}` starts no comment", opening))
          .with_hint("comments start with `#` and end with their line");
    skip_line();
  }

  void name() {
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    push(TokenKind::name, begin, at_);
    // A forgotten bracket should not swallow the declarations that follow it.
    if (depth_ > 0 && begin == line_start_ &&
        std::count(statement_words.begin(), statement_words.end(), tokens_.back().text)) {
      depth_ = 0;
      const Token word = tokens_.back();
      tokens_.back() = {TokenKind::line_end, {}, span(begin, begin)};
      tokens_.push_back(word);
    }
  }

  void number() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && peek(1) != '.') { // not in `0..n`
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (is_digit(peek(sign))) {
        at_ += sign;
        while (is_digit(peek())) ++at_;
      }
    }
    const std::size_t end = at_;
    while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && peek(1) != '.')) ++at_;
    if (at_ != end) {
      diagnostics_.error(span(begin, at_), fmt::format("`{}` is not a number", text_.substr(begin, at_ - begin)))
          .with_hint("write a product with `*`, as in `2*i`; names start with a letter");
    }
    push(TokenKind::number, begin, end);
  }

  void quoted() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && peek() != '"' && peek() != '\n')
      at_ += peek() == '\\' && peek(1) != '\n' && peek(1) != '\0' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    if (peek() != '"') {
      diagnostics_.error(span(begin, at_), "this text has no closing `\"`");
      push(TokenKind::text, begin + 1, at_);
      return;
    }
    tokens_.push_back({TokenKind::text, text_.substr(begin + 1, at_ - begin - 1), span(begin, at_ + 1)});
    ++at_;
  }

  void symbol() {
    const std::size_t begin = at_;
    for (std::string_view two : two_letter_symbols)
      if (text_.substr(at_, 2) == two) return at_ += 2, push(TokenKind::symbol, begin, at_);
    if (const ForeignSymbol* row = foreign_symbol_at(text_.substr(at_))) return foreign_symbol(*row);
    if (one_letter_symbols.find(peek()) != std::string_view::npos && peek() != '\0') {
      if (peek() == '(' || peek() == '[') ++depth_;
      if (peek() == ')' || peek() == ']') depth_ = std::max(0, depth_ - 1);
      ++at_;
      return push(TokenKind::symbol, begin, at_);
    }
    unexpected();
  }

  // One that has its like here is reported and replaced by it, so that the statement is read to its end. The others are
  // left to the parser, which knows what was expected in their place.
  void foreign_symbol(const ForeignSymbol& row) {
    const std::size_t begin = at_;
    at_ += row.written.size();
    if (row.written.empty()) // a letter
      while (at_ < text_.size() &&
             (static_cast<unsigned char>(peek()) >= 0x80 || is_letter(peek()) || is_digit(peek())))
        ++at_;
    else if (row.meant.empty()) return push(TokenKind::symbol, begin, at_);
    const std::string_view written = text_.substr(begin, at_ - begin);
    if (++strange_runs_ <= 10)
      diagnostics_
          .error(span(begin, at_),
                 fmt::format("`{}` is no {} of this language", written, row.written.empty() ? "name" : "symbol"))
          .with_hint(std::string(row.hint));
    if (row.meant == " ") return;
    const std::string_view meant = row.written.empty() ? written : row.meant;
    tokens_.push_back(
        {is_letter(meant[0]) || row.written.empty() ? TokenKind::name : TokenKind::symbol, meant, span(begin, at_)});
  }

  // One message for a whole run of strange bytes.
  void unexpected() {
    const std::size_t begin = at_;
    const auto strange = [&](char c) {
      return !is_letter(c) && !is_digit(c) && c != '\n' && c != ' ' && c != '\t' && c != '#' && c != '"' &&
             (c == '\0' || one_letter_symbols.find(c) == std::string_view::npos);
    };
    while (at_ < text_.size() && strange(text_[at_]) && !foreign_symbol_at(text_.substr(at_))) ++at_;
    if (at_ == begin) ++at_;
    if (++strange_runs_ > 10) return;
    diagnostics_.error(span(begin, at_), "unexpected characters")
        .label("no token starts like this")
        .with_hint("programs are plain text; comments start with `#`");
  }

  void end_line(std::size_t where) {
    if (tokens_.empty() || tokens_.back().kind == TokenKind::line_end || at_ <= goes_on_at_) return;
    if (at_ < text_.size() &&
        (depth_ > 0 || (goes_on(tokens_.back()) && !next_line_starts_statement()) || next_line_goes_on()))
      return;
    depth_ = 0;
    push(TokenKind::line_end, where, where);
  }

  static bool goes_on(const Token& last) {
    if (last.kind == TokenKind::name) return last.text == "and" || last.text == "or" || last.text == "not";
    if (last.kind != TokenKind::symbol) return false;
    if (foreign_symbol_at(last.text) && foreign_symbol_at(last.text)->written == last.text) return false;
    return last.text != ")" && last.text != "]" && last.text != "}" && last.text != "{" && last.text != ";";
  }

  // The first character after blank lines and comments.
  std::size_t next_text() const {
    std::size_t p = at_;
    while (p < text_.size()) {
      if (text_[p] == '#') {
        p = std::min(text_.find('\n', p), text_.size());
      } else if (text_[p] == ' ' || text_[p] == '\t' || text_[p] == '\r' || text_[p] == '\n') {
        ++p;
      } else {
        break;
      }
    }
    return p;
  }

  bool word_at(std::size_t p, std::string_view word) const {
    const char after = p + word.size() < text_.size() ? text_[p + word.size()] : ' ';
    return text_.substr(p, word.size()) == word && !is_letter(after) && !is_digit(after);
  }

  bool next_line_goes_on() {
    const std::size_t p = next_text();
    if (p >= text_.size()) return false;
    const bool goes_on = (std::string_view("+-*/<>=!:,)]").find(text_[p]) != std::string_view::npos ||
                          word_at(p, "and") || word_at(p, "or")) &&
                         foreign_comment_at(text_.substr(p)).empty();
    if (goes_on) goes_on_at_ = p; // so that blank lines before it are not searched again
    return goes_on;
  }

  // Then a line that ends in an operator is broken, not continued.
  bool next_line_starts_statement() const {
    const std::size_t p = next_text();
    return std::any_of(statement_words.begin(), statement_words.end(),
                       [&](std::string_view w) { return word_at(p, w); });
  }

  std::int32_t file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0; // the first character of this line that is no blank
  std::size_t goes_on_at_ = 0; // a line that was found to continue the statement
  int depth_ = 0;
  int strange_runs_ = 0;
  bool foreign_comment_seen_ = false;
};

} // namespace

std::vector<Token> lex(std::int32_t file, const Sources& sources, Diagnostics& diagnostics) {
  return Lexer(file, sources, diagnostics).run();
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

} // namespace cyclotron::frontend
