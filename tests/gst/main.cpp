// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gst/gst.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  // Test data is relative to the project, so that a path with a space does not break launch lines.
  if (chdir(BCP_ROOT) != 0) {
    std::perror(BCP_ROOT);
    return 1;
  }
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  gst_deinit();  // so that a leak checker reports only real leaks
  return failed;
}
