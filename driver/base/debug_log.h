// SPDX-License-Identifier: MIT
// What CPL_DEBUG=ZARR tells, in lines for people.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/array/array.h"
#include "core/conventions/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// Tells at its end what was done with an array since its begin, by all of the process that have the
// array open; nothing where nothing was done.
class ArrayActivity {
  public:
    // `store_path` names the store.
    ArrayActivity(const std::string& store_path, std::shared_ptr<const zarr::Array> array);
    ~ArrayActivity();
    ArrayActivity(const ArrayActivity&) = delete;
    ArrayActivity& operator=(const ArrayActivity&) = delete;

  private:
    struct Counts {
        explicit Counts(const zarr::Array& array);
        std::uint64_t requested, absent, decoded, cached, bytes_read, bytes_decoded, reading_time,
            decoding_time, written, bytes_written;
    };

    const std::string name_;
    const std::shared_ptr<const zarr::Array> array_;
    const Counts before_;
};

// Tells that an array whose dimensions have no names is taken for an image in colours.
void LogImage(const std::string& store_path, const zarr::ArrayFacts& facts);

// Tells of one request over a network, for a key at a path that ends with it.
void LogRequest(const std::string& path, const std::string& key, const std::string& answer,
                std::uint64_t nanoseconds);

// Tells what was opened, and at its end how often the store was asked.
class StoreActivity {
  public:
    StoreActivity(const std::string& store_path, std::shared_ptr<const zarr::Hierarchy> hierarchy);
    ~StoreActivity();
    StoreActivity(const StoreActivity&) = delete;
    StoreActivity& operator=(const StoreActivity&) = delete;

    // `what` completes "opened ".
    void Opened(const std::string& what) const;

  private:
    std::string Requests() const;

    const std::string store_path_;
    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
};

}  // namespace zarr_driver
