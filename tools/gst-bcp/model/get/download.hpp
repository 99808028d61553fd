// SPDX-License-Identifier: LGPL-2.1-or-later
// Files from the web to the disk: resumed, verified, several at a time.
//
// A file is written to `partial`, which stays if the download ends early, and is renamed to `target` when its checksum
// is right. So `target` is complete or missing. The lock prevents two processes from writing one partial file.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/model/get/checksum.hpp"
#include "gst-bcp/model/get/http_client.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

struct Wanted {
  std::string name;               // for people
  std::vector<std::string> urls;  // the first that exists
  std::string token = {};         // for the hosts of `urls`; empty: none
  std::string target, partial, lock;
  std::optional<std::uint64_t> size = {};  // unset: not known, the server announces it
  Checksum checksum = {};
  std::string other_disk = {};  // what to do if the disk is too small: "give another directory with --into"
};

struct Transfer {
  int connections = 4;  // at a time
  int retries = 5;      // attempts in a row that bring nothing
  int timeout = 30;     // seconds of silence
};

// Turns an answer with an error status into the message for people; `error` is the general one.
using Explain = std::function<Error(const HttpAnswer& answer, Error error)>;

// Downloads the missing files. The first error ends all downloads; the fetched bytes stay.
Status download_all(const std::vector<Wanted>& files, const Transfer& transfer, Watch& watch, const Explain& explain);

// The longest file allowed: more is an error of the server, and sums of such sizes would overflow.
inline constexpr std::uint64_t kMostOfFile = std::uint64_t{1} << 53;

// The sum, or the largest possible number.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b);

// The length of the file that its server announces; unset: none announced. An error if the file is not available.
Result<std::optional<std::uint64_t>> ask_size(const Wanted& file, const Transfer& transfer, Watch& watch);

// The bytes that are still missing, as far as sizes are known.
std::uint64_t bytes_missing(const std::vector<Wanted>& files);

// Whether the disk of `directory`, which may not exist yet, has that many bytes free. `way_out` ends the sentence.
Status check_space(const std::string& directory, std::uint64_t bytes, const std::string& way_out);

}  // namespace bcp::cli::get
