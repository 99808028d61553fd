// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// This file is compiled once for each kind of vector: foreach_target.h includes it again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adapt/vectors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace bcp::adapt::vectors::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, kPad>;
using Vector = hn::Vec<Tag>;

// The last values of a row, padded with neutral values: no load may go past the end.
class Tail {
 public:
  HWY_ATTR Tail(const double* values, std::size_t count, double other) {
    std::fill(std::copy_n(values, count, padded_.begin()), padded_.end(), other);
  }
  HWY_ATTR Vector load() const { return hn::LoadU(Tag(), padded_.data()); }

 private:
  std::array<double, kPad> padded_{};
};

HWY_ATTR void store_some(Vector v, std::size_t count, double* to) {
  std::array<double, kPad> padded;
  hn::StoreU(v, Tag(), padded.data());
  std::copy_n(padded.begin(), count, to);
}

HWY_ATTR Largest largest(const double* x, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  auto top = hn::Set(d, kLowest), wrong = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto v = hn::LoadU(d, x + k);
    top = hn::Max(top, v);
    wrong = hn::Add(wrong, hn::Sub(v, v));  // 0, or NaN for good if a number is not finite
  }
  if (k < count) {
    const auto v = Tail(x + k, count - k, x[count - 1]).load();
    top = hn::Max(top, v);
    wrong = hn::Add(wrong, hn::Sub(v, v));
  }
  return {hn::GetLane(hn::MaxOfLanes(d, top)), hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)))};
}

HWY_ATTR double sum(const double* x, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  auto total = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) total = hn::Add(total, hn::LoadU(d, x + k));
  if (k < count) total = hn::Add(total, Tail(x + k, count - k, 0).load());
  return hn::GetLane(hn::SumOfLanes(d, total));
}

HWY_ATTR void scale(double* x, std::size_t count, double factor) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto by = hn::Set(d, factor);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, x + k), by), d, x + k);
  for (; k < count; ++k) x[k] *= factor;
}

HWY_ATTR double exponentials(const double* x, std::size_t count, double top, double* out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto most = hn::Set(d, top);
  auto total = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto e = hn::Exp(d, hn::Sub(hn::LoadU(d, x + k), most));
    hn::StoreU(e, d, out + k);
    total = hn::Add(total, e);
  }
  if (k < count) {
    const auto e = hn::Exp(d, hn::Sub(Tail(x + k, count - k, -std::numeric_limits<double>::max()).load(), most));
    store_some(e, count - k, out + k);
    total = hn::Add(total, e);
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
}

template <bool kAging>
HWY_ATTR HWY_INLINE Vector add_term(Vector keep, Vector v, Vector weight, Vector values) {
  return hn::MulAdd(weight, values, kAging ? hn::Mul(keep, v) : v);
}

