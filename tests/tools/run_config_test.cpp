// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of cameras: what is read, what is refused and where, secrets, and the keys that the documentation lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "common/temporary.hpp"
#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/config/secrets.hpp"
#include "gst-bcp/run/config/tagger_keys.hpp"

namespace bcp::cli::run {
namespace {

const std::string kToy = std::string(BCP_TEST_DATA) + "/bundles/toy";

class RunConfig : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(find_plugin());
    given_.config = folder_ / "cameras.yaml";
    given_.tagger = {{"model", kToy}, {"decision", "softmax"}};
  }

  ConfigRead read(const std::string& text, const Config* running = nullptr) {
    test::write(given_.config, text);
    return read_config(given_, running);
  }
  Config good(const std::string& text) {
    ConfigRead made = read(text);
    for (const std::string& fault : made.faults) ADD_FAILURE() << fault;
    return std::move(made.config);
  }
  // The faults without the path of the file.
  std::vector<std::string> faults(const std::string& text) {
    std::vector<std::string> lines = read(text).faults;
    for (std::string& line : lines) line.erase(0, given_.config.size() + 1);
    return lines;
  }
  // The only fault.
  std::string fault(const std::string& text) {
    const std::vector<std::string> lines = faults(text);
    EXPECT_EQ(lines.size(), 1U) << text << testing::PrintToString(lines);
    return lines.empty() ? "" : lines.front();
  }

  test::TemporaryDirectory folder_;
  Request given_;
};

const std::string kOne = "cameras:\n  - name: door\n    address: rtsp://10.0.0.7/1\n";

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << " does not have " << part;
}

