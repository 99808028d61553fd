// SPDX-License-Identifier: LGPL-2.1-or-later
// The action signals: applications may emit them from any thread, also while the element is stopped.

#pragma once

#include "tagger/gstbcptagger.h"

namespace bcp::tagger {

void install_signals(GstBcpTaggerClass* klass);

}  // namespace bcp::tagger
