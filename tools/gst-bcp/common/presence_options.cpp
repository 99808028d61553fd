// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/presence_options.hpp"

#include <CLI/CLI.hpp>

#include "gst-bcp/common/options.hpp"

namespace bcp::cli {
namespace {

constexpr const char* kPresenceGroup = "Presence";

}  // namespace

void add_presence(CLI::App& command, PresenceOptions& options) {
  CLI::Option* const text = command.add_option("--context-text", options.context_text,
                                               "Embeddings [words, numbers] of context words, which compete with the "
                                               "labels and are never shown; needs --embeddings");
  CLI::Option* const names =
      command.add_option("--context-names", options.context_names,
                         "The context words, one per line. A word that is also a label is ignored");
  text->type_name("FILE")->group(kPresenceGroup)->needs(names);
  names->type_name("FILE")->group(kPresenceGroup)->needs(text);
  command
      .add_option("--prior-table", options.prior_table,
                  "How often labels occur together, as JSON (default: a table of 80 everyday nouns)")
      ->type_name("FILE")
      ->group(kPresenceGroup);
  CLI::Option* const strength = command.add_option(
      "--prior-strength", options.prior_strength,
      "Weight of --prior-table, 0 to 1: 1 for zero-shot encoders, less for encoders trained on labels (default: the "
      "model's; 1 for arrays)");
  require_between(*strength->type_name("NUMBER")->group(kPresenceGroup), {0, 1});
  CLI::Option* const scale = command.add_option(
      "--presence-scale", options.scale,
      "Factor on the scores, for an encoder whose scores vary more or less than CLIP's (default: the model's; 1 for "
      "arrays)");
  require_between(*scale->type_name("NUMBER")->group(kPresenceGroup), {1e-6, 1e6});
}

}  // namespace bcp::cli
