// SPDX-License-Identifier: MIT
#include "driver/create/copy_journal.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"
#include "core/json/value.h"
#include "driver/create/band_nodata.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

// Key of the journal in the unfinished store. Readers and writers of stores ignore keys that end in
// ".partial".
constexpr char kJournalKey[] = "copy.partial";

std::string FileText(const char* name) {
    std::string text = name;
    VSIStatBufL stat;
    if (StorePath(name).is_remote() || VSIStatL(name, &stat) != 0) return text;
    return text + " " + std::to_string(stat.st_size) + " " + std::to_string(stat.st_mtime);
}

std::optional<int> IntMember(const json::Value& value, const char* name) {
    const json::Value* const member = value.Find(name);
    std::int64_t number = 0;
    if (member == nullptr || !member->GetInt64(number) || number < 0 || number > INT32_MAX)
        return std::nullopt;
    return static_cast<int>(number);
}

}  // namespace

std::string SourceText(GDALDataset& source) {
    const CPLStringList files(source.GetFileList());
    if (files.empty()) return {};
    std::string text = source.GetDescription();
    for (int i = 0; i < files.size(); ++i) text += "\n" + FileText(files[i]);
    for (CSLConstList option = source.GetOpenOptions(); option && *option; ++option)
        text += std::string("\n") + *option;
    if (CSLConstList xml = source.GetMetadata("xml:VRT"); xml != nullptr && *xml != nullptr)
        text += std::string("\n") + *xml;
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        text += "\n" + NodataText(NodataOf(*source.GetRasterBand(i)));
    return text;
}

std::optional<CopyJournal::Entry> CopyJournal::Read(const zarr::Store& store) {
    zarr::Buffer text;
    const auto found = zarr::GetDocument(store, kJournalKey, text);
    if (!found.ok() || !*found) return std::nullopt;
    const auto parsed = json::Parse({reinterpret_cast<const char*>(text.data()), text.size()});
    if (!parsed.ok()) return std::nullopt;
    const json::Value* const signature = parsed->Find("signature");
    const std::optional<int> band = IntMember(*parsed, "band");
    const std::optional<int> row = IntMember(*parsed, "row");
    if (signature == nullptr || signature->as_string() == nullptr || !band || *band == 0 || !row)
        return std::nullopt;
    return Entry{*signature->as_string(), {*band, *row}};
}

bool UnfinishedCopies::IsContinuedIn(const std::string& folder) {
    const auto entry = CopyJournal::Read(*OpenFolder(folder));
    const bool is_own = entry && entry->signature == signature_;
    has_others_ = has_others_ || (entry && !is_own);
    return is_own;
}

Status CopyJournal::Record(CopyPosition position) {
    const json::Value entry(json::Object{{"signature", json::Value(signature_)},
                                         {"band", json::Value(std::int64_t{position.band})},
                                         {"row", json::Value(std::int64_t{position.row})}});
    const std::string text = json::Dump(entry);
    ZARR_RETURN_IF_ERROR(store_->Set(kJournalKey, zarr::ByteSpan(std::string_view(text))));
    has_entry_ = true;
    recorded_ = std::chrono::steady_clock::now();
    return {};
}

Status CopyJournal::Erase() {
    if (!has_entry_) return {};
    has_entry_ = false;
    return store_->Erase(kJournalKey);
}

}  // namespace zarr_driver
