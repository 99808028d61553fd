// SPDX-License-Identifier: LGPL-2.1-or-later
// Models from Hugging Face.

#include <algorithm>

#include "gst-bcp/common/table.hpp"
#include "gst-bcp/model/get/cache.hpp"
#include "gst-bcp/model/get/get.hpp"

namespace bcp::cli::get {
namespace {

std::string short_commit(const std::string& commit) {
  return commit.substr(0, 7);
}

// The repository on the Hub, or in the cache if the Hub cannot be reached.
Result<Repository> look_up(const RepositoryName& name, const HubSettings& settings, const RepositoryCache& cache,
                           const Options& options, Watch& watch, bool& cached) {
  cached = settings.offline;
  if (settings.offline) {
    if (std::optional<Repository> found = cache.find(name)) return *std::move(found);
    return Error{ErrorCode::kNotFound, "HF_HUB_OFFLINE is set, but " + settings.cache + " has no revision " +
                                           name.revision + " of " + name.id + ": unset it to download the model"};
  }
  Result<Repository> asked = ask_hub(name, settings, options.transfer, watch);
  if (asked || !is_unreachable(asked.error())) return asked;
  std::optional<Repository> found = cache.find(name);
  if (!found) return asked;
  cached = true;
  watch.say(host_of(settings.endpoint) + " is out of reach: using the cache, revision " + short_commit(found->commit) +
            ".");
  return *std::move(found);
}

std::uint64_t size_of(const std::vector<RepositoryFile>& files) {
  std::uint64_t bytes = 0;
  for (const RepositoryFile& file : files) bytes = sum_of(bytes, file.size);
  return bytes;
}

Status download(const Repository& repository, const RepositoryName& name, const Choice& choice,
                const HubSettings& settings, const Options& options, Watch& watch) {
  // Under the name from the Hub, which may be a newer one.
  const RepositoryCache cache(settings.cache, repository.id);
  std::vector<Wanted> wanted;
  for (const RepositoryFile& file : choice.files)
    wanted.push_back({file.path,
                      {address_of(settings, repository, file.path)},
                      settings.token,
                      cache.blob(file),
                      cache.partial(file),
                      cache.lock(file),
                      file.size,
                      file.checksum});
  const std::uint64_t missing = bytes_missing(wanted);
  if (Status fits = check_space(settings.cache, missing, "set HF_HUB_CACHE to a directory on another disk"); !fits)
    return fits;
  if (missing == 0) watch.say("All files are in the cache.");
  const Explain explain = [&](const HttpAnswer& answer, Error error) {
    return explain_refusal(answer, name, settings, std::move(error));
  };
  if (Status done = download_all(wanted, options.transfer, watch, explain); !done) return done;
  for (const RepositoryFile& file : choice.files)
    if (Status linked = cache.link(repository.commit, file); !linked) return linked;
  return cache.set_ref(name.revision, repository.commit);
}

// The licence, and its source.
std::string licence_text(const Repository& repository, const KnownModel* known, const HubSettings& settings) {
  if (!repository.licence.empty()) return "licence: " + repository.licence;
  const std::string page = shown_url(settings.endpoint + "/" + repository.id);
  if (known) return "licence of the weights: " + std::string(known->licence) + " (the repository names none)";
  return "licence: the repository names none, see " + page;
}

// What to do if the towers of a SigLIP lack their trained scale.
std::string scale_way_out(const Repository& repository, const std::string& snapshot) {
  if (const std::string both = both_in_one(repository); !both.empty())
    return "run this again with --file " + both + ", which contains both towers and the scale";
  return "use a repository with onnx/model.onnx, which contains both towers and the scale; or copy " + snapshot +
         ", write {\"logit_scale\": exp(t), \"logit_bias\": b} with t and b of the checkpoint to presence.json in "
         "the "
         "copy, and set bcptagger's property model to the path of the copy";
}

}  // namespace

Result<Got> get_repository(const RepositorySource& source, const Options& options, Watch& watch) {
  if (options.variants.size() > 1)
    return Error{ErrorCode::kInvalid, "one variant at a time: run this again for the other, which gets its own name"};
  const Result<HubSettings> settings = HubSettings::from_environment();
  if (!settings) return settings.error();
  const RepositoryName& name = source.repository;
  const std::string variant = options.variants.empty() ? "" : options.variants.front();
  const std::string own = source.known ? std::string(source.known->name) : name.id.substr(name.id.find('/') + 1);
  const Result<Installation> installation = installation_of(options, own + (variant.empty() ? "" : "-" + variant));
  if (!installation) return installation.error();
  Origin origin{"hf:" + name.id + (name.revision == "main" ? "" : "@" + name.revision), "", variant, ""};

  const Result<Descriptor> lock =
      options.dry_run ? Result<Descriptor>(Descriptor(-1)) : take_lock(*installation, watch);
  if (!lock) return lock.error();
  if (!options.dry_run)
    if (const Status free = installation->check_place(origin, options.again); !free) return free.error();
  if (!options.again && !options.dry_run && installation->is_installed())
    return Got{{installation->name() + " is installed already: " + installation->place() +
                " (--again downloads its newest revision)"},
               model_of(*installation, options)};

  bool cached = false;
  const RepositoryCache cache(settings->cache, name.id);
  const Result<Repository> repository = look_up(name, *settings, cache, options, watch, cached);
  if (!repository) return repository.error();
  const Result<Choice> choice = choose(*repository, {variant, options.files});
  if (!choice && cached)
    return Error{choice.error().code,
                 choice.error().message + " (in the cache, which may not have all files of the repository)"};
  if (!choice) return choice.error();
  for (const std::string& remark : choice->remarks) watch.say(remark);
  watch.say(repository->id + " at " + short_commit(repository->commit) + ", " + choice->variant + ": " +
            std::to_string(choice->files.size()) + " files, " + bytes_for_people(size_of(choice->files)) + "; " +
            licence_text(*repository, source.known, *settings));
  if (options.dry_run) {
    Got got;
    for (const RepositoryFile& file : choice->files)
      got.lines.push_back(bytes_for_people(file.size) + "\t" + file.path);
    return got;
  }
  if (!cached)
    if (const Status done = download(*repository, name, *choice, *settings, options, watch); !done) return done.error();

  if (const Status emptied = installation->keep_staged({}); !emptied) return emptied.error();
  const std::string snapshot = RepositoryCache(settings->cache, repository->id).snapshot(repository->commit);
  for (const RepositoryFile& file : choice->files)
    if (const Status linked = installation->stage(file.path, snapshot + "/" + file.path); !linked)
      return linked.error();
  origin.revision = repository->commit;
  origin.licence = !repository->licence.empty() ? repository->licence
                   : source.known               ? std::string(source.known->licence)
                                                : std::string();
  return install(*installation, origin, options, watch, scale_way_out(*repository, snapshot));
}

}  // namespace bcp::cli::get