TEST_F(RunConfig, GivesEachCameraItsOwnOptionsOverTheDefaults) {
  const std::string words = std::string(BCP_TEST_DATA) + "/bundles/toy-words";
  given_.tagger = {{"model", words}};
  const Config config = good(R"(
defaults:
  labels: [a, "b,c"]
  threshold: 0.3
  record: {folder: clips, keep-for: 2d, before: 7}
cameras:
  - name: door
    address: rtsp://10.0.0.7/1
    labels: d
    record: {when: d and not a, keep-size: 10G, after: 1m}
    mqtt: {labels: [d], images: false}
    prior-file: learnt/{name}.prior
  - name: yard
    address: /dev/video3
    threshold: 0.4
    wait: false
    retry-for: 2m
    overlay: no
  - name: desk
    address: http://10.0.0.9/mjpeg
    record: false
    mqtt: false
jsonl: results.jsonl
metrics: 0
mqtt: {address: "mqtt://cam@broker.local:1884", topic: house, discovery-prefix: homeassistant, images: yes}
)");
  ASSERT_EQ(config.inputs.size(), 3U);
  EXPECT_EQ(config.inputs[0].source, "door");
  EXPECT_EQ(config.inputs[0].name, "door");
  EXPECT_EQ(config.inputs[0].uri, "rtsp://10.0.0.7/1");
  EXPECT_EQ(config.inputs[1].uri, "v4l2:///dev/video3");
  const InputOptions &door = config.request.of("door"), &yard = config.request.of("yard"),
                     &desk = config.request.of("desk");
  EXPECT_EQ(value_of(door.tagger, "labels"), "d");
  EXPECT_EQ(value_of(yard.tagger, "labels"), "a,b\\,c");
  EXPECT_EQ(value_of(door.tagger, "threshold"), "0.3");
  EXPECT_EQ(value_of(yard.tagger, "threshold"), "0.4");
  EXPECT_EQ(value_of(door.tagger, "model"), words);
  EXPECT_EQ(value_of(door.tagger, "prior-file"), folder_ / "learnt/door.prior");
  EXPECT_EQ(door.record.folder, folder_ / "clips");
  EXPECT_EQ(door.record.when, "d and not a");
  EXPECT_EQ(door.record.keep_for, 2 * 86400.0);
  EXPECT_EQ(door.record.keep_bytes, 10'000'000'000U);
  EXPECT_EQ(door.record.before, 7.0);
  EXPECT_EQ(door.record.after, 60.0);
  EXPECT_TRUE(door.wait);
  EXPECT_FALSE(yard.wait);
  EXPECT_EQ(yard.retry_for, 120.0);
  EXPECT_TRUE(yard.no_overlay);
  EXPECT_FALSE(yard.record.before) << "without a condition there are no clips";
  EXPECT_EQ(desk.record, RecordOptions());
  EXPECT_FALSE(desk.mqtt_rules.send);
  EXPECT_EQ(door.mqtt_rules.labels, std::vector<std::string>{"d"});
  EXPECT_EQ(door.mqtt_rules.images, false);
  EXPECT_EQ(config.request.jsonl, folder_ / "results.jsonl");
  EXPECT_EQ(config.request.metrics, "0");
  EXPECT_EQ(config.request.mqtt.topic, "house");
  EXPECT_TRUE(config.request.mqtt.images);
}

TEST_F(RunConfig, PutsTheCommandLineOverTheFile) {
  given_.tagger.emplace_back("labels", "red");
  given_.record.folder = "/elsewhere";
  given_.jsonl = "-";
  given_.mqtt.address = "mqtt://other";
  const Config config = good(kOne +
                             "    labels-file: missing.txt\n    record: {folder: clips}\njsonl: results.jsonl\n"
                             "mqtt: {address: \"mqtt://broker\", topic: house}\n");
  const InputOptions& door = config.request.of("door");
  EXPECT_EQ(value_of(door.tagger, "labels"), "red");
  EXPECT_EQ(value_of(door.tagger, "labels-file"), "") << "labels and labels-file replace each other";
  EXPECT_EQ(door.record.folder, "/elsewhere");
  EXPECT_EQ(config.request.jsonl, "-");
  EXPECT_EQ(config.request.mqtt.address, "mqtt://other");
  EXPECT_EQ(config.request.mqtt.topic, "house");
}

TEST_F(RunConfig, ReportsEveryFaultWithItsPlaceInTheOrderOfTheFile) {
  const std::vector<std::string> lines = faults(R"(defaults:
  threshold: 2
  labls: [a]
cameras:
  - name: front door
    address: rtsp://10.0.0.7/1
  - name: yard
    Address: rtsp://10.0.0.8/1
    record: {when: "a and", keep-for: soon}
  - name: yard
    address: 10.0.0.9
    model: other
metrics: here
surprise: 1
)");
  const std::vector<std::string> expected = {
      "2:14: defaults.threshold: 2 is out of range",
      "3:3: defaults.labls: unknown key: did you mean labels",
      "5:11: cameras[0].name: \"front door\" is not a camera's name",
      "7:5: cameras[1].address: this key is missing",
      "8:5: cameras[1].Address: unknown key: did you mean address?",
      "9:20: cameras[1].record.when: ",
      "9:39: cameras[1].record.keep-for: \"soon\" is not a time",
      "9:13: cameras[1].record.folder: where to record is missing",
      "10:11: cameras[2].name: line 7 has a camera yard too",
      "11:14: cameras[2].address: this is not a camera's address",
      "12:12: cameras[2].model: all cameras share one model: move this key to defaults",
      "13:10: metrics: \"here\" is not an address to listen at",
      "14:1: surprise: unknown key: the keys here are cameras, defaults,"};
  for (const std::string& start : expected)
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(start); }))
        << start << "\n"
        << testing::PrintToString(lines);
  EXPECT_EQ(lines.size(), expected.size()) << testing::PrintToString(lines);
  const auto line_of = [](const std::string& fault) { return std::stoi(fault); };
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end(),
                             [&](const auto& a, const auto& b) { return line_of(a) < line_of(b); }));
}

