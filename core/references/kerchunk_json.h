// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/references/reference_index.h"
#include "core/references/templates.h"
#include "core/references/text_reader.h"

namespace zarr {

// A document of references in JSON, as kerchunk and VirtualiZarr write it: versions 0 and 1 of
// "References specification" (kerchunk). Values may be texts, "base64:" texts, objects of JSON, and
// references [url], [url, offset, length]. Numbers that are no JSON (NaN), and a comma before a
// closing bracket, are taken.
class KerchunkJson final : public ReferenceMap {
  public:
    // Reads a document. `identity` as Identity().
    static Result<std::shared_ptr<const KerchunkJson>> Read(TextReader& text, std::string identity);

    Result<Reference> Find(const std::string& key) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return index_.List(prefix);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit) const override {
        index_.ForEachKey(prefix, visit);
        return {};
    }
    std::string Identity() const override { return identity_; }

    // A location that the document names, with its templates expanded; empty if there is none.
    std::string SampleLocation() const;

  private:
    friend class KerchunkParser;
    explicit KerchunkJson(std::string identity) : identity_(std::move(identity)) {}

    const std::string identity_;
    ReferenceIndex index_;
    Templates templates_;
};

// True if `start`, the first bytes of a document, can be the start of references: an object whose
// first member is one that references have, or a key of a store. A document that is shorter than
// `start` has room for is looked at whole.
bool MayBeKerchunkJson(std::string_view start);

}  // namespace zarr
