// SPDX-License-Identifier: LGPL-2.1-or-later
// Models shared by several streams: the same id gives the same model.
//
// The table does not keep models alive: a model closes when the last stream releases it.
//
// Thread safety: any thread. A caller waits while another opens the model of the same id; other ids do not wait.

#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "clip/model.hpp"

namespace bcp::clip {

// The model of this id, opened if it is not open. With an empty id: a model of its own, as from Model::open(). An id in
// use with another model, provider, precision, device or number of threads is an error.
Result<std::shared_ptr<Model>> open_shared(const std::string& id, const std::string& name_or_path,
                                           const onnx::SessionOptions& options);

}  // namespace bcp::clip
