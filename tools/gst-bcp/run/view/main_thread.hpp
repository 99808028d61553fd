// SPDX-License-Identifier: LGPL-2.1-or-later
// Work that other threads have for the main thread.

#pragma once

#include <glib.h>

#include <functional>
#include <utility>

namespace bcp::cli::view {

// Runs `work` from the default main loop, later. Any thread.
inline void run_on_main(std::function<void()> work) {
  g_idle_add_full(
      G_PRIORITY_DEFAULT,
      [](gpointer data) -> gboolean { return (*static_cast<std::function<void()>*>(data))(), G_SOURCE_REMOVE; },
      new std::function<void()>(std::move(work)),
      [](gpointer data) { delete static_cast<std::function<void()>*>(data); });
}

}  // namespace bcp::cli::view
