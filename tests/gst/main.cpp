// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gst/gst.h>
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  gst_deinit();  // so that a leak checker sees only what was lost
  return failed;
}
