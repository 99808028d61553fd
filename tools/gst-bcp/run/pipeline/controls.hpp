// SPDX-License-Identifier: LGPL-2.1-or-later
// Changes a running job, and reads what is in effect. On the main thread.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/pipeline/job.hpp"

namespace bcp::cli::run {

// Asks for other labels: "dog, delivery van"; `\,` is a comma inside a label. Frames keep the old labels until the new
// ones are encoded: then Listener::on_labels() is called, or on_remark() with the reason why the old ones stay. An
// error is about the list, or the job has no pipeline yet.
Status set_labels(Job& job, const std::string& comma_separated);

// The labels of the newest results; empty before the model is loaded.
std::vector<std::string> labels_in_use(const Job& job);

}  // namespace bcp::cli::run
