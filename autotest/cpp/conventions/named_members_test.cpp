// SPDX-License-Identifier: MIT
#include "core/conventions/group/named_members.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/catalog/catalog.h"
#include "core/store/store.h"

namespace zarr {
namespace {

using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;

// A remote store that cannot list keys, like a plain web server.
class UnlistableStore final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;

    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.remote = true;
        traits.concurrent_reads = 8;
        return traits;
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return Status::Unsupported(prefix + ": no list");
    }
};

std::shared_ptr<const Hierarchy> TreeWithoutListing(const TreeBuilder& builder) {
    auto tree = Hierarchy::Open(std::make_shared<UnlistableStore>(builder.Tree()->store()),
                                UseConsolidated::kNever, std::make_shared<ArrayContext>(0));
    EXPECT_TRUE(test::Succeeds(tree));
    return tree.Take();
}

StringList NamesIn(const Hierarchy& tree, const std::string& group, Warnings& warnings) {
    Faults faults;
    StringList paths;
    for (const NamedMember& member : ReadNamedMembers(tree, group, faults).members)
        paths.push_back(member.path);
    faults.Report(warnings);
    return paths;
}

TreeBuilder Plate() {
    TreeBuilder builder;
    builder
        .Group("", R"({"plate": {"wells": [{"path": "B/2", "rowIndex": 1}, {"path": "A/1"}]},
                       "bioformats2raw.layout": 3})")
        .Group("A")
        .Group("B")
        .Group("A/1", R"({"well": {"images": [{"path": "1"}, {"path": "0"}]}})")
        .Group("B/2", R"({"well": {"images": [{"path": "0", "acquisition": 0}]}})");
    for (const char* image : {"A/1/0", "A/1/1", "B/2/0"}) {
        builder.Group(image,
                      R"({"multiscales": [{"datasets": [{"path": "0"}, {"path": "s/1"}]}]})");
        builder.Raster(std::string(image) + "/0", 4, 6);
        builder.Raster(std::string(image) + "/s/1", 2, 3);
    }
    return builder;
}

TEST(NamedMembers, AreThoseThatTheAttributesList) {
    const auto tree = Plate().Tree();
    Warnings warnings;
    EXPECT_EQ(NamesIn(*tree, "", warnings), (StringList{"B/2", "A/1"}));
    EXPECT_EQ(NamesIn(*tree, "A/1", warnings), (StringList{"A/1/1", "A/1/0"}));
    EXPECT_EQ(NamesIn(*tree, "A/1/0", warnings), (StringList{"A/1/0/0", "A/1/0/s/1"}));
    EXPECT_EQ(NamesIn(*tree, "A", warnings), StringList());
    EXPECT_TRUE(warnings.empty());
}

TEST(NamedMembers, ListsOfTheWrongTypeGiveAWarning) {
    const std::pair<const char*, const char*> faults[] = {
        {R"({"plate": {}})", "plate: expected an object with \"wells\""},
        {R"({"plate": {"wells": 3}})", "plate.wells: expected an array"},
        {R"({"well": {"images": {}}})", "well.images: expected an array"},
        {R"({"labels": [true]})", "labels[0]: expected a path, got true"},
        {R"({"labels": ["../x"]})", "labels[0]: \"../x\" is not a path inside the group"},
        {R"({"bioformats2raw.layout": "three"})", "bioformats2raw.layout: \"three\" is unknown"}};
    for (const auto& [attributes, warning] : faults) {
        Warnings warnings;
        const auto tree = TreeBuilder().Group("", attributes).Tree();
        EXPECT_TRUE(NamesIn(*tree, "", warnings).empty());
        EXPECT_TRUE(WarnsOnce(warnings, {warning})) << attributes;
    }
}

TEST(NamedMembers, OtherUsesOfTheNamesAreIgnored) {
    for (const char* attributes :
         {R"({"plate": "Eurasian", "well": 7, "labels": "none"})", R"({"labels": null})", "{}"}) {
        Faults faults;
        const auto tree = TreeBuilder().Group("", attributes).Tree();
        EXPECT_FALSE(ReadNamedMembers(*tree, "", faults).is_container) << attributes;
        Warnings warnings;
        faults.Report(warnings);
        EXPECT_TRUE(warnings.empty()) << attributes;
    }
    Warnings warnings;
    const auto tree = TreeBuilder().Group("a", R"({"labels": ["x", "y"]})").Tree();
    EXPECT_TRUE(NamesIn(*tree, "a", warnings).empty());
    EXPECT_TRUE(warnings.empty());
}

