// SPDX-License-Identifier: LGPL-2.1-or-later
// The lines of a file that is read piece by piece (base/file.hpp).

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bcp::cli {

class LineSplitter {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20;  // 20,000 labels take a quarter of it

  // `take` gets each line without its end, and nullopt for one that is longer than kMaxLine.
  explicit LineSplitter(std::function<void(std::optional<std::string_view>)> take) : take_(std::move(take)) {}

  void add(std::string_view piece);
  // The end of the file; the last line may lack its line end.
  void finish();

 private:
  void keep(std::string_view part);
  void hand_over();

  std::function<void(std::optional<std::string_view>)> take_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace bcp::cli
