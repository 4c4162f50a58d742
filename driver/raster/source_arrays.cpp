// SPDX-License-Identifier: MIT
#include "driver/raster/source_arrays.h"

#include <cpl_string.h>

#include <algorithm>
#include <string_view>

#include "core/base/digest.h"
#include "core/json/value.h"
#include "core/metadata/fill_meaning.h"
#include "driver/store/sidecars.h"

namespace zarr_driver {

namespace {

// Returns what statistics and overviews depend on beside the values.
std::string InputsOf(const BandArray& array) {
    std::string inputs = zarr::MetadataText(array.facts().metadata);
    const auto add = [&](std::string_view name) {
        if (const zarr::json::Value* value = array.facts().attributes.Find(name))
            inputs.append(name).append(zarr::json::Dump(*value));
    };
    for (const std::string_view name : zarr::kNodataAttributes) add(name);
    add("_Unsigned");
    const zarr::ArrayMetadata& metadata = array.facts().metadata;
    const bool is_v3 = metadata.format == zarr::Format::kV3;
    if (is_v3 && zarr::FillMeansMissing(metadata, array.facts().attributes))
        inputs += "fill value is nodata";
    return inputs;
}

// True if an array with these times was not replaced after `time`. An equal document may be newer,
// because attributes of a Zarr v3 array are in it, if any chunk is older or there are no chunks.
bool HasDocumentOf(const ArrayTimes& times, std::int64_t time, bool is_equal) {
    const bool has_chunks = times.oldest_chunk <= times.newest_chunk;
    return times.document <= time || (is_equal && (!has_chunks || times.oldest_chunk <= time));
}

// Adds the document to a digest that version 0.1 records.
void AddDocument(zarr::Digest& digest, const BandArray& array) {
    digest.Add(array.elements()->path()).Add(InputsOf(array));
}

template <class TextOf>
std::string Joined(const BandArrays& arrays, const TextOf& text_of) {
    std::string texts;
    for (const auto& array : arrays) {
        zarr::Fingerprint now = SourceArrays::FingerprintOf(*array);
        texts.append(texts.empty() ? "" : " ").append(text_of(*array, now));
    }
    return texts;
}

}  // namespace

zarr::Fingerprint SourceArrays::FingerprintOf(const BandArray& array) {
    return {array.elements(), InputsOf(array)};
}

bool SourceArrays::IsRemote(const BandArray& array) const {
    return store_.is_remote() || array.elements()->store()->Traits().remote;
}

zarr::BaseSamples SourceArrays::SamplesBeside(const BandArray& array,
                                              zarr::BaseSamples samples) const {
    return IsRemote(array) ? zarr::BaseSamples::kNone : samples;
}

std::string SourceArrays::ComparedBeside(const BandArray& array, const std::string& text) const {
    return IsRemote(array) ? text.substr(0, text.find(':')) : text;
}

std::string SourceArrays::Record(zarr::BaseSamples samples) const {
    return Joined(arrays_, [&](const BandArray& array, zarr::Fingerprint& now) {
        return now.Text(SamplesBeside(array, samples));
    });
}

std::string SourceArrays::RecordOf(
    const std::map<const BandArray*, std::string>& fingerprints) const {
    // An unknown fingerprint would leave a gap.
    for (const auto& [array, text] : fingerprints)
        if (text.empty()) return {};
    return Joined(arrays_, [&](const BandArray& array, zarr::Fingerprint& now) {
        const auto found = fingerprints.find(&array);
        return found != fingerprints.end() ? found->second : now.Grid();
    });
}

// Returns what version 0.1 records for files of overviews and masks.
std::string SourceArrays::EarlierRecord() const {
    zarr::Digest digest;
    for (const auto& array : arrays_) AddDocument(digest, *array);
    return digest.Text();
}

// True if version 0.1 has made `record` for statistics from the present document, and from chunks
// with the present names and times. For references and on a server that version has compared the
// document alone; the second digest of references is that of nothing.
bool SourceArrays::IsOfEarlierVersion(const BandArray& array, const zarr::ChunkFiles& files,
                                      const std::string& record,
                                      std::optional<std::int64_t> written) const {
    zarr::Digest digest;
    AddDocument(digest, array);
    const CPLStringList parts(CSLTokenizeString2(record.c_str(), ":", 0));
    if (parts.empty() || parts[0] != digest.Text()) return false;
    if (parts.size() == 3) return files.times == parts[2];
    const bool are_references = array.elements()->store()->Traits().locator != nullptr;
    const bool is_older = written && files.newest <= *written &&
                          (!are_references || ReferencesWrittenAt(store_) <= written);
    return parts.size() == 1 ? IsRemote(array) || is_older : are_references && is_older;
}

// References to chunks on servers, or to too many chunks, are not compared, but may be written
// anew.
bool SourceArrays::IsSame(const BandArray& array, zarr::Fingerprint& now, const std::string& record,
                          std::optional<std::int64_t> written) const {
    const bool is_unlisted =
        array.elements()->store()->Traits().locator != nullptr && now.files().times.empty();
    const bool is_older = is_unlisted && written && ReferencesWrittenAt(store_) > written;
    return !is_older &&
           (now.Is(record, {}, written) || IsOfEarlierVersion(array, now.files(), record, written));
}

bool SourceArrays::AreSame(const std::string& record, std::int64_t written) const {
    if (record.find(':') == std::string::npos) {
        const bool is_earlier = record == EarlierRecord();
        if (!record.empty() && !is_earlier && record != RecordOf()) return false;
        return std::all_of(arrays_.begin(), arrays_.end(), [&](const auto& array) {
            return IsOlderThan(*array, written, is_earlier);
        });
    }
    const CPLStringList texts(CSLTokenizeString2(record.c_str(), " ", 0));
    bool is_same = static_cast<std::size_t>(texts.size()) == arrays_.size();
    for (std::size_t i = 0; is_same && i < arrays_.size(); ++i) {
        zarr::Fingerprint now = FingerprintOf(*arrays_[i]);
        const std::string text = ComparedBeside(*arrays_[i], texts[static_cast<int>(i)]);
        is_same = IsSame(*arrays_[i], now, text, written);
    }
    return is_same;
}

bool SourceArrays::AreMasked(const std::string& record, std::optional<std::int64_t> written) const {
    const bool is_same = !record.empty() && (record == RecordOf() || record == EarlierRecord());
    if (!written) return is_same || record.empty() || record == "YES";  // of earlier versions
    return std::all_of(arrays_.begin(), arrays_.end(), [&](const auto& array) {
        return HasDocumentOf(TimesOf(store_, *array->elements()), *written, is_same);
    });
}

bool SourceArrays::IsOlderThan(const BandArray& array, std::int64_t time, bool has_document) const {
    const ArrayTimes times = TimesOf(store_, *array.elements());
    return times.newest_chunk <= time && HasDocumentOf(times, time, has_document);
}

bool SourceArrays::AreOlderThan(std::int64_t time) const {
    return std::all_of(arrays_.begin(), arrays_.end(), [&](const auto& array) {
        return TimesOf(store_, *array->elements()).newest_chunk <= time;
    });
}

}  // namespace zarr_driver
