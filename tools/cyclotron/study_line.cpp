// SPDX-License-Identifier: MIT
// The command line of `cyclotron study`.
#include "arguments.hpp"
#include "study/study.hpp"
#include "verbs.hpp"

using namespace cyclotron;

Verb add_study(CLI::App& app) {
  const auto options = std::make_shared<study::StudyOptions>();
  CLI::App* study =
      app.add_subcommand("study", "run the published experiments on the sparse abstract machine again; no NAME: list");
  study->add_option("name", options->name, "which one; none: a list")->type_name("NAME");
  study->add_option("files", options->files, "matrices to take instead of its own: files, or generators")
      ->type_name("FILE");
  study->add_option("-o,--output", options->output, "draw its chart")->type_name("FILE.svg");
  take_whole(study->add_option("--seed", options->seed, "of random data"), 0)->capture_default_str();
  study->add_flag("--quick", options->quick, "few and small points");
  study->add_flag("--json", options->json, "print the table as JSON");
  study->footer(R"(
Examples:
  cyclotron study
  cyclotron study orders -o orders.svg
  cyclotron study streams tests/matrices/*.mtx -o streams.svg
  cyclotron study fusion --quick --json

Every graph is compiled from a program, simulated, and its values compared with the interpreter's or native code's.)");
  return {study, [options] { return study::study(*options); }, "", "`cyclotron study`", nullptr};
}
