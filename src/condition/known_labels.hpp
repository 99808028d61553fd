// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a condition names labels that no result will have.

#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "condition/condition.hpp"

namespace bcp::condition {

// An error that names each label of the condition that is not among `known`, the labels that are asked for, and the
// nearest of these. Labels are compared exactly, case included.
Status check_labels(const Condition& condition, std::span<const std::string> known);

}  // namespace bcp::condition