template <std::size_t kTerms, bool kAging>
HWY_ATTR void combine_some(double keep, const double* in, const Term* terms, double* out, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto share = hn::Set(d, keep);
  // Not an array: on some processors the compiler does not know the size of a vector.
  const Term &t0 = terms[0], &t1 = terms[kTerms > 1 ? 1 : 0], &t2 = terms[kTerms > 2 ? 2 : 0],
             &t3 = terms[kTerms > 2 ? 3 : 0], &t4 = terms[kTerms > 4 ? 4 : 0], &t5 = terms[kTerms > 4 ? 5 : 0],
             &t6 = terms[kTerms > 4 ? 6 : 0], &t7 = terms[kTerms > 4 ? 7 : 0];
  const auto w0 = hn::Set(d, t0.weight), w1 = hn::Set(d, t1.weight), w2 = hn::Set(d, t2.weight),
             w3 = hn::Set(d, t3.weight), w4 = hn::Set(d, t4.weight), w5 = hn::Set(d, t5.weight),
             w6 = hn::Set(d, t6.weight), w7 = hn::Set(d, t7.weight);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    auto v = add_term<kAging>(share, hn::LoadU(d, in + k), w0, hn::LoadU(d, t0.values + k));
    if constexpr (kTerms > 1) v = add_term<kAging>(share, v, w1, hn::LoadU(d, t1.values + k));
    if constexpr (kTerms > 2) {
      v = add_term<kAging>(share, v, w2, hn::LoadU(d, t2.values + k));
      v = add_term<kAging>(share, v, w3, hn::LoadU(d, t3.values + k));
    }
    if constexpr (kTerms > 4) {
      v = add_term<kAging>(share, v, w4, hn::LoadU(d, t4.values + k));
      v = add_term<kAging>(share, v, w5, hn::LoadU(d, t5.values + k));
      v = add_term<kAging>(share, v, w6, hn::LoadU(d, t6.values + k));
      v = add_term<kAging>(share, v, w7, hn::LoadU(d, t7.values + k));
    }
    hn::StoreU(v, d, out + k);
  }
  if (k == count) return;
  const std::size_t some = count - k;
  auto v = Tail(in + k, some, 0).load();
  for (std::size_t t = 0; t < kTerms; ++t)
    v = add_term<kAging>(share, v, hn::Set(d, terms[t].weight), Tail(terms[t].values + k, some, 0).load());
  store_some(v, some, out + k);
}

template <bool kAging>
HWY_ATTR void combine_all(double keep, const double* in, const Term* terms, std::size_t left, double* out,
                          std::size_t count) {
  static_assert(kMostTerms == 8);
  if (left == 8) return combine_some<8, kAging>(keep, in, terms, out, count);
  if (left & 4) {
    combine_some<4, kAging>(keep, in, terms, out, count);
    terms += 4;
    in = out;
  }
  if (left & 2) {
    combine_some<2, kAging>(keep, in, terms, out, count);
    terms += 2;
    in = out;
  }
  if (left & 1) combine_some<1, kAging>(keep, in, terms, out, count);
}

HWY_ATTR void combine(double keep, const double* in, const Term* terms, std::size_t left, double* out,
                      std::size_t count) {
  if (keep == 1)
    combine_all<false>(keep, in, terms, left, out, count);
  else
    combine_all<true>(keep, in, terms, left, out, count);
}

HWY_ATTR void fold_rows(double* row, std::size_t first, std::size_t last, double keep, const double* const* v,
                        std::size_t count) {
  std::array<Term, kMostTerms> terms{};
  for (std::size_t i = first; i < last; row += padded(++i)) {
    for (std::size_t t = 0; t < count; ++t) terms[t] = {v[t][i], v[t]};
    combine(keep, row, terms.data(), count, row, padded(i + 1));
  }
}

HWY_ATTR bool add_logarithms(const double* u, const double* m, std::size_t count, double factor, double offset,
                             double weight, double* total) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto by = hn::Set(d, factor), more = hn::Set(d, offset), share = hn::Set(d, weight),
             least = hn::Set(d, kFaintest), most = hn::Set(d, 1 / kFaintest), one = hn::Set(d, 1.0);
  bool all = true;
  std::size_t k = 0;
  for (; k < count; k += lanes) {
    const bool whole = k + lanes <= count;
    const std::size_t some = count - k;
    const auto single = whole ? hn::LoadU(d, m + k) : Tail(m + k, some, 1).load();
    const auto pair = whole ? hn::LoadU(d, u + k) : Tail(u + k, some, 1).load();
    const auto ratio = hn::MulAdd(hn::Div(pair, single), by, more);
    const auto known = hn::And(hn::Ge(single, least), hn::And(hn::Ge(ratio, least), hn::Le(ratio, most)));
    const auto now = whole ? hn::LoadU(d, total + k) : Tail(total + k, some, 0).load();
    const auto logarithm = hn::Log(d, hn::IfThenElse(known, ratio, one));
    const auto then = hn::IfThenElse(known, hn::MulAdd(share, logarithm, now), now);
    if (whole)
      hn::StoreU(then, d, total + k);
    else
      store_some(then, some, total + k);
    all = all && hn::AllTrue(d, known);
  }
  return !all;
}

