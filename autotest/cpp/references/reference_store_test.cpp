// SPDX-License-Identifier: MIT
#include "core/references/reference_store.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace zarr {
namespace {

constexpr std::size_t kAny = 1 << 20;

class FixedMap final : public ReferenceMap {
  public:
    explicit FixedMap(std::map<std::string, Reference> references)
        : references_(std::move(references)) {}
    Result<Reference> Find(const std::string& key) const override {
        const auto found = references_.find(key);
        return found != references_.end() ? found->second : Reference::Absent();
    }
    Result<std::vector<StoreEntry>> List(const std::string& /*prefix*/) const override {
        std::vector<StoreEntry> entries;
        for (const auto& [key, reference] : references_) entries.push_back({key, false});
        return entries;
    }
    Status ForEachKey(const std::string& /*prefix*/, const KeyVisitor& visit) const override {
        for (const auto& [key, reference] : references_) visit(key);
        return {};
    }
    std::string Identity() const override { return "fixed"; }

  private:
    const std::map<std::string, Reference> references_;
};

// Opens files in memory. Counts the requests for each file.
class Files final : public TargetOpener {
  public:
    Result<std::shared_ptr<const ReferenceTarget>> Open(const std::string& location) const override;
    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.packed = true;
        traits.request_cost = cost;
        return traits;
    }

    std::map<std::string, std::string> contents;
    ReadCost cost = StoreTraits::kLocalCost;
    std::string etag;
    mutable std::mutex mutex;
    mutable std::vector<std::string> requests;
};

class File final : public ReferenceTarget {
  public:
    File(const Files& files, std::string name) : files_(files), name_(std::move(name)) {}
    std::string Describe() const override { return name_; }
    Result<bool> Read(const ValuePart& part, const TargetCondition& condition,
                      Buffer& bytes) const override {
        const std::lock_guard<std::mutex> lock(files_.mutex);
        const auto found = files_.contents.find(name_);
        if (found == files_.contents.end()) return false;
        if (!condition.etag.empty() && condition.etag != files_.etag)
            return Status::Corrupt("the file has changed");
        files_.requests.push_back(name_ + (part.is_whole() ? "" : " part"));
        ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                              ReadFrom(ByteSpan(found->second), name_, part, bytes));
        return read.found;
    }
    ObjectVersion Version() const override { return {true, true, 1, 2, 3}; }

  private:
    const Files& files_;
    const std::string name_;
};

Result<std::shared_ptr<const ReferenceTarget>> Files::Open(const std::string& location) const {
    if (location.substr(0, 4) == "ftp:") return Status::Permission("set OPTION to allow it");
    return std::shared_ptr<const ReferenceTarget>(std::make_shared<File>(*this, location));
}

class References : public testing::Test {
  protected:
    References() {
        files->contents = {{"a.nc", "0123456789"}, {"b.nc", "abc"}};
        files->etag = "now";
    }
    ReferenceStore Store(std::map<std::string, Reference> references) {
        return {std::make_shared<FixedMap>(std::move(references)), files, "refs.json"};
    }
    static std::string Read(const ReferenceStore& store, const std::string& key,
                            const ValuePart& part = ValuePart::Whole(kAny)) {
        Buffer bytes;
        const auto read = store.Read(key, part, bytes);
        if (!read.ok()) return read.status().message();
        return read->found ? std::string(std::as_const(bytes).span().text()) : "absent";
    }

    const std::shared_ptr<Files> files = std::make_shared<Files>();
};

TEST_F(References, ReadsRangesAndTailsWithinAReference) {
    const ReferenceStore store = Store({{"x/0", Reference::Target("a.nc", 2, 5)},
                                        {"x/1", Reference::Target("b.nc", 0, std::nullopt)},
                                        {"x/.zarray", Reference::Inline("{}")}});
    EXPECT_EQ(Read(store, "x/0"), "23456");
    EXPECT_EQ(Read(store, "x/0", ValuePart::Range(1, 2)), "34");
    EXPECT_EQ(Read(store, "x/0", ValuePart::Range(4, 9)), "6");
    EXPECT_EQ(Read(store, "x/0", ValuePart::Tail(2)), "56");
    EXPECT_EQ(Read(store, "x/1"), "abc");
    EXPECT_EQ(Read(store, "x/1", ValuePart::Tail(1)), "c");
    EXPECT_EQ(Read(store, "x/.zarray"), "{}");
    EXPECT_EQ(Read(store, "x/.zarray", ValuePart::Range(1, 1)), "}");
    EXPECT_EQ(Read(store, "x/2"), "absent");
}

