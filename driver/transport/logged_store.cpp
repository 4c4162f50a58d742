// SPDX-License-Identifier: MIT
#include "driver/transport/logged_store.h"

#include <chrono>

#include "driver/base/debug_log.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

Result<zarr::ReadResult> LoggedStore::Read(const std::string& key, const zarr::ValuePart& part,
                                           const zarr::ReadSink& sink) const {
    return Logged(
        "GET", Describe(), key, [&] { return base().Read(key, part, sink); }, sink.buffer());
}

Status LoggedStore::GetMany(const std::vector<std::string>& keys,
                            const zarr::ReadManyOptions& options, const ValueTaker& take) const {
    const auto begin = std::chrono::steady_clock::now();
    return base().GetMany(
        keys, options, [&](std::size_t place, const std::optional<zarr::ByteSpan>& bytes) {
            const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::steady_clock::now() - begin);
            zarr::ReadResult answer;
            answer.found = bytes.has_value();
            answer.size = bytes ? bytes->size : 0;
            LogRequest("GET", Describe(), keys[place],
                       AnswerText(Result<zarr::ReadResult>(answer), nullptr),
                       static_cast<std::uint64_t>(time.count()));
            return take(place, bytes);
        });
}

Result<std::vector<zarr::StoreEntry>> LoggedStore::List(const std::string& prefix) const {
    return Logged("LIST", Describe(), prefix, [&] { return base().List(prefix); });
}

Status LoggedStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    return Logged("LIST", Describe(), prefix, [&] { return base().VisitEntries(prefix, visit); });
}

Status LoggedStore::WriteParts(const std::string& key, const std::vector<zarr::ByteSpan>& parts) {
    return Logged("PUT", Describe(), key, [&] { return writable_->SetParts(key, parts); });
}

Status LoggedStore::Remove(const std::string& key) {
    return Logged("DELETE", Describe(), key, [&] { return writable_->Erase(key); });
}

}  // namespace zarr_driver