HWY_ATTR double distance(double weight, const double* x, double share, const double* u, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto w = hn::Set(d, weight), s = hn::Set(d, share);
  auto total = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto moved = hn::Sub(hn::Mul(w, hn::LoadU(d, x + k)), hn::Mul(s, hn::LoadU(d, u + k)));
    total = hn::Add(total, hn::Abs(moved));
  }
  double rest = 0;
  for (; k < count; ++k) rest += std::abs(weight * x[k] - share * u[k]);
  return hn::GetLane(hn::SumOfLanes(d, total)) + rest;
}

HWY_ATTR void add_floats(const FloatTerm* terms, std::size_t number, double* out, std::size_t count) {
  const Tag d;
  const hn::Rebind<float, Tag> narrow;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    auto sum = hn::LoadU(d, out + k);
    for (std::size_t t = 0; t < number; ++t)
      sum = hn::MulAdd(hn::Set(d, terms[t].weight), hn::PromoteTo(d, hn::LoadU(narrow, terms[t].values + k)), sum);
    hn::StoreU(sum, d, out + k);
  }
  for (; k < count; ++k) {
    for (std::size_t t = 0; t < number; ++t) out[k] += terms[t].weight * double{terms[t].values[k]};
  }
}

HWY_ATTR void add_to_floats(float weight, const float* values, float* out, std::size_t count) {
  const hn::CappedTag<float, kPad> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto by = hn::Set(d, weight);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes)
    hn::StoreU(hn::MulAdd(by, hn::LoadU(d, values + k), hn::LoadU(d, out + k)), d, out + k);
  for (; k < count; ++k) out[k] += weight * values[k];
}

}  // namespace
}  // namespace bcp::adapt::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bcp::adapt::vectors {
namespace {

HWY_EXPORT(largest);
HWY_EXPORT(sum);
HWY_EXPORT(scale);
HWY_EXPORT(exponentials);
HWY_EXPORT(combine);
HWY_EXPORT(fold_rows);
HWY_EXPORT(add_logarithms);
HWY_EXPORT(distance);
HWY_EXPORT(add_floats);
HWY_EXPORT(add_to_floats);

}  // namespace

Largest largest(std::span<const double> x) {
  return HWY_DYNAMIC_DISPATCH(largest)(x.data(), x.size());
}

double sum(std::span<const double> x) {
  return HWY_DYNAMIC_DISPATCH(sum)(x.data(), x.size());
}

void scale(std::span<double> x, double factor) {
  HWY_DYNAMIC_DISPATCH(scale)(x.data(), x.size(), factor);
}

double exponentials(std::span<const double> x, double top, std::span<double> out) {
  return HWY_DYNAMIC_DISPATCH(exponentials)(x.data(), x.size(), top, out.data());
}

void combine(double keep, const double* in, std::span<const Term> terms, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(combine)(keep, in, terms.data(), terms.size(), out.data(), out.size());
}

void fold_rows(double* rows, std::size_t first, std::size_t last, double keep, std::span<const double* const> v) {
  HWY_DYNAMIC_DISPATCH(fold_rows)(rows, first, last, keep, v.data(), v.size());
}

bool add_logarithms(std::span<const double> u, std::span<const double> m, double factor, double offset, double weight,
                    std::span<double> sum) {
  return HWY_DYNAMIC_DISPATCH(add_logarithms)(u.data(), m.data(), u.size(), factor, offset, weight, sum.data());
}

double distance(double weight, std::span<const double> x, double share, std::span<const double> u) {
  return HWY_DYNAMIC_DISPATCH(distance)(weight, x.data(), share, u.data(), x.size());
}

void add_floats(std::span<const FloatTerm> terms, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(add_floats)(terms.data(), terms.size(), out.data(), out.size());
}

void add_to_floats(float weight, std::span<const float> values, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(add_to_floats)(weight, values.data(), out.data(), out.size());
}

}  // namespace bcp::adapt::vectors
#endif
