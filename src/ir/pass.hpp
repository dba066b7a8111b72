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
  std::string_view name;    // as the command line spells it
  std::string_view summary; // one line, for help
  To (*run)(const From&, Diagnostics&);
  bool independent = false; // worth running though an earlier pass has reported errors
};

template <class... Passes> struct Pipeline {
  std::tuple<Passes...> passes;
};

template <class A, class B, class C> constexpr auto operator>>(Pass<A, B> p, Pass<B, C> q) {
  return Pipeline<Pass<A, B>, Pass<B, C>>{{p, q}};
}

template <class... Ps, class B, class C> constexpr auto operator>>(Pipeline<Ps...> ps, Pass<B, C> q) {
  return Pipeline<Ps..., Pass<B, C>>{std::tuple_cat(ps.passes, std::tuple{q})};
}

// Runs the passes in order. After an error only independent passes that keep the type still run, so that one run
// reports several mistakes; the result is then empty. After each pass calls `after(pass, output, seconds)`: the
// place for verifying, printing and timing.
template <class In, class After, class... Ps>
auto run(const Pipeline<Ps...>& pipeline, const In& in, Diagnostics& diagnostics, After after) {
  const auto step = [&](auto& self, const auto& input, const auto& pass, const auto&... rest) {
    using Input = std::decay_t<decltype(input)>;
    using Produced = decltype(pass.run(input, diagnostics));
    if constexpr (std::is_same_v<Input, Produced>) {
      if (diagnostics.failed() && !pass.independent) {
        if constexpr (sizeof...(rest) == 0) {
          return std::optional<Produced>();
        } else {
          return self(self, input, rest...);
        }
      }
    }
    const auto start = std::chrono::steady_clock::now();
    auto output = pass.run(input, diagnostics);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    after(pass, output, elapsed.count());
    if constexpr (sizeof...(rest) == 0) {
      using Output = decltype(output);
      return diagnostics.failed() ? std::optional<Output>() : std::optional<Output>(std::move(output));
    } else {
      using Last = decltype(self(self, output, rest...));
      using Next = std::tuple_element_t<0, std::tuple<std::decay_t<decltype(rest)>...>>;
      constexpr bool same = std::is_same_v<decltype(output), decltype(std::declval<Next>().run(output, diagnostics))>;
      if (diagnostics.failed() && !same) return Last();
      return self(self, output, rest...);
    }
  };
  return std::apply([&](const auto&... ps) { return step(step, in, ps...); }, pipeline.passes);
}

} // namespace cyclotron::ir
