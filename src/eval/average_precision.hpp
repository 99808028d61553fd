// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How well scores rank the samples a label is in before those it is not in.
//
// AP of a label is the mean of the precision at each of its samples, going down the ranking. Equal scores rank in the
// order they are given, which is that of the stream. Samples whose truth is -1 are not there.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bcp::eval {

// Between 0 and 1; kNone for a label without a positive. REQUIRES: sizes agree; scores are numbers.
double average_precision(std::span<const double> scores, std::span<const std::int8_t> truth);

// The same for parts of the samples, in one sorting: sample i is in part b if bit b of parts[i] is set. Fills one AP
// for each part. REQUIRES: sizes agree; at most eight parts.
void average_precisions(std::span<const double> scores, std::span<const std::int8_t> truth,
                        std::span<const std::uint8_t> parts, std::span<double> result);

// Of the numbers there are; kNone if there is none.
double mean(std::span<const double> numbers);

}  // namespace bcp::eval
