// SPDX-License-Identifier: Apache-2.0
// JSON files that anybody may have written: nested without end, cut, too large numbers, no files.
#include <gtest/gtest.h>

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

class JsonFile : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }

  std::string error_of(const std::string& content) {
    std::ofstream(path_) << content;
    try {
      (void)read_json_file(path_);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos);
      return error.what();
    }
    return "";
  }

  fs::path path_ = fs::path(::testing::TempDir()) / "tessera_json_file_test.json";
};

TEST_F(JsonFile, ReadsWhatIsSound) {
  EXPECT_EQ(error_of(R"({"a": [1, 2.5e300, null, "ä"]})"), "");
  EXPECT_EQ(read_json_file(path_)["a"][1], 2.5e300);
}

TEST_F(JsonFile, RefusesDeepNesting) {
  const std::string open(70000, '[');
  const std::string close(70000, ']');
  EXPECT_NE(error_of(open + close).find("nests deeper"), std::string::npos);
  EXPECT_NE(error_of(open).find("nests deeper"), std::string::npos);
  std::string objects = "1";
  for (int i = 0; i < kDeepestJson + 1; ++i) objects = R"({"a": )" + objects + "}";
  EXPECT_NE(error_of(objects).find("nests deeper"), std::string::npos);
}

TEST_F(JsonFile, RefusesWhatIsNoJson) {
  for (const char* content : {"", "{\"a\": ", "[1,]", "nan", "\x00\x01", "{\"a\": 1}}"}) {
    EXPECT_NE(error_of(content).find("is not JSON"), std::string::npos) << content;
  }
  EXPECT_NE(error_of("[1e400]").find("too large"), std::string::npos);
}

TEST_F(JsonFile, RefusesWhatIsNoFile) {
  EXPECT_THROW((void)read_json_file("/nowhere/x.json"), Error);
  EXPECT_THROW((void)read_json_file("/dev/zero"), Error);
  EXPECT_THROW((void)read_json_file(::testing::TempDir()), Error);
}

TEST_F(JsonFile, WritesWhateverTextHolds) {
  EXPECT_EQ(json_text({{"path", "Pr\xe4zision"}}, -1), "{\"path\":\"Pr\xef\xbf\xbdzision\"}");
}

TEST_F(JsonFile, MembersOfAnotherTypeAreTheFallback) {
  const nlohmann::json file = {{"flag", {false}}, {"count", 3.0}, {"text", 1}};
  EXPECT_EQ(value_or(file, "flag", true), true);
  EXPECT_EQ(value_or(file, "count", 1), 3);
  EXPECT_EQ(value_or(file, "text", std::string("none")), "none");
  EXPECT_EQ(value_or(file, "absent", 2), 2);
}

TEST(JsonLines, IndentTheFirstLevelsAndPutARecordALine) {
  const nlohmann::json file = {{"name", "m\"n"},
                               {"none", nlohmann::json::array()},
                               {"rows", {{{"a", 1}, {"b", {1.5, nullptr}}}, {{"a", 2}}}}};
  EXPECT_EQ(json_lines(file, 2),
            "{\n  \"name\": \"m\\\"n\",\n  \"none\": [],\n  \"rows\": [\n"
            "    {\"a\":1,\"b\":[1.5,null]},\n    {\"a\":2}\n  ]\n}");
  EXPECT_EQ(json_lines(file, 0), json_text(file, -1));
  for (const int levels : {1, 3, 9}) {
    EXPECT_EQ(nlohmann::json::parse(json_lines(file, levels)), file) << levels;
  }
}

}  // namespace
}  // namespace tessera::io
