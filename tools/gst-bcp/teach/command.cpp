// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/teach/command.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "gst-bcp/common/encoding_progress.hpp"
#include "gst-bcp/common/still_tagger.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/labelled/pictures.hpp"
#include "gst-bcp/teach/lessons.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;

struct TeachOptions {
  StillOptions still;
  std::vector<std::string> pictures;
  Said said;
  std::string from, folder;
};

// The result of a picture at one time.
struct View {
  std::vector<double> probability;
  std::vector<std::uint8_t> shown;
};

Result<View> view_of(StillTagger& still, std::span<const float> embedding) {
  tag::Outcome outcome;
  if (const Status looked = still.tagger().look(embedding, still.settings(), outcome); !looked) return looked.error();
  return View{{outcome.probability.begin(), outcome.probability.end()}, {outcome.shown.begin(), outcome.shown.end()}};
}

Status teach(StillTagger& still, const Lesson& lesson, bool frame, std::span<const float> embedding) {
  const Result<View> now = view_of(still, embedding);  // with everything taught so far
  if (!now) return now.error();
  if (frame) return still.tagger().teach(embedding, lesson.present);
  for (std::size_t k = 0; k < lesson.present.size(); ++k) {
    if (!lesson.present[k]) continue;
    const bool missed = *lesson.present[k] && !now->shown[k];
    if (Status taught = still.tagger().teach(embedding, k, *lesson.present[k], missed); !taught) return taught;
  }
  return ok();
}

std::string shown_text(bool before, bool now) {
  if (before == now) return now ? "yes" : "no";
  return now ? "yes, was not" : "no, was";
}

// Counts over labelled pictures, before and after.
struct TeachTally {
  std::size_t present = 0;
  std::size_t right_before = 0, right_now = 0, wrong_before = 0, wrong_now = 0;
};

void print_tally(const TeachTally& tally) {
  const auto of_present = [&](std::size_t right) {
    return std::to_string(right) + " of " + std::to_string(tally.present);
  };
  print_numbers(std::cout, {{"", "before", "now"},
                            {"present and shown", of_present(tally.right_before), of_present(tally.right_now)},
                            {"absent but shown", std::to_string(tally.wrong_before), std::to_string(tally.wrong_now)}});
  std::cout << "Counted on the taught pictures: expect a smaller change on others.\n\n";
}

void add_rows(const Lesson& lesson, bool frames, std::span<const clip::Label> labels, const View& before,
              const View& now, std::vector<Row>& rows, TeachTally& tally) {
  std::string picture = fs::path(lesson.picture).filename().string();
  const std::size_t first = rows.size();
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (!lesson.present[k]) continue;
    const bool present = *lesson.present[k], was = before.shown[k], is = now.shown[k];
    tally.present += present ? 1 : 0;
    (present ? tally.right_before : tally.wrong_before) += was ? 1 : 0;
    (present ? tally.right_now : tally.wrong_now) += is ? 1 : 0;
    if (frames && !present && !was && !is) continue;
    rows.push_back({rows.size() == first ? picture : "", labels[k].name, present ? "present" : "absent",
                    number_text("%.2f", before.probability[k]), number_text("%.2f", now.probability[k]),
                    shown_text(was, is)});
  }
  if (rows.size() == first) rows.push_back({picture, "none present, none shown"});
}

Result<Lessons> find_lessons(const TeachOptions& options, std::span<const clip::Label> labels) {
  if (options.from.empty()) return lessons_of(options.pictures, options.said, labels);
  const Result<LabelledPictures> read = read_labelled(options.from, options.folder);
  if (!read) return read.error();
  return lessons_of(*read, options.said.all, labels);
}