TEST_F(RunConfig, RefusesFilesThatAreNotOneMappingInUtf8) {
  expect_has(fault(""), "the file is empty");
  expect_has(fault("# nothing\n"), "the file is empty");
  expect_has(fault("- a\n"), "1:1: this is not a mapping");
  expect_has(fault(kOne + "---\n" + kOne), "more than one document");
  expect_has(fault("cameras: [\n"), "this is not YAML");
  expect_has(fault("cameras:\n\t- name: a\n"), "2:2: this is not YAML");
  expect_has(fault("cameras: \xff\n"), "not UTF-8");
  expect_has(fault(std::string(2 << 20, '#')), "larger than 1 MB");
  expect_has(fault("cameras: []\n"), "there is no camera");
  expect_has(fault("cameras: door\n"), "there is no camera");
  expect_has(fault("defaults: &a {record: *a}\n"), "a mapping contains itself");
  // Nine aliases, nine times inside each other: a file that would take minutes to read.
  std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name <= 'i'; ++name) {
    laughs += std::string({name, ':', ' ', '&', name, ' ', '['});
    for (int i = 0; i < 9; ++i) laughs += std::string("*") + static_cast<char>(name - 1) + ", ";
    laughs += "]\n";
  }
  expect_has(fault(laughs), "aliases repeat too much");
  given_.config = folder_ / "missing.yaml";
  const std::vector<std::string> lines = read_config(given_).faults;
  ASSERT_EQ(lines.size(), 1U);
  expect_has(lines.front(), "No such file");
}

TEST_F(RunConfig, RefusesKeysWithoutAValueAndGivenTwice) {
  expect_has(fault(kOne + "    labels:\n"), "4:5: cameras[0].labels: the value is missing");
  expect_has(fault(kOne + "    labels: [a, [b]]\n"), "an entry of this list is not a text");
  expect_has(fault(kOne + "    labels: []\n"), "the list is empty");
  expect_has(fault(kOne + "    threshold: [1]\n"), "this is not a text");
  expect_has(fault(kOne + "    wait: perhaps\n"), "\"perhaps\" is neither true nor false");
  expect_has(fault(kOne + "    threshold: 0.1\n    threshold: 0.2\n"),
             "5:5: cameras[0].threshold: this key is given twice");
  expect_has(fault(kOne + "    record: yes\n"), "cameras[0].record: this is not a mapping");
  expect_has(fault(kOne + "    source-id: x\n"), "unknown key");
}

TEST_F(RunConfig, RefusesOptionsThatDoNotFitEachOther) {
  expect_has(fault(kOne + "    compare: true\n"), "compare applies to the video that is written: add out");
  expect_has(fault(kOne + "    record: {folder: a, before: 3}\n"), "record.before: this is about clips: add \"when\"");
  expect_has(fault(kOne + "    record: {folder: a, segment: 0}\n"), "less than a second");
  expect_has(fault(kOne + "    record: {folder: a, format: avi}\n"), "\"avi\" is not a format of recordings");
  expect_has(fault(kOne + "    mqtt: {labels: [a]}\n"), "4:11: cameras[0].mqtt: there is no broker");
  expect_has(fault(kOne + "mqtt: {topic: house}\n"), "mqtt.address: the broker's address is missing");
  expect_has(fault(kOne + "mqtt: {address: \"http://broker\"}\n"), "begins with neither mqtt:// nor mqtts://");
  expect_has(fault(kOne + "mqtt: {address: \"mqtt://broker\", password-file: missing}\n"), "cannot be read");
  expect_has(fault(kOne + "tls: {ca: a.pem, insecure: true}\n"), "exclude each other");
  expect_has(fault(kOne + "tls: {fingerprints: [12]}\n"), "\"12\" is not the SHA-256 of a certificate");
  expect_has(fault(kOne + "view: 0.0.0.0:8080\n"), "serves the page to the network, which needs a password");
  expect_has(fault(kOne + "view: {password-file: a}\n"), "view.address: the address is missing");
  EXPECT_EQ(good(kOne + "view: 8080\n").request.view.address, "8080");
  const std::string two = kOne + "  - name: yard\n    address: rtsp://10.0.0.8/1\n";
  expect_has(fault("defaults: {prior-file: a.prior}\n" + two), "door and yard would both write");
  expect_has(fault("defaults: {out: a.mp4}\n" + two), "would become");
  good("defaults: {prior-file: \"{name}.prior\", out: \"{name}.mp4\"}\n" + two);
}

