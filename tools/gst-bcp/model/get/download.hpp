// SPDX-License-Identifier: LGPL-2.1-or-later
// Files from the web to the disk: resumed, verified, several at a time.
//
// A file is written to `partial`, which survives whatever ends the download, and is renamed to `target` once its
// checksum is right. `target` is therefore whole or not there. The lock keeps two processes from writing one partial.

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
  std::optional<std::uint64_t> size = {};  // none: not known, the server says it
  Checksum checksum = {};
  std::string other_disk = {};  // what to do where the disk is too small: "name another directory with --into"
};

struct Transfer {
  int connections = 4;  // at a time
  int retries = 5;      // attempts in a row that bring nothing
  int timeout = 30;     // seconds of silence
};

// Turns the answer that refused a file into the sentence for people; `error` is the general one.
using Explain = std::function<Error(const HttpAnswer& answer, Error error)>;

// Downloads what is not there yet. The first error ends all of them; what was fetched stays.
Status download_all(const std::vector<Wanted>& files, const Transfer& transfer, Watch& watch, const Explain& explain);

// No file is longer: what a server says beyond that is a fault, and sums of such sizes would wrap.
inline constexpr std::uint64_t kMostOfFile = std::uint64_t{1} << 53;

// The sum, or the largest number there is.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b);

// How long the file is, as its server says; none: it does not. An error where the file cannot be had.
Result<std::optional<std::uint64_t>> ask_size(const Wanted& file, const Transfer& transfer, Watch& watch);

// What has to be downloaded still, in bytes, as far as sizes are known.
std::uint64_t bytes_missing(const std::vector<Wanted>& files);

// Whether the disk that `directory` is or will be on has room for that many bytes. `way_out` ends the sentence.
Status check_space(const std::string& directory, std::uint64_t bytes, const std::string& way_out);

}  // namespace bcp::cli::get
