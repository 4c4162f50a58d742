// SPDX-License-Identifier: MIT
#include "core/array/array_document.h"

#include <map>
#include <utility>

#include "core/metadata/documents.h"
#include "core/metadata/v1_metadata.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"

namespace zarr {

// Metadata that this process has written last to an array while the array was open.
struct OwnMetadata {
    std::mutex mutex;
    std::optional<ArrayMetadata> written;
};

namespace {

// The OwnMetadata of each open array, by NameOf(). Thread-safe.
class OwnMetadataRegistry {
  public:
    std::shared_ptr<OwnMetadata> Of(const std::string& name) {
        auto made = std::make_shared<OwnMetadata>();
        const std::lock_guard<std::mutex> lock(mutex_);
        std::weak_ptr<OwnMetadata>& entry = entries_[name];
        if (auto known = entry.lock()) return known;
        entry = made;
        return made;
    }
    std::shared_ptr<OwnMetadata> Find(const std::string& name) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(name);
        return found != entries_.end() ? found->second.lock() : nullptr;
    }
    // Removes the entry if no array uses it.
    void Prune(const std::string& name) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(name);
        if (found != entries_.end() && found->second.expired()) entries_.erase(found);
    }

  private:
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<OwnMetadata>> entries_;
};

// The registry is never destroyed, because threads may still use it while the process ends.
auto& own_metadata = *new OwnMetadataRegistry();

std::string NameOf(const Store& store, const std::string& path) {
    return store.Identity() + "\n" + path;
}

// Reads the attributes of a Zarr v2 array; null if there are none or they cannot be read.
json::Value AttributesAt(const Store& store, const std::string& path) {
    Buffer text;
    const auto found = GetDocument(store, DocumentKey(path, Document::kAttributes), text);
    if (!found.ok() || !*found) return {};
    auto parsed = ParseAttributes(std::as_const(text).span().text());
    return parsed.ok() ? parsed.Take() : json::Value();
}

}  // namespace

ArrayDocument::ArrayDocument(std::shared_ptr<const Store> store, const std::string& path,
                             Format format, std::optional<ObjectVersion> version)
    : store_(std::move(store)),
      path_(path),
      format_(format),
      key_(DocumentKey(path, Document::kArray, format)),
      name_(NameOf(*store_, path)),
      own_(own_metadata.Of(name_)),
      version_(version) {}

ArrayDocument::~ArrayDocument() {
    own_.reset();
    own_metadata.Prune(name_);
}

Result<ArrayDocument::State> ArrayDocument::Check(const ArrayMetadata& metadata) const {
    const ObjectVersion now = store_->VersionOf(key_);
    // A store without versions does not change.
    if (!now.exists && !now.is_certain) return State::kSame;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (version_ && EqualButForCertainty(*version_, now)) return State::kSame;
    if (!now.exists && version_)
        return Status::Io(key_ + ": the array was deleted after it was opened");
    if (now.exists) {
        ZARR_ASSIGN_OR_RETURN(const bool is_whole, IsSameArray(metadata));
        // The next call looks at the document again.
        if (!is_whole) return State::kUnclear;
    }
    return std::exchange(version_, now) ? State::kChanged : State::kSame;
}

// Reads the document. Returns false if its text is no JSON. Fails if it describes other chunks.
Result<bool> ArrayDocument::IsSameArray(const ArrayMetadata& metadata) const {
    Buffer buffer;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key_, buffer));
    const std::string_view text = std::as_const(buffer).span().text();
    const auto document = json::Parse(text);
    if (!found || !document.ok()) return false;
    const auto parse = [&]() -> Result<ArrayMetadata> {
        if (format_ == Format::kV3) return ParseV3Array(*document);
        if (format_ == Format::kV1) return ParseV1Metadata(text);
        return ParseArrayMetadata(*document, [&] { return AttributesAt(*store_, path_); });
    };
    const auto stored = parse();
    if (stored.ok() && HasChunksOf(*stored, metadata)) return true;
    const std::lock_guard<std::mutex> lock(own_->mutex);
    if (stored.ok() && own_->written && HasChunksOf(*stored, *own_->written)) return true;
    return Status::Io(key_ + ": the store was replaced after it was opened; open it again");
}

void NoteOwnMetadata(const Store& store, const std::string& path, const ArrayMetadata& metadata) {
    const auto own = own_metadata.Find(NameOf(store, path));
    if (own == nullptr) return;
    const std::lock_guard<std::mutex> lock(own->mutex);
    own->written = metadata;
}

}  // namespace zarr
