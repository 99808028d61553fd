// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/hub.hpp"

#include <glib.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "base/json.hpp"
#include "gst-bcp/model/get/known.hpp"
#include "gst-bcp/model/get/retry.hpp"

namespace bcp::cli::get {
namespace {

using nlohmann::json;

constexpr std::size_t kMostOfPage = std::size_t{32} << 20, kMostPages = 100, kMostOfLink = 8192;
constexpr std::size_t kSha1Digits = 40, kSha256Digits = 64;

std::string escaped(const std::string& text, const char* allowed) {
  const std::unique_ptr<char, decltype(&g_free)> escaped(g_uri_escape_string(text.c_str(), allowed, FALSE), g_free);
  return escaped.get();
}

Error odd_answer(const std::string& url, const std::string& what) {
  return Error{ErrorCode::kRuntime,
               shown_url(url) + " does not answer as Hugging Face does (" + what + "): check HF_ENDPOINT"};
}

// A page of JSON from the Hub, and the address of the next page; empty: this is the last.
struct Page {
  json content;
  std::string next;
};

class Asker {
 public:
  Asker(const RepositoryName& name, const HubSettings& settings, const Transfer& transfer, Watch& watch)
      : name_(name),
        settings_(settings),
        transfer_(transfer),
        watch_(watch),
        http_(watch.cancellable(), transfer.timeout) {}

  Result<Repository> run();

 private:
  Result<Page> page(const std::string& url);
  Status add_files(const json& entries, const std::string& url, Repository& repository) const;

