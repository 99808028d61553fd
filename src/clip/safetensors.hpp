// SPDX-License-Identifier: LGPL-2.1-or-later
// A safetensors file: named arrays and a table of strings.
//
// The layout is eight bytes of header length (little-endian), a JSON header, then the arrays. Every value in the header
// is checked against the file before use: a damaged or malicious file is an error, never a wrong read.

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::clip {

class Safetensors {
 public:
  // Reads the whole file. Files above 4 GiB are an error: no supported file is that large.
  static Result<Safetensors> open(const std::string& path);

  // A string of the header's __metadata__, or nullptr.
  const std::string* metadata(const std::string& key) const;

  struct Floats {
    std::vector<std::int64_t> shape;
    std::vector<float> values;  // row major; their number is the product of `shape`
  };
  // The tensor as floats, whether it is stored as F32, F16 or BF16.
  Result<Floats> floats(const std::string& name) const;

 private:
  struct Entry {
    std::string type;
    std::vector<std::int64_t> shape;
    std::size_t count = 0;           // product of `shape`
    std::size_t begin = 0, end = 0;  // its bytes in bytes_
  };
  Status read_header();
  Result<Entry> read_entry(const nlohmann::json& description, std::size_t data_start) const;

  std::string path_;
  std::string bytes_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Entry> entries_;
};

}  // namespace bcp::clip
