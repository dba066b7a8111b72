// SPDX-License-Identifier: MIT
#include "stream/dot_syntax.hpp"

#include "support/quote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace cyclotron::stream {
namespace {

enum class Kind { id, text, sign, end }; // a bare word or number, a text in quotes, `{ } [ ] = ; , : ->`

struct Token {
  Kind kind = Kind::end;
  std::string value;
  Span span;
};

// Thrown after the error has been reported; never leaves this file.
struct Abandoned {};

class Lexer {
public:
  Lexer(std::int32_t file, Diagnostics& diagnostics)
      : file_(file), text_(diagnostics.sources().text(file)), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do tokens.push_back(next());
    while (tokens.back().kind != Kind::end);
    return tokens;
  }

private:
  bool ahead(std::string_view what) const { return std::string_view(text_).substr(at_).starts_with(what); }
  bool at_end() const { return at_ >= text_.size(); }

  Span from(std::size_t begin) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  [[noreturn]] void fail(std::size_t begin, std::string message, std::string hint) {
    at_ = std::min(begin + 1, text_.size());
    diagnostics_.error(from(begin), std::move(message)).with_hint(std::move(hint));
    throw Abandoned{};
  }

  void skip_line() {
    while (!at_end() && text_[at_] != '\n') ++at_;
  }

  // `#` begins a comment only at the start of a line, as the C preprocessor's lines do.
  void skip_blanks() {
    while (!at_end()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      else if (ahead("//") || (text_[at_] == '#' && (at_ == 0 || text_[at_ - 1] == '\n'))) skip_line();
      else if (ahead("/*")) skip_block();
      else return;
    }
  }

  void skip_block() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string::npos) fail(at_, "this comment has no end", "close it with `*/`");
    at_ = end + 2;
  }

  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c < 0; }

  Token next() {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_end()) return {Kind::end, "", from(begin)};
    if (text_[at_] == '"') return quoted();
    if (ahead("->")) at_ += 2;
    else if (in_word(text_[at_]) || text_[at_] == '-') return word();
    else if (std::string_view("{}[]=;,:").find(text_[at_]) != std::string_view::npos) ++at_;
    else fail(begin, fmt::format("unexpected `{}`", text_[begin]), "names with other signs stand in double quotes");
    return {Kind::sign, text_.substr(begin, at_ - begin), from(begin)};
  }

  Token word() {
    const std::size_t begin = at_++;
    while (!at_end() && in_word(text_[at_])) ++at_;
    std::string value = text_.substr(begin, at_ - begin);
    if (value == "-")
      fail(begin, "unexpected `-`", ahead("-") ? "streams have a direction: write `a -> b`" : "write `a -> b`");
    return {Kind::id, std::move(value), from(begin)};
  }

  Token quoted() {
    const std::size_t begin = at_++;
    while (!at_end() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_end()) fail(begin, "this text has no end", "close it with `\"`");
    const std::string_view inside = std::string_view(text_).substr(begin + 1, at_ - begin - 1);
    ++at_;
    return {Kind::text, unquote(inside), from(begin)};
  }

  std::int32_t file_;
  const std::string& text_;
  std::size_t at_ = 0;
  Diagnostics& diagnostics_;
};

class Parser {
public:
  Parser(std::vector<Token> tokens, Diagnostics& diagnostics) : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  std::vector<DotGraph> run() {
    std::vector<DotGraph> graphs;
    while (peek().kind != Kind::end) graphs.push_back(graph());
    if (graphs.empty()) fail("a graph", "write `digraph SAM { … }`");
    return graphs;
  }

private:
  const Token& peek() const { return tokens_[at_]; }
  Token take() { return tokens_[peek().kind == Kind::end ? at_ : at_++]; }
  bool at_sign(std::string_view sign) const { return peek().kind == Kind::sign && peek().value == sign; }
  bool at_word(std::string_view word) const { return peek().kind == Kind::id && peek().value == word; }

  bool accept(std::string_view sign) {
    if (at_sign(sign)) return ++at_, true;
    return false;
  }

  [[noreturn]] void fail(std::string_view expected, std::string hint = "") {
    const std::string found = peek().kind == Kind::end ? "the end of the file" : fmt::format("`{}`", peek().value);
    diagnostics_.error(peek().span, fmt::format("expected {}, found {}", expected, found)).with_hint(std::move(hint));
    throw Abandoned{};
  }