  const RepositoryName& name_;
  const HubSettings& settings_;
  const Transfer& transfer_;
  Watch& watch_;
  HttpClient http_;
};

// The header is a list: <ADDRESS>; rel="next", <ADDRESS>; rel="last". Not parsed with std::regex, here and below: it
// recurses once per character, and a server could crash the program with a long text.
std::string next_of(const HttpAnswer& answer) {
  const std::string link = answer.header("link");
  if (link.size() > kMostOfLink) return {};
  for (std::size_t begin = link.find('<'); begin != std::string::npos;) {
    const std::size_t end = link.find('>', begin);
    if (end == std::string::npos) return {};
    const std::size_t following = link.find('<', end);
    const std::string parameters = link.substr(end, following == std::string::npos ? following : following - end);
    if (parameters.find("rel=next") != std::string::npos || parameters.find("rel=\"next\"") != std::string::npos)
      return link.substr(begin + 1, end - begin - 1);
    begin = following;
  }
  return {};
}

// Whether the text is OWNER/NAME.
bool is_repository_id(const std::string& text) {
  constexpr std::size_t kMostOfId = 200;
  const auto fits = [](char c) { return g_ascii_isalnum(c) || c == '.' || c == '_' || c == '-' || c == '/'; };
  return text.size() <= kMostOfId && std::count(text.begin(), text.end(), '/') == 1 &&
         std::all_of(text.begin(), text.end(), fits) && is_safe_path(text);
}

Result<Page> Asker::page(const std::string& url) {
  Retry retry(transfer_.retries, watch_);
  for (;;) {
    std::string body;
    // Only the Hub itself may see the token: a next page on another host is requested without it.
    const bool own = url.starts_with(settings_.endpoint + "/");
    const HttpAnswer answer = http_.get(
        {url, {}, own ? settings_.token : std::string()}, [](const HttpAnswer&) { return true; },
        [&](std::string_view bytes) {
          body += bytes;
          return body.size() <= kMostOfPage;
        });
    if (watch_.stopped()) return interrupted();
    if (!answer.fault && answer.status >= 200 && answer.status < 300) {
      Result<json> content = parse_json(body);
      if (!content) return odd_answer(url, "the answer is " + content.error().message);
      return Page{*std::move(content), next_of(answer)};
    }
    if (retry.again(answer, false)) continue;
    if (watch_.stopped()) return interrupted();
    return explain_refusal(answer, name_, settings_, error_of(answer, name_.id, "run this again later"));
  }
}

// cardData.license, else a tag "license:mit". A custom licence ("other") has its own name.
std::string licence_of(const json& info) {
  const json& card = value_of(info, "cardData");
  const json& named = value_of(card, "license");
  std::string licence(named.is_array() && !named.empty() && named[0].is_string()
                          ? named[0].get<std::string>()
                          : std::string(text_of(card, "license")));
  const json& tags = value_of(info, "tags");
  if (licence.empty() && tags.is_array())
    for (const json& tag : tags)
      if (tag.is_string() && tag.get<std::string>().starts_with("license:")) licence = tag.get<std::string>().substr(8);
  const std::string own(text_of(card, "license_name"));
  return licence == "other" && !own.empty() ? own : licence;
}

bool is_siglip(const json& info) {
  const json& tags = value_of(info, "tags");
  const auto named = [](const json& tag) { return tag.is_string() && names_siglip(tag.get<std::string>()); };
  return names_siglip(std::string(text_of(info, "id"))) ||
         names_siglip(std::string(text_of(value_of(info, "config"), "model_type"))) ||
         (tags.is_array() && std::any_of(tags.begin(), tags.end(), named));
}

Status Asker::add_files(const json& entries, const std::string& url, Repository& repository) const {
  if (!entries.is_array()) return odd_answer(url, "the list of files is not a list");
  for (const json& entry : entries) {
    if (text_of(entry, "type") != "file") continue;
    RepositoryFile file{std::string(text_of(entry, "path"))};
    if (!is_safe_path(file.path)) return odd_answer(url, "invalid file name " + shown(value_of(entry, "path")));
    const json& lfs = value_of(entry, "lfs");
    const json& object = lfs.is_object() ? lfs : entry;
    const bool is_lfs = lfs.is_object();
    file.checksum = {is_lfs ? Checksum::Kind::kSha256 : Checksum::Kind::kGitBlob, std::string(text_of(object, "oid"))};
    if (!is_hex(file.checksum.hex, is_lfs ? kSha256Digits : kSha1Digits) ||
        !value_of(object, "size").is_number_unsigned())
      return odd_answer(url, "no size and object id of " + file.path);
    file.size = value_of(object, "size").get<std::uint64_t>();
    if (file.size > kMostOfFile) return odd_answer(url, file.path + " has " + std::to_string(file.size) + " bytes");
    repository.files.push_back(std::move(file));
  }
  return ok();
}

Result<Repository> Asker::run() {
  const std::string base = settings_.endpoint + "/api/models/" + name_.id;
  const std::string about = base + "/revision/" + escaped(name_.revision, nullptr);
  const Result<Page> info = page(about);
  if (!info) return info.error();
  Repository repository{name_.id, std::string(text_of(info->content, "sha")), licence_of(info->content)};
  repository.is_siglip = is_siglip(info->content);
  if (!is_hex(repository.commit, kSha1Digits)) return odd_answer(about, "no commit");
  // A renamed repository answers under its new name, which caches use too.
  const std::string id(text_of(info->content, "id"));
  if (is_repository_id(id)) repository.id = id;

  std::string url =
      settings_.endpoint + "/api/models/" + repository.id + "/tree/" + repository.commit + "?recursive=true";
  for (std::size_t count = 0; !url.empty(); ++count) {
    if (count >= kMostPages) return odd_answer(url, "the list of files does not end");
    const Result<Page> files = page(url);
    if (!files) return files.error();
    if (const Status added = add_files(files->content, url, repository); !added) return added.error();
    url = files->next;
  }
  return repository;
}

}  // namespace

Result<Repository> ask_hub(const RepositoryName& name, const HubSettings& settings, const Transfer& transfer,
                           Watch& watch) {
  return Asker(name, settings, transfer, watch).run();
}

std::string address_of(const HubSettings& settings, const Repository& repository, const std::string& path) {
  return settings.endpoint + "/" + repository.id + "/resolve/" + repository.commit + "/" + escaped(path, "/");
}

Error explain_refusal(const HttpAnswer& answer, const RepositoryName& name, const HubSettings& settings,
                      Error otherwise) {
  if (answer.fault || (answer.status != 401 && answer.status != 403 && answer.status != 404)) return otherwise;
  // An answer of a server that the Hub redirected to says nothing about the repository.
  if (host_of(answer.url) != host_of(settings.endpoint)) return otherwise;
  const std::string page = shown_url(settings.endpoint + "/" + name.id);
  const std::string tokens = shown_url(settings.endpoint + "/settings/tokens");
  const std::string code = answer.header("x-error-code");
  const std::string status = " (HTTP status " + std::to_string(answer.status) + ")";
  if (code == "RevisionNotFound")
    return Error{ErrorCode::kNotFound, name.id + " has no revision " + name.revision + status + ": leave out @" +
                                           name.revision + " for main, or see " + page + "/commits"};
  if (code == "EntryNotFound")
    return Error{ErrorCode::kNotFound, answer.url + " does not exist" + status + ", although " + name.id +
                                           " lists it: run this again later, or see " + page};
  const bool gated = code == "GatedRepo" || (answer.status == 403 && code != "RepoNotFound");
  if (gated && settings.token.empty())
    return Error{ErrorCode::kRuntime, name.id + " is gated" + status + ": log in and accept its terms at " + page +
                                          ", then set HF_TOKEN to a token from " + tokens};
  if (gated)
    return Error{ErrorCode::kRuntime, name.id + " is gated, and your token gives no access" + status +
                                          ": accept its terms at " + page +
                                          " with the same account, and allow the token to read gated repositories"};
  if (answer.status == 401 && !settings.token.empty() && code != "RepoNotFound")
    return Error{ErrorCode::kRuntime, host_of(settings.endpoint) + " does not accept your token" + status +
                                          ": correct HF_TOKEN, or make a new one at " + tokens};
  const std::string near = nearest_known(name.id);
  return Error{
      ErrorCode::kNotFound,
      "there is no repository " + name.id + " at " + host_of(settings.endpoint) + status +
          (settings.token.empty() ? ", or it is private and HF_TOKEN is not set" : ", or your token cannot see it") +
          ": check the spelling" + (near.empty() ? "" : ", or did you mean " + near + "?") +
          (near.empty() ? "; gst-bcp model list shows models that are known to work" : "")};
}

bool is_unreachable(const Error& error) {
  return error.message.find(" is out of reach (") != std::string::npos;
}

bool names_siglip(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.find("siglip") != std::string::npos;
}

bool is_safe_path(const std::string& path) {
  if (path.empty() || path.size() > 1024 || path.front() == '/' || path.back() == '/') return false;
  for (const char c : path)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace bcp::cli::get