TEST(NamedMembers, SeriesAreListedOrCounted) {
    TreeBuilder builder;
    builder.Group("", R"({"bioformats2raw.layout": 3})").Group("0").Group("1").Group("3");
    Warnings warnings;
    EXPECT_EQ(NamesIn(*builder.Tree(), "", warnings), (StringList{"0", "1"})) << "2 is not there";
    builder.Group("OME", R"({"series": ["3", "0", "3"]})");
    EXPECT_EQ(NamesIn(*builder.Tree(), "", warnings), (StringList{"3", "0"}));
    EXPECT_TRUE(warnings.empty());
    builder.Group("OME", R"({"series": {}})");
    EXPECT_EQ(NamesIn(*builder.Tree(), "", warnings), (StringList{"0", "1"}));
    EXPECT_TRUE(WarnsOnce(warnings, {"/OME: series: expected an array"}));
}

TEST(NamedMembers, ManyFaultsGiveOneWarning) {
    Faults faults;
    Warnings warnings;
    faults.Report(warnings);
    EXPECT_TRUE(warnings.empty());
    for (const char* text : {"a", "b", "c", "d", "e"}) faults.Add(text);
    faults.Report(warnings);
    faults.Report(warnings);
    EXPECT_TRUE(WarnsOnce(warnings, {"a; b; c; and 2 more"}));
}

// Returns the paths of the members of `group`, with "array " before the path of an array.
StringList MembersIn(const Hierarchy& tree, const std::string& group) {
    StringList found;
    const auto members = MembersOf(tree, group);
    if (!members.ok()) return {members.status().message()};
    for (const Node& node : *members)
        found.push_back((node.kind == NodeKind::kArray ? "array " : "") + node.path);
    return found;
}

TEST(NamedMembers, AreTheMembersOfAStoreThatCannotList) {
    const auto tree = TreeWithoutListing(Plate());
    EXPECT_EQ(MembersIn(*tree, ""), (StringList{"A", "B"}));
    EXPECT_EQ(MembersIn(*tree, "A"), StringList{"A/1"}) << "the plate's attributes tell";
    EXPECT_EQ(MembersIn(*tree, "A/1"), (StringList{"A/1/0", "A/1/1"}));
    EXPECT_EQ(MembersIn(*tree, "A/1/0"), (StringList{"array A/1/0/0", "A/1/0/s"}));
    EXPECT_EQ(MembersIn(*tree, "A/1/0/s"), (StringList{"array A/1/0/s/1"}));
}

TEST(NamedMembers, AStoreThatNamesNothingIsUnsupported) {
    TreeBuilder builder;
    const auto tree = TreeWithoutListing(builder.Group("").Raster("dem", 3, 4));
    EXPECT_TRUE(test::Fails(MembersOf(*tree, ""), StatusCode::kUnsupported, "no list"));
}

TEST(NamedMembers, IncludeMembersOfNczarr) {
    for (const char* list : {R"({"vars": ["v", "gone", "a/b", "..", 3], "groups": ["g", "gone"]})",
                             R"({"arrays": ["v"], "groups": ["g"]})"}) {
        TreeBuilder builder;
        builder.Group("", R"({"_nczarr_group": )" + std::string(list) + "}").Group("g");
        const auto tree = TreeWithoutListing(builder.Raster("v", 3, 4).Raster("unsaid", 3, 4));
        EXPECT_EQ(MembersIn(*tree, ""), (StringList{"g", "array v"})) << list;
        EXPECT_TRUE(test::Fails(MembersOf(*tree, "g"), StatusCode::kUnsupported, "no list"));
    }
}

TEST(NamedMembers, InvalidListsOfNczarrAreIgnored) {
    for (const char* list : {"3", "[]", R"({"vars": 3, "groups": {"v": 1}})"}) {
        TreeBuilder builder;
        builder.Group("", R"({"_nczarr_group": )" + std::string(list) + "}");
        const auto tree = TreeWithoutListing(builder.Raster("v", 3, 4));
        EXPECT_TRUE(test::Fails(MembersOf(*tree, ""), StatusCode::kUnsupported, "no list"));
    }
}

// Returns the warnings and the paths of the rasters in the catalog of `tree`. Sets `kinds` to the
// kinds of the first two groups.
StringList RastersIn(const Hierarchy& tree, std::vector<CatalogGroup::Kind>& kinds) {
    Warnings warnings;
    const auto groups = ListRasters(tree, "").Report(warnings);
    if (!groups.ok()) return {groups.status().message()};
    StringList paths = warnings;
    for (const CatalogGroup& group : *groups) {
        kinds.push_back(group.kind);
        for (const CatalogArray* array : group.Rasters()) paths.push_back(array->path);
    }
    kinds.resize(2);
    return paths;
}

TEST(NamedMembers, OrderTheCatalogWithAndWithoutListing) {
    using Kind = CatalogGroup::Kind;
    const TreeBuilder plate = Plate();
    for (const auto& tree : {plate.Tree(), TreeWithoutListing(plate)}) {
        std::vector<Kind> kinds;
        EXPECT_EQ(RastersIn(*tree, kinds), (StringList{"B/2/0/0", "A/1/1/0", "A/1/0/0"}));
        EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kContainer, Kind::kImage}));
    }
}

}  // namespace
}  // namespace zarr
