// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where learnt statistics come from: which stream learnt them, when, and with which model.
//
// Thread safety: values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace bcp::prior {

struct Origin {
  std::string stream;         // source-id, the name of the prior-group, or the name of the element
  std::string model;          // the name of its bundle
  std::uint64_t id;           // random: two cameras may have the same name
  std::uint64_t first, last;  // when it began and was saved last: seconds since 1970
  double samples;             // learnt, before forgetting
  bool operator==(const Origin&) const = default;
  bool operator<(const Origin& other) const {
    return std::tie(stream, model, first, last, samples, id) <
           std::tie(other.stream, other.model, other.first, other.last, other.samples, other.id);
  }
};

inline constexpr std::size_t kMostOrigins = 256;

// Now, for `first` and `last`.
std::uint64_t seconds_now();

// Whether both describe one stream, at two times perhaps: adding their statistics would count samples twice.
bool is_same_stream(const Origin& a, const Origin& b);

// The union, in ascending order. Of two about the same stream the later one stays. Of more than kMostOrigins, those
// that were saved last stay. Commutative and associative.
std::vector<Origin> united(std::vector<Origin> a, const std::vector<Origin>& b);

}  // namespace bcp::prior
