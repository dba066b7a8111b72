// SPDX-License-Identifier: MIT
// The lines of the text form that say what was decided; the others are those of a dataflow program.
#include "lanes/copies.hpp"
#include "lanes/ir.hpp"

#include "dataflow/parse_tokens.hpp"
#include "frontend/parser.hpp"
#include "recurrence/isl_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace cyclotron::lanes {

using namespace recurrence;
using frontend::Token;
using frontend::TokenKind;

namespace {

struct TextComponent {
  Expr formula;
  bool worker = false;
  Workers workers = Workers::any;
  bool unrolled = false;
};

// The lines above the dataflow program, names still without a meaning.
struct Head {
  Shape shape;
  Strips strips = Strips::one;
  Expr from;
  std::vector<TextComponent> time;
  std::vector<Placed> placed;
  Span lanes_span, strips_span, time_span;
};

constexpr std::array head_words = {"lanes", "strips", "time", "place"};

// The token behind the last line of the head.
std::size_t end_of_head(const std::vector<Token>& tokens) {
  std::size_t begin = 0;
  while (std::find(head_words.begin(), head_words.end(), tokens[begin].text) != head_words.end()) {
    while (tokens[begin].kind != TokenKind::line_end && tokens[begin].kind != TokenKind::file_end) ++begin;
    if (tokens[begin].kind == TokenKind::line_end) ++begin;
  }
  return begin;
}

class HeadParser : frontend::Parser {
public:
  HeadParser(std::vector<Token> tokens, Diagnostics& diagnostics) : Parser(std::move(tokens), diagnostics) {}

  Head run() {
    each_line([this] { line(); });
    const auto demand = [&](Span span, const char* line, const char* example) {
      if (!span.known())
        diagnostics_.error(tokens_.front().span, fmt::format("there is no line `{}`", line)).with_hint(example);
    };
    if (!diagnostics_.failed()) {
      demand(head_.lanes_span, "lanes", "write how long a vector is: `lanes 16`");
      demand(head_.strips_span, "strips", "write how the array is cut: `strips one from 0`");
    }
    return std::move(head_);
  }

private:
  void line() {
    const Token word = take();
    if (word.text == "place") return place();
    Span& span = word.text == "lanes" ? head_.lanes_span : word.text == "strips" ? head_.strips_span : head_.time_span;
    if (span.known()) fail(word, fmt::format("there are two lines `{}`", word.text));
    span = word.span;
    if (word.text == "lanes") lanes();
    else if (word.text == "strips") strips();
    else time();
    span = since(word.span);
    end_statement(fmt::format("`{}`", word.text));
  }

  void lanes() {
    head_.shape.lanes = integer("how many lanes a vector has");
    if (!accept("of")) return;
    head_.shape.per_lane = integer("how many elements a lane has");
    head_.shape.layout = one_of(std::array{Layout::striped, Layout::neighbours}, "how the elements of a lane lie");
  }

  void strips() {
    head_.strips = one_of(std::array{Strips::one, Strips::parallel, Strips::rising, Strips::falling, Strips::inside},
                          "the order of the strips");
    expect("from", "before the place of the first element");
    head_.from = sum();
  }

  void time() {
    do {
      TextComponent component{sum(), false, Workers::any, false};
      for (const Workers workers : {Workers::any, Workers::blocks, Workers::threads})
        if (accept(name_of(workers))) {
          component.worker = true;
          component.workers = workers;
        }
      component.unrolled = accept("unrolled");
      head_.time.push_back(std::move(component));
    } while (accept(","));
  }

  void place() {
    const std::string tensor(expect_name("an input that is placed").text);
    head_.placed.push_back({tensor, one_of(std::array{Memory::registers, Memory::shared}, "the memory it is in")});
    end_statement("`place`");
  }

  template <class Choices> typename Choices::value_type one_of(const Choices& choices, std::string_view what) {
    for (const auto choice : choices)
      if (accept(name_of(choice))) return choice;
    std::string words;
    for (const auto choice : choices) words += fmt::format("{}`{}`", words.empty() ? "" : ", ", name_of(choice));
    fail_expected(fmt::format("{}: one of {}", what, words));
  }

