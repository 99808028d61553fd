// SPDX-License-Identifier: LGPL-2.1-or-later
// From a request to tasks: which file is made from which input, and by which encoder. Errors that can be found early
// are found here, before a model is loaded.

#pragma once

#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/inputs.hpp"
#include "gst-bcp/run/plan/request.hpp"
#include "gst-bcp/run/plan/task.hpp"

namespace bcp::cli::run {

// Whether the options fit these inputs. An error is about the command line.
Status check_usage(const Request& request, const std::vector<Input>& inputs);

// Whether several inputs run at the same time: live ones do not wait for others.
bool runs_at_once(const std::vector<Input>& inputs);

// One task per input, its outputs claimed. An error is about a file
// or an encoder. REQUIRES: check_usage(); gst_init().
Result<std::vector<Task>> plan(const Request& request, const std::vector<Input>& inputs);

}  // namespace bcp::cli::run
