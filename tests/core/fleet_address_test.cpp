// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Addresses of fleets: what they name, and that no password is ever shown.

#include "fleet/address.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "common/temporary.hpp"

namespace bcp::fleet {
namespace {

TEST(FleetAddress, NamesServerDatabaseAndGroup) {
  const auto all = Address::parse("redis://gate:s%40cret@cache.example:6380/3/yard?node=gate-1&interval=7&expire=3600");
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->tls);
  EXPECT_EQ(all->user, "gate");
  EXPECT_EQ(all->password, "s@cret");
  EXPECT_EQ(all->server(), "cache.example:6380");
  EXPECT_EQ(all->db, 3);
  EXPECT_EQ(all->group, "yard");
  EXPECT_EQ(all->node, "gate-1");
  EXPECT_EQ(all->interval, std::chrono::seconds(7));
  EXPECT_EQ(all->expire, std::chrono::seconds(3600));
  EXPECT_EQ(all->shown(), "redis://cache.example:6380/3/yard");

  const auto little = Address::parse("REDISS://[::1]/yard");
  ASSERT_TRUE(little);
  EXPECT_TRUE(little->tls);
  EXPECT_EQ(little->host, "::1");
  EXPECT_EQ(little->port, 6379);
  EXPECT_EQ(little->db, 0);
  EXPECT_EQ(little->shown(), "rediss://[::1]:6379/0/yard");
}

TEST(FleetAddress, HidesPasswordsAlsoOfInvalidAddresses) {
  EXPECT_EQ(without_password("redis://u:pa/ss@w?rd@h:1/0/g"), "redis://u:***@h:1/0/g");
  EXPECT_EQ(without_password("redis://:secret@h/g"), "redis://:***@h/g");
  EXPECT_EQ(without_password("redis://token@h/g"), "redis://***@h/g");
  EXPECT_EQ(without_password("a name with @ and :"), "a name with @ and :");
  EXPECT_EQ(without_password("reddis://u:secret@h/g"), "reddis://u:***@h/g");
  EXPECT_EQ(without_password("redis://h:6379/g?node=a:b"), "redis://h:6379/g?node=a:b");
  EXPECT_EQ(without_password("redis://[::1]:6379/g"), "redis://[::1]:6379/g");
  EXPECT_EQ(without_password("redis://h/a:b"), "redis://h/a:b");
  for (const char* wrong :
       {"reddis://u:secret@h/0/g", "http://u:secret@h", "redis://u:secret", "redis://u:secret/0/g", "redis://:secret/g",
        "redis://h/g?password=secret", "redis://u:secret@/0/g", "redis://u:secret@h:99999/0/g",
        "redis://u:secret@h/x/g", "redis://u:secret@h/0/", "redis://u:secret@h/0/g?nodes=1",
        "redis://u:secret@h/0/g?expire=1", "redis://u:secret@h", "redis://u:secret@[::1/g"}) {
    const auto address = Address::parse(wrong);
    ASSERT_FALSE(address) << wrong;
    EXPECT_EQ(address.error().message.find("secret"), std::string::npos) << address.error().message;
    EXPECT_NE(address.error().message.find("redis://"), std::string::npos) << address.error().message;
  }
}

// A node gives a sign of life every fourth interval, so it would come and go.
TEST(FleetAddress, RefusesNodesThatExpireBetweenTwoSignsOfLife) {
  EXPECT_TRUE(Address::parse("redis://h/g?expire=60"));
  EXPECT_TRUE(Address::parse("redis://h/g?interval=3600&expire=43200"));
  for (const char* wrong : {"redis://h/g?interval=6&expire=60", "redis://h/g?expire=43199&interval=3600"}) {
    const auto address = Address::parse(wrong);
    ASSERT_FALSE(address) << wrong;
    EXPECT_NE(address.error().message.find("expire must be at least 12 times interval"), std::string::npos)
        << address.error().message;
  }
}

TEST(FleetAddress, TakesThePasswordFromTheEnvironment) {
  const test::TemporaryDirectory folder;
  const std::string file = folder / "password";
  test::write(file, "from a file\n");
  ::setenv("GST_BCP_REDIS_PASSWORD_FILE", file.c_str(), 1);
  EXPECT_EQ(Address::parse("redis://h/g")->password, "from a file");
  ::setenv("GST_BCP_REDIS_PASSWORD", "from a variable", 1);
  EXPECT_EQ(Address::parse("redis://h/g")->password, "from a variable");
  EXPECT_EQ(Address::parse("redis://:own@h/g")->password, "own");
  ::unsetenv("GST_BCP_REDIS_PASSWORD");
  ::setenv("GST_BCP_REDIS_PASSWORD_FILE", "/nowhere/password", 1);
  const auto missing = Address::parse("redis://h/g");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/nowhere/password"), std::string::npos);
  ::unsetenv("GST_BCP_REDIS_PASSWORD_FILE");
}

}  // namespace
}  // namespace bcp::fleet
