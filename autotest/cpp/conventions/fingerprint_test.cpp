// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/fingerprint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/base/files.h"
#include "core/store/directory_store.h"

namespace zarr::test {

namespace fs = std::filesystem;

namespace {

// An array of 8 x 8 compressed chunks of 128 x 128 bytes in a folder. All chunks have equal sizes.
// The chunk 0.7 is in no sample.
class FingerprintTest : public ::testing::Test {
  protected:
    void SetUp() override { Write(R"({"id": "zlib", "level": 1})"); }
    void Write(const std::string& compressor) {
        Set(".zarray", R"({"zarr_format": 2, "fill_value": 0, "order": "C", "filters": null,
                "dtype": "|u1", "shape": [1024, 1024], "chunks": [128, 128], "compressor": )" +
                           compressor + "}");
        for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 8; ++x) Set(Key(y, x), Chunk('\1', compressor != "null"));
        SetTimes(fs::file_time_type::clock::now() - std::chrono::hours(1));
        text_ = TextOf(Now());
    }

    static std::string Chunk(char value, bool is_compressed = true) {
        const std::string bytes(std::size_t{128} * 128, value);
        return is_compressed ? Deflated(bytes) : bytes;
    }
    static std::string Key(int y, int x) { return std::to_string(y) + "." + std::to_string(x); }
    void Set(const std::string& key, const std::string& value) {
        DirectoryStore store(path_.string());
        EXPECT_TRUE(Succeeds(store.Set(key, ByteSpan(std::string_view(value)))));
    }
    void SetTimes(fs::file_time_type time) {
        for (const auto& entry : fs::directory_iterator(path_))
            fs::last_write_time(entry.path(), time);
    }
    // Copies the store. All files of the copy are newer.
    void Copy() {
        const fs::path copy = folder_.path() / "copy";
        fs::copy(path_, copy);
        path_ = copy;
        SetTimes(fs::file_time_type::clock::now());
    }
    Fingerprint Now(const std::string& inputs = "document") {
        const auto tree = Tree(std::make_shared<DirectoryStore>(path_.string()));
        auto array = tree->OpenArray("");
        EXPECT_TRUE(Succeeds(array));
        return Fingerprint(array.Take(), inputs);
    }
    Fingerprint OfBase() {
        const auto tree = Tree(std::make_shared<DirectoryStore>(path_.string()));
        return Fingerprint(tree->OpenArray("").Take());
    }
    static std::string TextOf(Fingerprint now) { return now.Text(BaseSamples::kSome); }
    static std::int64_t TimeOf(const fs::path& path) { return StateAt(path.string())->modified; }

    TempFolder folder_;
    fs::path path_ = folder_.path();
    std::string text_;
};

TEST_F(FingerprintTest, AnUnchangedArrayHasItsFingerprint) {
    EXPECT_TRUE(Now().Is(text_));
    EXPECT_TRUE(Now().Is(Now().Text(BaseSamples::kNone)));
    EXPECT_TRUE(HasSamples(text_));
    EXPECT_FALSE(HasSamples(Now().Text(BaseSamples::kNone)));
    EXPECT_FALSE(HasSamples(""));
    EXPECT_FALSE(HasSamples(Now().Grid()));
}

TEST_F(FingerprintTest, AChunkOutsideOfAllSamplesIsNoticedByItsTime) {
    Set("0.7", Chunk('\2'));
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, ACopyHasTheFingerprintIfItsSamplesAreEqual) {
    Copy();
    EXPECT_TRUE(Now().Is(text_));
    EXPECT_TRUE(Now().Is(text_, {}, TimeOf(path_ / "0.0")));
    Set("1.0", Chunk('\2'));
    SetTimes(fs::file_time_type::clock::now());
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, ACopyWithoutACompressorIsComparedByItsTimes) {
    Write("null");
    Copy();
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, FilesThatAreAllWrittenAnewInPlaceAreNoCopy) {
    SetTimes(fs::file_time_type::clock::now());
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, FilesThatAreNewerThanTheProductAreNoCopy) {
    Copy();
    EXPECT_FALSE(Now().Is(text_, {}, TimeOf(path_ / "0.0") - 1));
}

