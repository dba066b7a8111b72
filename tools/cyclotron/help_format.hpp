// SPDX-License-Identifier: MIT
// Help that reads the same with every version of CLI11.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace cyclotron {

class HelpFormat : public CLI::Formatter {
public:
  // `NAME=c ...`: what an option takes, its default, and whether it takes several.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    std::string text;
    if (!option->get_type_name().empty()) text += " " + get_label(option->get_type_name());
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " " + get_label("REQUIRED");
    return text;
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, std::move(name), mode);
    while (text.size() > 1 && text[text.size() - 1] == '\n' && text[text.size() - 2] == '\n') text.pop_back();
    return text;
  }
};

} // namespace cyclotron
