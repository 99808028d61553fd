// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/lessons.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bcp::cli::view {
namespace {

nlohmann::json rounded_or_null(std::optional<double> value) {
  return value ? nlohmann::json(std::round(*value * 1e4) / 1e4) : nlohmann::json(nullptr);
}

}  // namespace

std::uint64_t Lessons::begin(const std::string& label, bool present, std::optional<LabelScore> before, double now) {
  Lesson lesson;
  lesson.number = ++last_;
  lesson.at = now;
  lesson.label = label;
  lesson.present = present;
  lesson.before = before;
  lessons_.push_front(std::move(lesson));
  if (lessons_.size() > kMost) lessons_.pop_back();
  return last_;
}

void Lessons::end(std::uint64_t number, double shift) {
  Lesson* lesson = find(number);
  if (!lesson) return;
  lesson->learnt = true;
  if (!lesson->before) return;
  const double p = std::clamp(lesson->before->probability, 1e-6, 1 - 1e-6);
  lesson->after = 1 / (1 + std::exp(-(std::log(p / (1 - p)) + shift)));
}

void Lessons::refuse(std::uint64_t number, const std::string& reason) {
  if (Lesson* lesson = find(number)) lesson->refusal = reason;
}

Lessons::Lesson* Lessons::find(std::uint64_t number) {
  const auto found =
      std::find_if(lessons_.begin(), lessons_.end(), [number](const Lesson& each) { return each.number == number; });
  return found == lessons_.end() ? nullptr : &*found;
}

nlohmann::json Lessons::json() const {
  nlohmann::json made = nlohmann::json::array();
  for (const Lesson& lesson : lessons_)
    made.push_back(
        {{"number", lesson.number},
         {"at", lesson.at},
         {"label", lesson.label},
         {"present", lesson.present},
         {"before", rounded_or_null(lesson.before ? std::optional(lesson.before->probability) : std::nullopt)},
         {"after", rounded_or_null(lesson.after)},
         {"learnt", lesson.learnt},
         {"refusal", lesson.refusal}});
  return made;
}

}  // namespace bcp::cli::view
