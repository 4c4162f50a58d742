// SPDX-License-Identifier: MIT
// Tests of what a writer leaves for the next one if it is killed while it changes documents.
// The tests need fork().
#ifndef _WIN32

#include "core/hierarchy/change_intent.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "autotest/cpp/hierarchy/trees.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/directory_store.h"

namespace zarr::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kV3Array = R"({"zarr_format": 3, "node_type": "array", "shape": [2],
    "data_type": "int8", "fill_value": 0, "codecs": ["bytes"],
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": "default"})";

class KilledWriter : public testing::TestWithParam<Format> {
  protected:
    KilledWriter() {
        fs::create_directory(path_);
        HierarchyWriter writer(store_, WriteConsolidated::kYes, nullptr, GetParam());
        for (const char* path : {"time", "g/a"})
            EXPECT_TRUE(Succeeds(writer.CreateArray(path, *Sized(2))));
        EXPECT_TRUE(Succeeds(writer.Finish()));
        before_ = Files();
    }

    Result<ArrayMetadata> Sized(std::uint64_t size) const {
        const auto metadata = GetParam() == Format::kV3
                                  ? ParseV3Array(kV3Array)
                                  : Result<ArrayMetadata>(MetadataOf(ArrayText("[2]")));
        EXPECT_TRUE(Succeeds(metadata));
        return WithShape(*metadata, {size});
    }

    std::unique_ptr<HierarchyWriter> Open(
        WriteConsolidated how = WriteConsolidated::kIfPresent) const {
        auto writer = std::make_unique<HierarchyWriter>(store_, how);
        writer->UseLock({path_.string(), ""}, {});
        return writer;
    }

    // Returns the contents of all files of the store, and beside it.
    std::map<std::string, std::string> Files() const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            files[entry.path().string()] = {std::istreambuf_iterator<char>(file), {}};
        }
        return files;
    }
    fs::path IntentPath() const { return path_.string() + ".intent"; }

    // Changes the store in a process that ends without finishing the change.
    void ChangeAndDie(const std::function<void(HierarchyWriter&)>& change) const {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto writer = Open();
            const auto lock = writer->Lock();
            change(*writer);
            ::_exit(0);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    void Grow(HierarchyWriter& writer, const char* path) const {
        EXPECT_TRUE(Succeeds(writer.ReplaceMetadata(path, *Sized(5))));
    }

    // Calls `work` in a process that may change the store and the files beside it, but cannot
    // create, rename or remove files beside it.
    void RunWithFixedFolder(const std::function<void()>& work) const {
        constexpr uid_t kNobody = 65534;
        const bool is_root = ::geteuid() == 0;
        ::chmod(folder_.path().c_str(), is_root ? 0755 : 0555);
        for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
            ASSERT_TRUE(!is_root || ::chown(entry.path().c_str(), kNobody, kNobody) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            EXPECT_TRUE(!is_root || ::seteuid(kNobody) == 0);
            work();
            ::_exit(HasFailure() ? 1 : 0);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ::chmod(folder_.path().c_str(), 0755);
        ASSERT_EQ(status, 0);
    }

    const TempFolder folder_;
    const fs::path path_ = folder_.path() / "x.zarr";
    const std::shared_ptr<Store> store_ = std::make_shared<DirectoryStore>(path_.string());
    std::map<std::string, std::string> before_;
};

INSTANTIATE_TEST_SUITE_P(InBothVersions, KilledWriter, testing::Values(Format::kV2, Format::kV3));

TEST_P(KilledWriter, IsUndoneByTheNextLock) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
    });
    EXPECT_NE(Files(), before_);
    EXPECT_TRUE(fs::exists(IntentPath()));
    const auto writer = Open();
    EXPECT_TRUE(Succeeds(writer->Lock()));
    EXPECT_EQ(Tree(store_)->Metadata("time")->shape, std::vector<std::uint64_t>{2});
    EXPECT_TRUE(fs::exists(IntentPath()));  // the consolidated metadata are missing
    EXPECT_TRUE(Succeeds(writer->Finish()));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, IsNotUndoneInAStoreThatHasMovedOn) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
        Grow(writer, "g/a");
    });
    // Another program that knows no intents.
    HierarchyWriter other(store_);
    for (const char* path : {"time", "g/a"})
        EXPECT_TRUE(Succeeds(other.ReplaceMetadata(path, *Sized(7))));
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
    for (const char* path : {"time", "g/a"})
        EXPECT_EQ(Tree(store_)->Metadata(path)->shape, std::vector<std::uint64_t>{7}) << path;
}

