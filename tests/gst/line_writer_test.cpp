// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/line_writer.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "support.hpp"

namespace bcp::test {
namespace {

std::unique_ptr<LineWriter> opened(const std::string& location,
                                   LineWriter::Start start = LineWriter::Start::kTruncate) {
  auto writer = LineWriter::open(location, start, "test");
  EXPECT_TRUE(writer) << (writer ? "" : writer.error().message);
  return writer ? std::move(*writer) : nullptr;
}

TEST(LineWriter, StartsANewLineInAFileThatEndsInsideALine) {
  const Folder folder;
  const std::string path = folder.file("out");
  write_file(path, "whole\nhalf a li");
  EXPECT_TRUE(opened(path, LineWriter::Start::kAppend)->write("next"));
  EXPECT_EQ(contents(path), "whole\nhalf a li\nnext\n");
}

TEST(LineWriter, LeavesNoPartialLineInAFileThatCannotGrow) {
  const Folder folder;
  const std::string path = folder.file("out");
  // The limit is for the whole process, so this runs in a child, which must not die of SIGXFSZ either.
  const pid_t pid = fork();
  if (pid == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit = {100, 100};
    auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "test");
    bool good = writer && (*writer)->write(std::string(59, 'a'));
    setrlimit(RLIMIT_FSIZE, &limit);
    good = good && !(*writer)->write(std::string(59, 'b'));  // 40 of 60 bytes fit
    good = good && (*writer)->write(std::string(19, 'c'));
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(path), std::string(59, 'a') + "\n" + std::string(19, 'c') + "\n");
}

TEST(LineWriter, SurvivesAReaderThatHasClosed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto writer = opened("/dev/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->write("one"));
  close(ends[0]);
  const Status status = writer->write("two");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("reader has gone"), std::string::npos) << status.error().message;
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
  close(ends[1]);
}

TEST(LineWriter, StopsWaitingForAFullPipeWhenCancelled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto writer = opened("/dev/fd/" + std::to_string(ends[1]));
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    writer->cancel();
  });
  EXPECT_FALSE(writer->write(std::string(1 << 20, 'x')));
  canceller.join();
  close(ends[0]);
  close(ends[1]);
}

TEST(LineWriter, LosesNothingToACancelWhileItsReaderKeepsUp) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto writer = opened("/dev/fd/" + std::to_string(ends[1]));
  writer->cancel();
  EXPECT_TRUE(writer->write("the last line"));
  close(ends[0]);
  close(ends[1]);
}

// Shells open it without O_APPEND: after a truncation the next write would leave a hole in the file.
TEST(LineWriter, NeverTruncatesTheFileBehindStandardOutput) {
  const Folder folder;
  const std::string path = folder.file("out");
  write_file(path, "");
  const pid_t pid = fork();
  if (pid == 0) {
    const int file = open(path.c_str(), O_WRONLY);
    if (dup2(file, STDOUT_FILENO) < 0) _exit(1);
    auto writer = LineWriter::open("-", LineWriter::Start::kTruncate, "test");
    rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit full = {100, limit.rlim_max};
    bool good = writer && (*writer)->write(std::string(59, 'a'));
    setrlimit(RLIMIT_FSIZE, &full);
    good = good && !(*writer)->write(std::string(59, 'b'));  // 40 of 60 bytes fit
    setrlimit(RLIMIT_FSIZE, &limit);
    good = good && (*writer)->write(std::string(19, 'c'));
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(path), std::string(59, 'a') + "\n" + std::string(40, 'b') + "\n" + std::string(19, 'c') + "\n");
}

TEST(LineWriter, NeverWaitsForAFifoWithoutAReader) {
  const Folder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "test");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("has no reader"), std::string::npos) << writer.error().message;
}

TEST(LineWriter, RefusesAFileAnotherProcessWrites) {
  const Folder folder;
  const std::string path = folder.file("out");
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(done[1]);  // so that the child ends with its parent, whatever happens
    auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "child");
    if (writer) (void)static_cast<bool>((*writer)->write("the child's"));
    char byte = 0;
    if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "test");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("another process"), std::string::npos) << writer.error().message;
  EXPECT_EQ(contents(path), "the child's\n") << "a refused writer must not empty the file";
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  waitpid(pid, nullptr, 0);
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
  EXPECT_TRUE(opened(path));
}

}  // namespace
}  // namespace bcp::test
