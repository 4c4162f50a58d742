// SPDX-License-Identifier: MIT
#include "core/store/zip_writer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"

namespace zarr::test {
namespace {

// A zip file in memory whose writes can fail. If `remember` is true, each write appends the file's
// contents, which a killed writer would leave, to `states`.
struct FileContents {
    std::mutex mutex;  // guards `bytes`, whose memory moves when it grows
    std::string bytes;
    // Number of writes that succeed before one fails; SIZE_MAX if none fails.
    std::size_t fail_after = SIZE_MAX;
    bool remember = false;
    bool is_in_place = true;
    std::vector<std::string> states;
};

class MemoryFile final : public ByteFile {
  public:
    explicit MemoryFile(std::shared_ptr<FileContents> contents) : contents_(std::move(contents)) {}

    std::uint64_t size() const override {
        const std::lock_guard<std::mutex> lock(contents_->mutex);
        return contents_->bytes.size();
    }
    Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const override {
        const std::lock_guard<std::mutex> lock(contents_->mutex);
        if (offset + memory.size > contents_->bytes.size()) return Status::Io("ends early");
        if (memory.size != 0) std::memcpy(memory.data, &contents_->bytes[offset], memory.size);
        return {};
    }
    Status WriteAt(std::uint64_t offset, ByteSpan bytes) override {
        const std::lock_guard<std::mutex> lock(contents_->mutex);
        const std::size_t size = contents_->bytes.size();
        if (contents_->fail_after == 0) {
            contents_->bytes.resize(std::max<std::size_t>(size, offset + bytes.size / 2));
            return Status::Io("disk full");
        }
        --contents_->fail_after;
        contents_->bytes.resize(std::max<std::size_t>(size, offset + bytes.size));
        if (bytes.size != 0) std::memcpy(&contents_->bytes[offset], bytes.data, bytes.size);
        if (contents_->remember) contents_->states.push_back(contents_->bytes);
        return {};
    }
    Status Truncate(std::uint64_t size) override {
        const std::lock_guard<std::mutex> lock(contents_->mutex);
        contents_->bytes.resize(size);
        if (contents_->remember) contents_->states.push_back(contents_->bytes);
        return {};
    }
    bool IsInPlace() const override { return contents_->is_in_place; }

  private:
    const std::shared_ptr<FileContents> contents_;
};

class MemorySource final : public ByteSource {
  public:
    explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
    std::uint64_t size() const override { return bytes_.size(); }
    Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const override {
        if (offset > bytes_.size() || memory.size > bytes_.size() - offset)
            return Status::Io("ends early");
        if (memory.size != 0) std::memcpy(memory.data, &bytes_[offset], memory.size);
        return {};
    }

