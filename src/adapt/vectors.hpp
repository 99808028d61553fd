// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The loops over labels of correcting and learning, with the widest vectors of the processor (Highway, chosen at run
// time). exp and log are within a few units in the last place of std::exp and std::log, and the order of summation
// depends on the processor: results differ by about 1e-15 of their size between machines.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>
#include <span>

namespace bcp::adapt::vectors {

struct Largest {
  double value;  // -infinity without values; valid only if all are finite
  bool finite;   // all of them
};
Largest largest(std::span<const double> x);

double sum(std::span<const double> x);

void scale(std::span<double> x, double factor);

// out[k] = exp(x[k] - top). Returns their sum. REQUIRES: sizes agree; x[k] <= top + 700.
double exponentials(std::span<const double> x, double top, std::span<double> out);

// `weight` times `values`.
struct Term {
  double weight;
  const double* values;
};
constexpr std::size_t kMostTerms = 8;

// out = in, then for each term in turn: out[k] = keep * out[k] + weight * values[k]. The bits of out[k] do not depend
// on other k or on how the terms are split over calls. `in` may be `out`. REQUIRES: all have the size of `out`; at most
// kMostTerms.
void combine(double keep, const double* in, std::span<const Term> terms, std::span<double> out);

// For each row i in [first, last) of a triangle, and each v: row[j] = keep * row[j] + v[i] * v[j], as combine() does.
// Row i has padded(i + 1) numbers, and the next follows. REQUIRES: each v has padded(last) numbers; at most kMostTerms.
constexpr std::size_t kPad = 8;  // numbers; no vector is longer
constexpr std::size_t padded(std::size_t count) {
  return (count + kPad - 1) / kPad * kPad;
}
void fold_rows(double* rows, std::size_t first, std::size_t last, double keep, std::span<const double* const> v);

// sum[k] += weight * log(u[k] / m[k] * factor + offset), except for labels where m[k] or the argument of the logarithm
// is nearly 0 or nearly infinite (is_faint()): these are left unchanged. Returns whether there were any. REQUIRES:
// sizes agree.
bool add_logarithms(std::span<const double> u, std::span<const double> m, double factor, double offset, double weight,
                    std::span<double> sum);
constexpr double kFaintest = 1e-290;  // quotients of smaller numbers lose digits, or are 0 or infinite
constexpr bool is_faint(double u, double m, double factor, double offset) {
  const double ratio = u / m * factor + offset;
  return !(m >= kFaintest && ratio >= kFaintest && ratio <= 1 / kFaintest);
}

// For each term: out[k] += weight * values[k]. REQUIRES: all have the size of `out`.
struct FloatTerm {
  double weight;
  const float* values;
};
void add_floats(std::span<const FloatTerm> terms, std::span<double> out);
// out[k] += weight * values[k]. REQUIRES: both have the same size.
void add_to_floats(float weight, std::span<const float> values, std::span<float> out);

// The sum of |weight * x[k] - share * u[k]|. REQUIRES: sizes agree.
double distance(double weight, std::span<const double> x, double share, std::span<const double> u);

}  // namespace bcp::adapt::vectors
