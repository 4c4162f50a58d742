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

// References from a JSON document that kerchunk or VirtualiZarr wrote: versions 0 and 1 of
// kerchunk's "References specification". Each key of a store has a string, a "base64:" string, a
// JSON object, or a reference [url] or [url, offset, length]. NaN, and a comma before a closing
// bracket, are accepted although JSON forbids both.
class KerchunkJson final : public ReferenceMap {
  public:
    // Reads a document. `identity`, which Identity() returns, names the document and its version.
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

    // Returns the location of any one target in the document, with templates expanded if they are
    // valid. Returns "" if the document has no target.
    std::string SampleLocation() const;

  private:
    friend class KerchunkParser;
    explicit KerchunkJson(std::string identity) : identity_(std::move(identity)) {}

    const std::string identity_;
    ReferenceIndex index_;
    Templates templates_;
};

// True if `start`, the first bytes of a file, can be the start of a kerchunk document: an object
// whose first member is one of kerchunk's version 1, or the key of a metadata document or chunk.
// `start` must be the whole file if the file is short.
bool MayBeKerchunkJson(std::string_view start);

}  // namespace zarr