TEST_P(KilledWriter, IsUndoneExceptWhatAnotherProgramHasEdited) {
    const json::Value note = *json::Parse(R"({"note": "checked"})");
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
        Grow(writer, "g/a");
    });
    HierarchyWriter other(store_);
    for (const char* path : {"time", ""}) EXPECT_TRUE(Succeeds(other.SetAttributes(path, note)));
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
    const auto hierarchy = Tree(store_);
    for (const char* path : {"time", "g/a"})
        EXPECT_EQ(hierarchy->Metadata(path)->shape, std::vector<std::uint64_t>{2}) << path;
    for (const char* path : {"time", ""})
        EXPECT_TRUE(json::Equals(*hierarchy->Attributes(path), note)) << path;
}

TEST_P(KilledWriter, IsNotUndoneInANodeThatAnotherProgramHasMadeAnew) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
        Grow(writer, "g/a");
    });
    HierarchyWriter other(store_);
    EXPECT_TRUE(Succeeds(other.CreateArray("time", *Sized(5), json::Object(), IfExists::kReplace)));
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Tree(store_)->Metadata("time")->shape, std::vector<std::uint64_t>{5});
    EXPECT_EQ(Tree(store_)->Metadata("g/a")->shape, std::vector<std::uint64_t>{2});
}

TEST_P(KilledWriter, OfADeletedStoreIsIgnoredByAStoreWithItsInode) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
    });
    fs::remove_all(path_);  // the file system may give the inode to the next folder
    fs::create_directory(path_);
    HierarchyWriter made(store_, WriteConsolidated::kNo, nullptr, GetParam());
    EXPECT_TRUE(Succeeds(made.CreateArray("time", *Sized(9))));
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Tree(store_)->Metadata("time")->shape, std::vector<std::uint64_t>{9});
}

TEST_P(KilledWriter, DoesNotBlockChangesIfTheMetadataCannotBeConsolidated) {
    ChangeAndDie([this](HierarchyWriter& writer) { Grow(writer, "time"); });
    fs::create_directory(path_ / "bad");
    const char* const name = GetParam() == Format::kV3 ? "zarr.json" : ".zarray";
    std::ofstream(path_ / "bad" / name) << "{";
    const auto writer = Open();
    Grow(*writer, "g/a");
    EXPECT_FALSE(writer->Finish().ok());
    fs::remove_all(path_ / "bad");
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
}

TEST_P(KilledWriter, WhoMayStillLiveIsNotWaitedForWithoutAChange) {
    const auto living = Open();
    const auto lock = living->Lock();
    Grow(*living, "time");
    const pid_t child = ::fork();
    if (child == 0) {
        const auto writer =
            std::make_unique<HierarchyWriter>(store_, WriteConsolidated::kIfPresent);
        writer->UseLock({path_.string(), ""}, {std::chrono::hours(1), LockMeans::kAuto});
        ::_exit(writer->Finish().ok() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(Succeeds(living->Finish()));
}

TEST_P(KilledWriter, WritesThroughNoLinkOfAStranger) {
    std::ofstream(folder_.path() / "mine") << "precious";
    fs::create_symlink(folder_.path() / "mine", IntentPath());
    const auto writer = Open();
    Grow(*writer, "time");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(IntentPath())));
    EXPECT_TRUE(Succeeds(writer->Finish()));
    std::ifstream file(folder_.path() / "mine");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "precious");
}