TEST_F(RunConfig, ChecksThePasswordAndTheHostsOfTheLivePage) {
  const std::string missing = fault(kOne + "view: {address: 8080, password-file: missing}\n");
  expect_has(missing, "4:38: view.password-file: ");
  expect_has(missing, "cannot be read");
  test::write(folder_ / "short", "1234567\n");
  expect_has(fault(kOne + "view: {address: 8080, password-file: short}\n"), "fewer than 8 characters");
  test::write(folder_ / "password", "correct horse battery\n");
  const std::string page = "view:\n  address: 0.0.0.0:8080\n  password-file: password\n";
  expect_has(fault(kOne + page + "  hosts:\n    - cameras.example.org\n    - https://b\n"),
             "view.hosts: \"https://b\" is not the name of a host");
  expect_has(fault(kOne + page + "  host: a\n"), "7:3: view.host: unknown key");
  given_.view.hosts = {"c"};
  EXPECT_EQ(good(kOne + page + "  hosts: [a, b.example.org]\n").request.view.hosts,
            (std::vector<std::string>{"c", "a", "b.example.org"}));
}

TEST_F(RunConfig, ChecksTheModelAndTheLabelsOfEachCamera) {
  const std::string labels = fault(kOne + "    labels: [no-such-word]\n");
  EXPECT_TRUE(labels.starts_with("4:13: cameras[0].labels: ")) << labels;
  expect_has(labels, "no-such-word");
  const std::string file = fault("defaults: {labels-file: missing.txt}\n" + kOne);
  EXPECT_TRUE(file.starts_with("1:25: defaults.labels-file: door: ")) << file;
  given_.tagger.clear();
  const std::string model = fault("defaults: {model: no-such-model}\n" + kOne);
  EXPECT_TRUE(model.starts_with("1:19: defaults.model: ")) << model;
}

TEST_F(RunConfig, ChecksThatOutputsDoNotExistBeforeTheStartOnly) {
  test::write(folder_ / "door.mp4", "x");
  const std::string text = kOne + "    out: door.mp4\n";
  expect_has(fault(text), "door.mp4 already exists");
  const Config running = good(kOne);
  EXPECT_TRUE(read(text, &running).faults.empty());
  good(text + "force: true\n");
}

