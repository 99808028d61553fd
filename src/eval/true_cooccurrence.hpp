// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The true co-occurrence of labels, which BCP estimates from a model's probabilities.

#pragma once

#include "adapt/cooccurrence.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// A sample counts 1 for each of its labels and each pair of them. Ignored labels count as absent. Unlike probabilities,
// the labels of a sample do not sum up to one.
adapt::Cooccurrence true_cooccurrence(const Truth& truth);

}  // namespace bcp::eval
