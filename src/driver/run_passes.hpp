// SPDX-License-Identifier: MIT
// What happens around every pass of every pipeline: it is timed, what it made is verified and, where somebody wants to
// see it, printed. Where isl gives up inside a pass, that is an error of the pass; no exception leaves a pipeline.
#pragma once

#include "driver/stages.hpp"
#include "ir/pass.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>
#include <isl/cpp.h>

namespace cyclotron::driver {

// Both are empty where there is nothing to say; `text_of` and `problem_of` are in stages.hpp.
template <class Pass, class Stage> void look_at(const Pass& pass, const Stage& made, const PipelineOptions& options) {
  if (!pass.annotates) {
    const TimedPass verifying("verify");
    if (const std::string problem = problem_of(made); !problem.empty())
      bug(fmt::format("after {}: {}", pass.name, problem));
  }
  if (options.printer) options.printer->show(pass.name, text_of(made));
}

template <class Pipeline>
std::optional<typename Pipeline::to> run_passes(const Pipeline& pipeline, typename Pipeline::from input,
                                                const PipelineOptions& options, Diagnostics& diagnostics) {
  const auto step = [&]<class P>(const P& pass, typename P::from&& in) -> std::optional<typename P::to> {
    try {
      std::optional<typename P::to> made;
      {
        const TimedPass running(pass.name);
        made = ir::apply(pass, std::move(in), diagnostics);
      }
      if (made && !diagnostics.failed()) look_at(pass, *made, options);
      return made;
    } catch (const isl::exception& problem) {
      diagnostics
          .unsupported({}, fmt::format("the index sets of this program are too complicated for the pass `{}` ({})",
                                       pass.name, problem.what()))
          .with_hint("simplify its constraints and indices, or leave commands of the schedule out");
      return std::nullopt;
    }
  };
  return ir::run(pipeline, std::move(input), diagnostics, step);
}

} // namespace cyclotron::driver