TEST_P(KilledWriter, RecordsItsEndAtTheOtherPlaceIfItMust) {
    const auto writer = Open();
    {
        const auto lock = writer->Lock();
        EXPECT_TRUE(Succeeds(writer->BeginChange({"time", "g/a"})));
        Grow(*writer, "time");
        Grow(*writer, "g/a");
        fs::remove(IntentPath());
        fs::create_directory(IntentPath());  // the file beside the store cannot be replaced now
        EXPECT_TRUE(Succeeds(writer->EndChange()));
    }
    EXPECT_TRUE(fs::exists(path_ / ".intent"));
    EXPECT_TRUE(Succeeds(Open()->Lock()));  // finds that the change has ended
    fs::remove(IntentPath());
    for (const char* path : {"time", "g/a"})
        EXPECT_EQ(Tree(store_)->Metadata(path)->shape, std::vector<std::uint64_t>{5}) << path;
    EXPECT_TRUE(Succeeds(writer->Finish()));
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_FALSE(fs::exists(path_ / ".intent"));
    EXPECT_FALSE(fs::exists(IntentPath()));
}

TEST_P(KilledWriter, WhoseIntentCannotBeRemovedIsNotUndoneTwice) {
    for (const mode_t mode : {0644, 0444}) {  // with 0444, the file cannot be emptied either
        ChangeAndDie([this](HierarchyWriter& writer) {
            static_cast<void>(writer.BeginChange({"time", "g/a"}));
            Grow(writer, "time");
        });
        ::chmod(IntentPath().c_str(), mode);
        RunWithFixedFolder([this] {
            {
                const auto writer = Open();
                const auto lock = writer->Lock();
                EXPECT_TRUE(Succeeds(lock));
                EXPECT_EQ(Tree(store_)->Metadata("time")->shape, std::vector<std::uint64_t>{2});
                EXPECT_TRUE(Succeeds(writer->BeginChange({"time", "g/a"})));
                Grow(*writer, "time");
                EXPECT_TRUE(Succeeds(writer->EndChange()));
                EXPECT_TRUE(Succeeds(writer->Finish()));
            }
            EXPECT_TRUE(fs::exists(IntentPath()));
            EXPECT_TRUE(Succeeds(Open()->Finish()));
        });
        EXPECT_TRUE(Succeeds(Open()->Finish()));
        EXPECT_EQ(Tree(store_)->Metadata("time")->shape, std::vector<std::uint64_t>{5}) << mode;
        const auto writer = Open();
        EXPECT_TRUE(Succeeds(writer->ReplaceMetadata("time", *Sized(2))));
        EXPECT_TRUE(Succeeds(writer->Finish()));
        EXPECT_EQ(Files(), before_);
    }
}

TEST_P(KilledWriter, WhoCannotReplaceTheIntentIsUndoneAfterTheFormerOne) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
    });
    ::chmod(IntentPath().c_str(), 0444);
    RunWithFixedFolder([this] {
        const auto writer = Open();
        const auto lock = writer->Lock();
        EXPECT_TRUE(Succeeds(writer->BeginChange({"time", "g/a"})));
        Grow(*writer, "g/a");  // killed afterwards
    });
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, LeavesNoIntentOfUnreasonableSize) {
    std::ofstream(IntentPath()) << "x";
    fs::resize_file(IntentPath(), std::uintmax_t{1} << 40);  // takes no space on the disk
    EXPECT_TRUE(Succeeds(Open()->Lock()));
    fs::remove(IntentPath());
}

TEST_P(KilledWriter, IsUndoneByAWriterThatFinishesWithoutAChange) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "g/a");
    });
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, IsFinishedOnceAllDocumentsAreWritten) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
        Grow(writer, "g/a");
        static_cast<void>(writer.EndChange());
    });
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
    const auto hierarchy = Tree(store_);
    for (const char* path : {"time", "g/a"})
        EXPECT_EQ(hierarchy->Metadata(path)->shape, std::vector<std::uint64_t>{5}) << path;
}

