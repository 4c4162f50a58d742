// SPDX-License-Identifier: MIT
#include "driver/store/logged_store.h"

#include <chrono>

#include "driver/base/debug_log.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

Result<bool> LoggedStore::Get(const std::string& key, zarr::Buffer& value,
                              std::size_t limit) const {
    return Logged(
        "GET", Describe(), key, [&] { return base().Get(key, value, limit); }, &value);
}

Result<std::optional<std::size_t>> LoggedStore::GetInto(const std::string& key,
                                                        zarr::MutableByteSpan memory) const {
    return Logged("GET", Describe(), key, [&] { return base().GetInto(key, memory); });
}

Result<bool> LoggedStore::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                   zarr::Buffer& value) const {
    return Logged(
        "GET", Describe(), key, [&] { return base().GetRange(key, offset, length, value); },
        &value);
}

Result<std::optional<std::uint64_t>> LoggedStore::GetTail(const std::string& key,
                                                          std::size_t length,
                                                          zarr::Buffer& value) const {
    return Logged(
        "GET", Describe(), key, [&] { return base().GetTail(key, length, value); }, &value);
}

Status LoggedStore::GetMany(const std::vector<std::string>& keys,
                            const zarr::ReadManyOptions& options, const ValueTaker& take) const {
    const auto begin = std::chrono::steady_clock::now();
    return base().GetMany(
        keys, options, [&](std::size_t place, const std::optional<zarr::ByteSpan>& bytes) {
            const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::steady_clock::now() - begin);
            const Result<std::optional<std::size_t>> answer =
                bytes ? std::optional(bytes->size) : std::optional<std::size_t>();
            LogRequest("GET", Describe(), keys[place], AnswerText(answer, nullptr),
                       static_cast<std::uint64_t>(time.count()));
            return take(place, bytes);
        });
}

Result<std::vector<zarr::StoreEntry>> LoggedStore::List(const std::string& prefix) const {
    return Logged("LIST", Describe(), prefix, [&] { return base().List(prefix); });
}

}  // namespace zarr_driver