  Head head_;
};

class Reader {
public:
  Reader(Head head, dataflow::Program flow, Diagnostics& diagnostics)
      : head_(std::move(head)), diagnostics_(diagnostics) {
    program_.flow = std::move(flow);
  }

  std::optional<Program> run() {
    program_.shape = head_.shape;
    program_.strips = head_.strips;
    program_.from = formula(head_.from, false).value_or(Affine{});
    take_time();
    program_.placed = head_.placed;
    program_.copies = copies_of(program_.flow);
    if (diagnostics_.failed()) return std::nullopt;
    if (const std::string problem = problem_of(program_); !problem.empty()) {
      diagnostics_.error(head_.lanes_span, problem);
      return std::nullopt;
    }
    return std::move(program_);
  }

private:
  // A formula of the head; its names are sizes, constants and, where they may be, those of coordinates.
  std::optional<Affine> formula(const Expr& expr, bool coordinates) {
    const std::function<Expr(const Expr&)> resolved = [&](const Expr& e) -> Expr {
      const Name* n = as<Name>(e);
      if (!n) return ir::map_children<ExprNode>(e, resolved);
      if (program_.flow.source->let(n->id)) return Expr(Name{n->id, NameKind::constant}, e->span);
      const bool size = program_.flow.source->is_size(n->id);
      if (!size && !coordinates)
        diagnostics_.error(e->span, fmt::format("`{}` is no size of the program", n->id))
            .with_hint("the first place depends on sizes only");
      return Expr(Name{n->id, size ? NameKind::size : NameKind::index}, e->span);
    };
    const auto result = affine_of(resolved(expr), *program_.flow.source);
    if (const Affine* affine = std::get_if<Affine>(&result)) return *affine;
    const NotAffine& why = std::get<NotAffine>(result);
    diagnostics_.error(why.span, fmt::format("this must be affine in coordinates and sizes: {}", why.reason));
    return std::nullopt;
  }

  // The formulas are those of the spaces, written here for the reader.
  void take_time() {
    program_.time = components_of(program_.flow);
    if (head_.time.size() != program_.time.size()) {
      diagnostics_.error(head_.time_span.known() ? head_.time_span : head_.lanes_span,
                         fmt::format("the time of the spaces has {} component{}, this line has {}",
                                     program_.time.size(), program_.time.size() == 1 ? "" : "s", head_.time.size()));
      return;
    }
    for (std::size_t c = 0; c < program_.time.size(); ++c) {
      Component& component = program_.time[c];
      const TextComponent& text = head_.time[c];
      const auto given = formula(text.formula, true);
      if (given && recurrence::print(*given) != component.name)
        diagnostics_.error(text.formula->span, fmt::format("component {} of the time is `{}`, not `{}`", c + 1,
                                                           component.name, recurrence::print(*given)));
      component.worker = text.worker;
      component.workers = text.workers;
      component.unrolled = text.unrolled;
    }
  }

  Head head_;
  Diagnostics& diagnostics_;
  Program program_;
};

} // namespace

std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics) {
  const int before = diagnostics.errors(); // those of others
  const std::vector<Token> tokens = frontend::lex(file, diagnostics.sources(), diagnostics);
  const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(end_of_head(tokens));
  std::vector<Token> head(tokens.begin(), end);
  head.push_back(tokens.back());
  Head decisions = HeadParser(std::move(head), diagnostics).run();
  if (diagnostics.errors() != before) return std::nullopt;
  auto flow = dataflow::parse_tokens({end, tokens.end()}, diagnostics);
  if (!flow || diagnostics.errors() != before) return std::nullopt;
  const Question asked{decisions.lanes_span, "whether these lanes keep step", "simplify the domains of the spaces"};
  return within_isl_limit(asked, diagnostics,
                          [&] { return Reader(std::move(decisions), std::move(*flow), diagnostics).run(); })
      .value_or(std::nullopt);
}

} // namespace cyclotron::lanes
