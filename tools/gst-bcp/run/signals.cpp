// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/signals.hpp"

#include <glib-unix.h>
#include <glib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "gst-bcp/run/plan/outputs.hpp"

namespace bcp::cli::run {
namespace {

constexpr int kInterrupted = 130;
constexpr guint kGraceMilliseconds = 2000;  // for the main loop to answer a second signal
// timeout(1) and a closing terminal signal the program and then its group: these two signals count as one.
constexpr gint64 kSameMicroseconds = 300 * 1000;

}  // namespace

struct Signals::Impl {
  std::function<void()> finish, stop, reload;
  GMainContext* context = g_main_context_new();
  GMainLoop* loop = g_main_loop_new(context, FALSE);
  int count = 0;       // of the thread
  gint64 counted = 0;  // when that was
  std::thread thread;

  void attach(GSource* source, GSourceFunc call) {
    g_source_set_callback(source, call, this, nullptr);
    g_source_attach(source, context);
    g_source_unref(source);
  }

  static gboolean on_signal(gpointer data) {
    auto& self = *static_cast<Impl*>(data);
    const gint64 now = g_get_monotonic_time();
    if (self.count > 0 && now - self.counted < kSameMicroseconds) return TRUE;
    self.counted = now;
    ++self.count;
    if (self.count == 1) {
      g_idle_add_full(
          G_PRIORITY_HIGH, [](gpointer p) -> gboolean { return static_cast<Impl*>(p)->finish(), FALSE; }, data,
          nullptr);
    } else if (self.count == 2) {
      g_idle_add_full(
          G_PRIORITY_HIGH, [](gpointer p) -> gboolean { return static_cast<Impl*>(p)->stop(), FALSE; }, data, nullptr);
      self.attach(g_timeout_source_new(kGraceMilliseconds), leave);
    } else {
      leave(data);
    }
    return TRUE;
  }

  static gboolean on_reload(gpointer data) {
    g_idle_add([](gpointer p) -> gboolean { return static_cast<Impl*>(p)->reload(), FALSE; }, data);
    return TRUE;
  }

  static gboolean leave(gpointer) {
    discard_all_parts();
    ::_exit(kInterrupted);
  }
};

Signals::Signals(std::function<void()> finish, std::function<void()> stop, std::function<void()> reload)
    : impl_(std::make_unique<Impl>()) {
  impl_->finish = std::move(finish);
  impl_->stop = std::move(stop);
  impl_->reload = std::move(reload);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    impl_->attach(g_unix_signal_source_new(signal),
                  signal == SIGHUP && impl_->reload ? Impl::on_reload : Impl::on_signal);
  impl_->thread = std::thread([impl = impl_.get()] { g_main_loop_run(impl->loop); });
}

Signals::~Signals() {
  // From inside the loop: it may not have begun to run.
  GSource* quit = g_idle_source_new();
  g_source_set_callback(
      quit, [](gpointer loop) -> gboolean { return g_main_loop_quit(static_cast<GMainLoop*>(loop)), FALSE; },
      impl_->loop, nullptr);
  g_source_attach(quit, impl_->context);
  g_source_unref(quit);
  impl_->thread.join();
  while (g_source_remove_by_user_data(impl_.get())) {
  }
  g_main_loop_unref(impl_->loop);
  g_main_context_unref(impl_->context);
}

}  // namespace bcp::cli::run
