// SPDX-License-Identifier: Apache-2.0
// JSON files that anybody may have written: nested without end, cut, too large numbers, no files.
#include <gtest/gtest.h>

#include "base/io/json_file.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

namespace tessera::io {
namespace {

class JsonFile : public ::testing::Test {
 protected:
  std::string error_of(const std::string& content) {
    test::write_text(path_, content);
    const std::string error = test::error_of([&] { (void)read_json_file(path_); });
    EXPECT_TRUE(error.empty() || test::has(error, path_.string()));
    return error;
  }

  test::ScratchDirectory folder_;
  std::filesystem::path path_ = folder_ / "a.json";
};

TEST_F(JsonFile, ReadsWhatIsSound) {
  EXPECT_EQ(error_of(R"({"a": [1, 2.5e300, null, "ä"]})"), "");
  EXPECT_EQ(read_json_file(path_)["a"][1], 2.5e300);
}

TEST_F(JsonFile, RefusesDeepNesting) {
  const std::string open(70000, '[');
  const std::string close(70000, ']');
  EXPECT_TRUE(test::has(error_of(open + close), "nests deeper"));
  EXPECT_TRUE(test::has(error_of(open), "nests deeper"));
  std::string objects = "1";
  for (int i = 0; i < kDeepestJson + 1; ++i) objects = R"({"a": )" + objects + "}";
  EXPECT_TRUE(test::has(error_of(objects), "nests deeper"));
}

TEST_F(JsonFile, RefusesWhatIsNoJson) {
  for (const char* content : {"", "{\"a\": ", "[1,]", "nan", "\x00\x01", "{\"a\": 1}}"}) {
    EXPECT_TRUE(test::has(error_of(content), "is not JSON")) << content;
  }
  EXPECT_TRUE(test::has(error_of("[1e400]"), "too large"));
  for (const std::filesystem::path& path : {std::filesystem::path("/nowhere/x.json"),
                                            std::filesystem::path("/dev/zero"), folder_.path()}) {
    EXPECT_THROW((void)read_json_file(path), Error) << path;
  }
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
