// Killed programs, full disks and folders that may not be written: whatever happens, the file that
// the user named is the old one or a complete new one, and nothing else is left but by SIGKILL.
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/process.h"
#include "tests/cli/temporary_directory.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

const std::string kRecording = FA3PROF_SOURCE_DIR "/configs/recordings/h200_sxm_seq8192.json";
const std::string kOther = FA3PROF_SOURCE_DIR "/configs/recordings/h200_sxm_seq8192_causal.json";

constexpr int kKilled = 128 + 9;  // as timeout and the shell report it
constexpr int kUsage = 2;

/// Seconds that `arguments` take.
double duration_s(const std::string& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(run_process(arguments).exit_code == 0);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Everything that can be written over, each with the outputs that it has.
struct Writer {
  std::string arguments;  ///< "@" stands for the file
  std::string output;
};

std::string with_file(std::string arguments, const std::string& file) {
  const auto at = arguments.find('@');
  return arguments.replace(at, 1, "'" + file + "'");
}

const std::array<Writer, 7> kWriters{
    {{"simulate --seq 1k --json @", "report of simulate"},
     {"simulate --seq 1k --trace @", "trace of simulate"},
     {"report '" + kRecording + "' -o @", "page"},
     {"compare '" + kRecording + "' '" + kRecording + "' --json @", "findings of compare"},
     {"compare '" + kRecording + "' '" + kRecording + "' -o @", "table of compare"},
     {"history '" FA3PROF_SOURCE_DIR "/tests/reports/1.0' --json @", "history"},
     {"numerics --seq 16 --seq-kv 64 --heads 1 --json @", "findings of numerics"}}};

/// Kills `arguments` at 60 moments from its start to beyond its end and checks that the file, which
/// holds `old` before, then holds that or what `is_fresh` knows as a complete new one.
void check_kills(const std::string& arguments, const std::string& old,
                 const std::function<bool(const std::string&)>& is_fresh) {
  const TemporaryDirectory scratch;
  const double whole_s = duration_s(with_file(arguments, scratch.path("timed")));
  constexpr int kMoments = 60;
  int killed = 0;
  int replaced = 0;
  for (int moment = 0; moment < kMoments; ++moment) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("output", old);
    // Closer to each other at first, and beyond the end on a machine that has become slower, too.
    const double share = (moment + 1.0) / kMoments;
    const double kill_after_s = 3.0 * whole_s * share * share;
    const ProcessOutcome outcome =
        run_process(with_file(arguments, file), "timeout -s KILL " + std::to_string(kill_after_s));
    const std::string text = directory.read("output");
    CAPTURE(kill_after_s, outcome.exit_code, text.size());
    if (outcome.exit_code == kKilled) ++killed;
    if (text == old) continue;
    CHECK(is_fresh(text));
    ++replaced;
  }
  CHECK(killed > 0);
  CHECK(replaced > 0);
}

/// The file that `arguments` write.
std::string written_by(const std::string& arguments) {
  const TemporaryDirectory directory;
  REQUIRE(run_process(with_file(arguments, directory.path("output"))).exit_code == 0);
  return directory.read("output");
}

/// A shell line that runs what follows with `folder` on a disk of `kibibytes`; empty where nobody
/// may mount one.
std::string on_small_disk(const std::string& folder, int kibibytes) {
  const std::string mounted =
      "mount -t tmpfs -o size=" + std::to_string(kibibytes) + "k none '" + folder + "'";
  const bool may_mount =
      std::system(("unshare -rm sh -c \"" + mounted + "\" 2>/dev/null").c_str()) == 0;
  return may_mount ? "unshare -rm sh -c \"" + mounted : "";
}

}  // namespace

TEST_CASE("A page whose writer is killed at any moment is the old one or the new one", "[cli]") {
  const std::string to_page = "report '" + kRecording + "' -o @";
  const std::string page = written_by(to_page);
  check_kills(to_page, written_by("report '" + kOther + "' --format csv -o @"),
              [&page](const std::string& text) { return text == page; });
}

TEST_CASE("A trace whose writer is killed at any moment is the old one or the new one", "[cli]") {
  const std::string to_trace = "simulate --seq 2k --trace @";
  const std::string trace = written_by(to_trace);
  check_kills(to_trace, "as before", [&trace](const std::string& text) { return text == trace; });
}

