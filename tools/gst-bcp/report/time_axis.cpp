// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/time_axis.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::cli::report {
namespace {

constexpr double kGapFactor = 5, kLeastGap = 2;

template <typename Get>
bool goes_on(const std::vector<Moment>& moments, Get get) {
  const bool is_given =
      std::none_of(moments.begin(), moments.end(), [&](const Moment& m) { return std::isnan(get(m)); });
  const auto differs = [&](const Moment& m) { return get(m) != get(moments.front()); };
  return is_given && (moments.size() == 1 || std::any_of(moments.begin(), moments.end(), differs));
}

TimeAxis choose(const std::vector<Moment>& moments) {
  if (goes_on(moments, [](const Moment& m) { return m.pts; })) return TimeAxis::kPts;
  if (goes_on(moments, [](const Moment& m) { return m.utc; })) return TimeAxis::kClock;
  return TimeAxis::kNumber;
}

// The usual distance of two results: the (lower) median of all distances above zero.
double usual_distance(const std::vector<double>& times) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] > times[i - 1]) distances.push_back(times[i] - times[i - 1]);
  if (distances.empty()) return 1;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

TimeAxis lay_out(Stream& stream) {
  std::vector<Moment>& moments = stream.moments;
  const TimeAxis axis = choose(moments);
  std::vector<double> given(moments.size());
  for (std::size_t i = 0; i < moments.size(); ++i)
    given[i] = axis == TimeAxis::kPts     ? moments[i].pts
               : axis == TimeAxis::kClock ? moments[i].utc - moments.front().utc
                                          : static_cast<double>(i);
  const double usual = usual_distance(given);
  double shift = 0;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const bool jumps_back = i > 0 && given[i] < given[i - 1];
    if (jumps_back) shift = moments[i - 1].time + usual - given[i];
    moments[i].time = given[i] + shift;
    moments[i].until = moments[i].time + usual;
    if (i == 0) continue;
    const double distance = moments[i].time - moments[i - 1].time;
    moments[i].continues = !jumps_back && distance <= std::max(kGapFactor * usual, kLeastGap);
    if (moments[i].continues) moments[i - 1].until = moments[i].time;
  }
  return axis;
}

}  // namespace bcp::cli::report
