// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/completion/bash.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <regex>
#include <string>

namespace bcp::cli {
namespace {

// What may follow an option, by the name of its value in --help.
std::string kind_of(const std::string& type) {
  if (type == "DIR|NAME") return "model";
  if (type == "NAME|hf:OWNER/NAME|URL") return "known";
  if (type.find("FILE") != std::string::npos) return "file";
  if (type.find("DIR") != std::string::npos) return "folder";
  if (std::regex_match(type, std::regex("[a-z0-9-]+(\\|[a-z0-9-]+)+"))) {
    std::string words = "words " + type;
    std::replace(words.begin(), words.end(), '|', ' ');
    return words;
  }
  return "nothing";
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  return all;
}

std::string joined(const std::vector<std::string>& words, const char* by) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : by) + word;
  return text;
}

std::vector<const CLI::App*> below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The cases of a command and of those below it: what each option takes, then the words the command takes.
std::string cases_of(const CLI::App& app, const std::string& path) {
  std::string cases;
  std::vector<std::string> options, words;
  std::string positional = "nothing";
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string> names = spellings(*option);
    const std::string kind = kind_of(option->get_type_name());
    options.insert(options.end(), names.begin(), names.end());
    if (option->get_positional()) positional = kind == "nothing" ? "file" : kind;
    if (names.empty() || option->get_items_expected_max() == 0) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : names) patterns.push_back("'" + path + " " + name + "'");
    cases += "    " + joined(patterns, " | ") + ") takes='" + kind + "' ;;\n";
  }
  for (const CLI::App* command : below(app)) words.push_back(command->get_name());
  cases += "    '" + path + "') options='" + joined(options, " ") + "' takes='" +
           (words.empty() ? positional : "words " + joined(words, " ")) + "' ;;\n";
  for (const CLI::App* command : below(app)) cases += cases_of(*command, path + " " + command->get_name());
  return cases;
}

void list_commands(const CLI::App& app, const std::string& path, std::vector<std::string>& paths) {
  for (const CLI::App* command : below(app)) {
    paths.push_back("'" + path + " " + command->get_name() + "'");
    list_commands(*command, path + " " + command->get_name(), paths);
  }
}

constexpr const char* kHead = R"SH(# Completion of gst-bcp for bash, made by: gst-bcp completion bash
# To have it in this shell:  . <(gst-bcp completion bash)

# What may follow a command, or a command and an option: sets `takes`, and for a command `options`.
_gst_bcp_takes() {
  takes='' options=''
  case $1 in
)SH";

constexpr const char* kMiddle = R"SH(  esac
}

_gst_bcp() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path=gst-bcp takes options i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${COMP_WORDS[i]}" in
)SH";

constexpr const char* kEnd = R"SH() path="$path ${COMP_WORDS[i]}" ;;
    esac
  done
  takes=''
  if [[ $before == -* ]]; then _gst_bcp_takes "$path $before"; fi
  if [ -z "$takes" ]; then
    _gst_bcp_takes "$path"
    if [[ $word == -* ]]; then takes="words $options"; fi
  fi
  COMPREPLY=()
  case $takes in
    words*) mapfile -t COMPREPLY < <(compgen -W "${takes#words}" -- "$word") ;;
    file | folder | model) compopt -o filenames 2>/dev/null ;;
  esac
  case $takes in
    file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    known)
      mapfile -t COMPREPLY < <(
        compgen -W "$("${COMP_WORDS[0]}" model list 2>/dev/null | awk '/^Known models/ { known = 1; next } known && NF && $1 != "name" { print $1 }')" -- "$word"
      )
      ;;
    model)
      mapfile -t COMPREPLY < <(
        compgen -W "$("${COMP_WORDS[0]}" model list 2>/dev/null | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1 }')" -- "$word"
        compgen -d -- "$word"
      )
      ;;
  esac
}

complete -F _gst_bcp gst-bcp
)SH";

Status print_script(const CLI::App& app) {
  std::vector<std::string> commands;
  list_commands(app, "gst-bcp", commands);
  std::cout << kHead << cases_of(app, "gst-bcp") << kMiddle << "      " << joined(commands, " | ") << kEnd;
  return ok();
}

}  // namespace

Command completion_bash(CLI::App& app, CLI::App& group) {
  CLI::App& command = *group.add_subcommand("bash", "Print a script for bash; to use it: . <(gst-bcp completion bash)");
  return {&command, [&app] { return print_script(app); }, {}};
}

}  // namespace bcp::cli
