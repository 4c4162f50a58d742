// SPDX-License-Identifier: MIT
// Adapts a store that a program implements to the core's Store interface.
#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tuning.h"
#include "core/library/internal.h"
#include "core/store/keys.h"
#include "core/store/link_estimate.h"
#include "core/store/store.h"

namespace zarr_core {

namespace {

// Returns the result of `call`, a zarr::Status or zarr::Result. An exception becomes an error,
// except std::bad_alloc, which the core handles.
template <class Call>
auto WithoutExceptions(const std::string& key, const Call& call) -> decltype(call()) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& exception) {
        return zarr::Status::Io(key + ": unexpected exception: " + exception.what());
    } catch (...) {
        return zarr::Status::Io(key + ": unexpected exception");
    }
}

// Converts an error of the program's store to an error of the core. The core expects that the
// messages of a store begin with `key`.
zarr::Status WithKey(const Status& status, const std::string& key) {
    const zarr::Status error = ToPrivate(status);
    const bool has_key = status.message().compare(0, key.size(), key) == 0;
    return has_key ? error : error.WithContext(key);
}

ValuePart ToPublicPart(const zarr::ValuePart& part) {
    ValuePart wanted;
    wanted.kind = part.is_whole()  ? ValuePart::Kind::kWhole
                  : part.is_tail() ? ValuePart::Kind::kTail
                                   : ValuePart::Kind::kRange;
    wanted.offset = part.offset();
    wanted.length = part.length();
    return wanted;
}

class CallerStore final : public zarr::Store, private zarr::StoreWriter {
  public:
    explicit CallerStore(std::shared_ptr<KeyValueStore> store)
        : store_(std::move(store)),
          name_(store_->name()),
          is_writable_(store_->is_writable()),
          is_remote_(store_->is_remote()) {}

    std::string Describe() const override { return name_; }

    zarr::StoreTraits Traits() const override {
        zarr::StoreTraits traits;
        if (!is_remote_) return traits;
        traits.remote = true;
        traits.concurrent_reads = zarr::tuning::kRemoteReads;
        traits.request_cost = zarr::LinkEstimate().Cost();
        return traits;
    }

    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override {
        ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
        return WithoutExceptions(key, [&]() -> zarr::Result<zarr::ReadResult> {
            return part.is_whole() ? ReadWhole(key, part, sink) : ReadPart(key, part, sink);
        });
    }

    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override {
        if (!prefix.empty()) ZARR_RETURN_IF_ERROR(zarr::CheckKey(prefix));
        return WithoutExceptions(prefix, [&]() -> zarr::Result<std::vector<zarr::StoreEntry>> {
            Result<std::vector<StoreEntry>> listed = store_->List(prefix);
            if (!listed.ok()) return WithKey(listed.status(), prefix);
            std::vector<zarr::StoreEntry> entries;
            for (StoreEntry& entry : *listed) {
                // A name with a '/' or an invalid name is ignored, because it would lead outside of
                // the prefix.
                const bool is_name =
                    zarr::IsValidKey(entry.name) && entry.name.find('/') == std::string::npos;
                if (is_name) entries.push_back({std::move(entry.name), entry.is_prefix});
            }
            std::sort(entries.begin(), entries.end(),
                      [](const auto& a, const auto& b) { return a.name < b.name; });
            return entries;
        });
    }

    zarr::StoreWriter* writer() override { return is_writable_ ? this : nullptr; }

  private:
    zarr::Result<zarr::ReadResult> ReadWhole(const std::string& key, const zarr::ValuePart& part,
                                             const zarr::ReadSink& sink) const {
        const Result<std::optional<std::string>> value = store_->Read(key);
        if (!value.ok()) return WithKey(value.status(), key);
        if (!*value) return zarr::ReadResult();
        return zarr::ReadFrom(zarr::ByteSpan(**value), key, part, sink);
    }

    zarr::Result<zarr::ReadResult> ReadPart(const std::string& key, const zarr::ValuePart& part,
                                            const zarr::ReadSink& sink) const {
        const Result<std::optional<PartOfValue>> value = store_->ReadPart(key, ToPublicPart(part));
        if (!value.ok()) return WithKey(value.status(), key);
        if (!*value) return zarr::ReadResult();
        const std::string& bytes = (*value)->bytes;
        if (bytes.size() > part.length())
            return zarr::Status::Io(key + ": the store returned " + std::to_string(bytes.size()) +
                                    " bytes for a range of " + std::to_string(part.length()));
        if (part.is_tail() && (*value)->value_size < bytes.size())
            return zarr::Status::Io(key +
                                    ": the store returned the end of a value without its size");
        ZARR_RETURN_IF_ERROR(sink.Assign(zarr::ByteSpan(bytes)).WithContext(key));
        return zarr::ReadResult{true, (*value)->value_size, {}};
    }

    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override {
        ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
        return WithoutExceptions(key, [&]() -> zarr::Status {
            if (parts.size() == 1) return WithKey(store_->Write(key, parts[0].text()), key);
            std::string value;
            for (const zarr::ByteSpan& part : parts) value += part.text();
            return WithKey(store_->Write(key, value), key);
        });
    }

    zarr::Status Remove(const std::string& key) override {
        ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
        return WithoutExceptions(
            key, [&]() -> zarr::Status { return WithKey(store_->Erase(key), key); });
    }

    const std::shared_ptr<KeyValueStore> store_;
    const std::string name_;
    const bool is_writable_;
    const bool is_remote_;
};

Status NotImplemented(const char* what) {
    return {StatusCode::kUnsupported, std::string("the store does not ") + what};
}

}  // namespace

KeyValueStore::~KeyValueStore() = default;

Result<std::optional<PartOfValue>> KeyValueStore::ReadPart(const std::string& key,
                                                           const ValuePart& part) const {
    const Result<std::optional<std::string>> value = Read(key);
    if (!value.ok()) return value.status();
    if (!*value) return std::optional<PartOfValue>();
    const std::string& bytes = **value;
    const std::uint64_t size = bytes.size();
    std::uint64_t offset = 0;
    if (part.kind == ValuePart::Kind::kRange) offset = std::min(part.offset, size);
    if (part.kind == ValuePart::Kind::kTail) offset = size - std::min(part.length, size);
    if (part.kind == ValuePart::Kind::kWhole) return std::optional(PartOfValue{bytes, size});
    const std::uint64_t length = std::min(part.length, size - offset);
    return std::optional(PartOfValue{
        bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)), size});
}

Result<std::vector<StoreEntry>> KeyValueStore::List(const std::string& /*prefix*/) const {
    return NotImplemented("list");
}

bool KeyValueStore::is_writable() const { return false; }

Status KeyValueStore::Write(const std::string& /*key*/, std::string_view /*value*/) {
    return NotImplemented("write");
}

Status KeyValueStore::Erase(const std::string& /*key*/) { return NotImplemented("erase"); }

bool KeyValueStore::is_remote() const { return false; }

std::shared_ptr<zarr::Store> MakeCallerStore(std::shared_ptr<KeyValueStore> store) {
    return std::make_shared<CallerStore>(std::move(store));
}

}  // namespace zarr_core