TEST_F(FingerprintTest, ACopyWithAnotherFileIsAnotherArray) {
    Copy();
    fs::remove(path_ / "0.7");
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, ACopyInWhichAChunkWasChangedIsAnotherArray) {
    const fs::path copy = folder_.path() / "copy";
    fs::copy(path_, copy);
    for (const auto& entry : fs::directory_iterator(copy))
        fs::last_write_time(entry.path(), fs::last_write_time(path_ / entry.path().filename()));
    path_ = copy;
    EXPECT_TRUE(Now().Is(text_));
    Set("0.7", Chunk('\2'));
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, ACopyOfTheBaseMayBeEncodedAnew) {
    Set("ovr/.zarray", "{}");
    const std::string base = OfBase().Text(BaseSamples::kSome, "ovr");
    Copy();
    Set("ovr/.zarray", "{}");
    Set(".zarray", R"({"zarr_format": 2, "compressor": null, "fill_value": 1, "order": "C",
                "filters": null, "dtype": "|u1", "shape": [1024, 1024], "chunks": [512, 512]})");
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) fs::remove(path_ / Key(y, x));
    EXPECT_TRUE(OfBase().Is(base, "ovr"));
    EXPECT_FALSE(Now().Is(text_));
}

TEST_F(FingerprintTest, TextsOfTheLastReleaseAreCompared) {
    Set("ovr/.zarray", "{}");
    std::string base = OfBase().Text(BaseSamples::kSome, "ovr");
    base.resize(base.rfind(':'));  // without the time of the newest file
    EXPECT_TRUE(OfBase().Is(base, "ovr"));
    Set("0.7", Chunk('\2'));
    EXPECT_FALSE(OfBase().Is(base, "ovr"));
}

TEST_F(FingerprintTest, WithoutTimesOnlyTheTimeOfTheProductOrAllValuesAreEvidence) {
    std::size_t end = 0;
    for (int i = 0; i < 3; ++i) end = text_.find(':', end + 1);
    const std::string record = text_.substr(0, end);  // as it is made on a server
    const std::int64_t time = TimeOf(path_ / "0.0");
    EXPECT_FALSE(Now().Is(record));
    EXPECT_TRUE(Now().Is(record, {}, time));
    EXPECT_FALSE(Now().Is(record, {}, time - 1));
    EXPECT_TRUE(OfBase().Is(OfBase().Grid()));
}

TEST_F(FingerprintTest, FilesAreListedAfterTheSamplesAreTaken) {
    Fingerprint now = Now();
    const std::string before = now.files().times;
    Set("0.7", Chunk('\2'));
    now.Text(BaseSamples::kSome);
    EXPECT_NE(now.files().times, before);
}

TEST_F(FingerprintTest, OtherInputsAreAnotherFingerprint) {
    EXPECT_FALSE(Now("nodata 1").Is(text_));
    EXPECT_TRUE(Now("nodata 1").Is(TextOf(Now("nodata 1"))));
}

TEST_F(FingerprintTest, OtherTextsAreNoFingerprint) {
    for (const std::string text : {"", ":", ":::::::", "incomplete", "0123456789abcdef:1:2:3:4:5"})
        EXPECT_FALSE(Now().Is(text)) << text;
    SetTimes(fs::file_time_type::clock::now());
    const std::string start = text_.substr(0, text_.rfind(':', text_.rfind(':') - 1) + 1);
    for (const std::string time : {"", "x", "-1", "99999999999999999999999"})
        EXPECT_FALSE(Now().Is(start + time + text_.substr(text_.rfind(':')))) << time;
}

}  // namespace
}  // namespace zarr::test
