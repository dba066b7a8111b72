// SPDX-License-Identifier: MIT
#include "dataflow/text_tokens.hpp"

namespace cyclotron::dataflow {

using frontend::Token;
using frontend::TokenKind;

namespace {

bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::symbol && token.text == text;
}

class Rewriter {
public:
  Rewriter(const std::vector<Token>& tokens, TextTokens& to) : tokens_(tokens), to_(to) {}

  void run() {
    for (std::size_t begin = 0; begin < tokens_.size();) {
      std::size_t end = begin;
      while (tokens_[end].kind != TokenKind::line_end && tokens_[end].kind != TokenKind::file_end) ++end;
      statement(begin, end + 1);
      begin = end + 1;
    }
    to_.declarations.push_back(tokens_.back());
  }

private:
  void statement(std::size_t begin, std::size_t end) {
    const Token& first = tokens_[begin];
    if (first.text == "tensor" || first.text == "let" || first.text == "assume" || first.text == "default") {
      to_.declarations.insert(to_.declarations.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                              tokens_.begin() + static_cast<std::ptrdiff_t>(end));
      return;
    }
    if (first.text == "space" && tokens_[begin + 1].kind == TokenKind::name) space_ = tokens_[begin + 1].text;
    if (first.text == "constants") space_.clear();
    std::vector<std::size_t> open;
    for (std::size_t t = begin; t < end; ++t) {
      if (is_symbol(tokens_[t], "(")) open.push_back(to_.rest.size());
      to_.rest.push_back(tokens_[t]);
      if (!is_symbol(tokens_[t], ")") || open.empty()) continue;
      const std::size_t at = open.back();
      open.pop_back();
      if (t + 1 < end && tokens_[t + 1].kind == TokenKind::name && tokens_[t + 1].text.starts_with("_") &&
          tokens_[t + 1].text.size() > 1)
        t = value(at, t + 1, end);
    }
  }

  // Puts the key of the value at `name` before the bracket at `at`; gives the last token that belongs to it.
  std::size_t value(std::size_t at, std::size_t name, std::size_t end) {
    std::string space = space_;
    std::size_t last = name;
    if (name + 2 < end && is_symbol(tokens_[name + 1], "^") && tokens_[name + 2].kind == TokenKind::name) {
      last = name + 2;
      space = tokens_[last].text;
    }
    to_.names.push_back(space + "." + std::string(tokens_[name].text.substr(1)));
    const Span span = cover(to_.rest[at].span, tokens_[last].span);
    to_.rest.insert(to_.rest.begin() + static_cast<std::ptrdiff_t>(at), Token{TokenKind::name, to_.names.back(), span});
    return last;
  }

  const std::vector<Token>& tokens_;
  TextTokens& to_;
  std::string space_;
};

} // namespace

TextTokens tokens_of(const std::vector<Token>& tokens) {
  TextTokens result;
  Rewriter(tokens, result).run();
  return result;
}

} // namespace cyclotron::dataflow
