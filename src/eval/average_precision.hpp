// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How well scores rank the samples with a label before those without it.
//
// The AP of a label is the mean of the precision at each of its samples, going down the ranking. Equal scores rank in
// the order of the stream. Samples with truth -1 are ignored.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bcp::eval {

// Between 0 and 1; kNone for a label without a positive. REQUIRES: sizes agree; scores are not NaN.
double average_precision(std::span<const double> scores, std::span<const std::int8_t> truth);

// The same for several parts of the samples, with one sort: sample i is in part b if bit b of parts[i] is set. Fills
// one AP per part. REQUIRES: sizes agree; at most eight parts.
void average_precisions(std::span<const double> scores, std::span<const std::int8_t> truth,
                        std::span<const std::uint8_t> parts, std::span<double> result);

// Ignores kNone; kNone if no number is left.
double mean(std::span<const double> numbers);

}  // namespace bcp::eval