  private:
    const std::string bytes_;
};

const std::string kEmptyZip = EmptyZip();

Result<std::shared_ptr<const ZipArchive>> ArchiveIn(const std::string& bytes) {
    return ZipArchive::Open(std::make_unique<MemorySource>(bytes), "file", "file");
}

std::shared_ptr<ZipUpdateStore> OpenIn(const std::shared_ptr<FileContents>& contents,
                                       const std::string& prefix = "") {
    auto archive = ArchiveIn(contents->bytes);
    EXPECT_TRUE(Succeeds(archive));
    auto store =
        ZipUpdateStore::Open(archive.Take(), std::make_unique<MemoryFile>(contents), prefix);
    EXPECT_TRUE(Succeeds(store));
    return store.Take();
}

// Returns "key=value" for each member of the zip file `bytes`, which a new ZipArchive reads.
std::vector<std::string> ContentsOf(const std::string& bytes) {
    const auto archive = ArchiveIn(bytes);
    if (!archive.ok()) return {archive.status().message()};
    std::vector<std::string> all;
    for (const auto& [name, member] : (*archive)->directory().members()) {
        std::string text(member.size, ' ');
        const Status status =
            (*archive)->Read(member, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
        all.push_back(std::string(name) + "=" + (status.ok() ? text : status.message()));
    }
    std::sort(all.begin(), all.end());
    return all;
}

ByteSpan Span(std::string_view text) { return ByteSpan(text); }

class ZipUpdateUnderTest final : public StoreUnderTest {
  public:
    ZipUpdateUnderTest() {
        contents_->bytes = kEmptyZip;
        store_ = OpenIn(contents_, "inner");
    }
    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(Succeeds(store_->Set(key, ByteSpan(value))));
    }
    const Store& store() override { return *store_; }
    Store* writable() override { return store_.get(); }

  private:
    std::shared_ptr<FileContents> contents_ = std::make_shared<FileContents>();
    std::shared_ptr<ZipUpdateStore> store_;
};

std::unique_ptr<StoreUnderTest> MakeZipUpdate() { return std::make_unique<ZipUpdateUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(ZipUpdate, StoreContract, testing::Values(&MakeZipUpdate));

class ZipUpdate : public testing::Test {
  protected:
    void SetUp() override { contents_->bytes = kEmptyZip; }
    std::shared_ptr<FileContents> contents_ = std::make_shared<FileContents>();
};

using Strings = std::vector<std::string>;

TEST_F(ZipUpdate, KeepsOldAndNewMembers) {
    {
        const auto store = OpenIn(contents_);
        EXPECT_TRUE(Succeeds(store->Set("a/0", Span("first"))));
        EXPECT_TRUE(Succeeds(store->Set("a/1", Span(""))));
        EXPECT_TRUE(Succeeds(store->Flush()));
    }
    EXPECT_EQ(ContentsOf(contents_->bytes), (Strings{"a/0=first", "a/1="}));
    {
        const auto store = OpenIn(contents_);
        Buffer value;
        ASSERT_TRUE(*store->Get("a/0", value, kNoLimit));
        EXPECT_EQ(TextOf(value), "first");
        EXPECT_TRUE(Succeeds(store->Set("a/0", Span("second"))));
        EXPECT_TRUE(Succeeds(store->Set("\xc3\xbc/\xc3\xa4", Span("umlauts"))));
        EXPECT_TRUE(Succeeds(store->Erase("a/1")));
        EXPECT_TRUE(Succeeds(store->Erase("never there")));
        ASSERT_TRUE(*store->Get("a/0", value, kNoLimit));
        EXPECT_EQ(TextOf(value), "second");
        EXPECT_FALSE(*store->Get("a/1", value, kNoLimit));
    }  // destroys the store without Close()
    EXPECT_EQ(ContentsOf(contents_->bytes), (Strings{"a/0=second", "\xc3\xbc/\xc3\xa4=umlauts"}));
}

TEST_F(ZipUpdate, EqualValuesAreNotWrittenAgain) {
    const auto store = OpenIn(contents_);
    EXPECT_TRUE(Succeeds(store->Set("a", Span("value"))));
    EXPECT_TRUE(Succeeds(store->Flush()));
    const std::string before = contents_->bytes;
    EXPECT_TRUE(Succeeds(store->Set("a", Span("value"))));
    EXPECT_TRUE(Succeeds(store->Flush()));
    EXPECT_EQ(contents_->bytes, before);
}

// Each state is the zip file after one write. Even if the writer is killed there, the zip file must
// have exactly the members of a flush.
TEST_F(ZipUpdate, EveryIntermediateStateHasTheFlushedMembers) {
    {
        const auto store = OpenIn(contents_);
        EXPECT_TRUE(Succeeds(store->Set("kept", Span("1"))));
    }
    contents_->remember = true;
    std::vector<std::size_t> flushed;
    std::set<Strings> whole{ContentsOf(contents_->bytes)};
    {
        const auto store = OpenIn(contents_);
        for (int i = 0; i < 5; ++i) {
            EXPECT_TRUE(Succeeds(store->Set("k" + std::to_string(i), Span("value"))));
            EXPECT_TRUE(Succeeds(store->Set("again", Span(std::to_string(i)))));
            if (i % 2 == 0) {
                EXPECT_TRUE(Succeeds(store->Flush()));
                flushed.push_back(contents_->states.size());
                whole.insert(ContentsOf(contents_->bytes));
            }
        }
    }
    whole.insert(ContentsOf(contents_->bytes));
    ASSERT_GT(contents_->states.size(), 20U);
    for (std::size_t i = 0; i < contents_->states.size(); ++i) {
        const Strings held = ContentsOf(contents_->states[i]);
        EXPECT_EQ(held.back(), "kept=1") << i;
        EXPECT_EQ(whole.count(held), 1U) << i;
        const auto done = std::upper_bound(flushed.begin(), flushed.end(), i + 1);
        for (int k = 0; k < 2 * static_cast<int>(done - flushed.begin()) - 1; ++k)
            EXPECT_NE(std::find(held.begin(), held.end(), "k" + std::to_string(k) + "=value"),
                      held.end())
                << i;
    }
    EXPECT_LT(contents_->bytes.size(), 4096U) << "nothing of the room stays";
}

// A killed process may have written only a part of the new zip directory. Readers must then find
// the old directory.
TEST_F(ZipUpdate, ATruncatedDirectoryLeavesThePreviousOne) {
    {
        const auto store = OpenIn(contents_);
        EXPECT_TRUE(Succeeds(store->Set("kept", Span("1"))));
    }
    const std::string before = contents_->bytes;
    contents_->remember = true;
    {
        const auto store = OpenIn(contents_);
        EXPECT_TRUE(Succeeds(store->Set("new", Span("2"))));
    }
    // After the first write, the zip file has the old directory, free space and a new directory.
    // The test cuts the file off at many positions.
    const std::string with_room = contents_->states[0];
    contents_->remember = false;
    ASSERT_GT(with_room.size(), before.size() + 1000);
    for (std::size_t cut = 1; cut < with_room.size() - before.size(); cut += cut < 100 ? 1 : 5000) {
        contents_->bytes = with_room.substr(0, with_room.size() - cut);
        EXPECT_EQ(ContentsOf(contents_->bytes), Strings{"kept=1"}) << cut;
        static_cast<void>(OpenIn(contents_));
        EXPECT_EQ(ContentsOf(contents_->bytes), Strings{"kept=1"}) << cut;
        EXPECT_LT(contents_->bytes.size(), 1000U) << "what was left behind is gone";
    }
}

TEST_F(ZipUpdate, AFullDiskLosesNothing) {
    {
        const auto store = OpenIn(contents_);
        EXPECT_TRUE(Succeeds(store->Set("kept", Span("1"))));
    }
    const std::string before = contents_->bytes;
    for (std::size_t writes = 0; writes < 12; ++writes) {
        contents_->bytes = before;
        contents_->fail_after = writes;
        Status status;
        {
            const auto store = OpenIn(contents_);
            for (const char* key : {"a", "b"})
                if (status.ok()) status = store->Set(key, Span("value"));
            if (status.ok()) status = store->Flush();
        }
        EXPECT_EQ(status.ok(), writes >= 6) << writes;
        EXPECT_EQ(ContentsOf(contents_->bytes).back(), "kept=1") << writes;
    }
}

TEST_F(ZipUpdate, AReplacedFileIsNotWritten) {
    const auto store = OpenIn(contents_);
    EXPECT_TRUE(Succeeds(store->Set("kept", Span("1"))));
    EXPECT_TRUE(Succeeds(store->Flush()));
    contents_->is_in_place = false;
    EXPECT_FALSE(store->IsInPlace());
    EXPECT_TRUE(Succeeds(store->Flush())) << "nothing is pending";
    EXPECT_FALSE(store->Set("kept", Span("2")).ok());
    EXPECT_FALSE(store->Erase("kept").ok());
    EXPECT_EQ(ContentsOf(contents_->bytes), Strings{"kept=1"});
}

TEST_F(ZipUpdate, FoldersAndMembersOfOthersStay) {
    const auto store = OpenIn(contents_, "x.zarr");
    EXPECT_TRUE(Succeeds(store->Set(".zgroup", Span("{}"))));
    EXPECT_TRUE(Succeeds(store->Flush()));
    const auto other = OpenIn(contents_, "y.zarr");
    EXPECT_TRUE(Succeeds(other->Set(".zgroup", Span("{}"))));
    EXPECT_TRUE(Succeeds(other->Flush()));
    EXPECT_EQ(ContentsOf(contents_->bytes), (Strings{"x.zarr/.zgroup={}", "y.zarr/.zgroup={}"}));
    EXPECT_EQ(other->List("")->size(), 1U);
}

TEST_F(ZipUpdate, MoreMembersThanZip32Allows) {
    {
        const auto store = OpenIn(contents_);
        for (int i = 0; i < 70000; ++i)
            ASSERT_TRUE(Succeeds(store->Set(std::to_string(i), Span("v"))));
    }
    const auto archive = ArchiveIn(contents_->bytes);
    ASSERT_TRUE(Succeeds(archive));
    EXPECT_EQ((*archive)->directory().members().size(), 70000U);
}

TEST_F(ZipUpdate, AFileWithAPrefixIsReadOnly) {
    {
        const auto store = OpenIn(contents_);
        EXPECT_TRUE(Succeeds(store->Set("a", Span("1"))));
    }
    contents_->bytes.insert(0, "#!/bin/sh\n");
    const auto archive = ArchiveIn(contents_->bytes);
    ASSERT_TRUE(Succeeds(archive));
    EXPECT_TRUE(
        Fails(ZipUpdateStore::Open(*archive, std::make_unique<MemoryFile>(contents_), "").status(),
              StatusCode::kUnsupported, "before its first member"));
}

}  // namespace
}  // namespace zarr::test
