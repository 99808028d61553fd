// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which labels truly occur together, as if somebody had told: what BCP estimates from a model's probabilities.

#pragma once

#include "adapt/cooccurrence.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// A sample counts 1 for each label it has and each pair of them. What is not to be judged counts as absent. Unlike
// probabilities, labels of a sample do not add up to one.
adapt::Cooccurrence true_cooccurrence(const Truth& truth);

}  // namespace bcp::eval
