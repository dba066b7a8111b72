// SPDX-License-Identifier: MIT
// A pass is a free function with a name. `>>` composes passes whose types meet; the runner does between passes
// what nobody should write in a list: stop on errors, time, print.
#pragma once

#include "support/diagnostics.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cyclotron::ir {

template <class From, class To> struct Pass {
  using to = To;
  std::string_view name;    // as the command line spells it
  std::string_view summary; // one line, for help
  To (*run)(const From&, Diagnostics&);
  bool independent = false; // worth running though an earlier pass has reported errors
};

template <class... Passes> struct Pipeline { std::tuple<Passes...> passes; };

template <class A, class B, class C> constexpr auto operator>>(Pass<A, B> p, Pass<B, C> q) {
  return Pipeline<Pass<A, B>, Pass<B, C>>{{p, q}};
}

template <class... Ps, class B, class C> constexpr auto operator>>(Pipeline<Ps...> ps, Pass<B, C> q) {
  return Pipeline<Ps..., Pass<B, C>>{std::tuple_cat(ps.passes, std::tuple{q})};
}

// Runs the passes in order. After an error only independent passes that keep the type still run, so that one run
// reports several mistakes; the result is then empty. After each pass calls `after(pass, output, seconds)`: the
// place for verifying, printing and timing.
template <class Final, class In, class After, class Pass, class... Rest>
std::optional<Final> run_from(const In& input, Diagnostics& diagnostics, const After& after, const Pass& pass,
                              const Rest&... rest) {
  using Output = decltype(pass.run(input, diagnostics));
  if (diagnostics.failed()) {
    if constexpr (std::is_same_v<In, Output> && sizeof...(rest) > 0) {
      if (!pass.independent) return run_from<Final>(input, diagnostics, after, rest...);
    }
    if (!std::is_same_v<In, Output> || !pass.independent) return std::nullopt;
  }
  const auto start = std::chrono::steady_clock::now();
  Output output = pass.run(input, diagnostics);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  after(pass, output, elapsed.count());
  if constexpr (sizeof...(rest) > 0) {
    return run_from<Final>(output, diagnostics, after, rest...);
  } else {
    return diagnostics.failed() ? std::nullopt : std::optional<Final>(std::move(output));
  }
}

template <class In, class After, class... Ps>
auto run(const Pipeline<Ps...>& pipeline, const In& in, Diagnostics& diagnostics, const After& after) {
  using Last = std::tuple_element_t<sizeof...(Ps) - 1, std::tuple<Ps...>>;
  return std::apply([&](const auto&... ps) { return run_from<typename Last::to>(in, diagnostics, after, ps...); },
                    pipeline.passes);
}

} // namespace cyclotron::ir