TEST_F(RunConfig, ReadsJson) {
  const std::string words = std::string(BCP_TEST_DATA) + "/bundles/toy-words";
  given_.tagger = {{"model", words}};
  const Config smile =
      good(R"({"cameras": [{"name": "a", "address": "rtsp://h/1", "labels": ["\ud83d\ude00 \\ud83d", "caf\u00e9"]}]})");
  EXPECT_EQ(value_of(smile.request.of("a").tagger, "labels"), "😀 \\\\ud83d,café");
  given_.tagger = {{"model", kToy}, {"decision", "softmax"}};
  const Config config = good(
      "{\n\t\"cameras\": [\n\t\t{\"name\": \"door\", \"address\": \"rtsp:\\/\\/10.0.0.7\\/1\", "
      "\"threshold\": 0.25, \"wait\": false}\n\t],\n\t\"metrics\": 0\n}\n");
  EXPECT_EQ(config.inputs.at(0).uri, "rtsp://10.0.0.7/1");
  EXPECT_EQ(value_of(config.request.of("door").tagger, "threshold"), "0.25");
  EXPECT_FALSE(config.request.of("door").wait);
  expect_has(fault("{\n\t\"cameras\": [{\"name\": \"door\"}]\n}\n"), "2:14: cameras[0].address: this key is missing");
}

TEST_F(RunConfig, TakesSecretsFromTheEnvironmentAndFromFilesAndNeverShowsThem) {
  const test::EnvironmentVariable secret("BCP_TEST_SECRET", "p@ss:w/rd#%"), whole("BCP_TEST_WHOLE", "rtsp://u:v@h/1");
  test::write(folder_ / "password", "fil:e\r\nsecond line\n");
  const Config config = good(R"(cameras:
  - {name: a, address: "rtsp://me:${BCP_TEST_SECRET}@10.0.0.7/1"}
  - {name: b, address: "${BCP_TEST_WHOLE}"}
  - {name: c, address: "rtsp://10.0.0.7/1", user: me, password-env: BCP_TEST_SECRET}
  - {name: d, address: "rtsp://me@10.0.0.7/1", password-file: password}
)");
  EXPECT_EQ(config.inputs.at(0).uri, "rtsp://me:p%40ss%3Aw%2Frd%23%25@10.0.0.7/1");
  EXPECT_EQ(config.inputs.at(1).uri, "rtsp://u:v@h/1");
  EXPECT_EQ(config.inputs.at(2).uri, config.inputs.at(0).uri);
  EXPECT_EQ(config.inputs.at(3).uri, "rtsp://me:fil%3Ae@10.0.0.7/1");
  for (const char* entry :
       {"address: \"10.0.0.7/${BCP_TEST_SECRET}\"",
        "address: \"rtsp://me:${BCP_TEST_SECRET}@h\", user: you, password-env: BCP_TEST_SECRET",
        "address: \"rtsp://h\", password-env: BCP_TEST_SECRET", "address: /dev/video0, password-env: BCP_TEST_SECRET",
        "address: \"rtsp://h\", user: me", "address: \"rtsp://h\", password-env: BCP_TEST_UNSET",
        "address: \"rtsp://h\", user: me, password-env: BCP_TEST_SECRET, password-file: password",
        "address: \"rtsp://h\", user: me, password-file: missing", "address: \"rtsp://${BCP_TEST_UNSET}@h\"",
        "address: \"rtsp://${BCP_TEST_SECRET\""}) {
    const std::string sentence = fault(std::string("cameras: [{name: a, ") + entry + "}]\n");
    EXPECT_EQ(sentence.find("p@ss"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("p%40ss"), std::string::npos) << sentence;
  }
  expect_has(fault("cameras: [{name: a, address: \"rtsp://${BCP_TEST_UNSET}@h\"}]\n"),
             "the environment variable BCP_TEST_UNSET is not set");
}

TEST(RunSecrets, KeepALiteralReference) {
  EXPECT_EQ(*expanded("a$${b}"), "a${b}");
  EXPECT_EQ(*expanded("$5"), "$5");
  EXPECT_FALSE(expanded("${"));
  EXPECT_FALSE(expanded("${}"));
}

// The tables behind <!-- keys: PLACE --> in docs/configuration.md.
std::set<std::string> documented(const std::string& page, const std::string& place) {
  std::set<std::string> keys;
  std::istringstream lines(page);
  bool inside = false, rows = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "<!-- keys: " + place + (place.empty() ? "" : " ") + "-->") inside = true;
    if (!inside) continue;
    if (rows && !line.starts_with("|")) break;
    rows |= line.starts_with("|");
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(1, line.find('|', 1));
    const std::regex name("`([^`]+)`");
    for (auto it = std::sregex_iterator(first.begin(), first.end(), name); it != std::sregex_iterator(); ++it)
      keys.insert((*it)[1]);
  }
  return keys;
}

TEST_F(RunConfig, HasEveryKeyInItsDocumentation) {
  const std::string page = test::read(std::string(BCP_TEST_DATA) + "/../../docs/configuration.md");
  for (const char* place : {"", "camera only", "record", "camera mqtt", "mqtt", "view", "tls"}) {
    const std::vector<std::string> keys = config_keys(place);
    EXPECT_EQ(documented(page, place), std::set<std::string>(keys.begin(), keys.end())) << place;
  }
  std::vector<std::string> own = config_keys("camera");
  const std::vector<std::string> properties = tagger_keys();
  std::erase_if(own, [&](const std::string& key) {
    return std::find(properties.begin(), properties.end(), key) != properties.end();
  });
  EXPECT_EQ(documented(page, "camera"), std::set<std::string>(own.begin(), own.end()));
  for (const TaggerProperty& property : tagger_properties())
    if (std::find(properties.begin(), properties.end(), property.name) == properties.end())
      expect_has(page, "`" + property.name + "`");
}

}  // namespace
}  // namespace bcp::cli::run