TEST_F(References, NamesTheTargetThatIsMissingShortOrChanged) {
    Reference changed = Reference::Target("a.nc", 0, 1);
    changed.condition.etag = "then";
    const ReferenceStore store = Store({{"gone", Reference::Target("c.nc", 0, 1)},
                                        {"short", Reference::Target("b.nc", 1, 9)},
                                        {"past", Reference::Target("b.nc", UINT64_MAX, 9)},
                                        {"whole", Reference::Target("c.nc", 0, std::nullopt)},
                                        {"changed", changed},
                                        {"forbidden", Reference::Target("ftp://x", 0, 1)}});
    EXPECT_EQ(Read(store, "gone"), "gone: c.nc: the file that a reference names does not exist");
    EXPECT_EQ(Read(store, "whole"), "whole: c.nc: the file that a reference names does not exist");
    EXPECT_EQ(Read(store, "short"),
              "short: b.nc: the file is shorter than the reference to 9 bytes at 1");
    EXPECT_EQ(Read(store, "past"),
              "past: b.nc: the file is shorter than the reference to 9 bytes at "
              "18446744073709551615");
    EXPECT_EQ(Read(store, "changed"), "changed: a.nc: the file has changed");
    EXPECT_EQ(Read(store, "forbidden"), "forbidden: set OPTION to allow it");
}

class ReadsMany : public References {
  protected:
    // Reads `keys` with GetMany() and sets `status`. Returns the values in the order of `keys`:
    // "absent" for an absent key, "not taken" if GetMany() gave no value.
    std::vector<std::string> Many(const ReferenceStore& store,
                                  const std::vector<std::string>& keys) {
        std::vector<std::string> values(keys.size(), "not taken");
        ReadManyOptions options;
        options.limit = limit;
        status = store.GetMany(
            keys, options, [&](std::size_t place, const std::optional<ByteSpan>& bytes) -> Status {
                values[place] = bytes ? std::string(bytes->text()) : "absent";
                return {};
            });
        return values;
    }

    std::size_t limit = kAny;
    Status status;
};

TEST_F(ReadsMany, JoinsNeighboursOfOneTarget) {
    const ReferenceStore store = Store({{"x/0", Reference::Target("a.nc", 0, 2)},
                                        {"x/1", Reference::Target("a.nc", 3, 2)},
                                        {"x/2", Reference::Target("b.nc", 0, 3)},
                                        {"x/3", Reference::Target("a.nc", 5, 1)},
                                        {"x/4", Reference::Inline("in")},
                                        {"x/6", Reference::Target("b.nc", 0, std::nullopt)}});
    EXPECT_EQ(Many(store, {"x/0", "x/1", "x/2", "x/3", "x/4", "x/5", "x/6"}),
              (std::vector<std::string>{"01", "34", "abc", "5", "in", "absent", "abc"}));
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(files->requests, (std::vector<std::string>{"a.nc part", "b.nc part", "b.nc"}));
}

TEST_F(ReadsMany, ReadsEachAloneIfAJoinedRequestFails) {
    const ReferenceStore store =
        Store({{"x/0", Reference::Target("a.nc", 0, 2)}, {"x/1", Reference::Target("a.nc", 8, 4)}});
    EXPECT_EQ(Many(store, {"x/0", "x/1"})[0], "01");
    EXPECT_EQ(status.message(),
              "x/1: a.nc: the file is shorter than the reference to 4 bytes at 8");
}

TEST_F(ReadsMany, DoesNotMixConditions) {
    Reference changed = Reference::Target("a.nc", 2, 2);
    changed.condition.etag = "then";
    const ReferenceStore store =
        Store({{"x/0", Reference::Target("a.nc", 0, 2)}, {"x/1", changed}});
    EXPECT_EQ(Many(store, {"x/0", "x/1"})[0], "01");
    EXPECT_EQ(status.message(), "x/1: a.nc: the file has changed");
}

TEST_F(ReadsMany, BoundsValues) {
    const ReferenceStore store = Store(
        {{"x/0", Reference::Target("a.nc", 0, 1000)}, {"x/1", Reference::Inline("0123456789")}});
    limit = 9;
    Many(store, {"x/0"});
    EXPECT_EQ(status.code(), StatusCode::kLimit);
    Many(store, {"x/1"});
    EXPECT_EQ(status.code(), StatusCode::kLimit);
}

TEST_F(References, TellsWhereAValueLies) {
    const ReferenceStore store = Store({{"x/0", Reference::Target("a.nc", 2, 5)},
                                        {"x/1", Reference::Inline("in")},
                                        {"x/empty", Reference::Target("a.nc", 0, 0)},
                                        {"x/whole", Reference::Target("a.nc", 0, std::nullopt)}});
    const ValueLocator* const locator = store.Traits().locator;
    ASSERT_NE(locator, nullptr);
    const auto location = locator->Locate("x/0");
    ASSERT_TRUE(location.ok() && location->has_value());
    EXPECT_EQ((*location)->target, "a.nc");
    EXPECT_EQ((*location)->offset, 2U);
    EXPECT_EQ((*location)->size, 5U);
    EXPECT_EQ((*locator->Locate("x/1"))->bytes, "in");
    EXPECT_FALSE(locator->Locate("x/2")->has_value());
    EXPECT_EQ((*locator->Locate("x/empty"))->size, std::uint64_t{0});
    EXPECT_EQ((*locator->Locate("x/whole"))->size, std::nullopt);
}

TEST_F(References, IsReadOnly) {
    ReferenceStore store = Store({});
    EXPECT_EQ(store.Set("x", ByteSpan(std::string("1"))).code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace zarr
