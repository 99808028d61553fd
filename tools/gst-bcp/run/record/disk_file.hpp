// SPDX-License-Identifier: LGPL-2.1-or-later
// The file of a segment while it is written: counts what is whole, and brings each whole fragment to the disk.
//
// One thread writes. The counters may be read from any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "gst-bcp/run/record/disk_sync.hpp"

namespace bcp::cli::run {

class DiskFile {
 public:
  enum class Layout { kMp4, kMkv };

  // A new file; an existing one is an error. `beside`: files that are synced with it, if they are there.
  static Result<std::unique_ptr<DiskFile>> create(const std::string& path, Layout layout,
                                                  std::vector<std::string> beside = {});

  const std::string& path() const { return path_; }
  // False: it failed, and fault() says why. A fragment that becomes whole by this is synced to the disk soon after, by
  // another thread.
  bool write(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  // Syncs what is left and closes. Call once, after the last write.
  Status finish();
  // Removes what follows the last whole fragment and closes; false: nothing is left, and the file is removed.
  bool cut();

  std::uint64_t bytes() const { return bytes_; }
  // The bytes up to the end of the last whole fragment; 0: none is whole yet.
  std::uint64_t whole() const { return whole_; }
  // errno of the write or sync that failed; 0: none has.
  int fault() const;

 private:
  DiskFile(std::string path, Descriptor file, Layout layout, std::unique_ptr<DiskSync> sync)
      : path_(std::move(path)), file_(std::move(file)), layout_(layout), sync_(std::move(sync)) {}
  bool follow_boxes(std::span<const std::uint8_t> bytes);
  bool sync();

  const std::string path_;
  Descriptor file_;
  const Layout layout_;
  const std::unique_ptr<DiskSync> sync_;
  std::atomic<std::uint64_t> bytes_{0}, whole_{0};
  std::atomic<int> fault_{0};
  // Of the box that is being written (MP4):
  std::uint8_t header_[16] = {};
  std::size_t header_size_ = 0;
  std::uint64_t left_ = 0;  // of its contents
  bool is_data_ = false;
  bool has_index_ = false;  // a moov has been written; in Matroska, the first cluster has begun
};

}  // namespace bcp::cli::run
