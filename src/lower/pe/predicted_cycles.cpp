// SPDX-License-Identifier: MIT
#include "lower/pe/predicted_cycles.hpp"

namespace cyclotron::lower {

namespace {

void set_pass_cycles(std::vector<pe::Statement>& statements, std::int64_t cycles) {
  for (pe::Statement& s : statements) {
    if (pe::Pass* pass = std::get_if<pe::Pass>(&s.kind)) pass->cycles = cycles;
    if (pe::Loop* loop = std::get_if<pe::Loop>(&s.kind)) set_pass_cycles(loop->body, cycles);
    if (pe::If* condition = std::get_if<pe::If>(&s.kind)) set_pass_cycles(condition->body, cycles);
  }
}

} // namespace

void set_predicted_cycles(pe::Program& program, const ClosedForm& form,
                          const std::map<std::string, std::int64_t>& sizes) {
  program.closed_form = form.text();
  program.predicted_cycles = form.cycles(sizes);
  if (form.tiles.empty()) return;
  for (pe::Role& r : program.roles) set_pass_cycles(r.body, form.pass_cycles(sizes));
}

void drop_form_if_wrong(pe::Program& program, const pe::Rehearsal& rehearsal) {
  if (rehearsal.cycles == program.predicted_cycles) return;
  program.closed_form.clear();
  program.predicted_cycles.reset();
}

} // namespace cyclotron::lower
