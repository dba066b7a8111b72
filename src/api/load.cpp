// SPDX-License-Identifier: MIT
#include "api/load.hpp"

#include "api/raise.hpp"
#include "driver/pipelines.hpp"
#include "frontend/parse.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

namespace cyclotron::api {

std::shared_ptr<Loaded> load(const std::string& text, const std::string& name) {
  auto loaded = std::make_shared<Loaded>();
  Diagnostics diagnostics(loaded->sources);
  auto result = driver::run_front_end(loaded->sources.add(name, text), {}, diagnostics);
  raise_if_failed(diagnostics);
  loaded->checked = std::make_shared<const frontend::Checked>(std::move(*result.checked));
  loaded->warnings = diagnostics.render(false);
  return loaded;
}

namespace {

void take_given(Loaded& loaded, const Schedule& schedule) {
  Diagnostics diagnostics(loaded.sources);
  // The commands keep their lines: what opens the block stands on the line before them.
  const std::int32_t file = loaded.sources.add("schedule", "schedule given {\n" + schedule.text() + "}\n");
  frontend::Unit unit = frontend::parse(file, diagnostics);
  raise_if_failed(diagnostics);
  if (unit.schedules.size() != 1 || unit.schedules[0].name.name != "given" || !(unit.program == recurrence::Program{}))
    raise("a schedule is given as commands alone", "leave out `schedule NAME {` and `}`, and anything behind it");
  schedule::check(unit.schedules, loaded.checked->program(), diagnostics);
  raise_if_failed(diagnostics);
  loaded.given = std::move(unit.schedules);
  loaded.schedule = &loaded.given[0];
}

} // namespace

void choose_schedule(Loaded& loaded, const Options& options) {
  if (!options.schedule.empty() && !options.schedule_name.empty())
    raise("both a schedule and the name of a schedule are given", "leave one of them out");
  if (!options.schedule.empty()) return take_given(loaded, options.schedule);
  if (options.schedule_name.empty()) return;
  std::vector<std::string> names;
  for (const schedule::Schedule& s : loaded.checked->unit->schedules) {
    names.push_back(s.name.name);
    if (s.name.name == options.schedule_name) loaded.schedule = &s;
  }
  if (loaded.schedule) return;
  std::string hint = did_you_mean(options.schedule_name, names);
  if (hint.empty()) hint = names.empty() ? "the program has no schedules" : "there are " + join_names(names);
  raise(fmt::format("there is no schedule `{}`", options.schedule_name), hint);
}

} // namespace cyclotron::api
