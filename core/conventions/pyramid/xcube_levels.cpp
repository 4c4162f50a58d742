// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/xcube_levels.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/group/level_statement.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kLevelsKey = ".zlevels";
constexpr std::string_view kSuffix = ".levels";
// Maximum size in bytes of `.zlevels` and of a file `N.link`.
constexpr std::size_t kMaxLevelsText = std::size_t{1} << 20;

std::string WithSlashes(std::string_view link) {
    std::string target(WithoutBlanks(link));
    std::replace(target.begin(), target.end(), '\\', '/');
    return target;
}

class Lister {
  public:
    Lister(const Hierarchy& hierarchy, const std::string& folder, Warnings& warnings)
        : hierarchy_(hierarchy), folder_(folder), warnings_(warnings) {}

    std::optional<ListedPyramid> List() {
        for (const Document document : {Document::kGroup, Document::kArray}) {
            const auto is_node = hierarchy_.Has(folder_, document);
            if (!is_node.ok() || *is_node) return std::nullopt;
        }
        ReadProperties();
        if (!has_properties_ && !folder_.empty() && !EndsWith(folder_, kSuffix))
            return std::nullopt;
        ListedPyramid pyramid;
        pyramid.group = folder_;
        pyramid.origin = "xcube levels";
        for (std::uint64_t i = 0; i < count_.value_or(kMaxPyramidLevels); ++i)
            if (!AddLevel(std::to_string(i), pyramid) && !count_) break;
        if (!has_properties_ && !found_) return std::nullopt;
        if (!found_) warnings_.push_back(KeyOf(kLevelsKey) + ": the folder has no level");
        return pyramid;
    }

  private:
    std::string KeyOf(std::string_view name) const { return JoinKey(folder_, name); }

    // Reads the value of a key into `text`. Returns false if the key is absent. A read error gives
    // a warning and false.
    bool ReadText(const std::string& key, Buffer& text) {
        const auto found = hierarchy_.store()->Get(key, text, kMaxLevelsText);
        if (!found.ok()) warnings_.push_back(found.status().message());
        return found.ok() && *found;
    }

    void ReadProperties() {
        Buffer text;
        const std::string key = KeyOf(kLevelsKey);
        has_properties_ = ReadText(key, text);
        if (!has_properties_) return;
        const auto properties = json::Parse(std::as_const(text).span().text());
        if (!properties.ok() || properties->as_object() == nullptr) {
            warnings_.push_back(properties.ok()
                                    ? json::Expected(key, "an object", *properties).message()
                                    : properties.status().WithContext(key).message());
            return;
        }
        const json::Value* version = properties->Find("version");
        if (version != nullptr &&
            (version->as_string() == nullptr || *version->as_string() != "1.0"))
            warnings_.push_back(key + ": version " + json::Brief(*version) +
                                " is unknown; it is read like 1.0");
        const json::Value* count = properties->Find("num_levels");
        if (count == nullptr) return;
        std::uint64_t number = 0;
        if (!count->GetUint64(number) || number < 1 || number > kMaxPyramidLevels)
            warnings_.push_back(
                json::Expected(key + ": num_levels",
                               "an integer from 1 to " + std::to_string(kMaxPyramidLevels), *count)
                    .message());
        else
            count_ = number;
    }

    // Adds the level with the number `index`: the group `N.zarr`, or the target of `N.link`.
    // Returns false if the folder has neither.
    bool AddLevel(const std::string& index, ListedPyramid& pyramid) {
        const std::string link = KeyOf(index + ".link");
        const std::string group = KeyOf(index + ".zarr");
        Buffer text;
        if (ReadText(link, text)) {
            found_ = true;
            auto target = ResolveLink(folder_, std::as_const(text).span().text());
            const auto mounted =
                target.ok() ? Result<NodeKind>(NodeKind::kNone) : hierarchy_.KindOf(group);
            if (mounted.ok() && *mounted != NodeKind::kNone)
                pyramid.levels.push_back({group, link});
            else if (target.ok())
                pyramid.levels.push_back({target.Take(), link});
            else
                warnings_.push_back(link + ": " + target.status().message() +
                                    "; the level is left out");
            return true;
        }
        const auto kind = hierarchy_.KindOf(group);
        const bool exists = !kind.ok() || *kind != NodeKind::kNone;
        found_ = found_ || exists;
        if (exists || (count_ && found_)) pyramid.levels.push_back({group, pyramid.origin});
        return exists;
    }

    const Hierarchy& hierarchy_;
    const std::string& folder_;
    Warnings& warnings_;
    bool has_properties_ = false;
    bool found_ = false;
    std::optional<std::uint64_t> count_;
};

}  // namespace

std::optional<std::string> ReadBaseLink(const Store& store) {
    Buffer text;
    const auto found = store.Get("0.link", text, kMaxLevelsText);
    if (!found.ok() || !*found) return std::nullopt;
    return WithSlashes(std::as_const(text).span().text());
}

Result<std::string> ResolveLink(const std::string& folder, std::string_view link) {
    const std::string target = WithSlashes(link);
    if (target.empty()) return Status::Invalid("is an empty link");
    if (target[0] == '/' || target.find(':') != std::string::npos)
        return Status::Invalid("the link " + Quoted(target) + " is not a relative path");
    std::string path = folder;
    for (std::size_t from = 0; from <= target.size();) {
        const std::size_t end = std::min(target.find('/', from), target.size());
        const std::string segment = target.substr(from, end - from);
        from = end + 1;
        if (segment.empty() || segment == ".") continue;
        if (segment != "..") {
            path = JoinKey(path, segment);
            continue;
        }
        if (path.empty())
            return Status::Invalid("the link " + Quoted(target) +
                                   " leads outside the folder that was opened");
        path = std::string(ParentPath(path));
    }
    if (!path.empty() && !IsValidKey(path))
        return Status::Invalid("the link " + Quoted(target) + " is not a path");
    return path;
}

std::vector<ListedPyramid> ListXcubeLevels(const Hierarchy& hierarchy, const std::string& folder,
                                           const std::string& holding, Warnings& warnings) {
    const std::string_view level = ParentPath(holding);
    if (!holding.empty() && (level.empty() || ParentPath(level) != folder)) return {};
    auto pyramid = Lister(hierarchy, folder, warnings).List();
    return pyramid ? std::vector<ListedPyramid>{std::move(*pyramid)} : std::vector<ListedPyramid>();
}

}  // namespace zarr