TEST_CASE("A report whose writer is killed at any moment is the old one or a new one", "[cli]") {
  check_kills("simulate --seq 1k,2k --json @", "as before", [](const std::string& text) {
    return text.ends_with("}\n") && core::parse_json(text, "report").at("results").size() == 4;
  });
}

TEST_CASE("A signal takes all temporary files of a verb along", "[cli]") {
  const std::string signal = GENERATE("INT", "TERM", "HUP", "QUIT");
  const TemporaryDirectory directory;
  directory.write("json", "as before");
  directory.write("text", "as before");
  // It waits for a writer of the pipe, with both outputs open.
  REQUIRE(mkfifo(directory.path("pipe").c_str(), S_IRUSR | S_IWUSR) == 0);
  const ProcessOutcome outcome = run_process(
      "compare " + directory.path("pipe") + " '" + kRecording + "' --json " +
          directory.path("json") + " -o " + directory.path("text"),
      "ulimit -c 0; timeout -k 10 -s " + signal + " 0.5 env --default-signal=INT,QUIT,HUP,TERM");
  CHECK(outcome.exit_code != 0);
  CHECK(outcome.exit_code != kKilled);
  CHECK(directory.size() == 3);
  CHECK(directory.read("json") == "as before");
  CHECK(directory.read("text") == "as before");
}

TEST_CASE("A limit on the size of files leaves the old file, nothing else, and a message",
          "[cli]") {
  for (const Writer& writer : kWriters) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("output", "as before");
    const ProcessOutcome outcome = run_process(with_file(writer.arguments, file), "ulimit -f 1;");
    INFO(writer.output << "\n" << outcome.err);
    CHECK(outcome.exit_code == kUsage);
    CHECK_THAT(outcome.err, contains("fa3prof: cannot write ") && contains("File too large"));
    CHECK(directory.read("output") == "as before");
    CHECK(directory.size() == 1);
  }
}

TEST_CASE("A full disk leaves the old file, nothing else, and a message", "[cli]") {
  const TemporaryDirectory directory;
  const std::string disk = on_small_disk(directory.path(""), 4);
  if (disk.empty()) {
    std::cout << "SKIPPED: no disk can be mounted here\n";
    return;
  }
  for (const Writer& writer : kWriters) {
    const std::string file = directory.path("output");
    const ProcessOutcome outcome =
        run_shell(disk + " && printf 'as before' >'" + file + "' && { '" FA3PROF_BINARY "' " +
                  with_file(writer.arguments, file) + " >/dev/null; echo \\$?; cat '" + file +
                  "'; echo; ls -A '" + directory.path("") + "'; }\"");
    INFO(writer.output << "\n" << outcome.err);
    CHECK(outcome.out == "2\nas before\noutput\n");
    CHECK_THAT(outcome.err, contains("fa3prof: cannot write ") && contains("No space left"));
  }
}

TEST_CASE("A folder that may not be written is refused before the work", "[cli]") {
  for (const Writer& writer : kWriters) {
    INFO(writer.output);
    const ProcessOutcome outcome = run_process(with_file(writer.arguments, "/proc/fa3prof_output"));
    CHECK(outcome.exit_code == kUsage);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, contains("cannot write /proc/fa3prof_output"));
  }
}

TEST_CASE("A read-only folder keeps its file as it was", "[cli]") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("output", "as before");
  chmod(file.c_str(), 0666);
  chmod(directory.path("").c_str(), 0555);
  const bool is_root = geteuid() == 0;
  const std::string as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
  if (is_root && run_process("--version", as_nobody).exit_code != 0) {
    std::cout << "SKIPPED: no setpriv, and root may write everywhere\n";
    return;
  }
  for (const Writer& writer : kWriters) {
    const ProcessOutcome outcome =
        run_process(with_file(writer.arguments, file), is_root ? as_nobody : "");
    INFO(writer.output << "\n" << outcome.err);
    CHECK(outcome.exit_code == kUsage);
    CHECK_THAT(outcome.err, contains("cannot write ") && contains("Permission denied"));
    CHECK(directory.read("output") == "as before");
    CHECK(directory.size() == 1);
  }
  chmod(directory.path("").c_str(), 0755);
}

TEST_CASE("A document that cannot be written does not cost the table", "[cli]") {
  const ProcessOutcome outcome =
      run_process("compare '" + kRecording + "' '" + kRecording + "' --json /dev/full");
  CHECK(outcome.exit_code == kUsage);
  CHECK_THAT(outcome.out, contains("fa3"));
  CHECK_THAT(outcome.err, contains("No space left"));
}
