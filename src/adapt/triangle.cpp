// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/triangle.hpp"

#include <cmath>
#include <utility>

namespace bcp::adapt {
namespace {

using vectors::padded;
using vectors::Term;

using Terms = std::array<Term, vectors::kMostTerms>;

}  // namespace

Triangle::Triangle(std::size_t labels)
    : labels_(labels),
      parts_(labels <= kFewLabels ? 1 : kMostParts),
      rows_(start(labels), 0.0),
      waiting_{.samples = AlignedVector<double>(kLater * padded(labels), 0.0)} {
  // Parts of equal area, not of equal row count.
  for (std::size_t part = 1; part <= parts_; ++part) {
    const double share = std::sqrt(static_cast<double>(part) / static_cast<double>(parts_));
    first_[part] = part == parts_ ? labels : static_cast<std::size_t>(share * static_cast<double>(labels));
  }
}

Triangle::Triangle(std::size_t labels, std::span<const double> packed) : Triangle(labels) {
  for (std::size_t i = 0; i < labels; ++i) {
    std::copy_n(packed.data() + packed_size(i), i + 1, rows_.data() + start(i));
  }
}

std::vector<double> Triangle::packed() const {
  std::vector<double> packed(packed_size(labels_));
  for (std::size_t i = 0; i < labels_; ++i) row(i, std::span(packed).subspan(packed_size(i), i + 1));
  return packed;
}

std::size_t Triangle::part_of(std::size_t row) const {
  std::size_t part = 0;
  while (row >= first_[part + 1]) ++part;
  return part;
}

std::size_t Triangle::stalest() const {
  const auto& seen = waiting_.seen;
  return static_cast<std::size_t>(std::min_element(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(parts_)) -
                                  seen.begin());
}

bool Triangle::has_room() const {
  return waiting_.learnt - waiting_.seen[stalest()] < kLater;
}

template <typename DoRun>
void Triangle::for_unseen(const Waiting& waiting, std::size_t part, const DoRun& do_run) {
  const auto& [learnt, seen, samples, decay] = waiting;
  for (std::uint64_t first = seen[part], end = first; first < learnt; first = end) {
    do ++end;
    while (end < learnt && end - first < vectors::kMostTerms && decay[end % kLater] == decay[first % kLater]);
    do_run(decay[first % kLater], first, end);
  }
}

double Triangle::at(std::size_t i, std::size_t j) const {
  if (i < j) std::swap(i, j);
  double value = rows_[start(i) + j];
  for_unseen(waiting_, part_of(i), [&](double decay, std::uint64_t first, std::uint64_t end) {
    Terms terms;
    for (std::uint64_t s = first; s < end; ++s) terms[s - first] = {sample(s)[i], sample(s) + j};
    vectors::combine(decay, &value, std::span(terms).first(end - first), std::span(&value, 1));
  });
  return value;
}

void Triangle::row(std::size_t i, const Waiting& waiting, std::span<double> out) const {
  std::copy_n(rows_.data() + start(i), i + 1, out.data());
  for_unseen(waiting, part_of(i), [&](double decay, std::uint64_t first, std::uint64_t end) {
    Terms terms;
    for (std::uint64_t s = first; s < end; ++s) terms[s - first] = {sample(waiting, s)[i], sample(waiting, s)};
    vectors::combine(decay, out.data(), std::span(terms).first(end - first), out);
  });
}

void Triangle::column(std::size_t a, std::span<double> out) const {
  row(a, out.first(a + 1));
  for (std::size_t k = a + 1, at = start(k); k < labels_; at += padded(++k)) out[k] = rows_[at + a];
  for (std::size_t part = part_of(a); part < parts_; ++part) {
    const std::size_t begin = std::max(a + 1, first_[part]);
    if (begin >= first_[part + 1]) continue;
    const std::span<double> rows = out.subspan(begin, first_[part + 1] - begin);
    for_unseen(waiting_, part, [&](double decay, std::uint64_t first, std::uint64_t end) {
      Terms terms;
      for (std::uint64_t s = first; s < end; ++s) terms[s - first] = {sample(s)[a], sample(s) + begin};
      vectors::combine(decay, rows.data(), std::span(terms).first(end - first), rows);
    });
  }
}

void Triangle::fold(std::size_t part) {
  for_unseen(waiting_, part, [&](double decay, std::uint64_t first, std::uint64_t end) {
    std::array<const double*, vectors::kMostTerms> samples{};
    for (std::uint64_t s = first; s < end; ++s) samples[s - first] = sample(s);
    vectors::fold_rows(rows_.data() + start(first_[part]), first_[part], first_[part + 1], decay,
                       std::span(samples).first(end - first));
  });
  waiting_.seen[part] = waiting_.learnt;
}

void Triangle::learn_later(std::span<const double> p, double decay) {
  while (!has_room()) fold(stalest());
  const std::size_t slot = waiting_.learnt % kLater;
  std::copy(p.begin(), p.end(), waiting_.samples.begin() + static_cast<std::ptrdiff_t>(slot * padded(labels_)));
  waiting_.decay[slot] = decay;
  ++waiting_.learnt;
}

void Triangle::learn(std::span<const double> p, double decay) {
  learn_later(p, decay);
  if (!held_) fold(stalest());
}

void Triangle::settle() {
  for (std::size_t part = 0; part < parts_; ++part) fold(part);
}

void Triangle::add(const Triangle& other) {
  settle();
  std::vector<double> theirs(labels_);
  for (std::size_t i = 0; i < labels_; ++i) {
    const std::span<double> row(rows_.data() + start(i), i + 1), more(theirs.data(), i + 1);
    other.row(i, more);
    const Term term{1, more.data()};
    vectors::combine(1, row.data(), std::span(&term, 1), row);
  }
}

Triangle Triangle::relabelled(std::span<const int> from) const {
  Triangle result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] < 0) continue;
    double* row = result.rows_.data() + start(i);
    for (std::size_t j = 0; j <= i; ++j) {
      if (from[j] >= 0) row[j] = at(static_cast<std::size_t>(from[i]), static_cast<std::size_t>(from[j]));
    }
  }
  return result;
}

}  // namespace bcp::adapt