TEST_P(KilledWriter, GivesWayToAWriterThatUndoesItself) {
    const auto writer = Open();
    const auto lock = writer->Lock();
    EXPECT_TRUE(Succeeds(writer->BeginChange({"time", "g/a"})));
    Grow(*writer, "time");
    EXPECT_TRUE(Succeeds(writer->UndoChange()));
    EXPECT_TRUE(Succeeds(writer->Finish()));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, IsUndoneInDocumentsThatItReachedLater) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time"}));
        Grow(writer, "time");
        Grow(writer, "g/a");
        for (const char* path : {"g", ""})
            EXPECT_TRUE(Succeeds(writer.SetAttributes(path, *json::Parse(R"({"new": 1})"))));
    });
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, IsUndoneBetweenTwoChangesOfADocument) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time"}));
        Grow(writer, "time");
        const auto file = path_ / "time" / (GetParam() == Format::kV3 ? "zarr.json" : ".zarray");
        const std::string first = Files().at(file.string());
        EXPECT_TRUE(Succeeds(writer.ReplaceMetadata("time", *Sized(6))));
        // As if the process had been killed before it stored the second text.
        std::ofstream(file, std::ios::binary) << first;
    });
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, IsNotUndoneInNodesThatItReplaced) {
    const auto writer = Open();
    const auto lock = writer->Lock();
    EXPECT_TRUE(Succeeds(writer->BeginChange({"time", "g/a"})));
    Grow(*writer, "g/a");
    EXPECT_TRUE(
        Succeeds(writer->CreateArray("time", *Sized(7), json::Object(), IfExists::kReplace)));
    EXPECT_FALSE(writer->UndoChange().ok());
    EXPECT_TRUE(Succeeds(writer->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
    EXPECT_EQ(Tree(store_)->Metadata("g/a")->shape, std::vector<std::uint64_t>{5});
    EXPECT_EQ(Tree(store_)->Metadata("time")->shape, std::vector<std::uint64_t>{7});
}

TEST_P(KilledWriter, LeavesTheRecordOfACopy) {
    ChangeIntent copy;
    copy.copy = {"signature", 3, 40};
    EXPECT_TRUE(Succeeds(IntentFile(path_.string(), nullptr).Write(copy)));
    const auto left = IntentFile(path_.string(), nullptr).Find();
    ASSERT_TRUE(left && left->copy);
    EXPECT_EQ(left->copy->signature, "signature");
    EXPECT_EQ(left->copy->band, 3);
    EXPECT_EQ(left->copy->row, 40);
    // Others keep it, whether they change the store or are killed.
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time"}));
        Grow(writer, "time");
    });
    const auto writer = Open();
    EXPECT_TRUE(Succeeds(writer->Lock()));
    EXPECT_TRUE(Succeeds(writer->Finish()));
    const auto kept = IntentFile(path_.string(), nullptr).Find();
    ASSERT_TRUE(kept && kept->copy && !kept->HasChange());
    EXPECT_EQ(kept->copy->row, 40);
    EXPECT_TRUE(Succeeds(IntentFile(path_.string(), nullptr).Write({})));
    EXPECT_EQ(Files(), before_);
}

TEST_P(KilledWriter, OfAnotherStoreOfTheSameNameIsIgnored) {
    ChangeAndDie([this](HierarchyWriter& writer) {
        static_cast<void>(writer.BeginChange({"time", "g/a"}));
        Grow(writer, "time");
    });
    fs::rename(path_, folder_.path() / "old");
    fs::copy(folder_.path() / "old", path_, fs::copy_options::recursive);
    const auto changed = Files();
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_EQ(Files(), changed);
}

TEST_P(KilledWriter, LeavesNothingThatANoIntentCouldMislead) {
    for (const char* text :
         {"", "{", "[]", R"({"store": 1})", R"({"store": "", "documents": {}})",
          R"({"store": "x", "consolidated": ["../.."], "documents": {"../x": "y"}})"}) {
        std::ofstream(IntentPath()) << text;
        EXPECT_TRUE(Succeeds(Open()->Lock())) << text;
        fs::remove(IntentPath());
        EXPECT_EQ(Files(), before_) << text;
    }
}

TEST_P(KilledWriter, HasNoIntentAfterANormalEnd) {
    const auto writer = Open();
    Grow(*writer, "time");
    EXPECT_TRUE(fs::exists(IntentPath()));
    // Another writer meanwhile restores the consolidated metadata, which are then written again.
    EXPECT_TRUE(Succeeds(Open()->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
    Grow(*writer, "g/a");
    EXPECT_TRUE(Succeeds(writer->Finish()));
    EXPECT_FALSE(fs::exists(IntentPath()));
    const auto after = Files();
    EXPECT_TRUE(Succeeds(Open()->Consolidate()));
    EXPECT_EQ(Files(), after);
}

}  // namespace
}  // namespace zarr::test

#endif
