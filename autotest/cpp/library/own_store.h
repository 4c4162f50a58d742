// SPDX-License-Identifier: MIT
// A store as users of the library can write it: a map with a mutex.
#pragma once

#include <zarr_core/store.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zarr_core::test {

class MapStore final : public KeyValueStore {
  public:
    std::string name() const override { return "map"; }

    Result<std::optional<std::string>> Read(const std::string& key) const override {
        if (throws) throw std::runtime_error("the map is gone");
        const std::lock_guard<std::mutex> lock(mutex_);
        ++reads;
        const auto found = values.find(key);
        if (found == values.end()) return std::optional<std::string>();
        return std::optional<std::string>(found->second);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        if (!can_list) return KeyValueStore::List(prefix);
        const std::string start = prefix.empty() ? "" : prefix + "/";
        std::map<std::string, bool> children;
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const auto& [key, value] : values) {
            if (key.compare(0, start.size(), start) != 0) continue;
            const std::string rest = key.substr(start.size());
            const std::size_t slash = rest.find('/');
            children[rest.substr(0, slash)] |= slash != std::string::npos;
        }
        std::vector<StoreEntry> entries;
        for (const auto& [name, is_prefix] : children) entries.push_back({name, is_prefix});
        return entries;
    }
    bool is_writable() const override { return writable; }
    Status Write(const std::string& key, std::string_view value) override {
        if (fails_to_write) return {StatusCode::kPermission, "the map is locked"};
        const std::lock_guard<std::mutex> lock(mutex_);
        values[key] = std::string(value);
        return {};
    }
    Status Erase(const std::string& key) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        values.erase(key);
        return {};
    }
    bool is_remote() const override { return remote; }

    std::map<std::string, std::string> values;
    mutable std::atomic<int> reads{0};
    std::atomic<bool> throws{false};
    std::atomic<bool> fails_to_write{false};
    bool can_list = true;
    bool writable = true;
    bool remote = false;

  private:
    mutable std::mutex mutex_;
};

// Returns an uncompressed zip file with `values` by name (APPNOTE, section 4.3).
inline std::string ZipOf(const std::map<std::string, std::string>& values) {
    const auto number = [](std::uint64_t value, int size) {
        std::string bytes;
        for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
        return bytes;
    };
    const auto checksum = [](const std::string& bytes) {
        std::uint32_t crc = 0xFFFFFFFFU;
        for (const char byte : bytes) {
            crc ^= static_cast<std::uint8_t>(byte);
            for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0);
        }
        return ~crc;
    };
    std::string file;
    std::string directory;
    for (const auto& [name, value] : values) {
        const std::string header = number(20, 2) + number(0, 8) + number(checksum(value), 4) +
                                   number(value.size(), 4) + number(value.size(), 4) +
                                   number(name.size(), 2) + number(0, 2);
        directory +=
            "PK\1\2" + number(20, 2) + header + number(0, 10) + number(file.size(), 4) + name;
        file += "PK\3\4" + header + name + value;
    }
    return file + directory + "PK\5\6" + number(0, 4) + number(values.size(), 2) +
           number(values.size(), 2) + number(directory.size(), 4) + number(file.size(), 4) +
           number(0, 2);
}

}  // namespace zarr_core::test
