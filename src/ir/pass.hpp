// SPDX-License-Identifier: MIT
// A pass is a free function with a name. `>>` composes passes whose types meet; the runner stops on errors, and leaves
// to its caller what should happen around every pass: timing, verifying, printing.
#pragma once

#include "support/diagnostics.hpp"

#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cyclotron::ir {

// Makes something of every input, so that passes behind it can look for more mistakes.
template <class From, class To> struct Pass {
  using from = From;
  using to = To;
  std::string_view name;    // as the command line spells it
  std::string_view summary; // one line, for help
  To (*run)(const From&, Diagnostics&);
  bool independent = false; // worth running though an earlier pass has reported errors
  static constexpr bool annotates = false;
};

// Makes nothing where it reports an error. It takes its input, so that what it leaves alone need not be copied.
template <class From, class To> struct Lowering {
  using from = From;
  using to = To;
  std::string_view name;
  std::string_view summary;
  std::optional<To> (*run)(From&&, Diagnostics&);
  bool annotates = false; // only adds something beside the program, or leaves part of it out: nothing new to verify
  static constexpr bool independent = false;
};

template <class... Passes> struct Pipeline {
  using from = typename std::tuple_element_t<0, std::tuple<Passes...>>::from;
  using to = typename std::tuple_element_t<sizeof...(Passes) - 1, std::tuple<Passes...>>::to;
  std::tuple<Passes...> passes;
};

template <class P> constexpr auto as_pipeline(P pass) { return Pipeline<P>{{pass}}; }
template <class... Ps> constexpr auto as_pipeline(Pipeline<Ps...> pipeline) { return pipeline; }

template <class A, class B>
requires std::is_same_v<typename A::to, typename B::from>
constexpr auto operator>>(A first, B second) {
  return std::apply([](auto... ps) { return Pipeline<decltype(ps)...>{{ps...}}; },
                    std::tuple_cat(as_pipeline(first).passes, as_pipeline(second).passes));
}

// One pass on its input: what it made, or nothing.
template <class From, class To> std::optional<To> apply(const Pass<From, To>& pass, From&& input, Diagnostics& d) {
  return pass.run(input, d);
}
template <class From, class To> std::optional<To> apply(const Lowering<From, To>& pass, From&& input, Diagnostics& d) {
  return pass.run(std::move(input), d);
}

template <class Final, class In, class Step, class P, class... Rest>
std::optional<Final> run_from(In&& input, Diagnostics& diagnostics, const Step& step, const P& pass,
                              const Rest&... rest) {
  constexpr bool keeps_type = std::is_same_v<In, typename P::to>;
  if (diagnostics.failed()) {
    if constexpr (keeps_type && sizeof...(rest) > 0) {
      if (!pass.independent) return run_from<Final>(std::move(input), diagnostics, step, rest...);
    }
    if (!keeps_type || !pass.independent) return std::nullopt;
  }
  std::optional<typename P::to> output = step(pass, std::move(input));
  if (!output) return std::nullopt;
  if constexpr (sizeof...(rest) > 0) {
    return run_from<Final>(std::move(*output), diagnostics, step, rest...);
  } else {
    if (diagnostics.failed()) output.reset();
    return output;
  }
}

// Runs the passes in order. After an error only independent passes that keep the type still run, so that one run
// reports several mistakes; the result is then empty. `step(pass, input)` runs one pass, by `apply` and with whatever
// belongs around it, and returns what that made.
template <class Step, class... Ps>
auto run(const Pipeline<Ps...>& pipeline, typename Pipeline<Ps...>::from in, Diagnostics& diagnostics,
         const Step& step) {
  using To = typename Pipeline<Ps...>::to;
  return std::apply([&](const auto&... ps) { return run_from<To>(std::move(in), diagnostics, step, ps...); },
                    pipeline.passes);
}

} // namespace cyclotron::ir