Status run(const TeachOptions& options) {
  const Result<std::unique_ptr<StillTagger>> opened = StillTagger::open(options.still, prior::PriorMode::kReadWrite);
  if (!opened) return opened.error();
  StillTagger& still = **opened;
  const std::vector<clip::Label>& labels = still.tagger().labels();
  const Result<Lessons> lessons = find_lessons(options, labels);
  if (!lessons) return lessons.error();
  for (const std::string& note : lessons->notes) std::cerr << "note: " << printable(note) << '\n';

  if (const std::string remark = still.remark(); !remark.empty()) std::cerr << "note: " << remark << '\n';

  std::vector<std::vector<float>> embeddings;
  std::vector<View> before;
  {
    std::unique_ptr<EncodingProgress> progress;
    if (lessons->all.size() > 10) progress = std::make_unique<EncodingProgress>(lessons->all.size(), 0);
    for (const Lesson& lesson : lessons->all) {
      Result<std::vector<float>> embedding = still.embed(lesson.picture);
      if (!embedding) return embedding.error();
      Result<View> view = view_of(still, *embedding);
      if (!view) return view.error();
      embeddings.push_back(*std::move(embedding));
      before.push_back(*std::move(view));
      if (progress) progress->done(1);
    }
  }
  for (std::size_t i = 0; i < embeddings.size(); ++i)
    if (const Status taught = teach(still, lessons->all[i], lessons->frames, embeddings[i]); !taught) return taught;
  if (const Status saved = still.save(); !saved) return saved;

  std::vector<Row> rows{{"picture", "label", "taught", "was", "is", "shown"}};
  TeachTally tally;
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    const Result<View> now = view_of(still, embeddings[i]);
    if (!now) return now.error();
    add_rows(lessons->all[i], lessons->frames, labels, before[i], *now, rows, tally);
  }
  print_table(std::cout, rows);
  std::cout << '\n';
  if (lessons->frames) print_tally(tally);
  const std::uint64_t statements = still.tagger().learnt()->taught().statements();
  std::cout << "Saved in " << printable(options.still.prior) << ", which contains " << statements
            << (statements == 1 ? " statement" : " statements") << " now.\n";
  return ok();
}

}  // namespace

Command teach_command(CLI::App& app) {
  const auto options = std::make_shared<TeachOptions>();
  CLI::App& command =
      *app.add_subcommand("teach",
                          "Teach a prior file which labels are present or absent in pictures, and print "
                          "how the probabilities change. A "
                          "bcptagger with this prior-file uses what was taught.");
  CLI::Option* const pictures =
      command.add_option("PICTURE", options->pictures, "Pictures that --has and --not describe");
  pictures->type_name(" ");
  command
      .add_option("--prior", options->still.prior,
                  "The prior file (bcptagger's prior-file), which must be of the same model; created if missing")
      ->required()
      ->type_name("FILE");
  CLI::Option* const has = command.add_option("--has", options->said.has, "Labels that each PICTURE shows");
  CLI::Option* const has_not = command.add_option("--not", options->said.has_not, "Labels that no PICTURE shows");
  has->type_name("LABEL,LABEL...");
  has_not->type_name("LABEL,LABEL...");
  CLI::Option* const all = command.add_flag(
      "--all", options->said.all,
      "All labels that are not in --has are absent: the picture is fully labelled, which teaches more. With --from, "
      "labels that the annotations never mention are absent too");
  CLI::Option* const from = command.add_option(
      "--from", options->from,
      "Labelled pictures: COCO-style JSON (instances_*.json); JSON or JSON lines of {\"picture\": \"a.jpg\", "
      "\"labels\": "
      "[\"dog\"]}; a folder with VOC XML annotations; or a folder of pictures with a NAME.txt beside each");
  from->type_name("FILE|DIR")->excludes(pictures)->excludes(has)->excludes(has_not);
  command
      .add_option("--pictures", options->folder,
                  "The folder of the pictures of --from (default: the usual folders near the annotations)")
      ->type_name("DIR")
      ->needs(from);
  add_still(command, options->still);
  command.footer(
      "A picture that is taught twice counts twice. Stop streams that use the prior file first: a stream does not "
      "save\n"
      "over a file that something else has changed. Give the same labels, context words and table as the stream "
      "has.\n\n"
      "Examples:\n  gst-bcp teach --prior door.prior frame.jpg --has \"person, dog\" --not cat\n"
      "  gst-bcp teach --prior door.prior empty1.jpg empty2.jpg --all\n"
      "  gst-bcp teach --prior door.prior --from annotations/instances_door.json --pictures frames");
  return {
      &command, [options, from, all] {
        if (from->count() == 0 && options->pictures.empty())
          return Status(Error{ErrorCode::kInvalid,
                              "nothing to teach: give pictures with --has or --not, or labelled pictures with "
                              "--from"});
        if (from->count() == 0 && options->said.has.empty() && options->said.has_not.empty() && all->count() == 0)
          return Status(Error{
              ErrorCode::kInvalid,
              "nothing to teach: give the labels that the pictures show with --has, those that they do not show with "
              "--not, or --all if they show none of the labels"});
        return run(*options);
      }};
}

}  // namespace bcp::cli