  void expect(std::string_view sign, std::string hint) {
    if (!accept(sign)) fail(fmt::format("`{}`", sign), std::move(hint));
  }

  Token id(std::string_view what) {
    if (peek().kind != Kind::id && peek().kind != Kind::text) fail(what);
    return take();
  }

  DotGraph graph() {
    DotGraph graph;
    if (at_word("strict")) take();
    if (!at_word("digraph")) fail("`digraph`", "a file holds one `digraph SAM { … }` for each phase");
    graph.span = take().span;
    if (!at_sign("{")) graph.span = id("the graph's name").span;
    expect("{", "a graph's statements stand between `{` and `}`");
    statements(graph);
    return graph;
  }

  void statements(DotGraph& graph) {
    while (!accept("}")) {
      if (peek().kind == Kind::end) fail("`}`", "this graph is not closed");
      if (!accept(";")) statement(graph);
    }
  }

  void statement(DotGraph& graph) {
    if (at_word("subgraph") || at_sign("{")) return subgraph(graph);
    const bool plain = peek().kind == Kind::id;
    const Token first = id("a block or an edge");
    if (accept("=")) {
      const Token value = id("a value");
      return graph.attributes.set({first.value, value.value, value.span});
    }
    port();
    if (at_sign("->")) return edges(graph, first);
    const DotAttributes attributes = attribute_lists();
    if (plain && first.value == "graph") merge(graph.attributes, attributes);
    else if (!plain || (first.value != "node" && first.value != "edge")) node(graph, first, attributes);
  }

  // Attributes in it, such as a rank or a frame, are of no interest.
  void subgraph(DotGraph& graph) {
    if (at_word("subgraph")) take();
    if (!at_sign("{")) id("the subgraph's name");
    expect("{", "a subgraph's statements stand between `{` and `}`");
    const DotAttributes outside = graph.attributes;
    statements(graph);
    graph.attributes = outside;
  }

  void port() {
    while (accept(":")) id("a place on the block's outline");
  }

  void node(DotGraph& graph, const Token& id, const DotAttributes& attributes) {
    auto found = std::ranges::find(graph.nodes, id.value, &DotNode::id);
    if (found == graph.nodes.end()) found = graph.nodes.insert(found, {id.value, id.span, {}});
    merge(found->attributes, attributes);
  }

  void edges(DotGraph& graph, Token from) {
    const std::size_t first = graph.edges.size();
    while (accept("->")) {
      Token to = id("a block");
      port();
      graph.edges.push_back({from.value, to.value, from.span, to.span, {}});
      from = std::move(to);
    }
    const DotAttributes attributes = attribute_lists();
    for (std::size_t e = first; e < graph.edges.size(); ++e) graph.edges[e].attributes = attributes;
  }

  DotAttributes attribute_lists() {
    DotAttributes attributes;
    while (accept("[")) {
      while (!accept("]")) {
        const Token name = id("an attribute or `]`");
        expect("=", fmt::format("an attribute has a value: `{}=\"…\"`", name.value));
        const Token value = id("a value");
        attributes.set({name.value, value.value, value.span});
        if (!accept(",")) accept(";");
      }
    }
    return attributes;
  }

  static void merge(DotAttributes& into, const DotAttributes& from) {
    for (const DotAttribute& attribute : from.list) into.set(attribute);
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Diagnostics& diagnostics_;
};

} // namespace

const DotAttribute* DotAttributes::find(std::string_view name) const {
  const auto found = std::ranges::find(list, name, &DotAttribute::name);
  return found == list.end() ? nullptr : &*found;
}

void DotAttributes::set(DotAttribute attribute) {
  const auto found = std::ranges::find(list, attribute.name, &DotAttribute::name);
  if (found == list.end()) list.push_back(std::move(attribute));
  else *found = std::move(attribute);
}

std::optional<std::vector<DotGraph>> read_dot_syntax(std::int32_t file, Diagnostics& diagnostics) {
  try {
    return Parser(Lexer(file, diagnostics).run(), diagnostics).run();
  } catch (const Abandoned&) {
    return std::nullopt;
  }
}

} // namespace cyclotron::stream
