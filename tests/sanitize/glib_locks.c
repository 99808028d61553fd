/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shows ThreadSanitizer how GLib and GStreamer synchronise. Both are built without it, and GLib's locks are futexes of
 * its own making, so that every hand-over between threads would look like a race. Linked into the test program of a
 * ThreadSanitizer build only: these definitions override the libraries', notify the sanitizer, and call those. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <gst/gst.h>

void __tsan_acquire (void *address);
void __tsan_release (void *address);

/* The library's own function of this name, looked up once. */
#define REAL(function) \
  static __typeof__ (&function) real; \
  if (!g_atomic_pointer_get (&real)) \
    g_atomic_pointer_set (&real, (__typeof__ (&function)) dlsym (RTLD_NEXT, #function))

#define EXPORT __attribute__ ((visibility ("default")))

#define LOCK(function, Lock) \
  EXPORT void function (Lock * lock) \
  { \
    REAL (function); \
    real (lock); \
    __tsan_acquire (lock); \
  }
#define TRYLOCK(function, Lock) \
  EXPORT gboolean function (Lock * lock) \
  { \
    REAL (function); \
    const gboolean locked = real (lock); \
    if (locked) \
      __tsan_acquire (lock); \
    return locked; \
  }
#define UNLOCK(function, Lock) \
  EXPORT void function (Lock * lock) \
  { \
    REAL (function); \
    __tsan_release (lock); \
    real (lock); \
  }

LOCK (g_mutex_lock, GMutex)
TRYLOCK (g_mutex_trylock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
TRYLOCK (g_rec_mutex_trylock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_writer_lock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)
LOCK (g_rw_lock_reader_lock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)

/* Waiting gives the mutex away and takes it back. */
EXPORT void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  real (cond, mutex);
  __tsan_acquire (mutex);
}

EXPORT gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end)
{
  REAL (g_cond_wait_until);
  __tsan_release (mutex);
  const gboolean signalled = real (cond, mutex, end);
  __tsan_acquire (mutex);
  return signalled;
}

/* The bus is a queue of atomics. */
EXPORT gboolean
gst_element_post_message (GstElement * element, GstMessage * message)
{
  REAL (gst_element_post_message);
  __tsan_release (&gst_element_post_message);
  return real (element, message);
}

EXPORT GstMessage *
gst_bus_timed_pop_filtered (GstBus * bus, GstClockTime timeout, GstMessageType types)
{
  REAL (gst_bus_timed_pop_filtered);
  GstMessage *message = real (bus, timeout, types);
  if (message)
    __tsan_acquire (&gst_element_post_message);
  return message;
}

/* Dropping the last reference may free memory that all others have used. */
EXPORT void
gst_mini_object_unref (GstMiniObject * object)
{
  REAL (gst_mini_object_unref);
  __tsan_release (object);
  __tsan_acquire (object);
  real (object);
}

/* Drops a reference after a copy, and without leaving its library: the same, with the function above. */
EXPORT GstMiniObject *
gst_mini_object_make_writable (GstMiniObject * object)
{
  if (gst_mini_object_is_writable (object))
    return object;
  GstMiniObject *copy = gst_mini_object_copy (object);
  gst_mini_object_unref (object);
  return copy;
}

/* What a harness hands buffers on with. GLib's own calls of its locks do not come by here. */
EXPORT void
g_async_queue_push (GAsyncQueue * queue, gpointer data)
{
  REAL (g_async_queue_push);
  __tsan_release (queue);
  real (queue, data);
}

EXPORT gpointer
g_async_queue_try_pop (GAsyncQueue * queue)
{
  REAL (g_async_queue_try_pop);
  gpointer data = real (queue);
  __tsan_acquire (queue);
  return data;
}

EXPORT gpointer
g_async_queue_timeout_pop (GAsyncQueue * queue, guint64 timeout)
{
  REAL (g_async_queue_timeout_pop);
  gpointer data = real (queue, timeout);
  __tsan_acquire (queue);
  return data;
}
